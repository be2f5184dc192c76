// How much of the error weights, helper joints, the rest shape and corrections remove, per example: each stage is on top
// of the ones before.
import type { FitTriage } from '../../protocol/document';
import { categoryColours } from '../../render/colours';
import { capital, counted, percentText } from '../../ui/labels';
import { pageText } from '../../ui/sentences';
import { tipOf } from '../../ui/tooltip';
import { examples, explain, info, running } from './state';

/** Of the stages after the original. */
const stageColours = [categoryColours[4], categoryColours[2], categoryColours[0], categoryColours[6]];

interface Bar {
  name: string;
  /** After each stage, in percent. */
  errors: number[];
}

/** All examples together, then each, the worst first. */
function barsOf({ examples, stages }: FitTriage): Bar[] {
  const each = examples.map((name, k) => ({ name, errors: stages.map((stage) => stage.examples[k]) }));
  return [{ name: 'All', errors: stages.map((stage) => stage.rms) }, ...each.sort((a, b) => b.errors[0] - a.errors[0])];
}

function Row({ bar, triage, end }: { bar: Bar; triage: FitTriage; end: number }) {
  const { stages } = triage;
  // A stage can also raise the error of an example: then it removes nothing there.
  const kept = bar.errors.map((_, s) => Math.min(...bar.errors.slice(0, s + 1)));
  const left = kept[kept.length - 1];
  const text = stages.map((stage, s) => `${stage.name} ${percentText(bar.errors[s])}`).join(', ');
  return (
    <div class="triage-row" {...tipOf(`${bar.name}: ${text}`)}>
      <span class="cut">{bar.name}</span>
      <div class="triage-bar" role="img" aria-label={`${bar.name}: ${text}`}>
        <span style={{ width: `${(100 * left) / end}%`, background: 'var(--text)' }} />
        {stages.slice(1).map((_, i) => {
          const s = stages.length - 1 - i;
          return <span key={s} style={{ width: `${(100 * (kept[s - 1] - kept[s])) / end}%`, background: stageColours[s - 1] }} />;
        })}
      </div>
      <span>{percentText(bar.errors[0])}</span>
    </div>
  );
}

export function Triage() {
  const triage = info.value?.triage;
  if (triage === undefined)
    return (
      <div class="row">
        <button disabled={running.value || examples.value.length === 0} onClick={() => void explain()}>
          Explain the error
        </button>
        <span class="muted">Tries weights, helper joints, the rest shape and corrections, each on top of the others. The skin does not change.</span>
      </div>
    );
  const bars = barsOf(triage);
  const end = Math.max(1e-9, ...bars.map((bar) => bar.errors[0]));
  return (
    <>
      <div class="triage-legend">
        {triage.stages.slice(1).map((stage, s) => (
          <span key={stage.name}>
            <span class="swatch" style={{ background: stageColours[s] }} />
            {capital(stage.name)}: rms {percentText(stage.rms)}
            {stage.leftOut > 0 && `, left out ${percentText(stage.leftOut)}`}
            {stage.joints > 0 && stage.morphs === 0 && `, ${counted(stage.joints, 'joint')}`}
            {stage.morphs > 0 && `, ${counted(stage.morphs, 'morph target')}`}
          </span>
        ))}
        <span>
          <span class="swatch" style={{ background: 'var(--text)' }} />
          Remaining
        </span>
      </div>
      {bars.map((bar) => (
        <Row key={bar.name} bar={bar} triage={triage} end={end} />
      ))}
      <p data-test="triage-advice">{capital(pageText(triage.advice))}</p>
    </>
  );
}
