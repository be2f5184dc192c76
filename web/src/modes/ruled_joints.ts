// Helper joints are where the server's rules put them: their matrices come with the frames.
import { signal } from '@preact/signals';
import { Matrix4 } from 'three';
import { onMessage, stage } from '../client';
import { FrameCode } from '../protocol/messages';
import type { Palettes } from '../protocol/palettes';
import type { RuledJoint } from '../render/skeleton';
import { document_ } from '../store';

const none: RuledJoint[] = [];
export const ruledJoints = signal<RuledJoint[]>(none);

/** Three rows of four. */
function matrixOf(numbers: Float32Array, at: number): Matrix4 {
  const m = numbers.subarray(at, at + 12);
  return new Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);
}

/** Joints with a rule, with the matrices from rest that a frame brings for them. */
function of(frame: Palettes): RuledJoint[] {
  const info = document_.peek();
  if (info === undefined || info.reduced !== undefined || !info.joints.some((joint) => joint.rule !== undefined)) return none;
  return info.bindings.flatMap((joint, binding) =>
    info.joints[joint].rule === undefined
      ? []
      : [{ joint, pageFromRest: Array.from({ length: frame.views }, (_, view) => matrixOf(frame.values, 12 * (view * frame.matricesPerView + binding))) }],
  );
}

/** Returns how to stop. */
export function followRules(): () => void {
  return onMessage((message) => {
    if (message.code === FrameCode && stage !== undefined) ruledJoints.value = of(stage.palettes);
  });
}
