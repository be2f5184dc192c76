// Joints on the stage: the picked one, the one with the largest weight at a vertex, and helper joints. The server
// evaluates the rules of helper joints; their matrices come with the frames.
import { signal } from '@preact/signals';
import { Matrix4, Vector3 } from 'three';
import { onMessage, stage } from '../client';
import { FrameCode } from '../protocol/messages';
import type { Palettes } from '../protocol/palettes';
import { jointMatrices, type RuledJoint } from '../render/skeleton';
import type { Stage } from '../render/stage';
import { activeView, document_, poses, selectedJoint } from '../store';

/** The position of the picked joint, in the page's space. */
export function pickedPosition(): Vector3 | undefined {
  const info = document_.value;
  const j = selectedJoint.value;
  const pose = poses.value[activeView.value];
  if (info?.joints === undefined || j === undefined || info.joints[j] === undefined || pose === undefined) return undefined;
  return new Vector3().setFromMatrixPosition(jointMatrices(info.joints, pose, info.centre)[j]);
}

/** The joint with the largest weight at a vertex. */
export function jointOfSkin(stage: Stage, vertex: number): number | undefined {
  const column = stage.deformer?.influences.column(vertex) ?? [];
  if (column.length === 0) return undefined;
  const most = column.reduce((a, b) => (b.weight > a.weight ? b : a));
  return document_.peek()?.bindings[most.binding];
}

const none: RuledJoint[] = [];
export const ruledJoints = signal<RuledJoint[]>(none);

/** From three rows of four numbers. */
function matrixOf(numbers: Float32Array, at: number): Matrix4 {
  const m = numbers.subarray(at, at + 12);
  return new Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);
}

/** Helper joints with their matrices from rest, as a frame has them. */
function of(frame: Palettes): RuledJoint[] {
  const info = document_.peek();
  if (info === undefined || info.reduced !== undefined || !info.joints.some((joint) => joint.rule !== undefined)) return none;
  return info.bindings.flatMap((joint, binding) =>
    info.joints[joint].rule === undefined
      ? []
      : [{ joint, pageFromRest: Array.from({ length: frame.views }, (_, view) => matrixOf(frame.values, 12 * (view * frame.matricesPerView + binding))) }],
  );
}

/** Returns a function that stops it. */
export function followRules(): () => void {
  return onMessage((message) => {
    if (message.code === FrameCode && stage !== undefined) ruledJoints.value = of(stage.palettes);
  });
}
