// The status bar: what can be done now, what is selected, and whether it is saved. Numbers for experts are behind a click.
import { useRef, useState } from 'preact/hooks';
import { holding } from '../gestures/pose_hold';
import { currentMode } from '../modes/modes';
import { document_, framesPerSecond, isOpen, link, notice, noticeAction, numbers, selectedJoint, selectedVertices } from '../store';
import { IconButton } from './icon_button';
import { counted, countText, Name } from './labels';
import { useCloses } from './menu_button';
import { pageText } from './sentences';

const words = {
  connecting: 'connecting',
  open: 'connected',
  reconnecting: 'reconnecting',
  closed: 'closed',
  refused: 'rejected',
  takenOver: 'used by another page',
} as const;

/** Numbers about the server and the drawing. */
function Details() {
  const n = numbers.value;
  const rows: [string, string, string?][] = [
    ['Server', `${location.host}, ${words[link.value]}`],
    ['Round trip', `${n.roundTripMs.toFixed(1)} ms`],
    ['Solve', `${n.solveMs.toFixed(1)} ms${n.draft ? ' (draft)' : ''}`],
    ['Superseded drag events', countText(n.dropped)],
    ['Steps to undo', countText(n.undo), 'undo'],
    ['Frames per second', framesPerSecond.value === undefined ? 'nothing is drawn' : framesPerSecond.value.toFixed(0), framesPerSecond.value === undefined ? undefined : 'fps'],
  ];
  return (
    <div class="details" role="dialog" aria-label="Details">
      <dl class="facts">
        {rows.map(([name, value, test]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`} data-test={test}>{value}</dd>])}
      </dl>
    </div>
  );
}

function DetailsButton() {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  useCloses(
    anchor,
    (byKey) => {
      setOpen(false);
      if (byKey) anchor.current?.querySelector('button')?.focus();
    },
    open,
  );
  return (
    <div class="anchor" ref={anchor}>
      <IconButton class="small" icon="info" label="Details" tip="Numbers about the server and the drawing" expanded={open} onClick={() => setOpen(!open)} />
      {open && <Details />}
    </div>
  );
}

/** What the active mode works on. */
function Selection() {
  const joint = document_.value?.joints[selectedJoint.value ?? -1];
  const { selection } = currentMode();
  const vertices = selectedVertices.value.length;
  const text = selection?.() ?? joint?.name ?? (vertices > 0 ? `${counted(vertices, 'vertex', 'vertices')} selected` : '');
  return text === '' ? null : (
    <span class="status-selection" data-test="status-selection">
      <Name text={text} />
    </span>
  );
}

function Saved() {
  const info = document_.value;
  if (info === undefined) return null;
  return (
    <span data-test="saved" class={info.saved ? '' : 'unsaved-text'}>
      {info.saved ? 'Saved' : 'Unsaved changes'}
    </span>
  );
}

export function StatusBar() {
  const info = document_.value;
  const action = noticeAction.value?.of === notice.value ? noticeAction.value : undefined;
  const said = holding.value ? 'Drag a joint or the skin to pose' : notice.value;
  const hint = isOpen.value ? (currentMode().hint?.() ?? '') : 'Open a character, or try a sample.';
  return (
    <footer class="status" aria-label="Status">
      {said === '' ? (
        <span class="hint" data-test="hint">
          {hint}
        </span>
      ) : (
        <span class="notice" aria-hidden={action === undefined}>
          {pageText(said)}
        </span>
      )}
      {said !== '' && action !== undefined && (
        <button
          class="notice-action"
          onClick={() => {
            notice.value = '';
            void action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <span class="spacer" />
      {isOpen.value && info !== undefined && (
        <>
          <Selection />
          <span class="wide-only" data-test="counts">
            {counted(info.vertices, 'vertex', 'vertices')} · {info.instances > 0 ? `${counted(info.instances, 'further instance')} · ` : ''}
            {counted(info.joints.length, 'joint')}
          </span>
          <Saved />
        </>
      )}
      {link.value !== 'open' && <span class="unsaved-text">Server {words[link.value]}</span>}
      <DetailsButton />
    </footer>
  );
}
