// Skins within a budget: the limits, and the error of every choice against its cost. A click learns a choice.
import { signal } from '@preact/signals';
import type { FitChoice } from '../../protocol/document';
import { document_ } from '../../store';
import { bytesText } from '../../ui/file_list';
import { counted, percentText } from '../../ui/labels';
import { tipOf } from '../../ui/tooltip';
import { budget, examples, info, learn, running } from './state';

const limits = [
  { name: 'influences', label: 'Influences', help: 'Joints per vertex' },
  { name: 'helpers', label: 'Helper joints', help: 'Helper joints that are added' },
  { name: 'morphs', label: 'Morph targets', help: 'Morph targets that are added' },
  { name: 'kilobytes', label: 'Added kB', help: 'Kilobytes that the skin adds to the saved file' },
] as const;

type Cost = 'bytes' | 'nanoseconds';
const cost = signal<Cost>('nanoseconds');
const costText = (choice: FitChoice) => (cost.value === 'bytes' ? bytesText(choice.bytes) : `${choice.nanoseconds.toPrecision(3)} ns per vertex`);
const sentence = (choice: FitChoice) =>
  `${choice.name}: ${percentText(choice.error)} left out${choice.partly ? ' (measured at some examples)' : ''}, ${costText(choice)}, ${counted(choice.influences, 'influence')}, ${counted(choice.helpers, 'helper joint')}, ${counted(choice.morphs, 'morph target')}`;

const locked = () => (document_.value?.locks.length ?? 0) > 0;
const idle = () => !running.value && !locked();

/** Learns with exactly the room that a choice takes. */
function choose(choice: FitChoice): void {
  if (!idle()) return;
  budget.value = { influences: String(Math.max(1, choice.influences)), helpers: String(choice.helpers), morphs: String(choice.morphs), kilobytes: '' };
  void learn();
}

const [width, height, left, bottom] = [520, 104, 56, 20];

function Front({ choices }: { choices: FitChoice[] }) {
  const of = (choice: FitChoice) => (cost.value === 'bytes' ? choice.bytes / 1000 : choice.nanoseconds);
  const logs = choices.map((choice) => Math.log10(Math.max(choice.error, 1e-5)));
  const [low, high] = [Math.min(...logs) - 0.1, Math.max(...logs) + 0.1];
  const [least, most] = [Math.min(...choices.map(of)), Math.max(...choices.map(of))];
  const x = (choice: FitChoice) => left + 12 + ((width - left - 24) * (of(choice) - least)) / Math.max(most - least, 1e-9);
  const y = (choice: FitChoice) => 8 + ((height - bottom - 16) * (high - Math.log10(Math.max(choice.error, 1e-5)))) / Math.max(high - low, 1e-9);
  // In this cost: nothing cheaper is as good.
  const front = [...choices].sort((a, b) => of(a) - of(b) || a.error - b.error).filter((choice, i, list) => list.slice(0, i).every((one) => one.error > choice.error));
  const errors = choices.map((choice) => choice.error);
  return (
    <svg class="front" viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Error of every choice against its cost">
      <line x1={left} y1={height - bottom} x2={width} y2={height - bottom} />
      <line x1={left} y1={0} x2={left} y2={height - bottom} />
      <text x={left - 4} y={14} text-anchor="end">{percentText(Math.max(...errors))}</text>
      <text x={left - 4} y={height - bottom - 4} text-anchor="end">{percentText(Math.min(...errors))}</text>
      <text x={left} y={height - 6}>{cost.value === 'bytes' ? bytesText(1000 * least) : `${least.toPrecision(3)} ns`}</text>
      <text x={width} y={height - 6} text-anchor="end">{cost.value === 'bytes' ? bytesText(1000 * most) : `${most.toPrecision(3)} ns`}</text>
      <polyline points={front.map((choice) => `${x(choice)},${y(choice)}`).join(' ')} />
      {choices.map((choice) => (
        <g
          key={choice.name}
          role="button"
          tabIndex={0}
          class={`${choice.chosen ? 'chosen' : front.includes(choice) ? 'on-front' : ''}${choice.fits ? '' : ' outside'}`}
          aria-label={`Learn ${sentence(choice)}`}
          aria-disabled={!idle()}
          onClick={() => choose(choice)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            event.stopPropagation();
            choose(choice);
          }}
        >
          <title>{sentence(choice)}</title>
          <circle cx={x(choice)} cy={y(choice)} r={12} class="target" />
          <circle cx={x(choice)} cy={y(choice)} r={choice.chosen ? 6 : 4.5} />
        </g>
      ))}
    </svg>
  );
}

export function Budget() {
  const choices = info.value?.choices ?? [];
  return (
    <div class="fit-budget">
      <div>
        {limits.map(({ name, label, help }) => (
          <div class="row spread" key={name}>
            <label for={`budget-${name}`} {...tipOf(`${help}; empty: not limited`)}>{label}</label>
            <input id={`budget-${name}`} class="fit-field" inputMode="numeric" placeholder="any" value={budget.value[name]} onChange={(event) => (budget.value = { ...budget.value, [name]: event.currentTarget.value })} />
          </div>
        ))}
        <div class="row">
          <button disabled={!idle() || examples.value.length < 2} onClick={() => void learn()}>
            Learn
          </button>
          {locked() && <span class="muted">Unlock all joints first.</span>}
        </div>
      </div>
      {choices.length === 0 ? (
        <p class="muted grow">Learn finds the best skin within these limits: weights, helper joints, rest shape and morph targets, scored at examples that were left out.</p>
      ) : (
        <div class="grow">
          <div class="row">
            <span>Error against</span>
            <select aria-label="Cost" value={cost.value} onChange={(event) => (cost.value = event.currentTarget.value as Cost)}>
              <option value="nanoseconds">Time per vertex</option>
              <option value="bytes">File size (estimate)</option>
            </select>
            <span class="muted">Click a point to preview it.</span>
          </div>
          <Front choices={choices} />
        </div>
      )}
    </div>
  );
}
