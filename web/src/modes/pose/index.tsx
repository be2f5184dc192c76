// The mode Pose: pick a joint in the tree or on the skin and transform it by gizmo, sliders or typed values; saved poses,
// clips, mirroring.
import { effect } from '@preact/signals';
import { Matrix4 } from 'three';
import { command, stage as liveStage } from '../../client';
import { listen } from '../../gestures/gesture_listeners';
import { jointOfSkin, pickedPosition, ruledJoints } from '../../gestures/joints';
import { addJoint, otherJoints, selectJoints, toggleJoint } from '../../gestures/joint_selection';
import { mirrorPose, mirrorX, setJoint, startPosing } from '../../gestures/pose_joints';
import type { Transform } from '../../protocol/document';
import { type GizmoAxis, JointGizmo, snapLength } from '../../render/joint_gizmo';
import { SkeletonOverlay } from '../../render/skeleton';
import type { Stage } from '../../render/stage';
import { activeView, document_, navigation, poses, selectedJoint } from '../../store';
import { jointMenu } from '../../ui/joint_menu';
import type { MenuItem, MenuPlace, Mode, StudioCommand } from '../mode';
import { followWeights } from './influence';
import { Inspector, resetJoints } from './inspector';
import { Outliner } from './outliner';
import { addKey, followPose, goToKey, keyHere, loop, removeKey, step, stopPlaying, Timeline, togglePlay } from './timeline';
import { skeletonShown, space, tool, tools } from './tools';

/** Pixels that the pointer may move during a click. */
const clickReach = 4;

/** A click picks a joint; a drag orbits the view. */
function installClicks(stage: Stage, gizmo: JointGizmo, skeleton: SkeletonOverlay): () => void {
  let pressed: { x: number; y: number } | undefined;
  const down = (event: PointerEvent) => {
    pressed = event.button === 0 && !event.altKey && !gizmo.hovered ? { x: event.clientX, y: event.clientY } : undefined;
    const box = stage.canvas.getBoundingClientRect();
    if (pressed !== undefined) activeView.value = stage.viewAt(event.clientX - box.left, event.clientY - box.top);
  };
  const up = (event: PointerEvent) => {
    const start = pressed;
    pressed = undefined;
    if (start === undefined || gizmo.busy || Math.hypot(event.clientX - start.x, event.clientY - start.y) > clickReach) return;
    const box = stage.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const joint = skeleton.jointAt(x, y, stage.viewAt(x, y), event.pointerType === 'touch' ? 22 : 12);
    const picked = joint === undefined ? stage.pick(x, y) : undefined;
    const found = joint ?? (picked === undefined ? undefined : jointOfSkin(stage, picked.vertex));
    if (found === undefined) return;
    if (event.ctrlKey || event.metaKey) toggleJoint(found);
    else if (event.shiftKey) addJoint(found);
    else selectJoints(found);
  };
  const cancel = () => (pressed = undefined);
  return listen(stage.canvas, { pointerdown: down, pointerup: up, pointercancel: cancel });
}

/** While the mode is active. */
let drawn: { gizmo: JointGizmo; skeleton: SkeletonOverlay } | undefined;

function enter(stage: Stage): () => void {
  const skeleton = new SkeletonOverlay(stage);
  let restore = () => {};
  const gizmo = new JointGizmo(stage, {
    start: () => (restore = startPosing(activeView.peek())),
    change: (local: Transform, live: boolean) => {
      const j = selectedJoint.peek();
      if (j !== undefined) setJoint(activeView.peek(), j, local, live);
    },
    cancel: () => restore(),
  });
  drawn = { gizmo, skeleton };
  const key = (event: KeyboardEvent) => {
    if (!gizmo.busy) return;
    const axis = event.key.toUpperCase();
    // Undo during a drag cancels the drag.
    const back = event.key === 'Escape' || ((event.ctrlKey || event.metaKey) && event.key === 'z');
    if (back) gizmo.cancel();
    else if (['X', 'Y', 'Z'].includes(axis)) gizmo.constrain(axis as GizmoAxis);
    else return;
    event.preventDefault();
  };
  const stops = [
    listen(window, { keydown: key }, { capture: true }),
    effect(() => {
      const info = document_.value;
      if (info?.open !== true || info.reduced !== undefined) {
        skeleton.clear();
        gizmo.detach();
        return;
      }
      skeleton.show(info.joints, poses.value, info.centre, selectedJoint.value, skeletonShown.value, ruledJoints.value, otherJoints.value);
      const j = selectedJoint.value;
      const view = activeView.value;
      const now = j === undefined ? undefined : poses.value[view]?.[j];
      gizmo.controls.space = space.value;
      gizmo.snapStep = snapLength(info.diagonal);
      // Undo may remove the picked joint.
      if (j === undefined || now === undefined || tool.value === undefined || info.joints[j] === undefined || info.joints[j].rule !== undefined) {
        gizmo.detach();
        return;
      }
      const parent = info.joints[j].parent;
      const centre = new Matrix4().makeTranslation(-info.centre[0], -info.centre[1], -info.centre[2]);
      gizmo.attach(view, parent >= 0 ? skeleton.matrices[view][parent] : centre, now, tool.value);
    }),
    installClicks(stage, gizmo, skeleton),
    followWeights(),
    followPose(),
  ];
  return () => {
    stopPlaying();
    for (const stop of stops) stop();
    gizmo.dispose();
    drawn = undefined;
    skeleton.clear();
  };
}

const here = () => document_.value?.open === true;
const onJoint = () => here() && selectedJoint.value !== undefined;
const blender = () => navigation.value === 'blender';
const hasTime = () => here() && ((document_.value?.clips.length ?? 0) > 0 || document_.value?.skinned === true);
const hasClip = () => here() && (document_.value?.clips.length ?? 0) > 0;

const commands: StudioCommand[] = [
  ...tools.flatMap((one) => [
    { title: `Tool: ${one.title}`, key: one.blender, shown: () => one.blender !== undefined && blender(), enabled: () => here() && blender(), run: () => void (tool.value = one.tool) },
    { title: `Tool: ${one.title}`, key: one.key, shown: () => one.blender === undefined || !blender(), enabled: () => here() && (one.blender === undefined || !blender()), run: () => void (tool.value = one.tool) },
  ]),
  { title: 'Toggle world axes', key: 'x', enabled: here, run: () => void (space.value = space.value === 'world' ? 'local' : 'world') },
  { title: 'Toggle skeleton', key: 'j', enabled: here, run: () => void (skeletonShown.value = !skeletonShown.value) },
  { title: 'Toggle mirrored posing', key: 'Shift+x', enabled: here, run: () => void (mirrorX.value = !mirrorX.value) },
  { title: 'Swap left and right', key: 'm', enabled: here, run: () => mirrorPose(activeView.value) },
  { title: 'Reset joint', key: '0', enabled: onJoint, run: () => resetJoints() },
  { title: 'Reset pose', key: 'Shift+Digit0', keyLabel: 'Shift 0', enabled: here, run: () => command('pose.reset', { view: activeView.value }) },
  { title: 'Play or pause clip', key: 'Space', keyLabel: 'Space (tap), P', enabled: hasClip, run: togglePlay },
  { title: 'Play or pause clip', key: 'p', shown: () => false, enabled: hasClip, run: togglePlay },
  { title: 'Toggle loop', enabled: hasClip, run: () => void (loop.value = !loop.value) },
  { title: 'Previous frame', key: 'ArrowLeft', enabled: hasTime, run: () => step(-1) },
  { title: 'Next frame', key: 'ArrowRight', enabled: hasTime, run: () => step(1) },
  { title: 'Back 10 frames', key: 'Shift+ArrowLeft', enabled: hasTime, run: () => step(-10) },
  { title: 'Forward 10 frames', key: 'Shift+ArrowRight', enabled: hasTime, run: () => step(10) },
  { title: 'Add key', key: 'k', enabled: () => here() && document_.value?.skinned === true && document_.value.reduced === undefined, run: addKey },
  { title: 'Remove key', key: 'Delete', enabled: () => here() && keyHere() !== undefined, run: removeKey },
  { title: 'Previous key', key: ',', enabled: hasClip, run: () => goToKey(-1) },
  { title: 'Next key', key: '.', enabled: hasClip, run: () => goToKey(1) },
];

/** A joint has its menu in every mode; in this mode the skin has that of the joint with the largest weight. */
function menu({ view, joint, vertex }: MenuPlace): MenuItem[] {
  if (joint !== undefined || vertex === undefined || liveStage === undefined || document_.peek()?.reduced !== undefined) return [];
  const below = jointOfSkin(liveStage, vertex);
  return below === undefined ? [] : jointMenu(below, view);
}

/** What can be done now, for the status bar. */
function hint(): string {
  const joint = document_.value?.joints[selectedJoint.value ?? -1];
  if ((document_.value?.joints.length ?? 0) === 0) return document_.value?.reduced === undefined ? 'This mesh has no skeleton.' : 'Drag handles in Handles mode.';
  if (joint === undefined) return 'Click a joint, or the skin that it moves. Drag beside the character to turn the view.';
  if (joint.rule !== undefined) return 'A helper joint follows its rule.';
  const drag = { rotate: 'Drag a ring to rotate', translate: 'Drag an arrow to move', scale: 'Drag a square to scale' };
  return tool.value === undefined ? 'Type values, or choose a tool to drag.' : `${drag[tool.value]}; Shift is slow, Ctrl snaps, Esc cancels.`;
}

export const poseMode: Mode = {
  name: 'pose',
  title: 'Pose',
  icon: 'pose',
  hint,
  Outliner,
  Inspector,
  Dock: Timeline,
  commands,
  menu,
  jointAt: (x, y, view) => drawn?.skeleton.jointAt(x, y, view),
  selectionCentre: pickedPosition,
  enter,
  testHooks: { gizmoAxis: (x: number, y: number, pointer?: string) => drawn?.gizmo.partAt(x, y, pointer) },
};
