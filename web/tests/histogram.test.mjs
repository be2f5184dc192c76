// Errors of vertices by size: the scale of the colours, bins, and the vertices of a range.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { binsOf, changeText, floor, logHeights, roundUp, scaleOf, verticesIn } = await loadModule('tests/entries/fit.ts');

test('the scale ends at a round number above the worst example, before or after', () => {
  assert.deepEqual(scaleOf([{ before: 0.4, after: 0.1 }, { before: 1.3, after: 0.2 }]), { from: 0, to: 2 });
  assert.deepEqual(scaleOf([{ before: 0.4, after: 4.1 }]), { from: 0, to: 5 });
});

test('errors that nobody sees are not drawn as large ones', () => {
  assert.deepEqual(scaleOf([{ before: 1e-7, after: 0 }]), { from: 0, to: floor });
  assert.deepEqual(scaleOf([]), { from: 0, to: floor });
});

test('round numbers are 1, 2 or 5 times a power of ten, and not below the value', () => {
  for (const [value, wanted] of [[0.011, 0.02], [0.02, 0.02], [3, 5], [7, 10], [1, 1], [0, 0]]) assert.ok(Math.abs(roundUp(value) - wanted) < 1e-12, `${value}: ${roundUp(value)}`);
});

test('every vertex is in one bin, larger errors in the last one', () => {
  const errors = Float32Array.from([0, 0.24, 0.25, 0.99, 1, 7]);
  const bins = binsOf(errors, 1, 4);
  assert.deepEqual(bins.map((bin) => bin.count), [2, 1, 0, 3]);
  for (const bin of bins) assert.equal(verticesIn(errors, bin).length, bin.count);
});

test('vertices of a range are listed from the worst', () => {
  assert.deepEqual(verticesIn(Float32Array.from([0.1, 0.5, 0.3, 0.2]), { from: 0.2, to: 0.5 }), [2, 3]);
});

test('a change that rounds to nothing has no sign', () => {
  assert.equal(changeText(0.1862, 0.1861), '0 %');
  assert.equal(changeText(0, 0), '0 %');
  assert.equal(changeText(2, 1), '-50 %');
  assert.equal(changeText(1, 1.204), '+20 %');
});

test('the plot of the convergence draws no steep line for a small change', () => {
  const [first, last] = logHeights([0.1862, 0.1861]);
  assert.ok(first > last && first - last < 0.01, `${first} ${last}`);
  const steep = logHeights([1, 0.1, 0.01]);
  [1, 0.5, 0].forEach((height, i) => assert.ok(Math.abs(steep[i] - height) < 1e-9));
});
