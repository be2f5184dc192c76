// Mirrored posing. The server finds the partners and the mirror plane (character/mirror.h); the page only applies what it
// sent, so that a drag shows both sides at once.
import { Quaternion, Vector3 } from 'three';
import type { JointMirror, Transform } from '../protocol/document';
import { document_ } from '../store';

function mirrorOf(j: number): JointMirror | undefined {
  const mirror = document_.value?.mirror?.joints?.[j];
  return mirror === undefined || mirror.partner < 0 ? undefined : mirror;
}

/** 'X', 'Y' or 'Z': the normal of the mirror plane; undefined if the character has none. */
export const mirrorAxis = () => document_.value?.mirror?.axis?.toUpperCase();

/** Why the character cannot be mirrored. */
export const mirrorFault = () => document_.value?.mirror?.fault;

export function partnerOf(j: number): number | undefined {
  return mirrorOf(j)?.partner;
}

/** The partner of `j` and its local transform if `j` has `local`: the mirrored change from rest, for any joint axes. */
export function mirroredOf(j: number, local: Transform): { joint: number; local: Transform } | undefined {
  const mirror = mirrorOf(j);
  const joints = document_.value?.joints ?? [];
  if (mirror === undefined) return undefined;
  const [from, to] = [joints[j].rest, joints[mirror.partner].rest];
  const above = new Quaternion(...mirror.above);
  const rotation = above.clone().multiply(new Quaternion(...local.rotation)).multiply(new Quaternion(...mirror.own).invert()).normalize();
  const moved = new Vector3(...local.translation).sub(new Vector3(...from.translation)).applyQuaternion(above).negate().add(new Vector3(...to.translation));
  const scale = to.scale.map((s, i) => (s * local.scale[i]) / (from.scale[i] || 1)) as Transform['scale'];
  return { joint: mirror.partner, local: { translation: moved.toArray(), rotation: rotation.toArray() as Transform['rotation'], scale } };
}
