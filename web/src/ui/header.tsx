import { useState } from 'preact/hooks';
import { open } from '../client';
import { redo, undo } from '../gestures/undo';
import { mode, modes } from '../modes/modes';
import { document_, isOpen, numbers, type PanelName, panels, theme } from '../store';
import { saveNow } from './files';
import { HistoryList } from './history_list';
import { dialog } from './modal';
import { toggleTheme } from './settings';

const edges: { panel: PanelName; title: string; sign: string }[] = [
  { panel: 'left', title: 'Left panel ([)', sign: '◧' },
  { panel: 'dock', title: 'Dock (\\)', sign: '⬓' },
  { panel: 'right', title: 'Right panel (])', sign: '◨' },
];

function PanelButtons() {
  return (
    <div class="row tight" role="group" aria-label="Panels">
      {edges.map(({ panel, title, sign }) => (
        <button key={panel} class="quiet" title={title} aria-label={title} aria-pressed={panels.value[panel]} onClick={() => (panels.value = { ...panels.value, [panel]: !panels.value[panel] })}>
          {sign}
        </button>
      ))}
    </div>
  );
}

/** Arrow keys move between tabs. */
function walk(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const next = tabs[(tabs.indexOf(document.activeElement as HTMLButtonElement) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

/** The name of the document; a menu if models were learned from a character. */
function DocumentName() {
  const info = document_.value;
  const beside = info?.beside ?? [];
  const unsaved = info?.saved === false ? ' •' : '';
  if (beside.length < 2)
    return (
      <span class="muted title" title={info?.path || info?.title}>
        {info?.title}
        {unsaved}
      </span>
    );
  return (
    <select class="title" aria-label="Document" title={`${info?.title}: the character, or a model learned from it`} value={beside.find((one) => one.current)?.what} onChange={(event) => void open(event.currentTarget.value)}>
      {beside.map((one) => (
        <option key={one.what} value={one.what}>
          {one.title}
          {one.current ? unsaved : ''}
        </option>
      ))}
    </select>
  );
}

export function Header() {
  const [history, setHistory] = useState(false);
  return (
    <header class="header">
      <h1 class="brand">Sinew Studio</h1>
      <nav role="tablist" aria-label="Modes" onKeyDown={walk}>
        {modes.map((one, i) => (
          <button
            key={one.name}
            role="tab"
            tabIndex={mode.value === one.name ? 0 : -1}
            aria-selected={mode.value === one.name}
            title={`${one.title} (${i + 1})`}
            onClick={() => (mode.value = one.name)}
          >
            {i + 1} {one.title}
          </button>
        ))}
      </nav>
      <span class="spacer" />
      <button title="Open (Ctrl O)" onClick={() => (dialog.value = 'open')}>
        Open
      </button>
      {isOpen.value && (
        <>
          <DocumentName />
          <button title="Save (Ctrl S)" onClick={() => void saveNow()}>
            Save
          </button>
          <button disabled={numbers.value.undo === 0} title="Undo (Ctrl Z)" onClick={() => void undo()}>
            Undo
          </button>
          <button disabled={numbers.value.redo === 0} title="Redo (Ctrl Shift Z)" onClick={() => void redo()}>
            Redo
          </button>
          <div class="anchor">
            <button aria-expanded={history} title="Undo history" onClick={() => setHistory(!history)}>
              History
            </button>
            {history && <HistoryList close={() => setHistory(false)} />}
          </div>
        </>
      )}
      {isOpen.value && <PanelButtons />}
      <button title="Commands (Ctrl K)" onClick={() => (dialog.value = 'palette')}>
        Ctrl K
      </button>
      <button title="Shortcuts (?)" aria-label="Shortcuts" onClick={() => (dialog.value = 'shortcuts')}>
        ?
      </button>
      <button
        title="Switch theme"
        aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={toggleTheme}
      >
        {theme.value === 'dark' ? '☾' : '☀'}
      </button>
    </header>
  );
}
