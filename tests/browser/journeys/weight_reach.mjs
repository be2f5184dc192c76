// The reach of a vertex and drags within it, checked against an independent skinning and hull.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, placesOf, settled, typeRotation } from '../harness.mjs';
import { cornerOf, distance, middleOf, nearestInHull, offsets, plates, rest, skinned, weightsOf, writePlates } from '../plates.mjs';

const reaches = (page) => page.evaluate(() => window.__studio.reaches());
const leadOf = async (page) => (await reaches(page)).find((reach) => reach.leads === 1);

async function openPlates({ open, root }) {
  const path = join(root, 'plates.gltf');
  writePlates(path);
  const { studio, page } = await open(path);
  await page.getByRole('tab', { name: 'Weights' }).click();
  await settled(page);
  await page.getByLabel('Only joints with weight').check();
  await settled(page);
  return { studio, page, box: await canvasBox(page) };
}

async function press(page, box, view, vertex) {
  const p = await page.evaluate(([v, id]) => window.__studio.projectVertex(v, id), [view, vertex]);
  await page.mouse.move(box.x + p.x, box.y + p.y);
  await page.mouse.down();
  return p;
}

/** Checks the server's weights, and that the page shows the resulting positions in every view. */
async function soundWeights(studio, page, vertex) {
  const columns = await weightsOf(studio);
  const state = await studio.state();
  const column = columns[vertex];
  const sum = [...column.values()].reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - 1) < 1e-6, `sum ${sum}`);
  for (const [joint, weight] of column) assert.ok(weight >= 0, `${joint} has ${weight}`);
  for (let view = 0; view < state.views.length; ++view) {
    const shown = placesOf(await page.evaluate((v) => window.__studio.positions(v), view), rest.length);
    columns.forEach((one, v) => {
      const wanted = skinned(state, view, one, rest[v]).map((x, axis) => x - state.centre[axis]);
      assert.ok(distance(wanted, shown[v]) < 2e-5, `vertex ${v} in view ${view}: ${shown[v]} instead of ${wanted}`);
    });
  }
  return { column, state };
}

export const reachJourneys = {
  async 'reach: inside the hull the vertex is under the pointer, outside it is on the hull and a line shows the distance'(context) {
    const { studio, page, box } = await openPlates(context);
    // A second pose with one rotated joint.
    await page.getByRole('button', { name: '2 poses side by side' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Pose B' }).click();
    await page.getByRole('tab', { name: 'Pose' }).click();
    await typeRotation(page, 'a', 'Z', 35);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.getByRole('button', { name: 'Pose A' }).click();
    await settled(page);
    const vertex = middleOf('hull');
    const undo = (await look(page)).numbers.undo;
    const other = await page.evaluate((v) => window.__studio.projectVertex(1, v), vertex);
    const start = await press(page, box, 0, vertex);
    for (let i = 1; i <= 3; ++i) await page.mouse.move(box.x + start.x - i, box.y + start.y + 0.5 * i);
    await settled(page);
    assert.equal((await reaches(page)).length, 2, 'the set is drawn in every visible pose');
    assert.equal(await page.locator('[data-test=reach-words]').innerText(), '4 joints: a hull');
    assert.deepEqual((await page.getByRole('group', { name: 'Corners of the reach' }).getByRole('button').allInnerTexts()).map((text) => text.trim()).sort(), plates.hull);
    assert.equal(await page.locator('[data-test=reach-distance]').count(), 0, 'no line inside');
    assert.equal(await page.locator('[data-test=reach-target]').count(), 1);
    assert.equal(await page.locator('[data-test=hover]').count(), 0, 'no hover line during a drag');
    await page.mouse.up();
    await settled(page);
    const there = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
    assert.ok(Math.hypot(there.x - start.x + 3, there.y - start.y - 1.5) < 0.5, 'the vertex is under the pointer');
    assert.equal((await look(page)).numbers.undo, undo + 1);
    const inside = await soundWeights(studio, page, vertex);
    assert.ok([...inside.column.values()].some((weight) => Math.abs(weight - 0.25) > 0.01), 'weights changed');
    const moved = await page.evaluate((v) => window.__studio.projectVertex(1, v), vertex);
    assert.ok(Math.hypot(moved.x - other.x, moved.y - other.y) > 0.5, 'the other pose changes with it');
    // Far outside.
    await press(page, box, 0, vertex);
    for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + start.x - 6 * i, box.y + start.y - 9 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_hull.png') });
    const lead = await leadOf(page);
    assert.equal(await page.locator('[data-test=reach-distance]').innerText(), lead.distance.toPrecision(3), "the label is the server's distance");
    await page.mouse.up();
    await settled(page);
    const { column, state } = await soundWeights(studio, page, vertex);
    const target = lead.target.map((x, axis) => x + state.centre[axis]);
    const place = skinned(state, 0, column, rest[vertex]);
    const nearest = nearestInHull(plates.hull.map((joint) => cornerOf(state, 0, joint, rest[vertex])), target);
    assert.ok(distance(place, nearest) < 2e-3, `on the hull: ${place}, not ${nearest}`);
    assert.ok(Math.abs(distance(place, target) - lead.distance) < 1e-4, `${distance(place, target)} is reported as ${lead.distance}`);
    assert.ok(lead.distance > 0.1);
    // A pinned pose limits the movement, more so with a higher pin strength.
    await page.keyboard.press('Control+z');
    await settled(page);
    await page.getByLabel('Pin in pose B').check();
    const drifts = [];
    for (const alpha of ['0', '1']) {
      await page.getByLabel('Pin strength').fill(alpha);
      await press(page, box, 0, vertex);
      for (let i = 1; i <= 5; ++i) await page.mouse.move(box.x + start.x - 4 * i, box.y + start.y - 4 * i);
      await page.mouse.up();
      await settled(page);
      drifts.push((await reaches(page)).find((reach) => reach.leads === 0).distance);
      await page.screenshot({ path: join(pictures, 'studio_pinned.png') });
      await page.keyboard.press('Control+z');
      await settled(page);
    }
    assert.ok(drifts[1] < 0.8 * drifts[0], `${drifts}`);
  },

  async 'reach: point, segment, triangle and collinear corners; a corner assigns all weight; negative weights are undone'(context) {
    const { studio, page, box } = await openPlates(context);
    const words = { point: ['1 joint: a point', 0], segment: ['2 joints: a segment', 1], triangle: ['3 joints: a triangle', 2], collinear: ['3 joints: a segment', 1] };
    for (const [plate, [text, dimension]] of Object.entries(words)) {
      const vertex = middleOf(plate);
      const start = await press(page, box, 0, vertex);
      for (let i = 1; i <= 4; ++i) await page.mouse.move(box.x + start.x + 2 * i, box.y + start.y - 8 * i);
      await settled(page);
      await page.screenshot({ path: join(pictures, `studio_reach_${plate}.png`) });
      assert.equal(await page.locator('[data-test=reach-words]').innerText(), text);
      const lead = await leadOf(page);
      assert.equal(lead.dimension, dimension);
      assert.equal(await page.locator('[data-test=reach-distance]').innerText(), lead.distance.toPrecision(3));
      await page.mouse.up();
      await settled(page);
      const { column, state } = await soundWeights(studio, page, vertex);
      const target = lead.target.map((x, axis) => x + state.centre[axis]);
      const nearest = nearestInHull(plates[plate].map((joint) => cornerOf(state, 0, joint, rest[vertex])), target);
      const place = skinned(state, 0, column, rest[vertex]);
      assert.ok(distance(place, nearest) < 2e-3, `${plate}: ${place}, not ${nearest}`);
      assert.ok(Math.abs(lead.distance - distance(nearest, target)) < 2e-3);
      // On an edge it has lost a joint; the next drag starts from the initial weights.
      if (plate !== 'point') await page.keyboard.press('Control+z');
      await settled(page);
    }
    // A corner is a button that assigns all weight to this joint, in one step.
    const vertex = middleOf('triangle');
    const away = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
    await page.mouse.click(box.x + away.x, box.y + away.y);
    await settled(page);
    const undo = (await look(page)).numbers.undo;
    // A press that moves is not a click, even if it ends on the same label.
    const label = page.getByRole('group', { name: 'Corners of the reach' }).getByRole('button', { name: 'All weight to c', exact: true });
    const over = await label.boundingBox();
    await page.mouse.move(over.x + 3, over.y + over.height / 2);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width - 3, over.y + over.height / 2, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo, 'a drag over a label assigns nothing');
    await label.click();
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo + 1);
    assert.equal((await studio.state()).history.names.at(-1), 'All to c');
    assert.deepEqual([...(await weightsOf(studio))[vertex]], [['c', 1]]);
    const place = skinned(await studio.state(), 0, new Map([['c', 1]]), rest[vertex]);
    assert.ok(distance(place, rest[vertex].map((x, axis) => x + offsets.c[axis])) < 1e-6);
    await page.keyboard.press('Control+z');
    await settled(page);
    // With negative weights allowed the whole plane is reachable, but a skin cannot store them.
    const before = (await studio.state()).weightsName;
    await page.getByLabel('Allow negative weights').check();
    const start = await press(page, box, 0, vertex);
    for (let i = 1; i <= 8; ++i) await page.mouse.move(box.x + start.x + 6 * i, box.y + start.y + 4 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_negative.png') });
    assert.match(await page.locator('[data-test=reach-words]').innerText(), /a whole plane/);
    assert.match(await page.locator('[data-test=reach-0]').innerText(), /out of reach/);
    await page.mouse.up();
    const card = page.getByRole('alert').filter({ hasText: 'cannot store negative weights' });
    await card.waitFor();
    assert.match(await card.innerText(), /undone/);
    await settled(page);
    assert.equal((await studio.state()).weightsName, before);
    assert.equal((await look(page)).numbers.undo, undo);
    await soundWeights(studio, page, vertex);
    await card.getByRole('button', { name: 'Close' }).click();
  },

  async 'reach by keyboard only: a vertex by its number, arrow keys, typed positions, all weight to a joint; accessible in both themes'(context) {
    const { studio, page } = await openPlates(context);
    const run = async (title) => {
      await page.keyboard.press('Control+k');
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
      await page.keyboard.type(title);
      await page.keyboard.press('Enter');
      await settled(page);
    };
    const vertex = middleOf('hull');
    await run('select by number');
    await page.waitForFunction(() => document.activeElement?.id === 'select-ids');
    await page.keyboard.type(String(vertex));
    await page.keyboard.press('Enter');
    await settled(page);
    assert.deepEqual((await look(page)).selectedVertices, [vertex]);
    await page.locator('[data-test=reach-words]').waitFor();
    assert.equal(await page.locator('[data-test=reach-words]').innerText(), '4 joints: a hull');
    const undo = (await look(page)).numbers.undo;
    const before = skinned(await studio.state(), 0, (await weightsOf(studio))[vertex], rest[vertex]);
    await run('nudge vertex with arrow keys');
    await page.waitForFunction(() => document.activeElement?.id === 'nudge-pad');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Shift+ArrowUp']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo + 1, 'all keys up to Enter are one step');
    const { column, state } = await soundWeights(studio, page, vertex);
    const after = skinned(state, 0, column, rest[vertex]);
    assert.ok(distance(before, after) > 0.01, 'it moved');
    // Esc takes back.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo + 1);
    // A typed position within the hull is reached.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Target Y');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('0.3/2');
    await page.keyboard.press('Enter');
    await settled(page);
    const typed = await soundWeights(studio, page, vertex);
    assert.ok(Math.abs(skinned(typed.state, 0, typed.column, rest[vertex])[1] - 0.15) < 1e-4);
    assert.equal((await look(page)).numbers.undo, undo + 2);
    // All to one joint, from the table.
    const all = page.getByRole('table', { name: 'Vertex weights' }).getByRole('button', { name: 'All weight to b' });
    await all.focus();
    await page.keyboard.press('Space');
    await settled(page);
    assert.deepEqual([...(await weightsOf(studio))[vertex]], [['b', 1]]);
    await page.keyboard.press('Control+z');
    await settled(page);
    // The selection survives undo and changes of mode.
    assert.deepEqual((await look(page)).selectedVertices, [vertex]);
    await run('mode pose');
    await run('mode weights');
    assert.deepEqual((await look(page)).selectedVertices, [vertex]);
    await page.locator('[data-test=reach-words]').waitFor();
    for (const theme of ['light', 'dark']) {
      if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await run('toggle dark theme');
      for (const tool of ['q', 'e']) {
        await page.locator('canvas').focus();
        await page.keyboard.press(tool);
        await settled(page);
        await accessible(page);
      }
      await page.keyboard.press('q');
      await page.screenshot({ path: join(pictures, `studio_weights_${theme}.png`) });
    }
  },
};
