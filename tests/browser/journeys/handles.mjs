// The mode Handles.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canvasBox, look, pictures, settled, top, visibleVertexNear } from '../harness.mjs';

export const handlesJourneys = {
  async 'handles: learn from meshes, place by clicks, drag one, the others stay'({ open }) {
    const { studio, page } = await open('sample:quadruped');
    await page.getByRole('tab', { name: 'Handles' }).click();
    await page.getByRole('button', { name: 'Learn' }).click();
    await page.waitForFunction(() => window.__studio.state().document.reduced !== undefined, null, { timeout: 120000 });
    await settled(page);
    const box = await canvasBox(page);
    const vertices = await page.evaluate((count) => {
      const t = window.__studio.positions(0);
      const best = (value) => Array.from({ length: count }, (_, v) => v).reduce((a, b) => (value(b) > value(a) ? b : a));
      const [x, y, z] = [0, 1, 2].map((i) => (v) => t[4 * v + i]);
      return [best((v) => z(v) - y(v)), best((v) => y(v) + x(v) + z(v)), best(z)];
    }, (await look(page)).document.vertices);
    for (const vertex of vertices) {
      const p = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
      await page.mouse.click(box.x + p.x, box.y + p.y);
      await settled(page);
    }
    const { handles, diagonal } = (await look(page)).document;
    assert.ok(handles.length >= 2, `${handles.length} handles were placed`);
    const lead = handles.at(-1).vertex;
    const p = await page.evaluate((v) => window.__studio.projectVertex(0, v), lead);
    await page.mouse.move(box.x + p.x, box.y + p.y);
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + p.x + 3 * i, box.y + p.y - 5 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_handles.png') });
    await page.mouse.up();
    await settled(page);
    assert.ok(Number(await page.locator('[data-test=residual]').innerText()) < 1e-4 * diagonal, 'all handles are met');
    const after = await studio.state();
    after.handles.slice(0, -1).forEach((handle, h) => assert.deepEqual(handle.target, handles[h].target));
    const moved = await page.evaluate((v) => window.__studio.projectVertex(0, v), lead);
    assert.ok(Math.hypot(moved.x - p.x - 30, moved.y - p.y + 50) < 2, 'the vertex is under the pointer');
  },

  async 'handles: a drag on the skin orbits, double-click removes, keys play, and the exported clip is the same'({ open, root }) {
    const { page } = await open('sample:quadruped');
    await page.getByRole('tab', { name: 'Handles' }).click();
    await page.getByRole('button', { name: 'Learn' }).click();
    await page.waitForFunction(() => window.__studio.state().document.reduced !== undefined, null, { timeout: 120000 });
    await settled(page);
    const box = await canvasBox(page);
    const count = (await look(page)).document.vertices;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.down();
    for (let i = 1; i <= 5; ++i) await page.mouse.move(box.x + vertex.x + 4 * i, box.y + vertex.y);
    await page.mouse.up();
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 0, 'a drag places no handle');
    const turned = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex.v);
    assert.ok(Math.hypot(turned.x - vertex.x, turned.y - vertex.y) > 1, 'but turns the camera');
    const near = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.mouse.click(box.x + near.x, box.y + near.y);
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 1);
    await page.keyboard.press('p');
    await settled(page);
    assert.equal((await look(page)).document.handles[0].pinned, true);
    await page.keyboard.press('u');
    await settled(page);
    assert.equal((await look(page)).document.handles[0].pinned, false);
    const lead = (await look(page)).document.handles[0].vertex;
    for (let key = 0; key < 3; ++key) {
      await page.getByRole('button', { name: 'Key', exact: true }).click();
      await settled(page);
      const p = await page.evaluate((v) => window.__studio.projectVertex(0, v), lead);
      await page.mouse.move(box.x + p.x, box.y + p.y);
      await page.mouse.down();
      for (let i = 1; i <= 4; ++i) await page.mouse.move(box.x + p.x + 4 * i, box.y + p.y - 4 * i);
      await page.mouse.up();
      await settled(page);
    }
    assert.equal((await look(page)).document.keys.length, 3);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForFunction(() => Number.parseFloat(document.querySelector('[data-test=shown-time]')?.textContent ?? '0') > 0.2);
    await page.screenshot({ path: join(pictures, 'studio_keys.png') });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await settled(page);
    await page.getByLabel('File to export to').fill('keys.glb');
    await page.getByRole('button', { name: 'Export animation' }).click();
    const words = page.getByText(/read again it deviates by/).last();
    await words.waitFor();
    const deviation = Number(/deviates by (\S+)/.exec(await words.innerText())[1]);
    assert.ok(deviation < 1e-5, `${deviation} of the size`);
    const validatorPath = join(top, 'tests/javascript/node_modules/gltf-validator/index.js');
    assert.ok(existsSync(validatorPath), 'the packages of tests/javascript are installed');
    const { default: validator } = await import(validatorPath);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(join(root, 'keys.glb'))));
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
    assert.equal(info.animationCount, 1);
    const p = await page.evaluate((v) => window.__studio.projectVertex(0, v), lead);
    await page.mouse.dblclick(box.x + p.x, box.y + p.y);
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 0, 'a double-click removes');
  },
};
