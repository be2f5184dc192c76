// The right panel of Pose: tools, and the numbers of the picked joint.
import { command, connection, takeBackPose } from '../client';
import { snapDegrees } from '../render/joint_gizmo';
import { snapLength } from '../render/snap_length';
import { activeView, document_, navigation, poses, selectedJoint, type Transform, viewCount } from '../store';
import { Name } from '../ui/joint_name';
import { type NumberChange, NumberField } from '../ui/number_field';
import { Slider } from '../ui/slider';
import { typedAngle } from '../ui/typed_number';
import { countText, shortNumber } from '../ui/words';
import { type Angles as AngleList, fromEuler } from './pose_angles';
import { influence } from './pose_influence';
import { mirrorAxis, mirrorFault, mirrorJoint, partnerOf } from './pose_mirror';
import { mirrorPose, mirrorX, setJoint, stepJoint } from './pose_set';
import { showAngles, shownAngles } from './shown_angles';
import { skeletonShown, space, tool, tools } from './pose_tools';

function Tools() {
  const diagonal = document_.value?.diagonal ?? 1;
  const snap = tool.value === 'translate' ? `${Number(snapLength(diagonal).toPrecision(2))}` : tool.value === 'scale' ? '0.1' : `${snapDegrees}°`;
  return (
    <div class="section">
      <h2>Tool</h2>
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => {
          const key = (navigation.value === 'blender' ? one.blender : undefined) ?? one.key;
          return (
            <button key={one.title} aria-pressed={tool.value === one.tool} title={`${one.title} (${key.toUpperCase()})`} onClick={() => (tool.value = one.tool)}>
              {one.title}
            </button>
          );
        })}
      </div>
      <div class="row">
        <button aria-pressed={space.value === 'world'} title="Axes of the world, or of the joint (X)" onClick={() => (space.value = space.value === 'world' ? 'local' : 'world')}>
          world axes
        </button>
        <button aria-pressed={skeletonShown.value} title="Bones through the skin (J)" onClick={() => (skeletonShown.value = !skeletonShown.value)}>
          skeleton
        </button>
        <label class="check" title={mirrorFault() ?? 'What is done to one side is done to the other'}>
          <input type="checkbox" disabled={mirrorAxis() === undefined} checked={mirrorX.value} onChange={(event) => (mirrorX.value = event.currentTarget.checked)} />
          Mirror {mirrorAxis() ?? ''}
        </label>
      </div>
      {tool.value !== undefined && <p class="muted">While dragging: Ctrl snaps to {snap}, Shift is slow, X Y Z pick an axis, Esc puts it back.</p>}
    </div>
  );
}

/** Two digits, and no minus before nothing. */
function shown(value: number): string {
  return (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
}

/** What is nothing beside the character's size is 0. */
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
  if (how === 'back') void takeBackPose();
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
            rot {axis}
          </label>
          <Slider id={`rotate-${axis}`} class="grow" min={-180} max={180} step={0.1} period={360} reset={0} value={angles[i]} valueText={`${shown(angles[i])} degrees`} change={(value, how) => set(i, value, how)} />
          <NumberField label={`rotation ${axis} in degrees`} value={angles[i]} show={shown} read={typedAngle} step={0.5} reset={0} width={70} change={(value, how) => set(i, value, how)} />
        </div>
      ))}
    </>
  );
}

/** Three typed numbers: where the joint is in its parent, or how large. */
function Vector({ what, label, ...one }: OfJoint & { what: 'translation' | 'scale'; label: string }) {
  const { now, rest } = one;
  const step = what === 'scale' ? 0.01 : snapLength(document_.value?.diagonal ?? 1) / 10;
  const set = (axis: number, value: number, how: NumberChange) => {
    const next: [number, number, number] = [...now[what]];
    // Nothing can be scaled to nothing and come back.
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

/** What the joint does to the skin. */
function Influence() {
  const found = influence.value;
  const most = document_.value?.maxInfluences ?? 0;
  if (found === undefined) return null;
  return (
    <dl class="facts">
      <dt>verts moved</dt>
      <dd data-test="verts-moved">{countText(found.moved)}</dd>
      <dt>only this joint</dt>
      <dd data-test="verts-own">{countText(found.own)}</dd>
      <dt title="The most influences that one of its vertices has, of the most that any vertex has">influences used</dt>
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
        <h2 class={joint === undefined ? '' : 'as-is'} title={joint?.name} aria-label={joint?.name}>{joint === undefined ? 'No joint' : <Name text={joint.name || `joint ${j}`} />}</h2>
        {j === undefined || joint === undefined || now === undefined ? (
          <p class="muted">Click a joint, or the skin that it moves.</p>
        ) : (
          <>
            {joint.rule !== undefined && <p class="muted">It follows its rule: {joint.rule}</p>}
            {joint.rule === undefined && <Angles key={j} j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`at ${j}`} what="translation" label="position" j={j} now={now} rest={joint.rest} view={view} />}
            {joint.rule === undefined && <Vector key={`size ${j}`} what="scale" label="scale" j={j} now={now} rest={joint.rest} view={view} />}
            <div class="row">
              <button title="Reset the joint (0)" onClick={() => void command('pose.reset', { view, joint: j })}>
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
          <button title="Reset the pose (Shift 0)" onClick={() => void command('pose.reset', { view })}>
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
            <button key={count} aria-pressed={viewCount.value === count} aria-label={`${count} poses side by side`} onClick={() => void command('views', { count })}>
              {count}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}
