// The panels of the mode Export: what goes in, the options, what they cost, and what the written file is.
import { showFault } from '../../client';
import type { ExportDeviation } from '../../protocol/document';
import { document_, notice, selectedVertices } from '../../store';
import { bytesText } from '../../ui/file_list';
import { counted, countText, Name } from '../../ui/labels';
import { NumberField } from '../../ui/number_field';
import { Section } from '../../ui/section';
import { showLimit } from './beside';
import { Curve } from './curve';
import { type ExportOptions, presetOf, presets } from './presets';
import { colouredLimit, content, distance, exportable, options, plan, planFault, planSoon, setOptions, stale, written } from './state';

function Tick({ label, note, checked, disabled, change }: { label: string; note?: string; checked: boolean; disabled?: boolean; change: (on: boolean) => void }) {
  return (
    <label class="row tick">
      <input type="checkbox" aria-label={label} checked={checked} disabled={disabled} onChange={(event) => change(event.currentTarget.checked)} />
      <span class="grow cut">
        <Name text={label} />
      </span>
      {note !== undefined && <span class="muted">{note}</span>}
    </label>
  );
}

const animated = () => content.value?.formats.find((one) => one.extension === options.value.extension)?.animated !== false;
const skinned = () => document_.value?.skinned === true && animated() && options.value.skin;

function Presets() {
  const chosen = presetOf(options.value);
  return (
    <Section name="presets" title="Target program">
      <div class="row wrap" role="group" aria-label="Presets">
        {presets.map((preset) => (
          <button key={preset.name} aria-pressed={chosen === preset} title={preset.why} onClick={() => setOptions(preset.sets)}>
            {preset.name}
          </button>
        ))}
      </div>
      {chosen !== undefined && (
        <p data-test="preset">
          {chosen.why} <span class="muted">{chosen.tried}</span>
        </p>
      )}
    </Section>
  );
}

export function Outliner() {
  const info = document_.value;
  const has = content.value;
  if (info === undefined || has === undefined || !exportable()) return null;
  const chosen = options.value;
  const without = new Set(chosen.withoutClips);
  const leave = (index: number, on: boolean) => {
    if (on) without.delete(index);
    else without.add(index);
    setOptions({ withoutClips: [...without].sort((a, b) => a - b) });
  };
  const off = !skinned();
  const clips = info.clips.filter((one) => !has.refits || one.index !== has.examplesClip);
  return (
    <>
      <Section name="format" title="Format">
        <select class="wide" aria-label="Format" value={chosen.extension} onChange={(event) => setOptions({ extension: event.currentTarget.value })}>
          {has.formats.map((one) => (
            <option key={one.extension} value={one.extension}>
              {one.name} ({one.extension})
            </option>
          ))}
        </select>
      </Section>
      {animated() && <Presets />}
      <Section name="content" title="What goes in">
        <Tick label="Mesh" note={counted(info.vertices, 'vertex', 'vertices')} checked disabled change={() => {}} />
        {has.ownMorphs > 0 && <Tick label="Morph targets" note={countText(has.ownMorphs)} checked={!off} disabled change={() => {}} />}
        {info.skinned && <Tick label="Skin" note={counted(info.joints.length, 'joint')} checked={chosen.skin && animated()} disabled={!animated()} change={(skin) => setOptions({ skin })} />}
        {has.helpers > 0 && <Tick label="Helper joints" note={countText(has.helpers)} checked={chosen.helpers && !off} disabled={off} change={(helpers) => setOptions({ helpers })} />}
        {has.learned && <Tick label="Correctives" note={counted(has.examples, 'example')} checked={chosen.correctives && !off} disabled={off} change={(correctives) => setOptions({ correctives })} />}
        {info.savedPoses.length > 0 && <Tick label="Saved poses, as a clip" note={countText(info.savedPoses.length)} checked={chosen.poses && !off} disabled={off} change={(poses) => setOptions({ poses })} />}
        {has.refits && <Tick label="Clip of the examples" note={countText(has.examples)} checked={chosen.examples && chosen.correctives && !off} disabled={off || !chosen.correctives} change={(examples) => setOptions({ examples })} />}
        {clips.map((one) => (
          <Tick key={one.index} label={`Clip ${one.name || one.index}`} note={`${one.seconds.toFixed(2)} s`} checked={!without.has(one.index) && !off} disabled={off} change={(on) => leave(one.index, on)} />
        ))}
      </Section>
    </>
  );
}

function Influences() {
  const rows = plan.value?.influences ?? [];
  const chosen = options.value.influences;
  return (
    <Section name="influences" title="Influences per vertex">
      <div class="row" role="group" aria-label="Influences per vertex">
        {[4, 8, 0].map((most) => (
          <button key={most} class="grow" aria-pressed={chosen === most} onClick={() => setOptions({ influences: most })}>
            {most === 0 ? 'All' : most}
          </button>
        ))}
      </div>
      {rows
        .filter((row) => row.most > 0)
        .map((row) => (
          <div class="row" key={row.most} data-test={`limit-${row.most}`}>
            <span class="grow">
              {row.vertices === 0 ? `${row.most}: no vertex has more` : `${row.most}: max ${distance(row.max)}, ${counted(row.vertices, 'vertex', 'vertices')}`}
            </span>
            {row.vertices > 0 && (
              <button
                aria-pressed={colouredLimit.value === row.most}
                title="Select the vertices that have more, and colour them by the distance that they move"
                aria-label={`Show vertices with more than ${row.most} influences`}
                onClick={() => void showLimit(row.most).catch(showFault)}
              >
                Show
              </button>
            )}
          </div>
        ))}
      {colouredLimit.value !== undefined && (
        <p class="muted">
          {counted(selectedVertices.value.length, 'vertex', 'vertices')} selected; dark: not moved, yellow: moved most.
        </p>
      )}
    </Section>
  );
}

const weightNames: Record<ExportOptions['weights'], string> = { f32: '32-bit float', u16: '16 bits', u8: '8 bits' };

function Storage() {
  const chosen = options.value;
  const has = content.value;
  const refits = has?.refits === true && chosen.correctives;
  return (
    <Section name="storage" title="Baking and storage">
      <label class="row">
        <span class="grow">Skin weights</span>
        <select value={chosen.weights} onChange={(event) => setOptions({ weights: event.currentTarget.value as ExportOptions['weights'] })}>
          {Object.entries(weightNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <span class="grow">Baked keys per second</span>
        <NumberField label="Baked keys per second" value={chosen.fps} show={(value) => String(Number(value.toFixed(2)))} step={1} width={64} reset={30} change={(fps, how) => how !== 'live' && how !== 'back' && setOptions({ fps: Math.min(1000, Math.max(1, fps)) })} />
      </div>
      {refits && <Tick label="16-bit morph targets" checked={chosen.quantize} change={(quantize) => setOptions({ quantize })} />}
      {refits && <Tick label="Morph targets with normals" checked={chosen.normals} change={(normals) => setOptions({ normals })} />}
    </Section>
  );
}

/** "max 0.00123 (0.01 %) at vertex 12, walk at 0.42 s; rms 0.0001 over 24 poses" */
function Deviation({ of, test }: { of: ExportDeviation; test: string }) {
  return (
    <div data-test={test} data-max={of.max} data-rms={of.rms}>
      <div class="row spread">
        <span>Largest deviation</span>
        <span>{distance(of.max)}</span>
      </div>
      <div class="row spread">
        <span>rms over {counted(of.poses, 'pose')}</span>
        <span>{distance(of.rms)}</span>
      </div>
      {of.vertex >= 0 && of.max > 1e-7 * (document_.value?.diagonal ?? 1) && (
        <p class="muted">
          Largest at vertex {countText(of.vertex)}, {of.pose}.
        </p>
      )}
    </div>
  );
}

/** Smaller ones, in percent of the diagonal, are rounding. */
const rounding = 1e-3;

function Lost({ list, deviation }: { list: string[]; deviation: ExportDeviation }) {
  const exact = (100 * deviation.max) / (document_.value?.diagonal ?? 1) < rounding;
  if (list.length === 0) return <p class="muted">{exact ? 'Nothing is lost.' : 'Everything is written, with the deviation below.'}</p>;
  return (
    <ul class="lost-list" aria-label="What the file does not hold">
      {list.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function Before() {
  const said = plan.value;
  return (
    <Section name="before" title="Before writing" test="before">
      {said === undefined && planFault.value === '' && <p class="muted">Preparing the file in memory…</p>}
      {planFault.value !== '' && (
        <div class="row">
          <p class="grow">{planFault.value}</p>
          <button onClick={planSoon}>Compute again</button>
        </div>
      )}
      {said !== undefined && (
        <>
          <Lost list={said.lost} deviation={said.deviation} />
          {said.baked > 0 && <p>{counted(said.baked, 'helper joint')} baked into every clip.</p>}
          {said.morphs > 0 && (
            <p>
              Correctives baked to {counted(said.morphs, 'morph target')} per mesh ({said.method === 'svd' ? 'mixed shapes' : 'a shape per pose'}), with weights in every clip.
            </p>
          )}
          <Deviation of={said.deviation} test="plan-deviation" />
          <div class="row spread">
            <span>Size</span>
            <span data-test="bytes">{bytesText(said.bytes)}</span>
          </div>
        </>
      )}
    </Section>
  );
}

async function copyPath(path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(path);
    notice.value = 'Path copied to the clipboard.';
  } catch {
    notice.value = 'The browser blocked access to the clipboard.';
  }
}

function After() {
  const file = written.value;
  if (file === undefined) return null;
  return (
    <Section name="after" title="After writing, read again" test="after">
      <div class="row">
        <span class="grow cut" title={file.path} data-test="written-path">
          <Name text={file.path.replace(/^.*[/\\]/, '')} />
        </span>
        <span class="muted">{bytesText(file.bytes)}</span>
        <button title={file.path} onClick={() => void copyPath(file.path)}>
          Copy path
        </button>
      </div>
      <Deviation of={file.deviation} test="file-deviation" />
      <p class="muted">
        {file.clips.length > 0 || file.deviation.poses > 1 ? 'Played by linear blend and morph targets alone, as other programs do: over the keys of its clips and the saved poses.' : 'Of the rest shape, which is all that the file holds.'}
      </p>
      {stale.value && <p class="off-frame">The document has changed since; export it again to compare.</p>}
    </Section>
  );
}

export function Inspector() {
  if (document_.value?.reduced !== undefined) return <p class="section muted">A reduced model is exported in Handles mode, with Export animation.</p>;
  return (
    <>
      <After />
      <Before />
      {skinned() && <Influences />}
      {skinned() && content.value?.refits === true && options.value.correctives && <Curve />}
      {skinned() && <Storage />}
    </>
  );
}
