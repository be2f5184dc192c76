// Parts with all their instances: what is left of the lists when some are hidden.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { edgesOf, partsOf, piecesOf, trianglesOf, verticesOf } = await loadModule('src/render/pieces.ts');
const { placeInstances } = await loadModule('src/render/placed_mesh.ts');
const { cellOf, cellText } = await loadModule('src/render/ground.ts');

const parts = [{ firstVertex: 0, vertices: 4 }, { firstVertex: 4, vertices: 0 }, { firstVertex: 4, vertices: 3 }];
const triangles = Uint32Array.from([0, 1, 2, 2, 1, 3, 4, 5, 6]);
const points = Uint32Array.from({ length: 7 }, (_, v) => v);

test('pieces cover every instance of every part', () => {
  // Both parts of a mesh again, and its last part alone.
  const placed = placeInstances(7, triangles, points, Uint32Array.from([0, 7, 1, 4, 3, 2]));
  const pieces = piecesOf(placed, parts);
  const drawn = pieces.filter((piece) => piece.corners > 0);
  assert.deepEqual(
    drawn.map(({ part, firstVertex, firstCorner, corners }) => [part, firstVertex, firstCorner, corners]),
    [[0, 0, 0, 6], [2, 4, 6, 3], [0, 7, 9, 6], [2, 11, 15, 3], [2, 14, 18, 3]],
  );
  assert.equal(trianglesOf(placed.triangles, pieces), placed.triangles, 'nothing is copied where nothing is hidden');
  const last = pieces.filter((piece) => piece.part === 2);
  assert.deepEqual([...trianglesOf(placed.triangles, last)], [4, 5, 6, 11, 12, 13, 14, 15, 16]);
  assert.deepEqual([...verticesOf(last)], [4, 5, 6, 11, 12, 13, 14, 15, 16]);
  assert.deepEqual([...verticesOf(last, 7)], [4, 5, 6], 'only first instances are picked');
});

test('an instance has the hard edges of its mesh', () => {
  const normals = Uint32Array.from([0, 1, 1, 3, 4, 5, 4]);
  const placed = placeInstances(7, triangles, points, Uint32Array.from([0, 7, 1]), normals);
  assert.deepEqual([...placed.normalPoints], [...normals, 7, 8, 8, 10, 11, 12, 11]);
  assert.deepEqual([...placeInstances(7, triangles, points, new Uint32Array(), new Uint32Array()).normalPoints], [...points]);
});

test('a list of parts that does not cover the mesh counts as none', () => {
  assert.deepEqual(partsOf(7, parts), parts);
  assert.deepEqual(partsOf(9, parts), [{ firstVertex: 0, vertices: 9 }]);
});

test('every edge is drawn once', () => {
  const edges = edgesOf(triangles);
  const pairs = Array.from({ length: edges.length / 2 }, (_, i) => `${edges[2 * i]}-${edges[2 * i + 1]}`);
  assert.deepEqual(pairs, ['0-1', '0-2', '1-2', '1-3', '2-3', '4-5', '4-6', '5-6']);
});

test('a cell of the grid is a round number near a tenth of the character', () => {
  assert.deepEqual([1.7, 3, 100, 0.004].map(cellOf).map((x) => Number(x.toPrecision(3))), [0.2, 0.2, 10, 0.0005]);
  assert.equal(cellText(1.7), '0.2 units');
});
