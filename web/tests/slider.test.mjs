// Sliders: what the thumb means, Esc, and angles beyond its ends. Numbers as labels write them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { SliderGesture, turnsOf } = await loadModule('src/ui/slider_gesture.ts');
const { capital, counted, countText, shortNumber, viewsLabel } = await loadModule('src/ui/labels.tsx');

test('Esc gives back the value from before the drag, and the rest of the drag does nothing', () => {
  const one = new SliderGesture();
  assert.equal(one.cancel(), undefined, 'no drag yet');
  one.press();
  assert.equal(one.move(20, 5), 20);
  assert.equal(one.move(30, 20), 30);
  assert.equal(one.cancel(), 5);
  assert.equal(one.move(40, 5), undefined);
  assert.equal(one.end(40, 5), undefined);
  one.press();
  assert.equal(one.move(12, 5), 12);
  assert.equal(one.end(13, 12), 13);
  assert.equal(one.cancel(), undefined, 'it has ended');
});

test('a slider of angles stands where a typed angle is on its turn, and goes on from it', () => {
  for (const [value, thumb] of [[0, 0], [180, 180], [-180, -180], [250, -110], [-250, 110], [360, 0], [540, 180], [-541, 179], [725, 5]]) {
    const one = new SliderGesture(360);
    assert.equal(one.thumbAt(value), thumb, `${value}`);
    assert.equal(one.move(thumb, value), value);
    assert.equal(one.move(thumb - 1, value), value - 1);
    assert.equal(one.cancel(), value);
  }
  assert.equal(turnsOf(180.0001, 360), 1);
  // The end of the slider does not jump to the other one while it is dragged.
  const one = new SliderGesture(360);
  assert.equal(one.move(-170, 250), 190);
  assert.equal(one.move(-180, 190), 180);
  assert.equal(one.thumbAt(180), -180);
  assert.equal(one.end(-179, 180), 181);
});

test('numbers are written in one way, and fit narrow fields', () => {
  assert.equal(countText(25209), '25,209');
  assert.equal(counted(1, 'control'), '1 control');
  assert.deepEqual([1, 2].map(viewsLabel), ['1 pose', '2 poses side by side']);
  assert.equal(capital('smooth'), 'Smooth');
  assert.equal(counted(1141, 'vertex', 'vertices'), '1,141 vertices');
  for (const [value, text] of [[0.5, '0.5'], [-0.000038, '-3.8e-5'], [-0.012345678, '-0.01235'], [123.45678, '123.46'], [-1234567, '-1234600'], [2, '2']]) {
    assert.equal(shortNumber(value), text);
  }
  for (let e = -9; e < 9; ++e) assert.ok(shortNumber(-1.23456789 * 10 ** e).length <= 9);
});
