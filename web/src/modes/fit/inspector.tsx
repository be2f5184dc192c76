// The right panel of Fit: what is fitted, and the result.
import type { ErrorInfo, FitField, FitResult } from '../../protocol/document';
import { document_ } from '../../store';
import { type HelpTopic, Term } from '../../ui/help';
import { capital, counted, countText, percentText } from '../../ui/labels';
import { Section } from '../../ui/section';
import { optionTitle, optionTitles, pageText } from '../../ui/sentences';
import { tipOf } from '../../ui/tooltip';
import { changeText, logHeights } from './histogram';
import { cancel, discard, examples, fields, gainsNothing, heatMap, info, keep, options, percent, result, run, running, side, type Side, weights } from './state';

/** In the order of the panel; others come first. */
const order = Object.keys(optionTitles);
const titleOf = ({ name }: FitField) => optionTitle(name);
const set = (name: string, value: string) => (options.value = { ...options.value, [name]: value });

function Field({ field }: { field: FitField }) {
  const id = `fit-${field.name}`;
  const value = options.value[field.name] ?? field.value;
  // The value that means no limit: an empty field.
  const unlimited = Number(field.least) < 0 ? String(field.least) : undefined;
  const limits = [field.least === undefined || unlimited !== undefined ? '' : `at least ${field.least}`, field.most === undefined ? '' : `at most ${field.most}`].filter((text) => text !== '').join(', ');
  const help = `${capital(unlimited === undefined ? field.help : field.help.replace(`${unlimited}:`, 'empty:'))}${field.unit === '' ? '' : ` (${field.unit})`}${limits === '' ? '' : `; ${limits}`}`;
  const off = field.name.includes('helpers') && !weights.value;
  if (field.value === 'true' || field.value === 'false')
    return (
      <label class="check" {...tipOf(help)}>
        <input type="checkbox" aria-description={help} checked={value === 'true'} onChange={(event) => set(field.name, String(event.currentTarget.checked))} />
        {titleOf(field)}
      </label>
    );
  return (
    <div class="row spread">
      <label for={id} {...tipOf(help)}>{titleOf(field)}</label>
      {field.choices.length > 0 ? (
        <select id={id} aria-description={help} value={value} disabled={off} onChange={(event) => set(field.name, event.currentTarget.value)}>
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {capital(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} class="fit-field" aria-description={help} disabled={off} placeholder={unlimited === undefined ? '' : 'any'} value={value === unlimited ? '' : value} onChange={(event) => set(field.name, event.currentTarget.value.trim() === '' ? (unlimited ?? '') : event.currentTarget.value)} />
      )}
    </div>
  );
}

function Options() {
  const locks = document_.value?.locks.length ?? 0;
  const ready = examples.value.length > 0;
  return (
    <Section name="options" title="Fit">
      <label class="check" {...tipOf('Off: weights stay as they are')}>
        <input type="checkbox" checked={weights.value} onChange={(event) => (weights.value = event.currentTarget.checked)} />
        Weights
      </label>
      {[...fields.value].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).map((field) => (
        <Field key={field.name} field={field} />
      ))}
      {locks > 0 && weights.value && <p class="muted">{counted(locks, 'locked joint keeps its', 'locked joints keep their')} weights.</p>}
      <div class="row">
        <button class="primary" disabled={running.value || !ready} {...tipOf('Fit the skin to the examples', 'Enter')} onClick={() => void run()}>
          Run
        </button>
        <button disabled={!running.value} {...tipOf('While helper joints or the rest shape are tried, the fit of the weights is kept as a preview', 'Esc')} onClick={cancel}>
          Cancel
        </button>
      </div>
    </Section>
  );
}

const rowsOfTable: [string, HelpTopic, (error: ErrorInfo) => number][] = [
  ['rms', 'error', (error) => error.rms],
  ['95th percentile', 'errorMost', (error) => error.p95],
  ['Largest', 'errorLargest', (error) => error.max],
];

function Numbers({ shown }: { shown: FitResult }) {
  return (
    <>
      <table aria-label="Error of all examples">
        <thead>
          <tr>
            <th scope="col">All examples</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {rowsOfTable.map(([name, topic, of]) => (
            <tr key={name}>
              <th scope="row"><Term topic={topic}>{name}</Term></th>
              <td>{percentText(percent(of(shown.before)))}</td>
              <td data-test={name === 'rms' ? 'fit-after' : undefined}>{percentText(percent(of(shown.after)))}</td>
            </tr>
          ))}
          {shown.leftOut !== undefined && shown.leftOutBefore !== undefined && (
            <tr>
              <th scope="row"><Term topic="leftOut">rms, left out</Term></th>
              <td>{percentText(percent(shown.leftOutBefore))}</td>
              <td data-test="fit-left-out">{percentText(percent(shown.leftOut))}</td>
            </tr>
          )}
        </tbody>
      </table>
      <dl class="facts">
        {shown.leftOut !== undefined && <dt>Validation</dt>}
        {shown.leftOut !== undefined && <dd>{shown.heldOutBy}</dd>}
        <dt><Term topic="rmsChange">Change of rms</Term></dt>
        <dd data-test="fit-change">{changeText(shown.before.rms, shown.after.rms)}</dd>
        <dt><Term topic="meanInfluences">Joints per vertex</Term></dt>
        <dd>
          {shown.meanInfluences.toFixed(2)}, at most {countText(shown.maxInfluences)}
        </dd>
        <dt><Term topic="helpersAdded">Helper joints added</Term></dt>
        <dd data-test="fit-helpers">{countText(shown.helpers.length)}</dd>
        {shown.morphs > 0 && <dt><Term topic="morphsAdded">Morph targets added</Term></dt>}
        {shown.morphs > 0 && <dd>{countText(shown.morphs)}</dd>}
        {shown.drift > 0 && <dt><Term topic="restDrift">Rest shape moved by up to</Term></dt>}
        {shown.drift > 0 && <dd>{percentText(100 * shown.drift)}</dd>}
      </dl>
    </>
  );
}

/** The error after each half-step of the fit, on a logarithmic scale. */
function Convergence({ shown }: { shown: FitResult }) {
  const values = shown.steps.map((step) => percent(step.rms));
  if (values.length < 2) return null;
  const points = logHeights(values).map((height, i) => `${(4 + (292 * i) / (values.length - 1)).toFixed(1)},${(52 - 44 * height).toFixed(1)}`);
  const text = `rms by half-step: ${shown.steps.map((step, i) => `${step.what} ${percentText(values[i])}`).join(', ')}`;
  return (
    <>
      <svg class="fit-steps" viewBox="0 0 300 56" role="img" aria-label={text}>
        <polyline points={points.join(' ')} />
      </svg>
      <div class="row spread muted">
        <span>{percentText(values[0])}</span>
        <Term topic="convergence">rms by half-step (log)</Term>
        <span>{percentText(values[values.length - 1])}</span>
      </div>
    </>
  );
}

const sides: [Side, string][] = [
  ['before', 'Before'],
  ['wipe', 'Wipe'],
  ['after', 'After'],
];

/** What can be tried after a fit without effect. */
function Unchanged() {
  const ways = [
    ...(weights.value && (options.value.helpers ?? 'none') === 'none' ? ['fit with helper joints'] : []),
    ...(info.value?.triage === undefined ? ['run What would help (below) to see what limits the skin'] : []),
  ];
  return (
    <p class="warning" data-test="fit-unchanged">
      The error is lower by less than 1 %: this fit gains nothing. {ways.length > 0 && `${capital(ways.join(', or '))}.`}
    </p>
  );
}

function Result({ shown }: { shown: FitResult }) {
  const unchanged = gainsNothing(shown);
  return (
    <Section name="result" title="Result: preview">
      {unchanged && <Unchanged />}
      <div class="row">
        <button class={unchanged ? '' : 'primary'} disabled={running.value} {...tipOf('The result replaces the skin, as one step of undo')} onClick={() => void keep()}>
          Keep
        </button>
        <button onClick={() => void discard()}>Discard</button>
      </div>
      <div class="row wrap" role="group" aria-label="Compare">
        {sides.map(([one, label]) => (
          <button key={one} aria-pressed={side.value === one} {...(one === 'wipe' ? tipOf('Both, with a divider') : tipOf('Flip before and after', 'C'))} onClick={() => (side.value = one)}>
            {label}
          </button>
        ))}
        <label class="check" {...tipOf('Colour vertices by their error', 'H')}>
          <input type="checkbox" checked={heatMap.value} onChange={(event) => (heatMap.value = event.currentTarget.checked)} />
          Heat map
        </label>
      </div>
      <Numbers shown={shown} />
      <Convergence shown={shown} />
      {shown.warnings.map((warning) => (
        <p class="warning" key={warning}>
          {capital(pageText(warning))}.
        </p>
      ))}
    </Section>
  );
}

/** What the explained error advises. */
function Advice() {
  const advice = info.value?.triage?.advice ?? '';
  if (advice === '') return null;
  return (
    <Section name="advice" title="Advice">
      <p data-test="fit-advice">{capital(pageText(advice))}</p>
    </Section>
  );
}

function Helpers({ shown }: { shown: FitResult }) {
  if (shown.helpers.length === 0) return null;
  return (
    <Section name="helpers" title={`Helper joints (${countText(shown.helpers.length)})`} foldedAtFirst>
      <ul class="fit-notes" aria-label="Helper joints">
        {shown.helpers.map((helper) => (
          <li key={helper.name}>
            {helper.name}: {helper.rule}
            {helper.gain !== undefined && ` (worth ${percentText(100 * helper.gain)} of an example's squared error)`}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Inspector() {
  const shown = result.value;
  return (
    <>
      {shown !== undefined && <Result shown={shown} />}
      <Advice />
      {shown !== undefined && <Helpers shown={shown} />}
      <Options />
    </>
  );
}
