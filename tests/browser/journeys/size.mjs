// Forty thousand vertices: the cost of a drag in messages, bytes and passes, since frame times of software rendering
// are not representative.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { canvasBox, look, settled, sinew } from '../harness.mjs';

const counters = (page) => page.evaluate(() => window.__studio.counters());

/** Presses, moves in steps, releases; returns the socket traffic before the release. */
async function drag(page, from, by, steps) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await settled(page);
  const before = await counters(page);
  for (let i = 1; i <= steps; ++i) await page.mouse.move(from.x + (by.x * i) / steps, from.y + (by.y * i) / steps);
  await settled(page);
  const after = await counters(page);
  await page.mouse.up();
  await settled(page);
  const difference = Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
  return { ...difference, mostInFlight: after.mostInFlight, steps };
}

function cheap(cost, most) {
  assert.ok(cost.sent > 0 && cost.sent <= cost.steps, `${cost.sent} messages for ${cost.steps} moves`);
  assert.ok(cost.deforms > 0 && cost.deforms <= cost.received, `${cost.deforms} deform passes for ${cost.received} replies`);
  assert.ok(cost.socketBytes / (cost.sent + cost.received) < most, `${cost.socketBytes} bytes in ${cost.sent + cost.received} messages`);
  assert.ok(cost.mostInFlight <= 1, `${cost.mostInFlight} in flight`);
}

export const sizeJourneys = {
  async 'size: 40,000 vertices are posed and dragged by small messages'({ open, root }) {
    const folder = join(root, 'biped');
    execFileSync(sinew, ['sample', 'biped', '-o', folder, '--vertices', '40000', '-q'], { stdio: 'ignore' });
    const { studio, page } = await open(join(folder, 'biped.glb'));
    const { document } = await look(page);
    assert.ok(document.vertices > 36000, `${document.vertices} vertices`);
    const bulk = await page.evaluate(() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/blob/')).map((one) => one.encodedBodySize));
    assert.equal(bulk.length, 3, 'mesh, weights and materials are fetched once');
    assert.ok(bulk.reduce((a, b) => a + b) < 120 * document.vertices, `${bulk} bytes`);

    await page.getByRole('option', { name: document.joints[4].name, exact: true }).click();
    const slider = await page.locator('#rotate-X').boundingBox();
    cheap(await drag(page, { x: slider.x + slider.width / 2, y: slider.y + slider.height / 2 }, { x: 30, y: 0 }, 12), 3072);

    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const nearest = await page.evaluate((count) => {
      const t = window.__studio.positions(0);
      let best;
      for (let v = 0; v < count; v += 7) {
        const p = window.__studio.projectPoint(0, [t[4 * v], t[4 * v + 1], t[4 * v + 2]]);
        if (best === undefined || p.depth < best.depth) best = p;
      }
      return best;
    }, document.vertices);
    const box = await canvasBox(page);
    const depth = (await look(page)).document.history.depth;
    cheap(await drag(page, { x: box.x + nearest.x, y: box.y + nearest.y }, { x: 24, y: -12 }, 12), 4096);
    assert.equal((await studio.state()).history.depth, depth + 1, 'one step');
    assert.equal(await page.evaluate(() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/blob/')).length), 3, 'no mesh was sent again');
  },
};
