// The name of each view, where several poses are seen at once.
import { activeView, viewCount } from '../store';

export function ViewLabels() {
  const count = viewCount.value;
  if (count < 2) return null;
  const rows = Math.ceil(count / 2);
  return (
    <div role="group" aria-label="Views">
      {Array.from({ length: count }, (_, view) => {
        const box = { left: `${50 * (view % 2)}%`, top: `${(100 / rows) * Math.floor(view / 2)}%`, width: '50%', height: `${100 / rows}%` };
        return (
          <div key={view} class={`view-frame${activeView.value === view ? ' active' : ''}`} style={box}>
            <button aria-pressed={activeView.value === view} onClick={() => (activeView.value = view)}>
              pose {'ABCD'[view]}
            </button>
          </div>
        );
      })}
    </div>
  );
}
