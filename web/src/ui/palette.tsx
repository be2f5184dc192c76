// The command palette (Ctrl K) and the sheet of shortcuts (?).
import { useState } from 'preact/hooks';
import type { StudioCommand } from '../modes/mode';
import { letterKeys, navigation } from '../store';
import { keyLabel, listedGroups } from './commands';
import { dialog, Modal } from './modal';

const close = () => (dialog.value = undefined);

/** Whether the title contains all words, in any order. */
function matches(title: string, question: string): boolean {
  const text = title.toLowerCase();
  return question
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function Palette() {
  const [question, setQuestion] = useState('');
  const [at, setAt] = useState(0);
  const all = listedGroups().flatMap((group) => group.commands.map((one) => ({ group: group.title, one })));
  const found = all.filter(({ group, one }) => matches(`${group} ${one.title}`, question));
  const chosen = Math.min(at, found.length - 1);
  const run = (one: StudioCommand | undefined) => {
    if (one === undefined || !(one.enabled?.() ?? true)) return;
    close();
    one.run();
  };
  const key = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const next = (chosen + move + found.length) % Math.max(1, found.length);
      setAt(next);
      document.getElementById(`command-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[chosen]?.one);
    }
  };
  return (
    <Modal label="Commands" onClose={close}>
      <input
        class="wide"
        autofocus
        role="combobox"
        aria-label="Search commands"
        aria-expanded="true"
        aria-controls="command-list"
        aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
        placeholder="Search commands"
        value={question}
        onInput={(event) => {
          setQuestion(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      <div id="command-list" class="list palette" role="listbox" aria-label="Commands">
        {found.map(({ group, one }, i) => (
          <div
            key={`${group} ${one.title}`}
            id={`command-${i}`}
            class="option row spread"
            role="option"
            aria-selected={i === chosen}
            aria-disabled={!(one.enabled?.() ?? true)}
            onClick={() => run(one)}
          >
            <span>
              {one.title} <span class="muted">{group === 'General' ? '' : group}</span>
            </span>
            <kbd>{keyLabel(one)}</kbd>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="muted">No matching command.</p>}
    </Modal>
  );
}

const everywhere: [string, string][] = [
  ['Pose a joint in any mode', 'hold Space and drag a joint or the skin'],
  ['Move slowly, snap', 'Shift, Ctrl while dragging'],
  ['Constrain to an axis', 'X, Y or Z while dragging a joint'],
  ['Cancel a gesture', 'Esc, or right-click while dragging'],
  ['Context menu', 'right-click, long press, or menu key'],
  ['Orbit around a point', 'double-click it in Pose or Weights'],
  ['Orbit and zoom with keys', 'arrow keys, + and - in the viewport'],
  ['Pan and zoom by touch', 'drag and pinch with two fingers'],
];

const buttons: Record<typeof navigation.value, [string, string][]> = {
  default: [
    ['Orbit', 'drag beside the character, or Alt + left drag'],
    ['Pan', 'middle or right drag, or Alt + middle drag'],
    ['Zoom to the pointer', 'wheel, or Alt + right drag'],
  ],
  blender: [
    ['Orbit', 'middle drag, or Alt + left drag'],
    ['Pan', 'Shift + middle drag, or Alt + middle drag'],
    ['Zoom to the pointer', 'wheel, or Ctrl + middle drag'],
  ],
};

export function Shortcuts() {
  return (
    <Modal label="Shortcuts" wide onClose={close}>
      <div class="row spread">
        <h2>Shortcuts</h2>
        <button autofocus onClick={close}>
          Close
        </button>
      </div>
      <div class="row settings">
        <button onClick={() => (dialog.value = 'preferences')}>Preferences…</button>
        <span class="muted">Navigation: {navigation.value === 'blender' ? 'Blender' : 'default, with Alt as in Maya'}. Single-letter shortcuts are {letterKeys.value ? 'on' : 'off'}.</span>
      </div>
      <div class="columns">
        {listedGroups().map((group) => (
          <table key={group.title}>
            <caption>{group.title}</caption>
            <tbody>
              {group.commands
                .filter((one) => one.key !== undefined)
                .map((one) => (
                  <tr key={one.title}>
                    <td>{one.title}</td>
                    <td>
                      <kbd>{keyLabel(one)}</kbd>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        ))}
        <table>
          <caption>Mouse and touch</caption>
          <tbody>
            {[...buttons[navigation.value], ...everywhere].map(([what, how]) => (
              <tr key={what}>
                <td>{what}</td>
                <td>{how}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Modal>
  );
}
