// Drags of handles without a browser, to measure the server alone.
import assert from 'node:assert/strict';

/** Handles at vertices far apart: the ends of the body in six directions. */
export async function ends(studio, document) {
  const blob = Buffer.from(await (await studio.fetch(`/blob/${document.blobs.mesh}`)).arrayBuffer());
  for (let i = 0; i < blob.readUInt32LE(8); ++i) {
    const at = 12 + 32 * i;
    if (blob.readUInt32LE(at) !== 1) continue;
    const rest = new Float32Array(blob.buffer, blob.byteOffset + Number(blob.readBigUInt64LE(at + 8)), 3 * document.vertices);
    const best = Array.from({ length: 6 }, () => [0, -Infinity]);
    for (let v = 0; v < document.vertices; ++v) {
      for (let d = 0; d < 6; ++d) {
        const side = d < 3 ? rest[3 * v + d] : -rest[3 * v + d - 3];
        if (side > best[d][1]) best[d] = [v, side];
      }
    }
    return [...new Set(best.map(([v]) => v))].map((v) => ({ vertex: v, place: Array.from(rest.subarray(3 * v, 3 * v + 3)) }));
  }
  throw new Error('the mesh has no rest shape');
}

/** Drags the last of several handles in circles. Server times come with the frames; others are measured here. */
export async function dragHandles(page, document, studio, steps) {
  assert.ok(document.reduced !== undefined, 'this is not a reduced model');
  const handles = await ends(studio, document);
  for (const { vertex } of handles) await page.command('handles.place', { vertex });
  const lead = handles.length - 1;
  const { place } = handles[lead];
  const radius = 0.05 * document.diagonal;
  const target = (i) => [place[0] + radius * Math.sin(i / 20), place[1] + radius * (1 - Math.cos(i / 20)), place[2]];
  await page.ask('HandleDragBegin', { drag: 1, handle: lead }, 'Answer');
  const server = [];
  const solve = [];
  const trip = [];
  const before = page.received;
  for (let i = 1; i <= steps; ++i) {
    const begin = performance.now();
    const { values } = await page.ask('DragMove', { drag: 1, target: target(i) }, 'Answer');
    trip.push(performance.now() - begin);
    server.push(values.solveMs + values.queueMs);
    solve.push(values.solveMs);
  }
  const perEvent = (page.received - before) / steps;
  const begin = performance.now();
  await page.ask('DragEnd', { drag: 1, commit: 1, target: target(steps) }, 'History', ({ depth }) => depth === handles.length + 1);
  const release = performance.now() - begin;
  return { vertices: document.vertices, controls: document.reduced.controls, handles: handles.length, solve, server, trip, perEvent, release };
}
