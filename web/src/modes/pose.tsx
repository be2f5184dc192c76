// The mode Pose: pick a joint in the tree or on the skin, turn it by rings, sliders or typed values; saved poses, clips,
// mirror.
import { effect, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Matrix4, Vector3 } from 'three';
import { command, onMessage, setJoints } from '../client';
import { type Frame, FrameCode } from '../protocol/messages';
import { type GizmoTool, JointGizmo } from '../render/joint_gizmo';
import { jointMatrices, type RuledJoint, SkeletonOverlay } from '../render/skeleton';
import type { Stage } from '../render/stage';
import { activeView, document_, type Joint, mode, poses, selectedJoint, type Transform, viewCount } from '../store';
import type { StudioCommand } from '../ui/commands';
import { dialog } from '../ui/dialogs';
import type { Mode } from './modes';
import { eulerOf, fromEuler, numberOf } from './pose_angles';
import { step, stopWithMode, Timeline, togglePlay } from './pose_timeline';

const tool = signal<GizmoTool | undefined>('rotate');
const space = signal<'local' | 'world'>('local');
const skeletonShown = signal(true);
const filter = signal('');

const tools: { tool: GizmoTool | undefined; key: string; title: string }[] = [
  { tool: undefined, key: 'q', title: 'Pick' },
  { tool: 'translate', key: 'w', title: 'Move' },
  { tool: 'rotate', key: 'e', title: 'Rotate' },
  { tool: 'scale', key: 'r', title: 'Scale' },
];

/** Children below their parents, in the order of the file. */
function treeOf(joints: Joint[]): { joint: Joint; j: number; depth: number }[] {
  const rows: { joint: Joint; j: number; depth: number }[] = [];
  const children = new Map<number, number[]>();
  joints.forEach((joint, j) => children.set(joint.parent, [...(children.get(joint.parent) ?? []), j]));
  const add = (j: number, depth: number) => {
    rows.push({ joint: joints[j], j, depth });
    for (const child of children.get(j) ?? []) add(child, depth + 1);
  };
  for (const root of children.get(-1) ?? []) add(root, 0);
  return rows;
}

function Joints() {
  const joints = document_.value?.joints ?? [];
  const wanted = filter.value.toLowerCase();
  return (
    <div class="section">
      <h2>Joints</h2>
      {joints.length > 8 && (
        <input class="wide" aria-label="Filter joints" placeholder="filter" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
      )}
      {document_.value?.skinned === false && document_.value.reduced === undefined && (
        <>
          <p class="muted">This mesh has no weights yet. Drop it together with a skeleton, or choose one.</p>
          <button onClick={() => (dialog.value = 'bind')}>Bind to a skeleton…</button>
        </>
      )}
      {joints.length > 0 && (
        <div class="list" role="listbox" aria-label="Joints">
          {treeOf(joints).map(
            ({ joint, j, depth }) =>
              (wanted === '' || joint.name.toLowerCase().includes(wanted)) && (
                <button key={j} role="option" aria-selected={selectedJoint.value === j} style={{ paddingLeft: `${8 + 10 * depth}px` }} onClick={() => (selectedJoint.value = j)}>
                  {joint.name || `joint ${j}`}
                </button>
              ),
          )}
        </div>
      )}
    </div>
  );
}

function SavedPoses() {
  const [name, setName] = useState('');
  const saved = document_.value?.savedPoses ?? [];
  const view = activeView.value;
  const save = () => {
    const wanted = name.trim() || `pose ${saved.length + 1}`;
    setName('');
    void command('pose.save', { view, name: wanted });
  };
  return (
    <div class="section">
      <h2>Poses</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input class="grow" aria-label="Name of the pose" placeholder={`pose ${saved.length + 1}`} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <button type="submit">Save pose</button>
      </form>
      <ul class="list" aria-label="Saved poses">
        {['rest', ...saved].map((one) => (
          <li key={one} class="row">
            <button aria-label={`Go to pose ${one}`} onClick={() => void command('pose.apply', { view, name: one })}>
              {one}
            </button>
            {one !== 'rest' && (
              <button class="slim" aria-label={`Delete pose ${one}`} title="Delete" onClick={() => void command('pose.delete', { name: one })}>
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Outliner() {
  return (
    <>
      <Joints />
      {(document_.value?.joints.length ?? 0) > 0 && <SavedPoses />}
    </>
  );
}

function Tools() {
  return (
    <div class="section">
      <h2>Tool</h2>
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => (
          <button key={one.title} aria-pressed={tool.value === one.tool} title={`${one.title} (${one.key.toUpperCase()})`} onClick={() => (tool.value = one.tool)}>
            {one.title}
          </button>
        ))}
      </div>
      <div class="row">
        <button aria-pressed={space.value === 'world'} title="Axes of the world, or of the joint (X)" onClick={() => (space.value = space.value === 'world' ? 'local' : 'world')}>
          world axes
        </button>
        <button aria-pressed={skeletonShown.value} title="Bones through the skin (S)" onClick={() => (skeletonShown.value = !skeletonShown.value)}>
          skeleton
        </button>
      </div>
      <p class="muted">Ctrl snaps to 5 degrees, Esc puts it back.</p>
    </div>
  );
}

/** Two digits, and no minus before nothing. */
function shown(value: number): string {
  return (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
}

/** Every press of an arrow key is a change of a slider: they become one step when they pause, or when anything else is done. */
const mergeMilliseconds = 500;
let waiting: { timer: number; keep: () => void } | undefined;
let byKey = false;

function endSteps(): void {
  window.clearTimeout(waiting?.timer);
  waiting?.keep();
}

function Angles({ j, now, rest, view }: { j: number; now: Transform; rest: Transform; view: number }) {
  const angles = eulerOf(now, rest);
  const set = (axis: number, value: number, live: boolean) => {
    const next: [number, number, number] = [...angles];
    next[axis] = value;
    const changes = new Map([[j, { ...now, rotation: fromEuler(next, rest) }]]);
    window.clearTimeout(waiting?.timer);
    waiting = undefined;
    setJoints(view, changes, live);
  };
  const release = (axis: number, value: number) => {
    set(axis, value, byKey);
    if (byKey) waiting = { timer: window.setTimeout(endSteps, mergeMilliseconds), keep: () => set(axis, value, false) };
  };
  return (
    <>
      {(['X', 'Y', 'Z'] as const).map((axis, i) => (
        <div class="row" key={axis}>
          <label for={`rotate-${axis}`}>rot {axis}</label>
          <input
            id={`rotate-${axis}`}
            class="grow"
            type="range"
            min={i === 1 ? -90 : -180}
            max={i === 1 ? 90 : 180}
            step={0.1}
            value={angles[i]}
            onInput={(event) => set(i, Number(event.currentTarget.value), true)}
            onChange={(event) => release(i, Number(event.currentTarget.value))}
            onKeyDown={() => (byKey = true)}
            onPointerDown={() => (byKey = false)}
            onDblClick={() => set(i, 0, false)}
          />
          <input
            aria-label={`rotation ${axis} in degrees`}
            style={{ width: '70px' }}
            value={shown(angles[i])}
            onChange={(event) => {
              const value = numberOf(event.currentTarget.value);
              // What was there already is no step.
              if (value === undefined || Math.abs(value - angles[i]) < 1e-4) event.currentTarget.value = shown(angles[i]);
              else set(i, value, false);
            }}
          />
        </div>
      ))}
    </>
  );
}

/** Three typed numbers: where the joint is in its parent, or how large. */
function Vector({ what, label, j, now, view }: { what: 'translation' | 'scale'; label: string; j: number; now: Transform; view: number }) {
  const set = (axis: number, field: HTMLInputElement) => {
    const value = numberOf(field.value);
    if (value === undefined || (what === 'scale' && value === 0)) {
      field.value = exact(now[what][axis]);
      return;
    }
    const next: [number, number, number] = [...now[what]];
    next[axis] = value;
    setJoints(view, new Map([[j, { ...now, [what]: next }]]), false);
  };
  return (
    <div class="row" role="group" aria-label={label}>
      <span class="name">{label}</span>
      {(['X', 'Y', 'Z'] as const).map((axis, i) => (
        <input key={axis} class="grow" aria-label={`${label} ${axis}`} value={exact(now[what][i])} onChange={(event) => set(i, event.currentTarget)} />
      ))}
    </div>
  );
}

/** Five digits, without zeros at the end; what is nothing beside the character's size is 0. */
function exact(value: number): string {
  return Math.abs(value) < 1e-6 * Math.min(1, document_.peek()?.diagonal ?? 1) ? '0' : String(Number(value.toPrecision(5)));
}

function Inspector() {
  const j = selectedJoint.value;
  const info = document_.value;
  const view = activeView.value;
  if (info === undefined || info.joints.length === 0) return null;
  const joint = j === undefined ? undefined : info.joints[j];
  const now = j === undefined ? undefined : poses.value[view]?.[j];
  return (
    <>
      <Tools />
      <div class="section">
        <h2>{joint === undefined ? 'No joint' : joint.name || `joint ${j}`}</h2>
        {j === undefined || joint === undefined || now === undefined ? (
          <p class="muted">Click a joint, or the skin that it moves.</p>
        ) : (
          <>
            {joint.rule !== undefined && <p class="muted">It follows its rule: {joint.rule}</p>}
            {joint.rule === undefined && <Angles j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector what="translation" label="place" j={j} now={now} view={view} />}
            {joint.rule === undefined && <Vector what="scale" label="scale" j={j} now={now} view={view} />}
            <div class="row">
              <button title="Reset the joint (0)" onClick={() => void command('pose.reset', { view, joint: j })}>
                Reset
              </button>
            </div>
          </>
        )}
      </div>
      <div class="section">
        <h2>Whole pose</h2>
        <div class="row">
          <button onClick={() => void command('pose.reset', { view })}>Reset all</button>
          <button title="Mirror the pose (M)" onClick={() => void command('pose.mirror', { view })}>
            Mirror
          </button>
        </div>
      </div>
      <div class="section">
        <h2>Poses side by side</h2>
        <div class="row">
          {[1, 2, 3, 4].map((count) => (
            <button key={count} aria-pressed={viewCount.value === count} aria-label={`${count} poses side by side`} onClick={() => void command('views', { count })}>
              {count}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}

/** The joint that moves a vertex most. */
function jointOfSkin(stage: Stage, vertex: number): number | undefined {
  const column = stage.deformer?.influences.column(vertex) ?? [];
  if (column.length === 0) return undefined;
  const most = column.reduce((a, b) => (b.weight > a.weight ? b : a));
  return document_.peek()?.bindings[most.binding];
}

/** A click picks; a drag turns the view. */
function installClicks(stage: Stage, skeleton: SkeletonOverlay, gizmo: JointGizmo): () => void {
  let pressed: { x: number; y: number } | undefined;
  const down = (event: PointerEvent) => {
    pressed = event.button === 0 && !event.altKey && !gizmo.hovered ? { x: event.clientX, y: event.clientY } : undefined;
    const box = stage.canvas.getBoundingClientRect();
    if (pressed !== undefined) activeView.value = stage.viewAt(event.clientX - box.left, event.clientY - box.top);
  };
  const up = (event: PointerEvent) => {
    if (pressed === undefined || gizmo.busy || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
    const box = stage.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const view = stage.viewAt(x, y);
    const joint = skeletonShown.peek() ? skeleton.jointAt(x, y, view) : undefined;
    const picked = joint === undefined ? stage.pick(x, y) : undefined;
    const found = joint ?? (picked === undefined ? undefined : jointOfSkin(stage, picked.vertex));
    if (found !== undefined) selectedJoint.value = found;
  };
  stage.canvas.addEventListener('pointerdown', down);
  stage.canvas.addEventListener('pointerup', up);
  return () => {
    stage.canvas.removeEventListener('pointerdown', down);
    stage.canvas.removeEventListener('pointerup', up);
  };
}

/** Joints with a rule, with the matrices from rest that a frame brings for them. */
function ruledJoints(frame: Frame): RuledJoint[] {
  const info = document_.peek();
  if (info === undefined || info.reduced !== undefined || !info.joints.some((joint) => joint.rule !== undefined)) return none;
  return info.bindings.flatMap((joint, binding) =>
    info.joints[joint].rule === undefined
      ? []
      : [{ joint, pageFromRest: Array.from(frame.views, (_, view) => matrixOf(frame.palettes, 12 * (view * frame.controls + binding))) }],
  );
}

const none: RuledJoint[] = [];

/** Three rows of four. */
function matrixOf(numbers: Float32Array, at: number): Matrix4 {
  const m = numbers.subarray(at, at + 12);
  return new Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);
}

let current: JointGizmo | undefined;

/** The part of the gizmo at a place of the canvas: X, Y, Z, E. */
export function gizmoAt(x: number, y: number): string | undefined {
  return current?.partAt(x, y);
}

function enter(stage: Stage): () => void {
  const skeleton = new SkeletonOverlay(stage);
  const set = (local: Transform, live: boolean) => {
    const j = selectedJoint.peek();
    if (j !== undefined) setJoints(activeView.peek(), new Map([[j, local]]), live);
  };
  const gizmo = new JointGizmo(stage, { change: set, cancel: (start) => set(start, true) });
  current = gizmo;
  const escape = (event: KeyboardEvent) => {
    // Undo in the middle of a drag takes back the drag.
    const back = event.key === 'Escape' || ((event.ctrlKey || event.metaKey) && event.key === 'z');
    if (!back || !gizmo.busy) return;
    event.preventDefault();
    gizmo.cancel();
  };
  window.addEventListener('keydown', escape, { capture: true });
  const otherwise = (event: Event) => {
    if (!(event instanceof KeyboardEvent && /^(Arrow|Page|Home|End)/.test(event.key))) endSteps();
  };
  for (const type of ['keydown', 'pointerdown', 'blur']) window.addEventListener(type, otherwise, { capture: true });
  // Helper joints are where the server's rules put them: their matrices come with the frames.
  const ruled = signal<RuledJoint[]>([]);
  const stops = [
    onMessage((message) => {
      if (message.code === FrameCode) ruled.value = ruledJoints(message.body);
    }),
    effect(() => {
      const info = document_.value;
      if (info?.open !== true || info.reduced !== undefined) {
        skeleton.clear();
        gizmo.detach();
        return;
      }
      skeleton.show(info.joints, poses.value, info.centre, selectedJoint.value, skeletonShown.value, ruled.value);
      const j = selectedJoint.value;
      const view = activeView.value;
      const now = j === undefined ? undefined : poses.value[view]?.[j];
      gizmo.controls.space = space.value;
      // A step back may leave fewer joints than the picked one.
      if (j === undefined || now === undefined || tool.value === undefined || info.joints[j] === undefined || info.joints[j].rule !== undefined) {
        gizmo.detach();
        return;
      }
      const parent = info.joints[j].parent;
      const centre = new Matrix4().makeTranslation(-info.centre[0], -info.centre[1], -info.centre[2]);
      gizmo.attach(view, parent >= 0 ? skeleton.matrices[view][parent] : centre, now, tool.value);
    }),
    installClicks(stage, skeleton, gizmo),
    stopWithMode(),
  ];
  return () => {
    for (const stop of stops) stop();
    endSteps();
    window.removeEventListener('keydown', escape, { capture: true });
    for (const type of ['keydown', 'pointerdown', 'blur']) window.removeEventListener(type, otherwise, { capture: true });
    gizmo.dispose();
    current = undefined;
    skeleton.clear();
  };
}

const here = () => mode.value === 'pose' && document_.value?.open === true;
const onJoint = () => here() && selectedJoint.value !== undefined;

const commands: StudioCommand[] = [
  ...tools.map((one) => ({ title: `Tool: ${one.title}`, key: one.key, enabled: here, run: () => void (tool.value = one.tool) })),
  { title: 'Axes of the joint or of the world', key: 'x', enabled: here, run: () => void (space.value = space.value === 'world' ? 'local' : 'world') },
  { title: 'Show or hide the skeleton', key: 's', enabled: here, run: () => void (skeletonShown.value = !skeletonShown.value) },
  { title: 'Mirror the pose', key: 'm', enabled: here, run: () => command('pose.mirror', { view: activeView.value }) },
  { title: 'Reset the joint', key: '0', enabled: onJoint, run: () => command('pose.reset', { view: activeView.value, joint: selectedJoint.value }) },
  { title: 'Reset the pose', key: 'Shift+Digit0', enabled: here, run: () => command('pose.reset', { view: activeView.value }) },
  { title: 'Play or pause the clip', key: 'p', enabled: here, run: togglePlay },
  { title: 'One frame back', key: 'ArrowLeft', enabled: here, run: () => step(-1) },
  { title: 'One frame on', key: 'ArrowRight', enabled: here, run: () => step(1) },
];

/** Where the picked joint is, in the page's space. */
export function pickedPlace(): Vector3 | undefined {
  const info = document_.value;
  const j = selectedJoint.value;
  const pose = poses.value[activeView.value];
  if (info?.joints === undefined || j === undefined || info.joints[j] === undefined || pose === undefined) return undefined;
  return new Vector3().setFromMatrixPosition(jointMatrices(info.joints, pose, info.centre)[j]);
}

function Dock() {
  return <Timeline />;
}

export const poseMode: Mode = { name: 'pose', title: 'Pose', Outliner, Inspector, Dock, enter, commands };
