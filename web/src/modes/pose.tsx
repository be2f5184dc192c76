// The mode Pose: the tree of joints, and sliders of the picked one.
import { command, setJoints } from '../client';
import { activeView, document_, poses, selectedJoint, type Transform } from '../store';
import type { Mode } from './modes';

const degrees = 180 / Math.PI;

/** Rz Ry Rx of the turn away from rest, in degrees. */
export function eulerOf(t: Transform, rest: Transform): [number, number, number] {
  const [ax, ay, az, aw] = rest.rotation;
  const [bx, by, bz, bw] = t.rotation;
  // rest^-1 * rotation
  const w = aw * bw + ax * bx + ay * by + az * bz;
  const x = aw * bx - ax * bw - ay * bz + az * by;
  const y = aw * by + ax * bz - ay * bw - az * bx;
  const z = aw * bz - ax * by + ay * bx - az * bw;
  const sinY = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  return [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.asin(sinY),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

export function fromEuler(angles: [number, number, number], rest: Transform): [number, number, number, number] {
  const [cx, cy, cz] = angles.map((a) => Math.cos(a / degrees / 2));
  const [sx, sy, sz] = angles.map((a) => Math.sin(a / degrees / 2));
  const w = cx * cy * cz + sx * sy * sz;
  const x = sx * cy * cz - cx * sy * sz;
  const y = cx * sy * cz + sx * cy * sz;
  const z = cx * cy * sz - sx * sy * cz;
  const [ax, ay, az, aw] = rest.rotation;
  return [aw * x + ax * w + ay * z - az * y, aw * y - ax * z + ay * w + az * x, aw * z + ax * y - ay * x + az * w, aw * w - ax * x - ay * y - az * z];
}

function Outliner() {
  const joints = document_.value?.joints ?? [];
  const depth = joints.map((_, j) => {
    let up = joints[j].parent;
    let steps = 0;
    for (; up >= 0 && steps < 64; ++steps) up = joints[up].parent;
    return steps;
  });
  return (
    <div class="section">
      <h2>Joints</h2>
      <ul class="list" role="listbox" aria-label="Joints">
        {joints.map((joint, j) => (
          <li key={j}>
            <button role="option" aria-selected={selectedJoint.value === j} style={{ paddingLeft: `${8 + 10 * depth[j]}px` }} onClick={() => (selectedJoint.value = j)}>
              {joint.name || `joint ${j}`}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Inspector() {
  const j = selectedJoint.value;
  const info = document_.value;
  const view = activeView.value;
  if (j === undefined || info === undefined) return <div class="section muted">Pick a joint.</div>;
  const joint = info.joints[j];
  const now = poses.value[view]?.[j];
  if (now === undefined) return null;
  const angles = eulerOf(now, joint.rest);
  const set = (axis: number, value: number, live: boolean) => {
    const next: [number, number, number] = [...angles];
    next[axis] = value;
    setJoints(view, new Map([[j, { ...now, rotation: fromEuler(next, joint.rest) }]]), live);
  };
  return (
    <div class="section">
      <h2>{joint.name}</h2>
      {joint.rule !== undefined && <p class="muted">{joint.rule}</p>}
      {(['X', 'Y', 'Z'] as const).map((axis, i) => (
        <div class="row" key={axis}>
          <label for={`rotate-${axis}`}>rot {axis}</label>
          <input
            id={`rotate-${axis}`}
            type="range"
            min={i === 1 ? -90 : -180}
            max={i === 1 ? 90 : 180}
            step={0.1}
            value={angles[i]}
            onInput={(event) => set(i, Number(event.currentTarget.value), true)}
            onChange={(event) => set(i, Number(event.currentTarget.value), false)}
          />
          <input aria-label={`rotation ${axis} in degrees`} style={{ width: '70px' }} value={angles[i].toFixed(2)} onChange={(event) => set(i, Number(event.currentTarget.value) || 0, false)} />
        </div>
      ))}
      <div class="row">
        <button onClick={() => void command('pose.reset', { view, joint: j })}>Reset</button>
        <button onClick={() => void command('pose.reset', { view })}>Reset all</button>
        <button onClick={() => void command('pose.mirror', { view })}>Mirror</button>
      </div>
    </div>
  );
}

export const poseMode: Mode = { name: 'pose', title: 'Pose', Outliner, Inspector };
