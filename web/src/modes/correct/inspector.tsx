// The inspector of the mode Correct: sculpting, what was learned, where to sculpt next, and the options of learning.
import { command } from '../../client';
import { limitedShare, sceneUnits, shareLimits } from '../../gestures/radius_gesture';
import type { OptionField } from '../../protocol/document';
import { activeView, document_, job } from '../../store';
import { helpOf, Term } from '../../ui/help';
import { IconButton } from '../../ui/icon_button';
import { capital, counted, countText, Name, percentText, shortNumber } from '../../ui/labels';
import { NumberField } from '../../ui/number_field';
import { Section } from '../../ui/section';
import { pageText } from '../../ui/sentences';
import { Slider } from '../../ui/slider';
import { tipOf } from '../../ui/tooltip';
import { activation, brushShare, examples, fields, info, learned, learning, mirrorBrush, optionArgs, options, setOption, strengths, tool, tools, usable } from './state';

export async function keepModel(): Promise<void> {
  const answer = await command('correct.keep', optionArgs());
  if (answer !== undefined) job.value = { id: answer.job, what: 'Keeping the model', fraction: 0, stage: '', seconds: 0 };
}

function SculptState() {
  const sculpt = info.value?.sculpt;
  if (sculpt === undefined) return <p class="muted">Drag on the skin to sculpt it at this pose. Shift smooths, Ctrl does the inverse. Radius: hold B and drag.</p>;
  const here = activation.value?.sculpted === 1 || activation.value === undefined;
  return (
    <>
      <p role="status" class="warning" data-test="sculpt-state">
        {sculpt.name === '' ? 'This sculpt is not an example yet.' : `This sculpt changes the example ${sculpt.name}.`} {here ? 'Save it as an example when it looks right.' : 'It belongs to another pose.'}
      </p>
      <div class="row">
        {!here && <button onClick={() => void command('correct.gotoSculpt', { view: activeView.value })}>Go to its pose</button>}
        <button onClick={() => void command('correct.dropSculpt')}>Discard sculpt</button>
      </div>
    </>
  );
}

function Sculpt() {
  const mirrors = document_.value?.mirror?.axis !== undefined;
  return (
    <Section name="sculpt" title="Sculpt">
      <div class="row wrap" role="group" aria-label="Sculpting tool">
        {tools.map((one, i) => (
          <button key={one.name} aria-pressed={tool.value === i} {...tipOf(one.help)} onClick={() => (tool.value = i)}>
            {capital(one.name)}
          </button>
        ))}
      </div>
      <div class="row">
        <span class="name" {...helpOf('sculptStrength')}>Strength</span>
        <Slider class="grow" help="sculptStrength" label="Sculpting strength" min={0.05} max={1} step={0.01} value={strengths.value[tool.value]} reset={tools[tool.value].strength} change={(value) => (strengths.value = strengths.value.map((old, i) => (i === tool.value ? value : old)))} />
        <span>{strengths.value[tool.value].toFixed(2)}</span>
      </div>
      <div class="row">
        <span class="name" {...helpOf('sculptRadius')}>Radius</span>
        <Slider class="grow" help="sculptRadius" label="Sculpting radius" min={shareLimits.least} max={0.3} step={0.001} value={brushShare.value} reset={0.06} change={(value) => (brushShare.value = limitedShare(value))} />
        <span>{shortNumber(sceneUnits(brushShare.value), 6)}</span>
      </div>
      <label class="row" {...(mirrors ? {} : tipOf(document_.value?.mirror?.fault ?? ''))}>
        <input type="checkbox" disabled={!mirrors} checked={mirrorBrush.value && mirrors} onChange={(event) => (mirrorBrush.value = event.currentTarget.checked)} />
        Mirror: also sculpt the other side
      </label>
      <SculptState />
    </Section>
  );
}

function Learned() {
  const result = learned.value;
  const busy = learning.value !== undefined;
  return (
    <Section name="learned" title="Learned model" busy={busy} actions={<span class="muted">{busy ? 'learning…' : ''}</span>}>
      {examples.value.length === 0 && <p class="muted">A model is learned while you add examples.</p>}
      {result !== undefined && result.fault !== '' && (
        <p role="alert" class="warning">
          {capital(pageText(result.fault))}.
        </p>
      )}
      {result !== undefined && result.fault === '' && (
        <>
          <dl class="facts" data-test="learned">
            <dt><Term topic="error">Plain skin</Term></dt>
            <dd>{percentText(result.before)}</dd>
            <dt><Term topic="error">Learned model</Term></dt>
            <dd>{percentText(result.after)}</dd>
            <dt><Term topic="leaveOneOut">Leave-one-out</Term></dt>
            <dd>{examples.value.length > 1 ? percentText(result.leaveOneOut) : '–'}</dd>
            <dt><Term topic="condition">Condition</Term></dt>
            <dd>
              {result.condition < 1e4 ? shortNumber(result.condition, 5) : result.condition.toExponential(1)} {result.condition < 1e8 ? 'fine' : 'high'}
            </dd>
            <dt><Term topic="kernel">Kernel</Term></dt>
            <dd>{result.kernel}</dd>
            <dt><Term topic="coverage">Coverage</Term></dt>
            <dd>{(100 * result.coverage).toFixed(0)} %</dd>
            <dt><Term topic="correctedVertices">Corrected vertices</Term></dt>
            <dd>{countText(result.touched)}</dd>
            <dt>Learned in</dt>
            <dd>{result.seconds.toFixed(2)} s</dd>
          </dl>
          {examples.value.length === 1 && <p class="warning">One example does not show how the correction grows with the pose. It grows linearly from rest.</p>}
          {result.warnings.map((text) => (
            <p key={text} class="warning">
              {capital(pageText(text))}
            </p>
          ))}
        </>
      )}
      <div class="row">
        <button class="primary" disabled={examples.value.length === 0 || job.value !== undefined} {...tipOf('Give the character the learned corrections: one step of undo, and saved with the file')} onClick={() => void keepModel()}>
          Keep model
        </button>
      </div>
    </Section>
  );
}

function Here() {
  const now = activation.value;
  const result = learned.value;
  if (now === undefined || result === undefined) return null;
  const sum = now.weights.reduce((total, one) => total + one, 0);
  return (
    <Section name="here" title="At this pose">
      <dl class="facts here-facts" data-test="here">
        <dt>Nearest example</dt>
        <dd>
          <Name text={result.names[now.nearest] ?? ''} />
        </dd>
        <dt><Term topic="exampleDistance">Distance</Term></dt>
        <dd>{((180 / Math.PI) * now.distance).toFixed(1)}°</dd>
        <dt><Term topic="activationSum">Sum of activations</Term></dt>
        <dd>{sum.toFixed(2)}</dd>
        <dt><Term topic="extrapolating">Extrapolating</Term></dt>
        <dd>{now.fade < 0.999 ? `yes, corrections at ${(100 * now.fade).toFixed(0)} %` : 'no'}</dd>
      </dl>
    </Section>
  );
}

function Hints() {
  const hints = learned.value?.hints ?? [];
  if (hints.length === 0) return null;
  return (
    <Section name="hints" title="Sculpt here next">
      <ul class="list" aria-label="Sculpt here next">
        {hints.slice(0, 4).map((hint, k) => (
          <li key={hint.between}>
            <button class="spread" {...tipOf('Go to this pose. The error is what the model is expected to have there.')} onClick={() => void command('correct.hint', { view: activeView.value, hint: k })}>
              <Name text={`Between ${hint.between}`} /> <span class="muted">{percentText(hint.error)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** "least-delta" becomes "Least delta". */
const titleOf = (field: OptionField) => capital(field.name.replaceAll('-', ' '));

function Option({ field }: { field: OptionField }) {
  const value = options.value[field.name] ?? field.value;
  const title = titleOf(field);
  const help = `${capital(field.help)}.`;
  if (field.kind === 'switch')
    return (
      <label class="row" {...tipOf(help)}>
        <input type="checkbox" checked={value === 'true'} onChange={(event) => setOption(field, String(event.currentTarget.checked))} />
        {title}
      </label>
    );
  return (
    <div class="row">
      <span class="grow">
        <span class="name" {...tipOf(help)}>{title}</span>
      </span>
      {field.kind === 'choice' ? (
        <select aria-label={title} aria-description={help} value={value} onChange={(event) => setOption(field, event.currentTarget.value)}>
          {field.values.map((one) => (
            <option key={one} value={one}>
              {capital(one)}
            </option>
          ))}
        </select>
      ) : (
        <NumberField
          label={title}
          width={80}
          value={Number(value)}
          reset={Number(field.value)}
          step={field.kind === 'whole' ? 1 : Math.max(0.01, Math.abs(Number(value)) / 20)}
          show={(number) => shortNumber(number)}
          change={(number) => {
            const limited = Math.min(field.most ?? Infinity, Math.max(field.least ?? -Infinity, field.kind === 'whole' ? Math.round(number) : number));
            setOption(field, String(Number(limited.toPrecision(6))));
          }}
        />
      )}
    </div>
  );
}

function Options() {
  const changed = Object.keys(options.value).length;
  return (
    <Section name="options" title={`Options${changed > 0 ? ` (${counted(changed, 'change')})` : ''}`} foldedAtFirst>
      {fields.value.map((field) => (
        <Option key={field.name} field={field} />
      ))}
      {changed > 0 && <button onClick={() => (options.value = {})}>Reset options</button>}
    </Section>
  );
}

function Drivers() {
  const own = info.value?.drivers ?? [];
  const used = own.length > 0 ? own : (learned.value?.drivers ?? []);
  const set = (list: { joint: string; weight: number }[]) => void command('examples.drivers', { joints: list.map((one) => one.joint), weights: list.map((one) => one.weight) });
  const others = (document_.value?.joints ?? []).map((joint) => joint.name).filter((name) => name !== '' && !used.some((one) => one.joint === name));
  return (
    <Section name="drivers" title={`Drivers (${countText(used.length)}${own.length === 0 ? ', automatic' : ''})`} foldedAtFirst>
      {used.map((one) => (
        <div class="row" key={one.joint}>
          <span class="grow cut">
            <Name text={one.joint} />
          </span>
          <NumberField
            label={`Weight of ${one.joint}`}
            width={64}
            value={one.weight}
            reset={1}
            step={0.1}
            show={(number) => shortNumber(number)}
            change={(number, how) => (how === 'done' || how === 'step') && number > 0 && set(used.map((other) => (other.joint === one.joint ? { ...other, weight: number } : other)))}
          />
          <IconButton class="small" icon="trash" disabled={used.length === 1} label={`Remove the driver ${one.joint}`} tip="Remove" onClick={() => set(used.filter((other) => other.joint !== one.joint))} />
        </div>
      ))}
      <div class="row">
        <select aria-label="Add a driver" value="" onChange={(event) => event.currentTarget.value !== '' && set([...used, { joint: event.currentTarget.value, weight: 1 }])}>
          <option value="">Add a driver…</option>
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        {own.length > 0 && (
          <button {...tipOf('Choose the drivers from what the examples move')} onClick={() => set([])}>
            Automatic
          </button>
        )}
      </div>
    </Section>
  );
}

export function Inspector() {
  if (!usable.value) return null;
  return (
    <>
      <Sculpt />
      <Learned />
      <Here />
      <Hints />
      <Options />
      <Drivers />
    </>
  );
}
