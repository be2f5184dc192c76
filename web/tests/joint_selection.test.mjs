// Several selected joints: each turns as the lead does, in its own axes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { changedLike } = await loadModule('src/gestures/joint_selection.ts');
const turn = (axis, degrees) => {
  const q = [0, 0, 0, Math.cos((degrees * Math.PI) / 360)];
  q[axis] = Math.sin((degrees * Math.PI) / 360);
  return q;
};
const at = (rotation, scale = [1, 1, 1], translation = [0, 0, 0]) => ({ translation, rotation, scale });
const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-12, `${a} is ${b}`));

test('a turn of the lead turns the others by the same angle from where they are', () => {
  const changed = changedLike(at(turn(2, 10), [1, 1, 1], [3, 4, 5]), at(turn(2, 30)), at(turn(2, 75)));
  near(changed.rotation, turn(2, 55));
  near(changed.translation, [3, 4, 5]);
});

test('the axes are those of each joint', () => {
  const half = Math.SQRT1_2;
  // The other one is turned by 90 degrees about x: its z axis is elsewhere, and so is its turn.
  const changed = changedLike(at([half, 0, 0, half]), at([0, 0, 0, 1]), at(turn(2, 90)));
  near(changed.rotation, [0.5, -0.5, 0.5, 0.5]);
});

test('scale is multiplied; a scale of 0 multiplies nothing', () => {
  near(changedLike(at(turn(0, 0), [2, 3, 4]), at(turn(0, 0), [1, 2, 0]), at(turn(0, 0), [2, 1, 5])).scale, [4, 1.5, 4]);
});
