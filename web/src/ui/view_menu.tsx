// The menu of the view, below the view cube: shading, overlays, light, parts, and images.
import { useEffect, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { shadings } from '../render/surface';
import { besideShown, document_, isOpen, job } from '../store';
import { pictureMarks, pictureScale, saveClip, savePicture, saveTurn, turnFrames } from './pictures';
import { Slider } from './slider';
import { gridLabel, gridShown, hiddenParts, lightTurn, materials, shading, shadingNames, showAllParts, verticesShown, wireframe } from './view_settings';

export const viewMenuOpen = signal(false);

const kindText = () => {
  if (besideShown.value) return 'The document and the re-read file are shown in clay.';
  if (shading.value === 'clay') return '';
  if (materials.value === 'reading') return 'Reading the materials…';
  return materials.value === 'none' ? 'The file has no materials: clay is shown.' : '';
};

/** Images of the active view, as downloads. */
function Images() {
  const clips = document_.value?.reduced === undefined ? (document_.value?.clips ?? []) : [];
  const [clip, setClip] = useState(0);
  const chosen = clips.some((one) => one.index === clip) ? clip : clips[0]?.index;
  return (
    <fieldset>
      <legend>Images without background</legend>
      <div class="row">
        <button disabled={job.value !== undefined} title="The active view as a PNG file" onClick={() => void savePicture()}>
          Image
        </button>
        <select aria-label="Size of images" value={pictureScale.value} onChange={(event) => (pictureScale.value = Number(event.currentTarget.value))}>
          {[1, 2, 4].map((scale) => (
            <option key={scale} value={scale}>
              {scale}×
            </option>
          ))}
        </select>
        <button disabled={job.value !== undefined} title={`${turnFrames} PNG files around the character, in a .zip`} onClick={() => void saveTurn()}>
          Turntable
        </button>
      </div>
      {chosen !== undefined && (
        <div class="row">
          <button disabled={job.value !== undefined} title="A PNG file for each frame of the clip, in a .zip" onClick={() => void saveClip(chosen)}>
            Clip
          </button>
          <select class="grow cut" aria-label="Clip of images" value={chosen} onChange={(event) => setClip(Number(event.currentTarget.value))}>
            {clips.map((one) => (
              <option key={one.index} value={one.index}>
                {one.name || `Clip ${one.index}`}
              </option>
            ))}
          </select>
        </div>
      )}
      <label class="check">
        <input type="checkbox" checked={pictureMarks.value} onChange={(event) => (pictureMarks.value = event.currentTarget.checked)} />
        With skeleton, marks and grid
      </label>
    </fieldset>
  );
}

function Panel({ close }: { close: () => void }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true }), []);
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  const toggles = [
    { text: 'Wireframe', setting: wireframe, key: 'Shift W' },
    { text: 'Vertices', setting: verticesShown, key: 'Shift V' },
    { text: 'Ground grid', setting: gridShown, key: 'Shift G' },
  ];
  return (
    <div class="view-panel" role="dialog" aria-label="View options" ref={panel} onKeyDown={key}>
      <fieldset>
        <legend>Shading</legend>
        {shadings.map((one) => (
          <label class="check" key={one}>
            <input type="radio" name="shading" checked={shading.value === one} onChange={() => (shading.value = one)} />
            {shadingNames[one]}
          </label>
        ))}
        <p class="muted" aria-live="polite">
          {kindText()}
        </p>
      </fieldset>
      <fieldset>
        <legend>Overlays</legend>
        {toggles.map((one) => (
          <label class="check" key={one.text} title={`${one.text} (${one.key})`}>
            <input type="checkbox" checked={one.setting.value} onChange={(event) => (one.setting.value = event.currentTarget.checked)} />
            {one.text}
          </label>
        ))}
      </fieldset>
      <div class="row">
        <label for="light-turn">Light</label>
        <Slider id="light-turn" class="grow" min={-180} max={180} step={1} value={lightTurn.value} reset={0} valueText={`turned by ${lightTurn.value} degrees`} change={(value) => (lightTurn.value = value)} />
        <span class="muted">{lightTurn.value}°</span>
      </div>
      <Images />
      {hiddenParts.value.length > 0 && (
        <div class="row">
          <button title="Show all parts (Alt H)" onClick={showAllParts}>
            Show all parts
          </button>
        </div>
      )}
    </div>
  );
}

/** The button that opens it. */
export function ViewMenu() {
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    viewMenuOpen.value = false;
    button.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Element && event.target.closest('.view-options') === null) viewMenuOpen.value = false;
    };
    window.addEventListener('pointerdown', outside, { capture: true });
    return () => window.removeEventListener('pointerdown', outside, { capture: true });
  }, []);
  if (!isOpen.value) return null;
  return (
    <div class="view-options">
      <button ref={button} class="projection" aria-haspopup="dialog" aria-expanded={viewMenuOpen.value} title="Shading, overlays, light and images" onClick={() => (viewMenuOpen.value = !viewMenuOpen.value)}>
        View
      </button>
      {viewMenuOpen.value && <Panel close={close} />}
    </div>
  );
}

/** What a cell of the ground grid measures. */
export function GridLabel() {
  const text = gridLabel();
  return text === '' ? null : <div class="grid-label">{text}</div>;
}
