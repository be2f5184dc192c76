// Context menu items of a joint.
import { command, setJoints, stage } from '../client';
import { mirrorJoint, partnerOf } from '../gestures/pose_joints';
import { pickedPosition } from '../gestures/joints';
import { keepAngles, shownAngles } from '../gestures/shown_angles';
import type { Transform } from '../protocol/document';
import type { MenuItem } from '../modes/mode';
import { document_, notice, poses, selectedJoint } from '../store';

let copied: Transform | undefined;

function copy(view: number, j: number, local: Transform, rest: Transform, name: string): void {
  copied = local;
  const text = JSON.stringify({ joint: name, degrees: shownAngles(view, j, local, rest), translation: local.translation, scale: local.scale });
  notice.value = `Copied the values of ${name}.`;
  navigator.clipboard?.writeText(text).catch(() => (notice.value = `Copied the values of ${name}, for this page only.`));
  selectedJoint.value = j;
}

function setOne(view: number, j: number, local: Transform): void {
  const changes = new Map([[j, local]]);
  setJoints(view, changes, false, keepAngles(view, changes));
}

export function jointMenu(j: number, view: number): MenuItem[] {
  const joints = document_.peek()?.joints ?? [];
  const joint = joints[j];
  const local = poses.peek()[view]?.[j];
  if (joint === undefined || local === undefined) return [];
  const name = joint.name || `joint ${j}`;
  const frame = () => {
    selectedJoint.value = j;
    const place = pickedPosition();
    if (place !== undefined) stage?.moves.framePoint(place, 0.15 * (document_.peek()?.diagonal ?? 1));
  };
  const items: MenuItem[] = [{ title: `Frame ${name}`, run: frame }];
  if (joint.rule !== undefined) return items;
  items.unshift({ title: `Reset ${name}`, run: () => command('pose.reset', { view, joint: j }) });
  const partner = partnerOf(j);
  if (partner !== undefined) items.push({ title: `Mirror to ${joints[partner].name}`, run: () => mirrorJoint(view, j) });
  items.push({ title: 'Copy values', run: () => copy(view, j, local, joint.rest, name) });
  const values = copied;
  if (values !== undefined) items.push({ title: 'Paste values', run: () => setOne(view, j, values) });
  return items;
}
