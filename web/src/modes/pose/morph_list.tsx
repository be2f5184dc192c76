// The morph targets of the document with their weights in the active view.
import { cancelPose, connection, showFault } from '../../client';
import { activeView, document_, morphWeights, onNewDocument, perDocument } from '../../store';
import { Name } from '../../ui/labels';
import { type NumberChange, NumberField } from '../../ui/number_field';
import { Slider } from '../../ui/slider';

const filter = perDocument('');

interface Wanted {
  view: number;
  morph: number;
  weight: number;
  live: boolean;
}
/** While a weight is on its way, only the newest one waits. */
let wanted: Wanted | undefined;
let asking: Promise<void> | undefined;
onNewDocument(() => (wanted = undefined));

async function ask(): Promise<void> {
  while (wanted !== undefined) {
    const next = wanted;
    wanted = undefined;
    try {
      await connection.command('pose.morph', next);
    } catch (fault) {
      wanted = undefined;
      showFault(fault);
    }
  }
}

function set(view: number, morph: number, weight: number, live: boolean): void {
  wanted = { view, morph, weight, live };
  asking ??= ask().finally(() => (asking = undefined));
}

function change(view: number, morph: number, weight: number, how: NumberChange): void {
  if (how === 'back') {
    wanted = undefined;
    void (asking ?? Promise.resolve()).then(cancelPose);
  } else set(view, morph, weight, how === 'live');
}

function Morph({ morph, name, learned }: { morph: number; name: string; learned: boolean }) {
  const view = activeView.value;
  const weight = morphWeights.value[view]?.[morph] ?? 0;
  if (learned)
    return (
      <li class="morph" title={name}>
        <Name text={name} />{' '}
        <span class="muted" title="It imitates a learned correction">
          follows the pose
        </span>
      </li>
    );
  return (
    <li class="morph" title={name}>
      <Name text={name} />
      <div class="row">
        <Slider class="grow" label={`Weight of ${name}`} min={Math.min(0, Math.floor(weight))} max={Math.max(1, Math.ceil(weight))} step={0.01} reset={0} value={weight} valueText={weight.toFixed(2)} change={(value, how) => change(view, morph, value, how)} />
        <NumberField label={`Weight of ${name}, number`} value={weight} show={(value) => value.toFixed(2)} step={0.01} reset={0} width={56} change={(value, how) => change(view, morph, value, how)} />
      </div>
    </li>
  );
}

export function Morphs() {
  const morphs = document_.value?.morphs ?? [];
  if (morphs.length === 0 || document_.value?.reduced !== undefined) return null;
  const shown = morphs.map((one, morph) => ({ ...one, name: one.name || `morph target ${morph}`, morph })).filter((one) => one.name.toLowerCase().includes(filter.value.toLowerCase()));
  return (
    <div class="section">
      <h2 id="morphs">Morph targets</h2>
      {morphs.length > 8 && <input class="wide" aria-label="Filter morph targets" placeholder="Filter" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />}
      <ul class="list" aria-labelledby="morphs">
        {shown.map((one) => (
          <Morph key={one.morph} morph={one.morph} name={one.name} learned={one.learned} />
        ))}
      </ul>
    </div>
  );
}
