// Angles, typed numbers, and what becomes of dropped files.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { fromEuler, nearestEuler, sameTurn, turnOf } = await loadModule('src/gestures/joint_angles.ts');
const { numberOf, typedAngle, typedNumber } = await loadModule('src/ui/typed_number.ts');
const { nameParts, shortName } = await loadModule('src/ui/labels.tsx');
const { frameAt, lastFrameOf, timeOfFrame } = await loadModule('src/modes/pose/clip_places.ts');
const { countVertices, planDrop } = await loadModule('src/ui/drop_plan.ts');
const { snapLength } = await loadModule('src/render/joint_gizmo.ts');

test('angles of a turn give the turn back', () => {
  const length = Math.hypot(0.2, -0.4, 0.1, 0.8);
  const rest = { translation: [0, 0, 0], rotation: [0.2, -0.4, 0.1, 0.8].map((x) => x / length), scale: [1, 1, 1] };
  for (const angles of [[10, 20, 30], [-170, 80, 5], [0, 0, 0], [45, -60, 179]]) {
    const rotation = fromEuler(angles, rest);
    assert.ok(Math.abs(Math.hypot(...rotation) - 1) < 1e-12);
    nearestEuler(turnOf({ ...rest, rotation }, rest), angles.map((x) => x + 12)).forEach((x, i) => assert.ok(Math.abs(x - angles[i]) < 1e-9, `${x} is not ${angles[i]}`));
  }
});

const straight = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };

test('a joint that turns about any axis has angles that never jump, through 90, 180 and more', () => {
  for (const axis of [0, 1, 2]) {
    for (const others of [[0, 0, 0], [20, 10, -30], [170, 110, -135]]) {
      let before = [...others];
      for (let turn = 0; turn <= 400; turn += 4) {
        const wanted = [...others];
        wanted[axis] += turn;
        const rotation = fromEuler(wanted, straight);
        const now = nearestEuler(rotation, before);
        assert.ok(sameTurn(fromEuler(now, straight), rotation), `${now} is another turn than ${wanted}`);
        // Beside gimbal lock x and z turn against each other; all else moves by what was turned.
        const locked = Math.abs(Math.cos((wanted[1] * Math.PI) / 180)) < 0.08;
        now.forEach((x, i) => assert.ok(Math.abs(x - before[i]) < (locked ? 60 : 5), `axis ${axis}, ${others}, ${turn}: ${before} to ${now}`));
        if (!locked) now.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 1e-6, `${now} is not ${wanted}`));
        before = now;
      }
    }
  }
});

test('in gimbal lock z stays as it was', () => {
  for (const y of [90, -90]) {
    const rotation = fromEuler([25, y, 40], straight);
    const found = nearestEuler(rotation, [0, y, 40]);
    [25, y, 40].forEach((angle, i) => assert.ok(Math.abs(found[i] - angle) < 1e-3, `${found}`));
    assert.ok(sameTurn(fromEuler(nearestEuler(rotation), straight), rotation));
  }
});

test('what was typed is shown while the joint is turned so, and comes back with its turn', async () => {
  const { showAngles, shownAngles } = await loadModule('src/gestures/shown_angles.ts');
  const typed = [170, 110, -135];
  // As it comes back from the server: 32 bits, and the other sign.
  const rotation = fromEuler(typed, straight);
  const back = rotation.map((x) => -Math.fround(x));
  showAngles(0, 3, { ...straight, rotation }, straight, typed);
  assert.deepEqual(shownAngles(0, 3, { ...straight, rotation: back }, straight), typed);
  assert.notDeepEqual(shownAngles(1, 3, { ...straight, rotation: back }, straight), typed, 'another view decomposes');
});

test('typed numbers may be small sums, and nothing else', () => {
  assert.equal(numberOf('45/2'), 22.5);
  assert.equal(numberOf(' 90 - 2*(3+1) '), 82);
  assert.equal(numberOf('-.5e1'), -5);
  for (const text of ['', '1/0', '2 3', 'alert(1)', '(1', '1+']) assert.equal(numberOf(text), undefined, text);
});

test('a decimal comma and degrees are read; what is wrong is told', () => {
  assert.equal(numberOf('1,5'), 1.5);
  assert.equal(numberOf('+,5'), 0.5);
  for (const text of ['90°', '90 deg', '90 degrees', '45° * 2', '(45+45)°']) assert.equal(typedAngle(text).value, 90, text);
  assert.equal(typedNumber('90°').value, undefined, 'a length has no degrees');
  assert.match(typedAngle('abc').fault, /^"abc" is not a number\./);
  assert.match(typedAngle('1,5,2').fault, /is not a number/);
  assert.equal(typedAngle('45/0').fault, '45/0 divides by 0.');
  assert.equal(typedAngle('1e400').fault, '1e400 is too large.');
  assert.equal(typedAngle('1e39').fault, '1e39 is too large.', 'the studio gets 32 bits');
});

test('long names lose their middle, and differ after it', () => {
  const names = [2, 3, 4].map((n) => `Skeleton_arm_joint_L__${n}_`);
  assert.equal(new Set(names.map((name) => nameParts(name)[1])).size, 3, 'what stays tells them apart');
  for (const name of [...names, 'a'.repeat(80), 'forearm', '']) assert.equal(nameParts(name).join(''), name);
  for (const most of [8, 16, 24]) {
    const short = names.map((name) => shortName(name, most));
    assert.equal(new Set(short).size, 3, `${short}`);
    assert.ok(short.every((name) => name.length <= most));
  }
  assert.equal(shortName('forearm', 8), 'forearm');
});

test('the last frame is the end of the clip, on a whole frame or not', () => {
  for (const seconds of [1.158, 1.14, 3.4166667, 0.7083333, 2]) {
    const last = lastFrameOf(seconds);
    assert.equal(timeOfFrame(last, seconds), Math.min(seconds, last / 24));
    assert.equal(frameAt(timeOfFrame(last, seconds), seconds), last);
    for (let frame = 0; frame < last; ++frame) assert.equal(frameAt(timeOfFrame(frame, seconds), seconds), frame);
  }
  assert.equal(lastFrameOf(1.158), 28);
  assert.equal(lastFrameOf(3.4166667), 82);
});

const drop = (...paths) => planDrop(paths.map((path) => ({ path, file: {} })));
const verdict = (plan, name) => plan.rows.find((row) => row.name === name);

test('a character is opened with its companions, and the rest is named', () => {
  const plan = drop('rig/notes.txt', 'rig/arm.gltf', 'rig/arm.bin', 'rig/other.glb', 'rig/pose.obj');
  assert.equal(plan.open, 'rig/arm.gltf');
  assert.deepEqual(plan.upload.map((one) => one.path), ['rig/arm.gltf', 'rig/arm.bin']);
  assert.equal(plan.rows.length, 5, 'every file has a verdict');
  assert.equal(verdict(plan, 'rig/other.glb').ok, false);
  assert.equal(verdict(plan, 'rig/notes.txt').ok, false);
});

test('meshes of one folder are examples; single ones are opened as they are', () => {
  const plan = drop('set/a.obj', 'set/b.obj', 'else/c.obj');
  assert.equal(plan.open, 'set');
  assert.deepEqual(plan.upload.map((one) => one.path), ['set/a.obj', 'set/b.obj']);
  assert.equal(verdict(plan, 'else/c.obj').ok, false);
  assert.equal(drop('a.obj', 'b.obj').open, 'dropped meshes');
  assert.equal(drop('A.OBJ').open, 'A.OBJ');
  assert.equal(drop('a.txt', 'b.png').open, undefined);
});

test('a mesh beside one skeleton is bound to it', () => {
  const plan = drop('arm.obj', 'arm.glb');
  assert.equal(plan.open, 'arm.obj');
  assert.equal(plan.skeleton, 'arm.glb');
  assert.deepEqual(plan.upload.map((one) => one.path), ['arm.obj', 'arm.glb']);
});

test('a snapped move has a round step near a hundredth of the character', () => {
  for (const diagonal of [0.013, 0.7, 1, 1.8, 25, 180, 9000]) {
    const step = snapLength(diagonal);
    assert.ok(step <= diagonal / 90 && step >= diagonal / 260, `${step} of ${diagonal}`);
    assert.match(step.toExponential(), /^[125](\.0+)?e/);
  }
});

test('vertices of an OBJ are counted, not its normals', () => {
  assert.equal(countVertices('# v\nv 0 0 0\nvn 0 0 1\nv\t1 0 0\nvt 0 0\nf 1 2 1\nv 2 0 0'), 3);
});
