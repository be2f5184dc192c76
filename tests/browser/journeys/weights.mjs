// The mode Weights: dragging, painting, tools, first weights.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, PNG, settled, sinew, typeRotation, visibleVertexNear } from '../harness.mjs';

export const weightsJourneys = {
  async 'dragging the skin: weights stay convex, the line shows what is out of reach, a drag is one step'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 80);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const box = await canvasBox(page);
    const count = (await look(page)).document.vertices;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
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

  async 'weights: several vertices, soft radius, locks, a joint that is suggested; the tools are one step each'({ open }) {
    const { studio, page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 80);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const box = await canvasBox(page);
    const count = (await look(page)).document.vertices;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    // A box selects what is seen in it; Shift adds.
    await page.keyboard.press('w');
    await page.mouse.move(box.x + vertex.x - 30, box.y + vertex.y - 30);
    await page.mouse.down();
    await page.mouse.move(box.x + vertex.x + 30, box.y + vertex.y + 30);
    await page.mouse.up();
    await settled(page);
    const few = (await look(page)).selectedVertices.length;
    assert.ok(few > 3 && few < count / 4, `${few} vertices in a box`);
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
    await page.getByRole('button', { name: 'smooth', exact: true }).click();
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo + 1);
    const smoothed = (await studio.state()).weightsName;
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.notEqual((await studio.state()).weightsName, smoothed);
    await page.getByRole('button', { name: 'select none' }).click();
    // A drag far away asks for another joint, and the button gives it.
    await page.keyboard.press('q');
    const stiff = await visibleVertexNear(page, 0.3 * box.width, 0.6 * box.height, count);
    await page.mouse.move(box.x + stiff.x, box.y + stiff.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; ++i) await page.mouse.move(box.x + stiff.x + 10 * i, box.y + stiff.y + 10 * i);
    await page.mouse.up();
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_suggestion.png') });
    const reach = async () => Number(/([-\d.e]+)$/.exec(await page.locator('[data-test=reach-0]').innerText())[1]);
    const far = await reach();
    await page.locator('[data-test=suggestion]').first().click();
    await settled(page);
    const nearer = await reach();
    assert.ok(nearer < 0.9 * far, `${nearer} after ${far}`);
    // A larger radius takes more along.
    await page.keyboard.press('b');
    const taken = [];
    for (const radius of ['0.03', '0.12']) {
      await page.getByLabel('Radius of the soft selection').fill(radius);
      const lead = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
      await page.mouse.move(box.x + lead.x, box.y + lead.y);
      await page.mouse.down();
      for (let i = 1; i <= 4; ++i) await page.mouse.move(box.x + lead.x + 6 * i, box.y + lead.y - 6 * i);
      await page.mouse.up();
      await settled(page);
      taken.push(Number(/^Drag (\d+) points$/.exec((await studio.state()).history.names.at(-1))?.[1]));
    }
    assert.ok(taken[0] > 1 && taken[1] > 3 * taken[0], `${taken} points`);
    // A locked joint keeps its weights: of two influences nothing is left to move.
    await page.getByRole('button', { name: 'Lock forearm' }).click();
    await settled(page);
    assert.deepEqual((await studio.state()).locks, ['forearm']);
    const held = (await studio.state()).weightsName;
    const lead = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.mouse.move(box.x + lead.x, box.y + lead.y);
    await page.mouse.down();
    for (let i = 1; i <= 4; ++i) await page.mouse.move(box.x + lead.x + 6 * i, box.y + lead.y - 6 * i);
    await page.mouse.up();
    await settled(page);
    assert.equal((await studio.state()).weightsName, held);
  },

  async 'paint: a stroke that leaves the canvas is one step; S takes an influence; exact 0 and 1 are seen'({ open }) {
    const { studio, page } = await open('sample:arm');
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.keyboard.press('e');
    await settled(page);
    const box = await canvasBox(page);
    const count = (await look(page)).document.vertices;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.locator('[data-test=brush-hint]').waitFor();
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.keyboard.press('s');
    await settled(page);
    assert.equal(await page.locator('[data-test=brush-hint]').count(), 0, 'S takes the influence under the pointer');
    await page.getByRole('button', { name: 'replace', exact: true }).click();
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
    // Exactly 1 is white and exactly 0 grey; between them it is coloured.
    const picture = PNG.sync.read(await page.screenshot());
    const colourAt = (x, y) => [...picture.data.subarray(4 * (Math.round(y) * picture.width + Math.round(x))).subarray(0, 3)];
    const spread = (colour) => Math.max(...colour) - Math.min(...colour);
    const [none, some, all] = [0.2, 0.44, 0.8].map((share) => colourAt(box.x + share * box.width, box.y + vertex.y));
    assert.ok(spread(none) < 12 && Math.max(...none) < 210, `grey: ${none}`);
    assert.ok(spread(some) > 40, `coloured: ${some}`);
    assert.ok(spread(all) < 12 && Math.min(...all) > 210, `white: ${all}`);
    assert.equal((await look(page)).numbers.undo, undo + 1, 'a stroke is one step');
    assert.notEqual((await studio.state()).weightsName, before);
    assert.match((await studio.state()).history.names.at(-1), /^Paint/);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await studio.state()).weightsName, before, 'undo gives the very same weights');
    // Esc takes a stroke back.
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.down();
    await page.mouse.move(box.x + vertex.x + 20, box.y + vertex.y);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await settled(page);
    assert.equal((await studio.state()).weightsName, before);
  },

  async 'a mesh dropped with a skeleton gets its first weights, as one step'({ open, root }) {
    execFileSync(sinew, ['sample', 'arm', '--vertices', '1000', '-o', join(root, 'arm')]);
    const { page } = await open();
    await page.getByLabel('Choose files').setInputFiles([join(root, 'arm/rest.obj'), join(root, 'arm/arm.glb')]);
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
