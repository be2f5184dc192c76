// Control groups on the skin, proxies that follow, and weights of which only what changed goes to the graphics card.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

/** As apps/studio/document/blob.h packs arrays. */
function blob(entries) {
  const aligned = (n) => Math.ceil(n / 64) * 64;
  let size = aligned(12 + 32 * entries.length);
  const placed = entries.map(([kind, values]) => {
    const at = size;
    size = aligned(size + 4 * values.length);
    return { kind, values, at };
  });
  const buffer = new ArrayBuffer(size);
  const view = new DataView(buffer);
  view.setUint32(0, 0x31424b53, true);
  view.setUint32(8, entries.length, true);
  placed.forEach(({ kind, values, at }, i) => {
    const head = 12 + 32 * i;
    view.setUint32(head, kind, true);
    view.setUint32(head + 4, values instanceof Float32Array ? 1 : 2, true);
    view.setBigUint64(head + 8, BigInt(at), true);
    view.setBigUint64(head + 16, BigInt(4 * values.length), true);
    new values.constructor(buffer, at, values.length).set(values);
  });
  return buffer;
}

/** A strip of triangles over `count` vertices, cut into groups of `each` triangles. */
function strip(count, each) {
  const triangles = new Uint32Array(3 * (count - 2));
  for (let t = 0; t < count - 2; ++t) triangles.set([t, t + 1, t + 2], 3 * t);
  const labels = Uint32Array.from({ length: count - 2 }, (_, t) => Math.floor(t / each));
  return { triangles, labels, groups: Math.ceil((count - 2) / each) };
}

const groups = await loadModule('src/modes/handles/groups.ts');
const { categoryColours } = await loadModule('src/render/colours.ts');

test('groups that touch have different colours', () => {
  const { triangles, labels, groups: count } = strip(200, 5);
  const found = groups.controlGroups(blob([[1, new Float32Array(600)], [2, triangles], [10, labels], [11, new Float32Array()], [14, new Float32Array()]]), count);
  assert.equal(found.colours.length, count);
  for (let g = 0; g + 1 < count; ++g) assert.notEqual(found.colours[g], found.colours[g + 1], `groups ${g} and ${g + 1}`);
  assert.ok(new Set(found.colours).size > 2);
  for (let v = 0; v < 200; ++v) assert.ok(found.labels[v] < categoryColours.length);
});

test('groups that touch across a seam differ, and neighbours are told apart at a glance', async () => {
  const { colourDistance, colourGroups, touchingGroups } = await loadModule('src/render/colours.ts');
  // Two triangles that share an edge in space and no vertex.
  const triangles = Uint32Array.from([0, 1, 2, 3, 4, 5]);
  const points = Uint32Array.from([0, 1, 2, 1, 2, 3]);
  const { colours } = groups.controlGroups(blob([[1, new Float32Array(18)], [2, triangles], [7, points], [10, Uint32Array.from([0, 1])], [11, new Float32Array()], [14, new Float32Array()]]), 2);
  assert.notEqual(colours[0], colours[1]);
  assert.deepEqual(touchingGroups(triangles, points, (v) => (v < 3 ? 4 : 9)), [[4, 9]]);
  assert.deepEqual(touchingGroups(triangles, points, () => 2), []);
  // A grid in which every cell meets eight others: four mutual neighbours at every corner.
  const [wide, high] = [12, 12];
  const pairs = [];
  for (let y = 0; y < high; ++y)
    for (let x = 0; x < wide; ++x)
      for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]])
        if (x + dx < wide && y + dy >= 0 && y + dy < high) pairs.push([y * wide + x, (y + dy) * wide + x + dx]);
  const grid = colourGroups(wide * high, pairs);
  for (const [a, b] of pairs) assert.ok(colourDistance[grid[a]][grid[b]] > 30, `${a} and ${b}: ${colourDistance[grid[a]][grid[b]]}`);
});

test('proxies are carried by their controls', () => {
  const proxies = new Float32Array([1, 2, 3, 0, 1, 0]);
  const proxyWeights = new Float32Array([0.25, 0.75, 1, 0]);
  const move = (x, y, z) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];
  const frame = { palettes: new Float32Array([...move(4, 0, 0), ...move(0, 0, 8)]) };
  const places = groups.posedProxies({ proxies, proxyWeights, colours: new Uint8Array(2), labels: new Float32Array() }, frame);
  assert.deepEqual([...places], [2, 2, 9, 4, 1, 0]);
  assert.deepEqual([...groups.posedProxies({ proxies, proxyWeights, colours: new Uint8Array(2), labels: new Float32Array() }, undefined)], [...proxies]);
});

test('only texels of vertices that changed are sent, and more influences find room', async () => {
  const { Influences, textureWidth } = await loadModule('src/render/textures.ts');
  const count = 20000;
  const start = Uint32Array.from({ length: count + 1 }, (_, v) => 2 * v);
  const influences = new Influences(start, new Uint32Array(2 * count).fill(1), new Float32Array(2 * count).fill(0.5));
  const { perVertex } = influences;
  assert.equal(perVertex, 4);
  const sent = [];
  const gl = { pixelStorei: () => {}, texSubImage2D: (...args) => sent.push(args) };
  const renderer = { properties: { get: () => ({ __webglTexture: {} }) }, getContext: () => gl, state: { bindTexture: () => {}, unbindTexture: () => {} } };
  influences.update(Uint32Array.of(3, 15000), Uint32Array.of(1, 2), Uint32Array.of(7, 7, 8), Float32Array.of(1, 0.25, 0.75));
  influences.flush(renderer);
  assert.equal(sent.length, 2);
  assert.equal(influences.sentTexels, 2 * perVertex);
  const [, , x, y, width, height, , , data, from] = sent[1];
  assert.deepEqual([y * textureWidth + x, width, height], [15000 * perVertex, perVertex, 1]);
  assert.deepEqual([...data.slice(from, from + 4)], [7, 0.25, 8, 0.75]);
  assert.deepEqual(influences.column(3), [{ binding: 7, weight: 1 }]);
  assert.equal(influences.weightOf(15000, 8), 0.75);
  assert.equal(influences.weightOf(15000, 1), 0);
  // All of them: rows that follow each other go as one block.
  sent.length = 0;
  const all = Uint32Array.from({ length: count }, (_, v) => v);
  influences.update(all, new Uint32Array(count).fill(1), new Uint32Array(count).fill(2), new Float32Array(count).fill(1));
  influences.flush(renderer);
  assert.equal(sent.length, 2, 'whole rows, and what is left');
  influences.update(Uint32Array.of(9), Uint32Array.of(9), Uint32Array.from({ length: 9 }, (_, i) => i), new Float32Array(9).fill(1 / 9));
  assert.equal(influences.perVertex, 12);
  assert.equal(influences.column(9).length, 9);
  assert.deepEqual(influences.column(10), [{ binding: 2, weight: 1 }]);
});
