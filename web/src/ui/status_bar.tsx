import { document_, isOpen, link, notice, numbers } from '../store';

const words = {
  connecting: 'connecting',
  open: 'connected',
  reconnecting: 'reconnecting',
  closed: 'closed',
  refused: 'refused',
  takenOver: 'taken over by another page',
} as const;

export function StatusBar() {
  const n = numbers.value;
  const info = document_.value;
  return (
    <footer class="status" aria-label="Status">
      <span>
        server {location.host} {words[link.value]}
      </span>
      {isOpen.value && info !== undefined && (
        <>
          <span data-test="counts">
            {info.vertices.toLocaleString('en')} verts · {info.joints.length} joints
          </span>
          <span>solve {n.solveMs.toFixed(1)} ms{n.draft ? ' draft' : ''}</span>
          <span>rtt {n.roundTripMs.toFixed(1)} ms</span>
          <span>dropped {n.dropped}</span>
          <span data-test="undo">undo {n.undo}</span>
        </>
      )}
      {notice.value !== '' && (
        <span class="notice" aria-hidden="true">
          {notice.value}
        </span>
      )}
    </footer>
  );
}
