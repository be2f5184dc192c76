// The right panel of Pose: tools, and the transform of the picked joint.
import { command, connection, cancelPose, setJoints } from '../../client';
import { type Angles as AngleList, fromEuler } from '../../gestures/joint_angles';
import { otherJoints } from '../../gestures/joint_selection';
import { mirrorJoint, mirrorPose, partnerOf, setJoint, stepJoint } from '../../gestures/pose_joints';
import { showAngles, shownAngles } from '../../gestures/shown_angles';
import type { Transform } from '../../protocol/document';
import { snapLength } from '../../render/joint_gizmo';
import { activeView, angleDecimals, document_, poses, selectedJoint, viewCount } from '../../store';
import { helpOf, Term } from '../../ui/help';
import { IconButton } from '../../ui/icon_button';
import { counted, countText, Name, shortNumber, viewsLabel } from '../../ui/labels';
import { type NumberChange, NumberField } from '../../ui/number_field';
import { Section } from '../../ui/section';
import { Slider } from '../../ui/slider';
import { typedAngle } from '../../ui/typed_number';
import { influence } from './influence';
import { Tools } from './tools';

/** Without "-0.00". */
function shown(value: number): string {
  const digits = angleDecimals.value;
  return (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits);
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
          <label class={`name axis-${axis}`} for={`rotate-${axis}`} {...helpOf('rotation')}>
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
      <span class="name" {...helpOf(what)}>{label}</span>
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
      <dt><Term topic="verticesMoved">Vertices moved</Term></dt>
      <dd data-test="verts-moved">{countText(found.moved)}</dd>
      <dt><Term topic="onlyThisJoint">Only this joint</Term></dt>
      <dd data-test="verts-own">{countText(found.own)}</dd>
      <dt><Term topic="influencesUsed">Influences used</Term></dt>
      <dd data-test="influences-used">
        {found.most} / {most}
      </dd>
    </dl>
  );
}

/** The selected joints, as one step. */
export function resetJoints(): void {
  const j = selectedJoint.peek();
  const view = activeView.peek();
  const joints = document_.peek()?.joints ?? [];
  const others = otherJoints.peek().filter((other) => joints[other]?.rule === undefined);
  if (j === undefined) return;
  if (others.length === 0) void command('pose.reset', { view, joint: j });
  else {
    const changes = new Map([j, ...others].map((joint) => [joint, joints[joint].rest]));
    setJoints(view, changes, false, [...changes].map(() => [0, 0, 0]));
  }
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
      <Section name="joint" asIs={joint !== undefined} label={joint?.name || undefined} title={joint === undefined ? 'No joint selected' : <Name text={joint.name || `joint ${j}`} />}>
        {j === undefined || joint === undefined || now === undefined ? (
          <p class="muted">Click a joint or the skin that it moves.</p>
        ) : (
          <>
            {otherJoints.value.length > 0 && (
              <p class="muted" data-test="others">
                And {counted(otherJoints.value.length, 'more joint')}, which {otherJoints.value.length === 1 ? 'turns and scales' : 'turn and scale'} with it.
              </p>
            )}
            {joint.rule !== undefined && <p class="muted">Helper joint: {joint.rule}</p>}
            {joint.rule === undefined && <Angles key={j} j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`at ${j}`} what="translation" label="Position" j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`size ${j}`} what="scale" label="Scale" j={j} now={now} rest={joint.rest} view={view} />}
            <div class="row">
              <IconButton icon="reset" label="Reset" tip="Reset joint" keys="0" onClick={resetJoints}>
                Reset
              </IconButton>
              {partner !== undefined && joint.rule === undefined && (
                <button class="grow cut" title={`Mirror to ${info.joints[partner].name}`} aria-label={`Mirror to ${info.joints[partner].name}`} onClick={() => mirrorJoint(view, j)}>
                  <Name before="Mirror to " text={info.joints[partner].name} />
                </button>
              )}
            </div>
            <Influence />
          </>
        )}
      </Section>
      <Section name="pose" title="Whole pose">
        <div class="row">
          <IconButton icon="reset" label="Reset all" tip="Reset pose" keys="Shift 0" onClick={() => command('pose.reset', { view })}>
            Reset all
          </IconButton>
          <IconButton icon="swap" label="Mirror" tip="Swap left and right" keys="M" onClick={() => mirrorPose(view)}>
            Mirror
          </IconButton>
        </div>
      </Section>
      <Section name="views" title="Poses side by side">
        <div class="row">
          {[1, 2, 3, 4].map((count) => (
            <button key={count} aria-pressed={viewCount.value === count} aria-label={viewsLabel(count)} onClick={() => void command('views', { count })}>
              {count}
            </button>
          ))}
        </div>
      </Section>
    </>
  );
}
