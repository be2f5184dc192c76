// The corner of each view: its name, and a menu that sets its pose, in every mode.
import { useEffect, useRef, useState } from 'preact/hooks';
import { command } from '../client';
import { activeView, document_, perDocument, viewCount } from '../store';
import { Name } from './labels';
import { NumberField } from './number_field';

const framesPerSecond = 24;
const letters = 'ABCD';
/** The view whose menu is open. */
const openView = perDocument<number | undefined>(undefined);

function FromClip({ view, close }: { view: number; close: () => void }) {
  const clips = document_.value?.clips ?? [];
  const [index, setIndex] = useState(0);
  const [frame, setFrame] = useState(0);
  const clip = clips[index] ?? clips[0];
  if (clip === undefined) return null;
  const last = Math.ceil(clip.seconds * framesPerSecond - 1e-6);
  const at = Math.min(frame, last);
  const show = (wanted: number) => {
    setFrame(wanted);
    void command('pose.clip', { view, clip: clip.index, time: Math.min(wanted / framesPerSecond, clip.seconds) });
  };
  return (
    <div class="row">
      <select aria-label="Clip of this view" class="grow cut" value={index} onChange={(event) => setIndex(Number(event.currentTarget.value))}>
        {clips.map((one, i) => (
          <option key={one.index} value={i}>
            {one.name || `Clip ${one.index}`}
          </option>
        ))}
      </select>
      <NumberField label={`Frame of this view, 0 to ${last}`} value={at} show={(value) => String(Math.round(value))} step={1} width={48} change={(value, how) => (how === 'done' || how === 'step') && show(Math.max(0, Math.min(last, Math.round(value))))} />
      <button
        onClick={() => {
          show(at);
          close();
        }}
      >
        Go
      </button>
    </div>
  );
}

function Panel({ view, close }: { view: number; close: () => void }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true }), []);
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  const others = Array.from({ length: viewCount.value }, (_, other) => other).filter((other) => other !== view);
  return (
    <div class="view-panel pose-panel" role="dialog" aria-label={`Pose of view ${letters[view]}`} ref={panel} onKeyDown={key}>
      <ul class="list" aria-label="Poses to choose">
        {['rest', ...(document_.value?.savedPoses ?? [])].map((name) => (
          <li key={name}>
            <button onClick={() => void command('pose.apply', { view, name })}>
              <Name text={name} />
            </button>
          </li>
        ))}
        {others.map((from) => (
          <li key={from}>
            <button onClick={() => void command('pose.copy', { view, from })}>As in view {letters[from]}</button>
          </li>
        ))}
      </ul>
      <FromClip view={view} close={close} />
    </div>
  );
}

/** Its menu; `named` with the button that makes the view the active one. */
export function ViewCorner({ view, named }: { view: number; named: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  const open = openView.value === view;
  const close = () => {
    openView.value = undefined;
    button.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Element && event.target.closest('.view-corner') === null) openView.value = undefined;
    };
    window.addEventListener('pointerdown', outside, { capture: true });
    return () => window.removeEventListener('pointerdown', outside, { capture: true });
  }, []);
  const toggle = () => {
    activeView.value = view;
    openView.value = open ? undefined : view;
  };
  return (
    <div class="view-corner">
      {named && (
        <button aria-pressed={activeView.value === view} onClick={() => (activeView.value = view)}>
          Pose {letters[view]}
        </button>
      )}
      <button ref={button} aria-haspopup="dialog" aria-expanded={open} aria-label={`Set the pose of view ${letters[view]}`} title="Set the pose: rest, saved, or a frame of a clip" onClick={toggle}>
        {named ? '▾' : 'Pose ▾'}
      </button>
      {open && <Panel view={view} close={close} />}
    </div>
  );
}
