// Several selected joints: the one that was selected last leads, and the others turn and scale with it.
import { computed } from '@preact/signals';
import type { Transform } from '../protocol/document';
import { document_, perDocument, poses, selectedJoint } from '../store';
import { turnOf } from './joint_angles';

/** They belong to this lead: another lead has none. */
const group = perDocument<{ lead: number; others: number[] } | undefined>(undefined);

/** The selected joints besides the lead. */
export const otherJoints = computed(() => (group.value !== undefined && group.value.lead === selectedJoint.value ? group.value.others : []));

export const isSelected = (joint: number) => joint === selectedJoint.value || otherJoints.value.includes(joint);

export function selectJoints(lead: number | undefined, others: number[] = []): void {
  group.value = lead === undefined ? undefined : { lead, others: [...new Set(others)].filter((joint) => joint !== lead) };
  selectedJoint.value = lead;
}

/** Adds a joint to the selection, or takes it out. */
export function toggleJoint(joint: number): void {
  const lead = selectedJoint.value;
  const others = otherJoints.value;
  if (lead === joint) selectJoints(others.at(-1), others);
  else if (others.includes(joint)) selectJoints(lead, others.filter((one) => one !== joint));
  else selectJoints(joint, lead === undefined ? [] : [...others, lead]);
}

/** Adds a joint as the lead. */
export function addJoint(joint: number): void {
  if (joint !== selectedJoint.value) selectJoints(joint, [...otherJoints.value, ...(selectedJoint.value === undefined ? [] : [selectedJoint.value])]);
}

function product([ax, ay, az, aw]: Transform['rotation'], [bx, by, bz, bw]: Transform['rotation']): Transform['rotation'] {
  const q: Transform['rotation'] = [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
  const length = Math.hypot(...q);
  return q.map((x) => x / length) as Transform['rotation'];
}

/** `one` turned and scaled as `before` was to become `after`, in its own axes. */
export function changedLike(one: Transform, before: Transform, after: Transform): Transform {
  const scale = one.scale.map((s, i) => (before.scale[i] === 0 ? s : (s * after.scale[i]) / before.scale[i])) as Transform['scale'];
  return { translation: one.translation, rotation: product(one.rotation, turnOf(after, before)), scale };
}

/**
 * The changes of a pose when joint `j` becomes `local`: those of the other selected joints too, if it leads them. With
 * `mirrored`, joints whose partner is changed are left to the server.
 */
export function changesWith(view: number, j: number, local: Transform, mirrored: boolean): Map<number, Transform> {
  const changes = new Map([[j, local]]);
  const pose = poses.peek()[view];
  const joints = document_.peek()?.joints ?? [];
  const partners = document_.peek()?.mirror.partners ?? [];
  if (j !== selectedJoint.peek() || pose?.[j] === undefined) return changes;
  for (const other of otherJoints.peek()) {
    if (pose[other] === undefined || joints[other]?.rule !== undefined) continue;
    if (mirrored && changes.has(partners[other] ?? -1)) continue;
    changes.set(other, changedLike(pose[other], pose[j], local));
  }
  return changes;
}
