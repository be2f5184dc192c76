// The dock of the mode Export: writing the file, and playing the clips of the written one.
import { stage } from '../../client';
import { besideView } from '../../render/stage';
import { document_, job } from '../../store';
import { countText } from '../../ui/labels';
import { SaveDialog } from '../../ui/save_dialog';
import { Slider } from '../../ui/slider';
import { companion, hovered } from './beside';
import { chooseClip, current, playing, posed, show, stop, time, togglePlay } from './playback';
import { choosing, distance, exportable, options, plan, stale, write, written } from './state';

/** Asks for the name of the file, below the root of the studio. */
function WriteDialog() {
  const { extension } = options.value;
  const stem = (document_.value?.title ?? 'character').replace(/\.[^.]*$/, '');
  return (
    <SaveDialog
      title="Export to a file"
      label="Export"
      name={`${stem}_export${extension}`}
      extensions={[extension]}
      replaceable={['exists', 'open-document']}
      save={write}
      close={() => (choosing.value = false)}
    />
  );
}

function Playback() {
  const file = written.value;
  const one = current();
  if (file === undefined || stale.value || one === undefined) return null;
  return (
    <>
      <button aria-pressed={playing.value} disabled={one.seconds <= 0} title="Play the file and the document side by side (Space)" onClick={togglePlay}>
        {playing.value ? 'Pause' : 'Play'}
      </button>
      <Slider class="grow" label="Time in the file" valueText={`${time.value.toFixed(2)} seconds`} min={0} max={Math.max(one.seconds, 1e-3)} step={0.01} value={time.value} change={(value) => void show(value)} />
      <span class="muted" data-test="file-time">
        {posed.value ? `${time.value.toFixed(2)} s` : 'Pose'}
      </span>
      <select aria-label="Clip of the file" class="cut" value={one.index} onChange={(event) => chooseClip(Number(event.currentTarget.value))}>
        {file.clips.map((clip) => (
          <option key={clip.index} value={clip.index}>
            {clip.name || `Clip ${clip.index}`}
          </option>
        ))}
      </select>
      <button disabled={!posed.value} title="Show the pose of the document again" onClick={() => void stop()}>
        Stop
      </button>
    </>
  );
}

export function Dock() {
  if (!exportable()) return null;
  return (
    <div class="section row export-dock">
      <Playback />
      {(written.value === undefined || stale.value || current() === undefined) && <span class="grow muted">{written.value === undefined && plan.value !== undefined ? 'Nothing is written until you choose a file.' : ''}</span>}
      <button class="primary" disabled={plan.value === undefined || job.value !== undefined} onClick={() => (choosing.value = true)}>
        Export…
      </button>
      {choosing.value && <WriteDialog />}
    </div>
  );
}

/** Names of the two views, and the vertex under the pointer. */
export function Overlay() {
  if (companion.value === undefined) return null;
  const under = hovered.value;
  const file = written.value?.path.replace(/^.*[/\\]/, '') ?? '';
  const right = stage?.rectangle(besideView);
  return (
    <>
      <div class="beside-frame" style={{ left: 0, width: '50%', height: right === undefined ? '100%' : `${right.height}px` }}>
        <span class="label">Document</span>
      </div>
      <div class="beside-frame" style={{ left: '50%', width: '50%', height: right === undefined ? '100%' : `${right.height}px` }}>
        <span class="label" title={file}>
          Re-read file
        </span>
      </div>
      {under !== undefined && <div class="hover-mark" style={{ left: `${under.x}px`, top: `${under.y}px` }} />}
      {under?.other !== undefined && <div class="hover-mark" style={{ left: `${under.other.x}px`, top: `${under.other.y}px` }} />}
      {under !== undefined && (
        <div class="label" data-test="vertex-deviation" style={{ left: '8px', bottom: '8px' }}>
          Vertex {countText(under.vertex)} · {under.deviation === undefined ? '…' : `deviation ${distance(under.deviation)}`}
        </div>
      )}
    </>
  );
}
