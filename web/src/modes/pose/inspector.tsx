// The right panel of Pose: tools, and the transform of the picked joint.
import { command, connection, cancelPose } from '../../client';
import { type Angles as AngleList, fromEuler } from '../../gestures/joint_angles';
import { mirrorJoint, mirrorPose, partnerOf, setJoint, stepJoint } from '../../gestures/pose_joints';
import { showAngles, shownAngles } from '../../gestures/shown_angles';
import type { Transform } from '../../protocol/document';
import { snapLength } from '../../render/joint_gizmo';
import { activeView, document_, poses, selectedJoint, viewCount } from '../../store';
import { countText, Name, shortNumber, viewsLabel } from '../../ui/labels';
import { type NumberChange, NumberField } from '../../ui/number_field';
import { Slider } from '../../ui/slider';
import { typedAngle } from '../../ui/typed_number';
import { influence } from './influence';
import { Tools } from './tools';

/** Two decimals, without "-0.00". */
function shown(value: number): string {
  return (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
}

/** Values that are negligible compared with the character's size are shown as 0. */
function exact(value: number): string {
  return Math.abs(value) < 1e-6 * Math.min(1, document_.peek()?.diagonal ?? 1) ? '0' : shortNumber(value);
}

interface OfJoint {
  j: number;
  now: Transform;
  rest: Transform;
  view: number;
}

function apply({ j, view }: OfJoint, local: Transform, how: NumberChange): void {
  if (how === 'step') stepJoint(view, j, local);
  else setJoint(view, j, local, how !== 'done');
  if (how === 'back') void cancelPose();
}

function Angles(one: OfJoint) {
  const { j, now, rest, view } = one;
  const angles = shownAngles(view, j, now, rest);
  const set = (axis: number, value: number, how: NumberChange) => {
    const next: AngleList = [...angles];
    next[axis] = value;
    const local = { ...now, rotation: fromEuler(next, rest) };
    if (connection.isOpen) showAngles(view, j, local, rest, next);
    apply(one, local, how);
  };
  return (
    <>
      {(['X', 'Y', 'Z'] as const).map((axis, i) => (
        <div class="row" key={axis}>
          <label class={`name axis-${axis}`} for={`rotate-${axis}`}>
            Rotation {axis}
          </label>
          <Slider id={`rotate-${axis}`} class="grow" min={-180} max={180} step={0.1} period={360} reset={0} value={angles[i]} valueText={`${shown(angles[i])} degrees`} change={(value, how) => set(i, value, how)} />
          <NumberField label={`Rotation ${axis} in degrees`} value={angles[i]} show={shown} read={typedAngle} step={0.5} reset={0} width={70} change={(value, how) => set(i, value, how)} />
        </div>
      ))}
    </>
  );
}

/** Translation or scale relative to the parent, as three fields. */
function Vector({ what, label, ...one }: OfJoint & { what: 'translation' | 'scale'; label: string }) {
  const { now, rest } = one;
  const step = what === 'scale' ? 0.01 : snapLength(document_.value?.diagonal ?? 1) / 10;
  const set = (axis: number, value: number, how: NumberChange) => {
    const next: [number, number, number] = [...now[what]];
    // A scale of 0 could not be inverted.
    next[axis] = what === 'scale' && Math.abs(value) < 1e-3 ? 1e-3 : value;
    apply(one, { ...now, [what]: next }, how);
  };
  return (
    <div class="row" role="group" aria-label={label}>
      <span class="name">{label}</span>
      {(['X', 'Y', 'Z'] as const).map((axis, i) => (
        <NumberField key={axis} class="grow" label={`${label} ${axis}`} value={now[what][i]} show={exact} step={step} reset={rest[what][i]} change={(value, how) => set(i, value, how)} />
      ))}
    </div>
  );
}

/** The influence of the joint on the skin. */
function Influence() {
  const found = influence.value;
  const most = document_.value?.maxInfluences ?? 0;
  if (found === undefined) return null;
  return (
    <dl class="facts">
      <dt>Vertices moved</dt>
      <dd data-test="verts-moved">{countText(found.moved)}</dd>
      <dt>Only this joint</dt>
      <dd data-test="verts-own">{countText(found.own)}</dd>
      <dt title="Max influences: on the vertices of this joint / on all vertices">Influences used</dt>
      <dd data-test="influences-used">
        {found.most} / {most}
      </dd>
    </dl>
  );
}

export function Inspector() {
  const j = selectedJoint.value;
  const info = document_.value;
  const view = activeView.value;
  if (info === undefined || info.joints.length === 0) return null;
  const joint = j === undefined ? undefined : info.joints[j];
  const now = j === undefined ? undefined : poses.value[view]?.[j];
  const partner = j === undefined ? undefined : partnerOf(j);
  return (
    <>
      <Tools />
      <div class="section">
        <h2 class={joint === undefined ? '' : 'as-is'} title={joint?.name} aria-label={joint?.name}>{joint === undefined ? 'No joint selected' : <Name text={joint.name || `joint ${j}`} />}</h2>
        {j === undefined || joint === undefined || now === undefined ? (
          <p class="muted">Click a joint or the skin that it moves.</p>
        ) : (
          <>
            {joint.rule !== undefined && <p class="muted">Helper joint: {joint.rule}</p>}
            {joint.rule === undefined && <Angles key={j} j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`at ${j}`} what="translation" label="Position" j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`size ${j}`} what="scale" label="Scale" j={j} now={now} rest={joint.rest} view={view} />}
            <div class="row">
              <button title="Reset joint (0)" onClick={() => void command('pose.reset', { view, joint: j })}>
                Reset
              </button>
              {partner !== undefined && joint.rule === undefined && (
                <button class="grow cut" title={`Mirror to ${info.joints[partner].name}`} aria-label={`Mirror to ${info.joints[partner].name}`} onClick={() => mirrorJoint(view, j)}>
                  <Name before="Mirror to " text={info.joints[partner].name} />
                </button>
              )}
            </div>
            <Influence />
          </>
        )}
      </div>
      <div class="section">
        <h2>Whole pose</h2>
        <div class="row">
          <button title="Reset pose (Shift 0)" onClick={() => void command('pose.reset', { view })}>
            Reset all
          </button>
          <button title="Swap left and right (M)" onClick={() => void mirrorPose(view)}>
            Mirror
          </button>
        </div>
      </div>
      <div class="section">
        <h2>Poses side by side</h2>
        <div class="row">
          {[1, 2, 3, 4].map((count) => (
            <button key={count} aria-pressed={viewCount.value === count} aria-label={viewsLabel(count)} onClick={() => void command('views', { count })}>
              {count}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}
