// The list of influences: which one is shown and painted, which are locked, and their weights at the lead vertex.
import { command, stage as liveStage } from '../../client';
import { categoryColours } from '../../render/colours';
import { document_, perDocument, selectedVertices } from '../../store';
import { IconButton } from '../../ui/icon_button';
import { Name } from '../../ui/labels';
import { columns, jointColours, offeredJoints, shownBinding } from './settings';

const filter = perDocument('');

export function Swatch({ joint }: { joint: number }) {
  return <span class="swatch" style={{ background: categoryColours[jointColours.value[joint] ?? 7] }} />;
}

export function toggleLock(binding: number | undefined): void {
  const info = document_.value;
  if (info === undefined || binding === undefined) return;
  const { name } = info.joints[info.bindings[binding]];
  void command('weights.locks', { joints: info.locks.includes(name) ? info.locks.filter((one) => one !== name) : [...info.locks, name] });
}

export function Outliner() {
  const info = document_.value;
  // Read to update the numbers during a drag.
  void columns.value;
  if (info === undefined) return null;
  const lead = selectedVertices.value[0];
  const column = lead === undefined ? [] : (liveStage?.deformer?.influences.column(lead) ?? []);
  const weight = new Map(column.map((one) => [one.binding, one.weight]));
  const wanted = filter.value.toLowerCase();
  return (
    <div class="section">
      <h2 id="influences">Influences</h2>
      <input class="wide" placeholder="Filter" aria-label="Filter influences" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
      <ul class="list" aria-labelledby="influences">
        <li>
          <button aria-pressed={shownBinding.value === undefined} onClick={() => (shownBinding.value = undefined)}>
            All, by colour
          </button>
        </li>
        {info.bindings.map((joint, binding) => {
          const { name } = info.joints[joint];
          const locked = info.locks.includes(name);
          if (!name.toLowerCase().includes(wanted)) return null;
          return (
            <li key={binding} class="row">
              <button class="grow" aria-pressed={shownBinding.value === binding} aria-label={`Show ${name}`} title={name} onClick={() => (shownBinding.value = binding)}>
                <Swatch joint={joint} />
                <Name text={name} />
              </button>
              {weight.has(binding) ? <span>{weight.get(binding)?.toFixed(2)}</span> : offeredJoints.value.includes(joint) && <span class="muted" title="A drag may use it">near</span>}
              <IconButton class={`small quiet${locked ? '' : ' faint'}`} icon={locked ? 'lock' : 'lockOpen'} label={`Lock ${name}`} tip={locked ? 'Locked: its weights do not change' : 'Lock its weights'} pressed={locked} onClick={() => toggleLock(binding)} />
            </li>
          );
        })}
      </ul>
      <p class="legend" aria-hidden="true">
        <span style={{ background: '#b2b2b2', color: '#14171c' }}>0</span>
        <span class="ramp" />
        <span style={{ background: '#ffffff', color: '#14171c' }}>1</span>
      </p>
      <p class="muted">Grey: 0. White: 1. Magenta: invalid (negative, or no weight at all).</p>
    </div>
  );
}
