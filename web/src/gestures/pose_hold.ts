// Posing in every mode: while Space is held, joints are drawn, and a grabbed joint, or the skin that it moves, follows the
// pointer. A tap of Space runs the command that the mode has for it.
import { effect, signal } from '@preact/signals';
import { type Matrix4, Plane, Quaternion, Vector3 } from 'three';
import type { Transform } from '../protocol/document';
import { SkeletonOverlay } from '../render/skeleton';
import type { Stage } from '../render/stage';
import { activeView, document_, notice, poses, selectedJoint } from '../store';
import { listen } from './gesture_listeners';
import { jointOfSkin, ruledJoints } from './joints';
import { setJoint, startPosing } from './pose_joints';

export const holding = signal(false);

const snap = (5 * Math.PI) / 180;
const jointReach = 12;

interface Turning {
  joint: number;
  view: number;
  local: Transform;
  /** The joint's position, the grabbed point and the parent's rotation, in the page's space. */
  origin: Vector3;
  grabbed: Vector3;
  parentTurn: Quaternion;
  plane: Plane;
  /** The effective pointer, slowed by Shift, and the real one. */
  hand: { x: number; y: number };
  seen: { x: number; y: number };
  offset: Vector3;
  moved: boolean;
  restore: () => void;
}

/** The point that follows the pointer if the joint itself is grabbed: the centre of its children, or along its bone. */
function tipOf(joint: number, matrices: Matrix4[]): Vector3 {
  const joints = document_.peek()?.joints ?? [];
  const place = (j: number) => new Vector3().setFromMatrixPosition(matrices[j]);
  const origin = place(joint);
  const children = joints.flatMap((one, j) => (one.parent === joint ? [place(j)] : []));
  const diagonal = document_.peek()?.diagonal ?? 1;
  if (children.length > 0) {
    const middle = children.reduce((sum, child) => sum.add(child), new Vector3()).divideScalar(children.length);
    if (middle.distanceTo(origin) > 1e-3 * diagonal) return middle;
  }
  const parent = joints[joint].parent;
  const along = parent < 0 ? new Vector3(0, 1, 0) : origin.clone().sub(place(parent));
  if (along.length() < 1e-3 * diagonal) along.set(0, 1, 0);
  return origin.clone().addScaledVector(along.normalize(), 0.15 * diagonal);
}

/** The local transform that rotates `grabbed` towards `target`. */
function turned(one: Turning, target: Vector3, snapped: boolean): Transform {
  const from = one.grabbed.clone().sub(one.origin).normalize();
  const to = target.clone().sub(one.origin).normalize();
  const turn = new Quaternion().setFromUnitVectors(from, to);
  if (snapped) {
    const angle = 2 * Math.acos(Math.min(1, Math.abs(turn.w)));
    const axis = new Vector3(turn.x, turn.y, turn.z).normalize();
    turn.setFromAxisAngle(axis.multiplyScalar(turn.w < 0 ? -1 : 1), Math.round(angle / snap) * snap);
  }
  const inParent = one.parentTurn.clone().invert().multiply(turn).multiply(one.parentTurn);
  const rotation = inParent.multiply(new Quaternion(...one.local.rotation)).normalize();
  return { ...one.local, rotation: rotation.toArray() as Transform['rotation'] };
}

const posable = () => {
  const info = document_.peek();
  return info?.open === true && info.reduced === undefined && info.joints.length > 0;
};

export interface SpaceKey {
  /** Whether nothing else uses this press of Space. */
  isFree: (event: KeyboardEvent) => boolean;
  /** Space was pressed and released without posing. */
  tap: () => void;
}

/** Install it before any mode, so that it gets presses first. Returns a function that stops it. */
export function installPoseHold(stage: Stage, space: SpaceKey): () => void {
  const { canvas } = stage;
  const skeleton = new SkeletonOverlay(stage);
  let current: Turning | undefined;
  /** Whether Space is held for posing, and whether it was used since. */
  let down = false;
  let used = false;

  const at = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const finish = (keep: boolean) => {
    const one = current;
    if (one === undefined) return;
    current = undefined;
    if (!keep) one.restore();
    else if (one.moved) setJoint(one.view, one.joint, poses.peek()[one.view][one.joint], false);
    if (!down) holding.value = false;
  };

  const press = (event: PointerEvent) => {
    if (!holding.peek() || event.button !== 0 || event.altKey || current !== undefined) return;
    used = true;
    const info = document_.peek();
    const { x, y } = at(event);
    const view = stage.viewAt(x, y);
    const near = skeleton.jointAt(x, y, view, jointReach);
    const picked = near === undefined ? stage.pick(x, y) : undefined;
    const joint = near ?? (picked === undefined ? undefined : jointOfSkin(stage, picked.vertex));
    const pose = poses.peek()[view];
    if (info === undefined || joint === undefined || pose?.[joint] === undefined) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    activeView.value = view;
    selectedJoint.value = joint;
    if (info.joints[joint].rule !== undefined) {
      notice.value = `${info.joints[joint].name} is a helper joint: ${info.joints[joint].rule}`;
      return;
    }
    const matrices = skeleton.matrices[view];
    const grabbed = picked === undefined ? tipOf(joint, matrices) : stage.position(picked.vertex, view);
    const parentTurn = new Quaternion();
    const parent = info.joints[joint].parent;
    if (parent >= 0) matrices[parent].decompose(new Vector3(), parentTurn, new Vector3());
    const normal = stage.cameraOf(view).getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, grabbed);
    const hit = stage.ray(x, y, view).intersectPlane(plane, new Vector3()) ?? grabbed.clone();
    current = {
      joint,
      view,
      local: pose[joint],
      origin: new Vector3().setFromMatrixPosition(matrices[joint]),
      grabbed,
      parentTurn,
      plane,
      hand: { x, y },
      seen: { x, y },
      offset: grabbed.clone().sub(hit),
      moved: false,
      restore: startPosing(view),
    };
    canvas.setPointerCapture(event.pointerId);
  };

  const move = (event: PointerEvent) => {
    const one = current;
    if (one === undefined) return;
    const { x, y } = at(event);
    const speed = event.shiftKey ? 0.1 : 1;
    one.hand = { x: one.hand.x + speed * (x - one.seen.x), y: one.hand.y + speed * (y - one.seen.y) };
    one.seen = { x, y };
    const hit = stage.ray(one.hand.x, one.hand.y, one.view).intersectPlane(one.plane, new Vector3());
    if (hit === null) return;
    one.moved = true;
    setJoint(one.view, one.joint, turned(one, hit.add(one.offset), event.ctrlKey), true);
  };

  const key = (event: KeyboardEvent) => {
    const back = event.key === 'Escape' || ((event.ctrlKey || event.metaKey) && event.key === 'z');
    if (back && current !== undefined) {
      event.preventDefault();
      event.stopImmediatePropagation();
      finish(false);
      return;
    }
    if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey || !space.isFree(event)) return;
    event.preventDefault();
    if (event.repeat || down) return;
    down = true;
    used = false;
    holding.value = posable();
  };
  const release = (event: KeyboardEvent) => {
    if (event.code !== 'Space' || !down) return;
    // Otherwise Space would press the focused button.
    event.preventDefault();
    down = false;
    if (current === undefined) holding.value = false;
    if (!used) space.tap();
  };
  const up = () => finish(true);
  const cancel = () => finish(false);
  const leave = () => {
    down = false;
    finish(false);
    holding.value = false;
  };

  const stopShowing = effect(() => {
    const info = document_.value;
    if (!holding.value || info === undefined) skeleton.clear();
    else skeleton.show(info.joints, poses.value, info.centre, selectedJoint.value, true, ruledJoints.value);
    canvas.style.cursor = holding.value ? 'grab' : '';
  });
  const stops = [
    stopShowing,
    listen(canvas, { pointerdown: press }, { capture: true }),
    listen(canvas, { pointermove: move, pointerup: up, pointercancel: cancel, contextmenu: cancel }),
    listen(window, { keydown: key, keyup: release }, { capture: true }),
    listen(window, { blur: leave }),
  ];
  return () => {
    leave();
    for (const stop of stops) stop();
  };
}
