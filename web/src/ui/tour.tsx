// The tour: a few steps on the built-in arm. Each marks a control and waits until the user has really used it.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { open, stage } from '../client';
import { mode } from '../modes/modes';
import { document_, numbers, panels, poses, selectedJoint } from '../store';
import { IconButton } from './icon_button';
import { modifier } from './labels';
import { dialog } from './modal';
import { unfold } from './section';
import { remember, remembered } from './settings';

const kept = 'sinew-tour';
/** Milliseconds between looks at what the user has done: only while the tour runs. */
const interval = 150;
const joint = 'forearm';

/** Whether the start page offers it: until it was taken or declined. */
export const tourOffered = signal(remembered(kept) !== 'seen');

interface Moment {
  camera: number[];
  undo: number;
  redo: number;
}

interface Step {
  title: string;
  text: string;
  /** What is marked. */
  at: string;
  /** The section that has it, as in `unfold`. */
  section?: string;
  /** `before`: when the step began. */
  done: (before: Moment) => boolean;
}

const bent = () => {
  const j = document_.peek()?.joints.findIndex((one) => one.name === joint) ?? -1;
  const [now, rest] = [poses.peek()[0]?.[j]?.rotation, document_.peek()?.joints[j]?.rest.rotation];
  if (now === undefined || rest === undefined) return false;
  // More than 15 degrees from the rest pose.
  return Math.abs(now.reduce((sum, x, i) => sum + x * rest[i], 0)) < Math.cos((7.5 * Math.PI) / 180);
};

const steps: Step[] = [
  {
    title: 'Look around',
    text: 'Drag beside the arm to turn the view. The wheel zooms, the right button pans.',
    at: 'main.viewport',
    done: (before) => camera().some((x, i) => Math.abs(x - before.camera[i]) > 0.02),
  },
  {
    title: 'Select a joint',
    text: `Click ${joint} in the list, or click the skin that it moves.`,
    at: 'aside.left',
    done: () => document_.peek()?.joints[selectedJoint.peek() ?? -1]?.name === joint,
  },
  {
    title: 'Bend the elbow',
    text: 'Drag a ring in the view, or the slider of Rotation Z.',
    at: '#rotate-Z',
    section: 'pose/joint',
    done: (before) => bent() && numbers.peek().undo > before.undo,
  },
  {
    title: 'Undo',
    text: `Click Undo, or press ${modifier} Z. Every change can be undone, also after a reload.`,
    at: '[aria-label="Undo"]',
    done: () => numbers.peek().redo > 0,
  },
  {
    title: 'Redo',
    text: `Click Redo, or press ${modifier} Shift Z: the elbow bends again.`,
    at: '[aria-label="Redo"]',
    done: (before) => numbers.peek().redo < before.redo && bent(),
  },
  {
    title: 'Switch to Weights',
    text: 'Click its tab, or press its number. The pose stays.',
    at: '[role="tab"][data-tip="Weights"]',
    done: () => mode.peek() === 'weights',
  },
  {
    title: 'Drag the skin',
    text: 'Drag the skin near the elbow. The line, triangle or hull is what its joints can reach; the weights follow.',
    at: 'main.viewport',
    done: (before) => numbers.peek().undo > before.undo,
  },
  {
    title: 'Find any command',
    text: `Press ${modifier} K and type a few letters. Esc closes the list.`,
    at: '[aria-label="Commands"]',
    done: () => dialog.peek() === 'palette',
  },
];

/** The current step; undefined: the tour does not run; `steps.length`: its end. */
const at = signal<number | undefined>(undefined);
let before: Moment = { camera: [], undo: 0, redo: 0 };

function camera(): number[] {
  const controls = stage?.controls;
  return controls === undefined ? [0, 0, 0] : [controls.azimuthAngle, controls.polarAngle, Math.log(Math.max(1e-9, controls.distance))];
}

function go(step: number | undefined): void {
  before = { camera: camera(), undo: numbers.peek().undo, redo: numbers.peek().redo };
  at.value = step;
  const section = steps[step ?? -1]?.section;
  if (section !== undefined) unfold(section);
}

/** Begins a step of Pose, with what its steps need. */
function beginInPose(step: number): void {
  mode.value = 'pose';
  panels.value = { ...panels.peek(), left: true, right: true };
  go(step);
}

export function dismissTour(): void {
  remember(kept, 'seen');
  tourOffered.value = false;
  at.value = undefined;
}

const ready = () => document_.peek()?.joints?.some((one) => one.name === joint) === true;

/** On the arm, which is opened unless it is. */
export async function startTour(): Promise<void> {
  dismissTour();
  if (!ready()) await open('sample:arm');
  beginInPose(0);
}

/** Outlines a control wherever it is. */
function Mark({ of }: { of: string }) {
  const [box, setBox] = useState<DOMRect | undefined>(undefined);
  useEffect(() => {
    const look = () => {
      const next = document.querySelector(of)?.getBoundingClientRect();
      setBox((last) => (last?.x === next?.x && last?.y === next?.y && last?.width === next?.width && last?.height === next?.height ? last : next));
    };
    look();
    const timer = window.setInterval(look, interval);
    return () => window.clearInterval(timer);
  }, [of]);
  if (box === undefined) return null;
  return <div class="tour-mark" style={{ left: `${box.x - 3}px`, top: `${box.y - 3}px`, width: `${box.width + 6}px`, height: `${box.height + 6}px` }} />;
}

export function Tour() {
  const current = at.value;
  useEffect(() => {
    if (current === undefined || current >= steps.length) return undefined;
    // The first step begins when the arm is open and its view has come to rest.
    let waiting = !ready();
    const timer = window.setInterval(() => {
      if (!ready()) return;
      if (waiting) {
        // The mode of the document may have been restored.
        beginInPose(current);
      } else if (steps[current].done(before)) go(current + 1);
      waiting = false;
    }, interval);
    return () => window.clearInterval(timer);
  }, [current]);
  if (current === undefined) return null;
  const step = steps[current];
  return (
    <>
      {step !== undefined && <Mark key={current} of={step.at} />}
      <section class="tour" aria-label="Tour">
        <div class="section-head">
          <h2>{step?.title ?? 'Tour complete'}</h2>
          <span class="muted">{step === undefined ? '' : `${current + 1} of ${steps.length}`}</span>
          <IconButton class="small" icon="close" label="End the tour" onClick={dismissTour} />
        </div>
        <p role="status">{step?.text ?? 'Drop your own character or a folder of meshes to start. The tour is in the Help menu.'}</p>
        <div class="row">
          {step === undefined ? (
            <button class="primary" onClick={dismissTour}>
              Done
            </button>
          ) : (
            <button onClick={() => go(current + 1)}>Skip this step</button>
          )}
        </div>
      </section>
    </>
  );
}
