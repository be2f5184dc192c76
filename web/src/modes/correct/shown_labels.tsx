// What each view shows, and how far it is from the example at its pose.
import { viewCount } from '../../store';
import { percentText } from '../../ui/labels';
import { activations, compared, examples, learned, shownIn, shows, showsPlain } from './state';

/** Of plain skin or the learned model, at the example of this pose. */
function errorIn(view: number): string {
  const at = (activations.value.get(view)?.example ?? 0) - 1;
  const found = learned.value?.examples.find((one) => one.name === examples.value[at]?.name);
  const what = shownIn(view);
  if (found === undefined || what === 'target') return '';
  return ` · rms ${percentText(what === 'plain' ? found.before : found.after)}`;
}

export function ShownLabels() {
  if (!compared.value && !showsPlain.value) return null;
  const count = viewCount.value;
  const rows = Math.ceil(count / 2);
  return (
    <>
      {Array.from({ length: count }, (_, view) => (
        <div key={view} class="label" data-test="shown" style={{ left: `calc(${50 * (view % 2)}% + 8px)`, top: `calc(${(100 / rows) * (Math.floor(view / 2) + 1)}% - 30px)` }}>
          {shows.find((one) => one.name === shownIn(view))?.title}
          {errorIn(view)}
        </div>
      ))}
    </>
  );
}
