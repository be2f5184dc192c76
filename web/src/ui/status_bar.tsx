import { holding } from '../gestures/pose_hold';
import { document_, framesPerSecond, isOpen, link, notice, numbers } from '../store';
import { counted, countText } from './labels';

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
            {countText(info.vertices)} verts · {counted(info.joints.length, 'joint')}
          </span>
          {framesPerSecond.value !== undefined && <span data-test="fps">{framesPerSecond.value.toFixed(0)} fps</span>}
          <span>solve {n.solveMs.toFixed(1)} ms{n.draft ? ' draft' : ''}</span>
          <span>rtt {n.roundTripMs.toFixed(1)} ms</span>
          <span>dropped {countText(n.dropped)}</span>
          <span data-test="undo">undo {countText(n.undo)}</span>
        </>
      )}
      {(holding.value || notice.value !== '') && (
        <span class="notice" aria-hidden="true">
          {holding.value ? 'Drag a joint, or the skin, to pose' : notice.value}
        </span>
      )}
    </footer>
  );
}
