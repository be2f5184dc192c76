// The mode Weights: dragging, painting, tools, first weights.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { accessible, canvasBox, choose, dragBy, look, pictures, placesOf, PNG, settled, sinew, typeRotation, visibleVertexNear } from '../harness.mjs';
import { distance, weightsOf } from '../plates.mjs';
import { reachJourneys } from './weight_reach.mjs';

/** An arm with a bent elbow in the mode Weights, and a visible vertex in the middle. Drags use present joints unless `near`. */
async function bentArm(open, near = false) {
  const { studio, page } = await open('sample:arm');
  await typeRotation(page, 'forearm', 'Z', 80);
  await page.getByRole('tab', { name: 'Weights' }).click();
  await settled(page);
  if (!near) await page.getByLabel('Only joints with weight').check();
  const box = await canvasBox(page);
  const count = (await look(page)).document.vertices;
  return { studio, page, box, count, vertex: await visibleVertexNear(page, box.width / 2, box.height / 2, count) };
}

export const weightsJourneys = {
  ...reachJourneys,

  async 'dragging the skin: weights stay convex, the line shows what is out of reach, a drag is one step'({ open }) {
    const { page, box, vertex } = await bentArm(open);
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.down();
    for (let i = 1; i <= 12; ++i) await page.mouse.move(box.x + vertex.x + 8 * i, box.y + vertex.y - 8 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_drag.png') });
    await page.mouse.up();
    await settled(page);
    assert.equal(await page.locator('[data-test=weight-sum]').innerText(), '1.0000');
    assert.match(await page.locator('[data-test=reach-0]').innerText(), /out of reach/);
    const counters = await page.evaluate(() => window.__studio.counters());
    assert.ok(counters.mostInFlight <= 1, 'at most one live event in flight');
    assert.ok(counters.socketBytes < 200000, 'nothing per vertex crosses the socket');
    assert.equal((await look(page)).numbers.undo, 2);
  },

  async 'near joints: a vertex with one influence answers; they are faint until used; one click restricts to present joints, and is kept'({ open }) {
    const { studio, page, box, count } = await bentArm(open, true);
    const columns = await weightsOf(studio);
    const stiff = await visibleVertexNear(page, 0.3 * box.width, 0.6 * box.height, count);
    await page.mouse.click(box.x + stiff.x, box.y + stiff.y);
    await settled(page);
    const lead = async () => (await page.evaluate(() => window.__studio.reaches())).find((reach) => reach.leads === 1);
    const { vertex, offered } = await lead();
    assert.equal(columns[vertex].size, 1, 'it has one influence');
    assert.equal(offered.filter((one) => one === 0).length, 1, 'only its own joint is not faint');
    const near = page.locator('[data-test=near-joint]');
    assert.equal(await near.count(), offered.length - 1);
    assert.match(await page.locator('[data-test=reach-words]').innerText(), /^1 joint, \d near: a segment/);
    await page.screenshot({ path: join(pictures, 'studio_near.png') });
    await accessible(page);
    const held = (await studio.state()).weightsName;
    const moved = async () => {
      const from = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
      // One of these ways leads along the segment of its reach.
      let best = 0;
      for (const way of [[20, 0], [-20, 0], [0, 20], [0, -20]]) {
        await dragBy(page, from, way, 6);
        await settled(page);
        if ((await studio.state()).weightsName === held) continue;
        const to = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
        best = Math.max(best, Math.hypot(to.x - from.x, to.y - from.y));
        if (best > 4) await page.screenshot({ path: join(pictures, 'studio_near_used.png') });
        await page.keyboard.press('Control+z');
        await settled(page);
      }
      return best;
    };
    assert.ok((await moved()) > 4, 'a drag moves it');
    assert.equal((await studio.state()).weightsName, held);
    await page.getByLabel('Only joints with weight').check();
    await settled(page);
    assert.equal(await near.count(), 0);
    assert.equal(await page.locator('[data-test=reach-words]').innerText(), '1 joint: a point');
    assert.equal(await moved(), 0, 'its own joint alone moves it nowhere');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal(await page.getByLabel('Only joints with weight').isChecked(), true);
  },

  async 'prune: weights below the threshold that is typed are removed in one step; a threshold out of range is refused'({ open }) {
    const { studio, page } = await bentArm(open);
    const least = async () => Math.min(...(await weightsOf(studio)).flatMap((column) => [...column.values()]));
    const undo = (await look(page)).numbers.undo;
    assert.ok((await least()) < 0.2);
    const field = page.getByLabel('below', { exact: true });
    assert.equal(await field.inputValue(), '0.01');
    await field.fill('0.7');
    await field.press('Enter');
    assert.equal(await field.inputValue(), '0.01', 'the old threshold is back');
    await page.locator('.status').getByText('Type a number from 0 to 0.5.').waitFor();
    await field.fill('0.2');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Prune', exact: true }).click();
    await settled(page);
    assert.ok((await least()) >= 0.2, `${await least()}`);
    assert.equal((await look(page)).numbers.undo, undo + 1);
    for (const column of await weightsOf(studio)) assert.ok(Math.abs([...column.values()].reduce((a, b) => a + b, 0) - 1) < 1e-6);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_prune.png') });
  },

  async 'weights: several vertices, soft radius, locks, a suggested joint; the tools are one step each'({ open }) {
    const { studio, page, box, count, vertex } = await bentArm(open);
    // A box selects visible vertices; Shift adds. The view does not move.
    await page.keyboard.press('w');
    await page.mouse.move(box.x + vertex.x - 30, box.y + vertex.y - 30);
    await page.mouse.down();
    await page.mouse.move(box.x + vertex.x + 30, box.y + vertex.y + 30);
    await page.mouse.up();
    await settled(page);
    const few = (await look(page)).selectedVertices.length;
    assert.ok(few > 3 && few < count / 4, `${few} vertices in a box`);
    assert.deepEqual(await canvasBox(page), box);
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + vertex.x - 60, box.y + vertex.y - 60);
    await page.mouse.down();
    await page.mouse.move(box.x + vertex.x + 60, box.y + vertex.y + 60);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await settled(page);
    assert.ok((await look(page)).selectedVertices.length > few);
    assert.ok((await page.getByRole('table', { name: 'Weights of the selected vertices' }).locator('tbody tr').count()) > 3);
    await page.screenshot({ path: join(pictures, 'studio_selection.png') });
    const undo = (await look(page)).numbers.undo;
    await page.getByRole('button', { name: 'Smooth', exact: true }).click();
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo + 1);
    const smoothed = (await studio.state()).weightsName;
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.notEqual((await studio.state()).weightsName, smoothed);
    // Grow and shrink selection; growing after shrinking restores a convex selection.
    const all = (await look(page)).selectedVertices;
    await page.keyboard.press('Control+-');
    await settled(page);
    const fewer = (await look(page)).selectedVertices;
    assert.ok(fewer.length < all.length && fewer.every((v) => all.includes(v)), `${fewer.length} of ${all.length}`);
    await page.keyboard.press('Control++');
    await page.keyboard.press('Control++');
    await settled(page);
    const more = (await look(page)).selectedVertices;
    assert.ok(more.length > fewer.length && fewer.every((v) => more.includes(v)), `${more.length} from ${fewer.length}`);
    // A lasso selects visible vertices; with X-ray also hidden ones.
    await page.keyboard.press('r');
    const lasso = async () => {
      for (let i = 0; i <= 12; ++i) {
        const [x, y] = [vertex.x + 40 * Math.cos((i * Math.PI) / 6), vertex.y + 40 * Math.sin((i * Math.PI) / 6)];
        await page.mouse.move(box.x + x, box.y + y);
        if (i === 0) await page.mouse.down();
        if (i === 9) await page.screenshot({ path: join(pictures, 'studio_lasso.png') });
      }
      await page.mouse.up();
      await settled(page);
      return (await look(page)).selectedVertices;
    };
    const seen = await lasso();
    assert.ok(seen.length > 3);
    const within = await page.evaluate(
      ([vs, cx, cy]) => vs.every((v) => Math.hypot(window.__studio.projectVertex(0, v).x - cx, window.__studio.projectVertex(0, v).y - cy) < 42),
      [seen, vertex.x, vertex.y],
    );
    assert.ok(within, 'only vertices inside the lasso');
    await page.keyboard.press('x');
    const through = await lasso();
    assert.ok(through.length > 1.5 * seen.length && seen.every((v) => through.includes(v)), `${seen.length} seen, ${through.length} through`);
    await page.keyboard.press('x');
    // By number, and by weight.
    await page.getByLabel('By number', { exact: true }).fill('3, 10-12');
    await page.getByLabel('By number', { exact: true }).press('Enter');
    assert.deepEqual((await look(page)).selectedVertices, [3, 10, 11, 12]);
    await page.getByRole('button', { name: 'Show forearm' }).click();
    await page.getByLabel('forearm above').fill('0.99');
    await page.getByRole('button', { name: 'Select by weight' }).click();
    const strong = (await look(page)).selectedVertices;
    const forearm = (await weightsOf(studio)).flatMap((column, v) => ((column.get('forearm') ?? 0) > 0.99 ? [v] : []));
    assert.ok(forearm.length > 10);
    assert.deepEqual([...strong].sort((a, b) => a - b), forearm);
    await page.getByRole('button', { name: 'All, by colour' }).click();
    await page.getByRole('button', { name: 'Select none' }).click();
    // A drag far out of reach suggests another joint, and the button adds it.
    await page.keyboard.press('q');
    const stiff = await visibleVertexNear(page, 0.3 * box.width, 0.6 * box.height, count);
    await dragBy(page, stiff, [10, 10], 8);
    await page.screenshot({ path: join(pictures, 'studio_suggestion.png') });
    const reach = async () => Number(/([-\d.e]+)$/.exec((await page.locator('[data-test=reach-0]').innerText()).trim())[1]);
    const far = await reach();
    await page.locator('[data-test=suggestion]').first().click();
    await settled(page);
    const nearer = await reach();
    assert.ok(nearer < 0.9 * far, `${nearer} after ${far}`);
    // Undo the spike: over it all other vertices are far away. (The drag before it, of one joint, changed nothing.)
    await page.keyboard.press('Control+z');
    await settled(page);
    // B and a drag to the right: the radius grows and more vertices are affected, before anything is dragged.
    await page.keyboard.press('b');
    const follow = async () => Number((await page.locator('[data-test=soft-count]').innerText()).replace(/\D/g, ''));
    await page.locator('[data-test=soft-count]').waitFor();
    await settled(page);
    const [undoBefore, small] = [(await look(page)).numbers.undo, await follow()];
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.keyboard.down('b');
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 60);
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.up();
    await page.keyboard.up('b');
    await page.waitForFunction((n) => Number(document.querySelector('[data-test=soft-count]')?.textContent.replace(/\D/g, '')) > 1.5 * n, small);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_soft.png') });
    const large = await follow();
    await page.mouse.move(box.x + 120, box.y + 60);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 400);
    await page.keyboard.up('Control');
    await page.waitForFunction((n) => Number(document.querySelector('[data-test=soft-count]')?.textContent.replace(/\D/g, '')) < n, large);
    assert.equal((await look(page)).numbers.undo, undoBefore, 'that changes nothing in the document');
    assert.equal(await page.getByRole('button', { name: 'Soft', exact: true }).getAttribute('aria-pressed'), 'true', 'holding B is not a tap');
    // A larger radius affects more vertices, exactly as many as displayed.
    const taken = [];
    for (const radius of ['0.03', '0.12']) {
      await page.getByLabel('Soft selection radius').fill(radius);
      const lead = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
      await dragBy(page, lead, [6, -6]);
      taken.push(Number(/^Drag (\d+) points$/.exec((await studio.state()).history.names.at(-1))?.[1]));
      await page.keyboard.press('Control+z');
      await page.mouse.move(10, 300);
      await page.waitForFunction((n) => document.querySelector('[data-test=soft-count]')?.textContent.replace(/\D/g, '') === String(n), taken.at(-1) - 1);
    }
    assert.ok(taken[0] > 1 && taken[1] > 3 * taken[0], `${taken} points`);
    // A locked joint keeps its weights: with two influences nothing can move.
    await page.getByRole('button', { name: 'Lock forearm' }).click();
    await settled(page);
    assert.deepEqual((await studio.state()).locks, ['forearm']);
    const held = (await studio.state()).weightsName;
    const lead = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await dragBy(page, lead, [6, -6]);
    assert.equal((await studio.state()).weightsName, held);
  },

  async 'paint: a stroke that leaves the canvas is one step; S picks an influence; exact 0 and 1 are visible'({ open }) {
    const { studio, page } = await open('sample:arm');
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.keyboard.press('e');
    await settled(page);
    const box = await canvasBox(page);
    const count = (await look(page)).document.vertices;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.locator('[data-test=brush-hint]').waitFor();
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    // One line describes what is under the pointer.
    await page.locator('[data-test=hover]').waitFor();
    assert.match(await page.locator('[data-test=hover]').innerText(), /^Vertex [\d,]+ · \w+ (1\.00|0\.\d\d)/);
    await page.screenshot({ path: join(pictures, 'studio_brush.png') });
    await page.keyboard.press('s');
    await settled(page);
    assert.equal(await page.locator('[data-test=brush-hint]').count(), 0, 'S picks the influence under the pointer');
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    const before = (await studio.state()).weightsName;
    const undo = (await look(page)).numbers.undo;
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.down();
    for (let i = 1; i <= 6; ++i) await page.mouse.move(box.x + vertex.x + 6 * i, box.y + vertex.y);
    await page.mouse.move(box.x - 60, box.y + vertex.y);
    for (let i = 1; i <= 6; ++i) await page.mouse.move(box.x + vertex.x - 6 * i, box.y + vertex.y);
    await page.mouse.up();
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_paint.png') });
    // Exactly 1 is white and exactly 0 grey; between them it is coloured. The brush ring is moved away.
    await page.mouse.move(10, 300);
    await settled(page);
    const picture = PNG.sync.read(await page.screenshot());
    const colourAt = (x, y) => [...picture.data.subarray(4 * (Math.round(y) * picture.width + Math.round(x))).subarray(0, 3)];
    const spread = (colour) => Math.max(...colour) - Math.min(...colour);
    const info = (await look(page)).document;
    const shown = (await page.getByRole('button', { name: /^Show /, pressed: true }).innerText()).trim();
    const weights = (await weightsOf(studio)).map((column) => column.get(shown) ?? 0);
    // For each kind the vertex nearest to the camera, so that nothing hides it.
    const probe = async (fits) => {
      const vs = weights.flatMap((weight, v) => (fits(weight) ? [v] : []));
      assert.ok(vs.length > 0 && info.vertices === weights.length);
      const p = await page.evaluate((list) => list.map((v) => window.__studio.projectVertex(0, v)).sort((a, b) => a.depth - b.depth)[0], vs);
      return colourAt(box.x + p.x, box.y + p.y);
    };
    const [none, some, all] = [await probe((w) => w === 0), await probe((w) => w > 0.3 && w < 0.7), await probe((w) => w === 1)];
    assert.ok(spread(none) < 12 && Math.max(...none) < 210, `grey: ${none}`);
    assert.ok(spread(some) > 40, `coloured: ${some}`);
    assert.ok(spread(all) < 12 && Math.min(...all) > 210, `white: ${all}`);
    assert.equal((await look(page)).numbers.undo, undo + 1, 'a stroke is one step');
    assert.notEqual((await studio.state()).weightsName, before);
    assert.match((await studio.state()).history.names.at(-1), /^Paint/);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await studio.state()).weightsName, before, 'undo restores exactly the same weights');
    // Esc cancels a stroke.
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.down();
    await page.mouse.move(box.x + vertex.x + 20, box.y + vertex.y);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await settled(page);
    assert.equal((await studio.state()).weightsName, before);
    // A dab changes visible vertices; with X-ray also the far side.
    const dabs = [];
    for (const through of [false, true]) {
      if (through) await page.keyboard.press('x');
      await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
      await page.mouse.down();
      await page.mouse.up();
      await settled(page);
      const places = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
      const now = (await weightsOf(studio)).map((column) => column.get(shown) ?? 0);
      const first = dabs[0]?.now ?? weights;
      dabs.push({ now, depths: now.flatMap((weight, v) => (Math.abs(weight - first[v]) > 1e-3 ? [places[v][2]] : [])) });
    }
    const [near, far] = dabs.map((dab) => Math.min(...dab.depths));
    assert.ok(dabs[0].depths.length > 0 && far < near - 0.02, `the deepest that changed lies at ${near}, with X-ray at ${far}`);
  },

  async 'paint: both sides at once, brush radius by B, and the limits of locks'({ open, root }) {
    execFileSync(sinew, ['sample', 'biped', '--vertices', '3000', '-o', join(root, 'biped')]);
    const { studio, page } = await open(join(root, 'biped/biped.glb'));
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.keyboard.press('e');
    await settled(page);
    const box = await canvasBox(page);
    const info = (await look(page)).document;
    // A vertex of an upper arm on the side facing the camera.
    const before = await weightsOf(studio);
    const names = info.bindings.map((joint) => info.joints[joint].name);
    const left = names.find((name) => /upper.?arm.*l/i.test(name) || /l.*upper.?arm/i.test(name));
    const right = left.replace(/left/i, 'right').replace(/_l$/, '_r').replace(/\.L$/, '.R');
    assert.ok(names.includes(right) && right !== left, `${left} has a partner among ${names}`);
    const candidates = before.flatMap((column, v) => ((column.get(left) ?? 0) > 0.6 && column.get(left) < 0.9 ? [v] : []));
    const place = await page.evaluate((vs) => vs.map((v) => window.__studio.projectVertex(0, v)).sort((a, b) => a.depth - b.depth)[0], candidates);
    await page.getByRole('button', { name: `Show ${left}` }).click();
    // B and a drag change the brush radius.
    const radius = async () => Number(await page.locator('[data-test=brush-radius]').innerText());
    const small = await radius();
    await page.mouse.move(box.x + place.x, box.y + place.y);
    await page.keyboard.down('b');
    await page.mouse.down();
    await page.mouse.move(box.x + place.x - 40, box.y + place.y);
    await page.mouse.up();
    await page.keyboard.up('b');
    assert.ok((await radius()) < 0.9 * small, `${await radius()} after ${small}`);
    await page.getByLabel('Mirror: also paint the other side').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const undo = (await look(page)).numbers.undo;
    const stroke = async (held) => {
      if (held !== undefined) await page.keyboard.down(held);
      await page.mouse.move(box.x + place.x, box.y + place.y);
      await page.mouse.down();
      for (let i = 1; i <= 3; ++i) await page.mouse.move(box.x + place.x, box.y + place.y + 3 * i);
      await page.mouse.up();
      if (held !== undefined) await page.keyboard.up(held);
      await settled(page);
    };
    await stroke('Control');
    await page.screenshot({ path: join(pictures, 'studio_paint_mirror.png') });
    assert.equal((await look(page)).numbers.undo, undo + 1);
    const after = await weightsOf(studio);
    const places = placesOf(await page.evaluate(() => window.__studio.positions(0)), after.length);
    // Seams are counted once. The vertices of the two sides are not exact mirror images, but their sums nearly agree.
    const strokeOn = (name) => {
      const changes = new Map();
      after.forEach((column, v) => {
        const change = (column.get(name) ?? 0) - (before[v].get(name) ?? 0);
        if (Math.abs(change) > 1e-3) changes.set(places[v].map((x) => x.toFixed(4)).join(), { change, place: places[v] });
      });
      const list = [...changes.values()];
      assert.ok(list.length > 0 && list.every(({ change }) => change < 0), 'Ctrl removes');
      const sum = list.reduce((total, one) => total + one.change, 0);
      return { sum, middle: [0, 1, 2].map((axis) => list.reduce((total, one) => total + one.change * one.place[axis], 0) / sum) };
    };
    const [here, there] = [strokeOn(left), strokeOn(right)];
    assert.ok(Math.abs(here.sum - there.sum) < 0.2 * Math.abs(here.sum), `${here.sum} and ${there.sum}`);
    assert.ok(distance(here.middle, [-there.middle[0], there.middle[1], there.middle[2]]) < 0.02 * info.diagonal, `${here.middle} and ${there.middle}`);
    // Everything else is locked: no joint can receive the erased weight.
    await page.getByRole('button', { name: `Show ${left}` }).click();
    for (const name of new Set(before.flatMap((column, v) => (after[v].get(left) ?? 0) > 0 ? [...after[v].keys()] : []))) {
      if (name !== left && name !== right) await page.getByRole('button', { name: `Lock ${name}`, exact: true }).click();
    }
    await settled(page);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await stroke('Control');
    await page.locator('[data-test=held-back]').waitFor();
    assert.match(await page.locator('[data-test=held-back]').innerText(), /Too much is locked at \d+ point/);
  },

  async 'a mesh dropped with a skeleton is bound, as one step'({ open, root }) {
    execFileSync(sinew, ['sample', 'arm', '--vertices', '1000', '-o', join(root, 'arm')]);
    const { page } = await open();
    await choose(page, /^Choose files/, [join(root, 'arm/rest.obj'), join(root, 'arm/arm.glb')]);
    await page.waitForFunction(() => window.__studio.state().document?.skinned === true, null, { timeout: 30000 });
    await settled(page);
    const names = (await look(page)).document.joints.map((joint) => joint.name);
    assert.ok(names.includes('forearm'), `${(await look(page)).document.title} has the joints ${names}`);
    await typeRotation(page, 'forearm', 'Z', 60);
    await page.screenshot({ path: join(pictures, 'studio_bound.png') });
    await page.getByRole('button', { name: 'History' }).click();
    const steps = page.getByRole('list', { name: 'History' }).getByRole('button');
    await steps.nth(2).waitFor();
    assert.deepEqual(await steps.allInnerTexts(), ['As opened', 'Bind to arm.glb', 'Pose forearm']);
    await steps.nth(0).click();
    await page.waitForFunction(() => window.__studio.state().document.skinned === false);
    await settled(page);
    await page.getByRole('button', { name: 'Bind to a skeleton' }).click();
    const dialog = page.getByRole('dialog', { name: 'Bind to a skeleton' });
    await accessible(page);
    await dialog.getByRole('button', { name: 'arm', exact: false }).first().click();
    await dialog.getByRole('button', { name: 'arm.glb' }).click();
    await page.waitForFunction(() => window.__studio.state().document.skinned === true, null, { timeout: 30000 });
    await settled(page);
  },
};
