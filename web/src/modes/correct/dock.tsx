// The dock of the mode Correct: scrubbing between two examples with the curves of their activations, and a map of the
// pose space.
import { effect, type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../../client';
import type { Answer } from '../../protocol/commands';
import { Slider } from '../../ui/slider';
import { along, endText, fromName, scrub, stepScrub, takeBackScrub, toName, way } from './scrub';
import { activation, colourOf, examples, learned, usable } from './state';

const steps = 61;
/** Curves that stay below are left out. */
const visible = 0.02;
const curves = signal<Answer<'correct.curves'> | undefined>(undefined);

function followCurves(): () => void {
  return effect(() => {
    const ends = way.value;
    if (learned.value === undefined || learned.value.fault !== '' || ends === undefined) {
      curves.value = undefined;
      return undefined;
    }
    let current = true;
    connection
      .command('correct.curves', { ...ends, steps })
      .then((answer) => current && (curves.value = answer))
      .catch(() => current && (curves.value = undefined));
    return () => (current = false);
  });
}

function End({ label, name }: { label: string; name: Signal<string | undefined> }) {
  return (
    <select class="cut" aria-label={label} value={name.value} onChange={(event) => (name.value = event.currentTarget.value)}>
      <option value="">{endText('')}</option>
      {examples.value.map((one) => (
        <option key={one.name} value={one.name}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

const width = 600;
const height = 96;

function Curves() {
  const answer = curves.value;
  const at = along.value;
  const names = learned.value?.names ?? [];
  if (answer === undefined) return <p class="muted">{way.value !== undefined ? 'The curves appear once a model is learned.' : 'Choose two different ends.'}</p>;
  const all = answer.activations.flat();
  const least = Math.min(0, ...all);
  const most = Math.max(1, ...all);
  const y = (value: number) => height - ((value - least) / (most - least)) * height;
  const path = (values: number[]) => values.map((value, i) => `${i === 0 ? 'M' : 'L'}${((width * i) / (values.length - 1)).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const shownCurves = answer.activations.map((values, k) => ({ values, k })).filter(({ values }) => values.some((value) => Math.abs(value) > visible));
  return (
    <svg class="curves" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`Activations from ${endText(fromName.value)} to ${endText(toName.value)}: ${shownCurves.map(({ k }) => names[k]).join(', ')}`}>
      {least < 0 && <rect x="0" y={y(0)} width={width} height={height - y(0)} fill="var(--line)" opacity="0.5" />}
      <line x1="0" x2={width} y1={y(0)} y2={y(0)} stroke="var(--line)" />
      <line x1="0" x2={width} y1={y(1)} y2={y(1)} stroke="var(--line)" stroke-dasharray="4 4" />
      {shownCurves.map(({ values, k }) => (
        <path key={names[k]} d={path(values)} fill="none" stroke={colourOf(k)} stroke-width="2" vector-effect="non-scaling-stroke" />
      ))}
      {at !== undefined && <line data-test="curve-cursor" x1={width * at} x2={width * at} y1="0" y2={height} stroke="var(--accent)" stroke-width="2" vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

const size = 116;
const margin = 10;

/** The examples, the hints and the current pose on the plane of the two directions in which the examples differ most. */
function PoseMap() {
  const result = learned.value;
  const now = activation.value;
  if (result === undefined || result.places.length === 0) return null;
  const points = [...result.places, ...result.hints.map((hint) => hint.place), ...(now === undefined ? [] : [[now.place[0], now.place[1]]])];
  const middle = [0, 1].map((axis) => (Math.min(...points.map((p) => p[axis])) + Math.max(...points.map((p) => p[axis]))) / 2);
  const half = Math.max(1e-6, ...points.flatMap((p) => [0, 1].map((axis) => Math.abs(p[axis] - middle[axis]))));
  const at = (p: ArrayLike<number>): [number, number] => [size / 2 + ((size / 2 - margin) * (p[0] - middle[0])) / half, size / 2 - ((size / 2 - margin) * (p[1] - middle[1])) / half];
  return (
    <svg class="pose-map" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`Map of the pose space: ${result.names.length - 1} examples and rest`}>
      <rect x="0.5" y="0.5" width={size - 1} height={size - 1} fill="none" stroke="var(--line)" />
      {result.hints.map((hint) => {
        const [x, y] = at(hint.place);
        return <circle key={hint.between} cx={x} cy={y} r="4" fill="none" stroke="var(--secondary)" stroke-dasharray="2 2" />;
      })}
      {result.places.map((place, k) => {
        const [x, y] = at(place);
        return (
          <circle key={result.names[k]} cx={x} cy={y} r={3 + 4 * Math.min(1, Math.abs(now?.weights[k] ?? 0))} fill={colourOf(k)}>
            <title>{result.names[k]}</title>
          </circle>
        );
      })}
      {now !== undefined && (
        <g data-test="map-cursor" stroke="var(--text)" stroke-width="2">
          <line x1={at(now.place)[0] - 5} x2={at(now.place)[0] + 5} y1={at(now.place)[1]} y2={at(now.place)[1]} />
          <line x1={at(now.place)[0]} x2={at(now.place)[0]} y1={at(now.place)[1] - 5} y2={at(now.place)[1] + 5} />
        </g>
      )}
    </svg>
  );
}

export function Dock() {
  useEffect(followCurves, []);
  if (!usable.value) return null;
  if (examples.value.length === 0)
    return (
      <div class="section steady">
        <p class="muted">Add an example to scrub to it, and to see how it comes and goes along the way.</p>
      </div>
    );
  const at = along.value;
  return (
    <div class="section steady scrubbing">
      <div class="grow">
        <div class="row wrap scrub-row">
          <span>Scrub</span>
          <End label="From" name={fromName} />
          <Slider
            class={`grow${at === undefined ? ' off-way' : ''}`}
            label="Between the two examples"
            valueText={at === undefined ? 'this pose is not on the way' : `${(100 * at).toFixed(0)} % of the way from ${endText(fromName.value)} to ${endText(toName.value)}`}
            min={0}
            max={1}
            step={0.01}
            value={at ?? 0}
            change={(value, how) => (how === 'back' ? void takeBackScrub() : how === 'step' ? stepScrub(value) : void scrub(value, how === 'live'))}
          />
          <End label="To" name={toName} />
          <span class="muted" data-test="along">
            {at === undefined ? '–' : `${(100 * at).toFixed(0)} %`}
          </span>
        </div>
        <Curves />
      </div>
      <PoseMap />
    </div>
  );
}
