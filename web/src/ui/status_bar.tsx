import { holding } from '../gestures/pose_hold';
import { document_, framesPerSecond, isOpen, link, notice, numbers } from '../store';
import { counted, countText } from './labels';

const words = {
  connecting: 'connecting',
  open: 'connected',
  reconnecting: 'reconnecting',
  closed: 'closed',
  refused: 'rejected',
  takenOver: 'used by another page',
} as const;

export function StatusBar() {
  const n = numbers.value;
  const info = document_.value;
  return (
    <footer class="status" aria-label="Status">
      <span>
        Server {location.host} {words[link.value]}
      </span>
      {isOpen.value && info !== undefined && (
        <>
          <span data-test="counts">
            {counted(info.vertices, 'vertex', 'vertices')} · {info.instances > 0 ? `${counted(info.instances, 'further instance')} · ` : ''}
            {counted(info.joints.length, 'joint')}
          </span>
          {framesPerSecond.value !== undefined && <span data-test="fps">{framesPerSecond.value.toFixed(0)} fps</span>}
          <span>Solve {n.solveMs.toFixed(1)} ms{n.draft ? ' (draft)' : ''}</span>
          <span>Round trip {n.roundTripMs.toFixed(1)} ms</span>
          <span>Dropped {countText(n.dropped)}</span>
          <span data-test="undo">Undo {countText(n.undo)}</span>
        </>
      )}
      {(holding.value || notice.value !== '') && (
        <span class="notice" aria-hidden="true">
          {holding.value ? 'Drag a joint or the skin to pose' : notice.value}
        </span>
      )}
    </footer>
  );
}
