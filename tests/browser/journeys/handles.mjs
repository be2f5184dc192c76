// The mode Handles.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, dragBy, look, openPage, pageFolder, patience, pictures, PNG, settled, sinew, top, typeRotation, visibleVertexNear } from '../harness.mjs';
import { dragHandles } from '../raw_drag.mjs';
import { RawPage } from '../raw_page.mjs';
import { StudioProcess } from '../studio_process.mjs';

/** A folder of meshes as `sinew sample` writes them: the quadruped in 18 poses, without a skeleton. */
function meshes(root) {
  const folder = join(root, 'quadruped');
  if (!existsSync(folder)) execFileSync(sinew, ['sample', 'quadruped', '-o', folder, '--vertices', '3000', '-q'], { stdio: 'ignore' });
  return folder;
}

/** A model of it, learned by `sinew reduce`. */
function model(root) {
  const path = join(root, 'model.glb');
  execFileSync(sinew, ['reduce', meshes(root), '-o', path, '-q'], { stdio: 'ignore' });
  return path;
}

const enter = async (page) => {
  await page.getByRole('tab', { name: 'Handles' }).click();
  await settled(page);
};

const learned = async (page) => {
  await page.waitForFunction(() => window.__studio.state().document.reduced !== undefined, null, { timeout: 120000 });
  await settled(page);
};

const at = (page, vertex) => page.evaluate((v) => window.__studio.projectVertex(0, v), vertex);
const counters = (page) => page.evaluate(() => window.__studio.counters());
const undoDepth = async (page) => (await look(page)).numbers.undo;

/** Visible vertices at the ends of the body. */
async function ends(page) {
  return page.evaluate((count) => {
    const t = window.__studio.positions(0);
    const best = (value) => Array.from({ length: count }, (_, v) => v).reduce((a, b) => (value(b) > value(a) ? b : a));
    const [x, y, z] = [0, 1, 2].map((i) => (v) => t[4 * v + i]);
    return [best((v) => z(v) - y(v)), best((v) => x(v) - y(v) + z(v)), best((v) => y(v) + x(v) + z(v))];
  }, (await look(page)).document.vertices);
}

async function placeByClicks(page, vertices) {
  const box = await canvasBox(page);
  for (const vertex of vertices) {
    const p = await at(page, vertex);
    await page.mouse.click(box.x + p.x, box.y + p.y);
    await settled(page);
  }
  return (await look(page)).document.handles;
}

/** The server's target of a handle, in canvas pixels. */
async function targetAt(page, studio, handle) {
  const { handles, centre } = await studio.state();
  return page.evaluate((p) => window.__studio.projectPoint(0, p), handles[handle].target.map((x, i) => x - centre[i]));
}

/** The distance between handle vertices on the page and the server's targets. */
async function residuals(page, studio) {
  const { handles, centre } = await studio.state();
  return page.evaluate(
    ([list, c]) => {
      const t = window.__studio.positions(0);
      return list.map(({ vertex, target }) => Math.hypot(...[0, 1, 2].map((i) => t[4 * vertex + i] - target[i] + c[i])));
    },
    [handles, centre],
  );
}

export const handlesJourneys = {
  async 'handles: learning is cancelled, then completed; clicks place handles, one is dragged, the others stay'({ open }) {
    const { studio, page } = await open('sample:quadruped');
    await enter(page);
    await page.getByRole('button', { name: 'Learn' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').last().waitFor();
    await settled(page);
    assert.equal((await look(page)).document.reduced, undefined, 'nothing was learned');
    assert.equal(await undoDepth(page), 0);
    await page.getByRole('button', { name: 'Learn' }).click();
    await learned(page);
    const handles = await placeByClicks(page, await ends(page));
    const { diagonal } = (await look(page)).document;
    assert.ok(handles.length >= 2, `${handles.length} handles were placed`);
    const box = await canvasBox(page);
    const lead = handles.at(-1).vertex;
    const p = await at(page, lead);
    await page.mouse.move(box.x + p.x, box.y + p.y);
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + p.x + 3 * i, box.y + p.y - 5 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_handles.png') });
    await page.mouse.up();
    await settled(page);
    assert.ok(Math.max(...(await residuals(page, studio))) < 1e-4 * diagonal, 'all handles reach their targets');
    const after = await studio.state();
    after.handles.slice(0, -1).forEach((handle, h) => assert.deepEqual(handle.target, handles[h].target));
    const moved = await at(page, lead);
    assert.ok(Math.hypot(moved.x - p.x - 30, moved.y - p.y + 50) < 2, 'the vertex is under the pointer');
    const bars = await page.locator('[data-test=activation]').allInnerTexts();
    assert.equal(bars.length, after.reduced.examples.length);
    assert.ok(bars.some((text) => Math.abs(Number(text)) > 0.02), 'the blend of examples is shown after the drag');
  },

  async 'handles: a model is learned beside a character, which does not change'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 110);
    await enter(page);
    await page.getByText('The character is not changed').waitFor();
    await page.screenshot({ path: join(pictures, 'studio_learn.png') });
    await page.getByRole('button', { name: 'Learn' }).click();
    await learned(page);
    const [handle] = await placeByClicks(page, (await ends(page)).slice(0, 1));
    assert.equal((await look(page)).document.title, 'arm model');
    await page.screenshot({ path: join(pictures, 'studio_model.png') });
    const goTo = async (title) => {
      await page.getByLabel('Document', { exact: true }).selectOption({ label: title });
      await page.waitForFunction((name) => window.__studio.state().document?.title === name, title);
      await settled(page);
      return (await look(page)).document;
    };
    const character = await goTo('arm');
    assert.ok(character.skinned && character.joints.some((joint) => joint.name === 'forearm') && character.reduced === undefined, 'the rig was not replaced');
    assert.deepEqual(character.history.names, ['Pose forearm'], 'nor its history');
    await page.getByRole('tab', { name: 'Pose' }).click();
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    assert.equal(await page.getByLabel('Rotation Z in degrees').inputValue(), '110.00');
    await page.screenshot({ path: join(pictures, 'studio_beside.png') });
    const model = await goTo('arm model');
    assert.deepEqual(model.handles.map((one) => one.vertex), [handle.vertex], 'the model keeps its edits');
  },

  async 'handles: the server answers a drag well within a frame'({ root }) {
    const studio = new StudioProcess({ sinew, pageFolder, what: model(root), root });
    await studio.start();
    try {
      const page = new RawPage(studio);
      const { document } = await page.open();
      const { server, perEvent } = await dragHandles(page, document, studio, 100);
      page.socket.destroy();
      const median = server.sort((a, b) => a - b)[server.length / 2];
      assert.ok(median > 0 && median < 8 * patience, `${median} ms`);
      assert.ok(perEvent < 4096, `${perEvent} bytes per reply`);
    } finally {
      await studio.kill('SIGTERM');
    }
  },

  async 'handles: a reduced model opens; pins hold in a slow browser, one event is in flight, the release is the last'({ open, root }) {
    const { studio, page } = await open(model(root));
    await enter(page);
    const { diagonal, vertices } = (await look(page)).document;
    const placed = await placeByClicks(page, await ends(page));
    assert.equal(placed.length, 3);
    for (const handle of [1, 2]) {
      await page.getByLabel('Handles').getByRole('button', { name: `${handle} · vertex` }).click();
      await page.keyboard.press('p');
      await settled(page);
    }
    const box = await canvasBox(page);
    const p = await at(page, placed[2].vertex);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 10 });
    const before = await counters(page);
    const fetched = () => page.evaluate(() => performance.getEntriesByType('resource').length);
    const requests = await fetched();
    await page.mouse.move(box.x + p.x, box.y + p.y);
    await page.mouse.down();
    // Faster than any answer, so only some moves are sent.
    const moves = Array.from({ length: 60 }, (_, i) => ({ x: box.x + p.x + i / 2, y: box.y + p.y - i }));
    await Promise.all(moves.map(({ x, y }) => cdp.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y, button: 'left', buttons: 1 })));
    await cdp.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...moves.at(-1), button: 'left', clickCount: 1 });
    await page.mouse.up();
    await settled(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    const after = await counters(page);
    assert.ok(after.coalesced > before.coalesced, 'moves were replaced by newer ones');
    assert.ok(after.sent - before.sent < moves.length, `${after.sent - before.sent} messages`);
    assert.equal(after.mostInFlight, 1);
    assert.equal(await fetched(), requests, 'nothing was fetched while dragging');
    const perMessage = (after.socketBytes - before.socketBytes) / (after.sent + after.received - before.sent - before.received);
    assert.ok(perMessage < 4096 && perMessage < 4 * vertices, `${perMessage} bytes per message`);
    const wanted = await targetAt(page, studio, 2);
    const { x, y } = moves.at(-1);
    assert.ok(Math.hypot(wanted.x + box.x - x, wanted.y + box.y - y) < 0.1, 'released where the pointer was last');
    assert.ok(Math.max(...(await residuals(page, studio))) < 1e-4 * diagonal, 'pins hold and the third reaches its target');
    assert.deepEqual((await studio.state()).handles.map((handle) => handle.pinned), [true, true, false]);

    // Escape cancels; Shift moves at a tenth of the speed.
    const kept = (await studio.state()).handles[2].target;
    const depth = await undoDepth(page);
    const q = await at(page, placed[2].vertex);
    await page.mouse.move(box.x + q.x, box.y + q.y);
    await page.mouse.down();
    await page.mouse.move(box.x + q.x + 40, box.y + q.y, { steps: 4 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await settled(page);
    assert.deepEqual((await studio.state()).handles[2].target, kept);
    assert.equal(await undoDepth(page), depth, 'no step');
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + q.x, box.y + q.y);
    await page.mouse.down();
    await page.mouse.move(box.x + q.x + 100, box.y + q.y, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await settled(page);
    const slow = await targetAt(page, studio, 2);
    assert.ok(Math.abs(slow.x - q.x - 10) < 1, `Shift moved it by ${slow.x - q.x} of 100 pixels`);
  },

  async 'handles: typed positions, strength, groups, proxies, shortcuts; both themes are accessible'({ open, root }) {
    const { studio, page } = await open(model(root));
    await enter(page);
    const { diagonal, reduced } = (await look(page)).document;
    assert.equal(await page.getByLabel('Control groups').getByRole('button').count(), reduced.controls);
    const [first, second] = await ends(page);
    for (const vertex of [first, second]) {
      await page.getByLabel('Vertex of the new handle').fill(String(vertex));
      await page.getByLabel('Vertex of the new handle').press('Enter');
      await settled(page);
    }
    assert.deepEqual((await look(page)).document.handles.map((handle) => handle.vertex), [first, second]);
    // With the tool off, a click places no handle.
    const box = await canvasBox(page);
    await page.locator('canvas').focus();
    await page.keyboard.press('h');
    const third = await visibleVertexNear(page, box.width / 2, box.height / 2, (await look(page)).document.vertices);
    await page.mouse.click(box.x + third.x, box.y + third.y);
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 2);
    await page.keyboard.press('h');

    const x = (await studio.state()).handles[1].target[0];
    const depth = await undoDepth(page);
    await page.getByLabel('Handle X').fill(`${x} + ${0.05 * diagonal}`);
    await page.getByLabel('Handle X').press('Enter');
    await settled(page);
    assert.ok(Math.abs((await studio.state()).handles[1].target[0] - x - 0.05 * diagonal) < 1e-9 * diagonal);
    assert.equal(await undoDepth(page), depth + 1, 'one step');
    assert.ok(Math.max(...(await residuals(page, studio))) < 1e-4 * diagonal);
    await page.locator('#strength').focus();
    await page.keyboard.press('Home');
    await settled(page);
    assert.ok(Math.abs((await studio.state()).handles[1].strength - 0.1) < 1e-9, 'a weak spring');
    assert.ok(Number(await page.locator('[data-test=handle-residual]').innerText()) > 1e-3 * diagonal, 'does not reach it');
    // The line from the target to the reached position.
    const reds = async () => {
      const { data } = PNG.sync.read(await page.locator('canvas').screenshot());
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] > 235 && Math.abs(data[i + 1] - 107) < 25 && Math.abs(data[i + 2] - 94) < 25) ++count;
      return count;
    };
    await page.screenshot({ path: join(pictures, 'studio_handles_residual.png') });
    assert.ok((await reds()) > 20, `a red line is seen: ${await reds()} pixels`);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await studio.state()).handles[1].strength, 0);
    assert.ok((await reds()) < 5, 'and gone');

    // One line describes what is under the pointer.
    await page.mouse.move(box.x + third.x, box.y + third.y);
    await page.getByText(/^Vertex [\d,]+ · group \d\d /).waitFor();
    // Hovering a group shows its weights: the picture changes and is restored.
    const shot = async () => (await page.locator('canvas').screenshot()).toString('base64');
    await page.getByRole('button', { name: 'Proxies', exact: true }).hover();
    await page.locator('[data-test=hover]').waitFor({ state: 'detached' });
    await settled(page);
    const plain = await shot();
    await page.getByLabel('Control groups').getByRole('button').first().hover();
    await settled(page);
    assert.ok((await shot()) !== plain, 'the group is visible');
    await page.getByRole('button', { name: 'Proxies', exact: true }).hover();
    await settled(page);
    assert.ok((await shot()) === plain, 'and all of them again');
    for (const name of ['Proxies', 'Blend weights']) {
      await page.getByRole('button', { name, exact: true }).click();
      await settled(page);
      assert.ok((await shot()) !== plain, name);
      await accessible(page);
      await page.screenshot({ path: join(pictures, `studio_handles_${name.split(' ')[0].toLowerCase()}.png`) });
      await page.getByRole('button', { name, exact: true }).click();
    }
    await page.keyboard.press('p');
    await settled(page);
    assert.equal((await look(page)).document.handles[1].pinned, true);
    await page.keyboard.press('u');
    await settled(page);
    assert.equal((await look(page)).document.handles[1].pinned, false);
    await page.keyboard.press('Delete');
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 1);
    await page.getByRole('button', { name: /theme/i }).click();
    await settled(page);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_handles_other_theme.png') });
  },

  async 'handles: a drag on the skin orbits, double-click removes; keys are moved, eased, scrubbed, played, and exported'({ open, root }) {
    const { studio, page } = await open(model(root));
    await enter(page);
    const box = await canvasBox(page);
    const { vertices: count } = (await look(page)).document;
    const vertex = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await dragBy(page, vertex, [4, 0], 5);
    assert.equal((await look(page)).document.handles.length, 0, 'a drag places no handle');
    const turned = await at(page, vertex.v);
    assert.ok(Math.hypot(turned.x - vertex.x, turned.y - vertex.y) > 1, 'but orbits the camera');
    const near = await visibleVertexNear(page, box.width / 2, box.height / 2, count);
    await page.mouse.click(box.x + near.x, box.y + near.y);
    await settled(page);
    const [{ vertex: lead }] = (await look(page)).document.handles;
    const places = [];
    for (let key = 0; key < 3; ++key) {
      await page.getByRole('button', { name: 'Key', exact: true }).click();
      await settled(page);
      places.push((await studio.state()).handles[0].target);
      const p = await at(page, lead);
      await dragBy(page, p, [4, -4]);
    }
    const times = async () => (await look(page)).document.keys.map((key) => key.time);
    assert.deepEqual(await times(), [0, 0.5, 1]);
    // By keyboard, then by mouse; an occupied time is refused.
    await page.getByRole('button', { name: 'Key at 1.00 s' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await settled(page);
    assert.ok(Math.abs((await times())[2] - 1 - 10 / 24) < 0.002);
    const mark = await page.getByRole('button', { name: 'Key at 1.42 s' }).boundingBox();
    const line = await page.locator('.key-line').boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    await page.mouse.down();
    await page.mouse.move(line.x + line.width, mark.y + 5, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const moved = (await times())[2];
    assert.ok(moved > 1.9, `${moved} s`);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.deepEqual(await times(), [0, 0.5, 1], 'each was one step');

    // After a quarter of the time a quarter of the way; with easing less.
    const momentAt = async (seconds) => {
      await page.getByLabel('Frame', { exact: true }).fill(String(24 * seconds));
      await page.getByLabel('Frame', { exact: true }).press('Enter');
      await settled(page);
      const { target } = (await studio.state()).handles[0];
      return Math.hypot(...target.map((x, i) => x - places[0][i])) / Math.hypot(...places[1].map((x, i) => x - places[0][i]));
    };
    assert.ok(Math.abs((await momentAt(0.5)) - 1) < 1e-4, 'the pose at a key is exact');
    const straight = await momentAt(0.125);
    await page.getByRole('button', { name: 'Smooth' }).click();
    await settled(page);
    await momentAt(0);
    const smooth = await momentAt(0.125);
    assert.ok(Math.abs(straight - 0.25) < 0.1, `${straight}`);
    assert.ok(smooth < straight - 0.05, `${smooth} of ${straight}`);

    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForFunction(() => Number.parseFloat(document.querySelector('[data-test=shown-time]')?.textContent ?? '0') > 0.3);
    await page.screenshot({ path: join(pictures, 'studio_keys.png') });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await settled(page);
    await page.getByLabel('Export file name').fill('keys');
    await page.getByRole('button', { name: 'Export animation' }).click();
    const words = page.getByText(/Read back, it deviates by/).last();
    await words.waitFor();
    const deviation = Number(/deviates by (\S+)/.exec(await words.innerText())[1]);
    assert.ok(deviation < 1e-5, `${deviation} of the size`);
    const validatorPath = join(top, 'tests/javascript/node_modules/gltf-validator/index.js');
    assert.ok(existsSync(validatorPath), 'the packages of tests/javascript are installed');
    const { default: validator } = await import(validatorPath);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(join(root, 'keys.glb'))));
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
    assert.equal(info.animationCount, 1);

    await page.getByRole('button', { name: 'Key at 0.50 s' }).focus();
    await page.keyboard.press('Delete');
    await settled(page);
    assert.deepEqual(await times(), [0, 1]);
    for (const [key, seconds] of [['.', '1.00 s'], [',', '0.00 s']]) {
      await page.keyboard.press(key);
      await settled(page);
      assert.equal(await page.locator('[data-test=shown-time]').innerText(), seconds);
    }
    const p = await at(page, lead);
    await page.mouse.dblclick(box.x + p.x, box.y + p.y);
    await settled(page);
    assert.equal((await look(page)).document.handles.length, 0, 'a double-click removes');
  },

  async 'handles: a folder of meshes opens in Handles; examples are shown, Reset pose keeps the handles, time is in frames and seconds'({ open, root }) {
    const { studio, page } = await open(meshes(root));
    const selected = () => page.getByRole('tab', { name: 'Handles' }).getAttribute('aria-selected');
    assert.equal(await selected(), 'true', 'Handles at once');
    await page.getByText('Learn a model from the example meshes, then pose').waitFor();
    // The choice of the user is kept, also by a reload.
    await page.getByRole('tab', { name: 'Pose' }).click();
    await page.reload();
    await page.waitForFunction(() => window.__studio !== undefined);
    await settled(page);
    assert.equal(await selected(), 'false');
    await enter(page);
    await page.getByRole('button', { name: 'Learn' }).click();
    await learned(page);
    const handles = await placeByClicks(page, await ends(page));
    const rest = handles.map((one) => one.target);
    const { examples } = (await look(page)).document.reduced;
    await page.getByRole('button', { name: `Show example ${examples[4]}` }).click();
    await settled(page);
    assert.equal(await page.locator('[data-test=activation]').nth(4).innerText(), '1.00');
    const shown = (await studio.state()).handles.map((one) => one.target);
    assert.notDeepEqual(shown, rest, 'handles move along');
    const { diagonal } = (await look(page)).document;
    assert.ok(Math.max(...(await residuals(page, studio))) < 1e-4 * diagonal, 'and stay on their vertices');
    await page.screenshot({ path: join(pictures, 'studio_handles_example.png') });
    await page.getByRole('button', { name: 'Reset pose' }).click();
    await settled(page);
    const after = (await studio.state()).handles;
    assert.equal(after.length, rest.length, 'handles are kept');
    after.forEach((one, h) => one.target.forEach((x, axis) => assert.ok(Math.abs(x - rest[h][axis]) < 1e-6 * diagonal, 'at their rest places')));
    await page.getByLabel('Frame', { exact: true }).fill('12');
    await page.getByLabel('Frame', { exact: true }).press('Enter');
    await page.locator('canvas').focus();
    await page.keyboard.press('k');
    await settled(page);
    assert.deepEqual((await look(page)).document.keys.map((key) => key.time), [0.5]);
    assert.match(await page.locator('.dock').innerText(), /\/ 48/, 'of two seconds');
    const boxes = await page.locator('.key-tools > *').evaluateAll((list) => list.map((one) => one.getBoundingClientRect().toJSON()));
    boxes.forEach((one, i) => assert.ok(i === 0 || one.left >= boxes[i - 1].right || one.top >= boxes[i - 1].bottom, `tools of the dock overlap: ${JSON.stringify(boxes)}`));
  },

  async 'handles: a folder of meshes is learned; touch places by a tap, drags a handle, orbits elsewhere'({ open, root, context }) {
    const { studio, page: first } = await open(meshes(root));
    await first.close();
    const touching = await context.browser().newContext({ viewport: { width: 1280, height: 800 }, hasTouch: true });
    try {
      const page = await openPage(touching, studio);
      await enter(page);
      await page.getByRole('button', { name: 'Learn' }).tap();
      await learned(page);
      const cdp = await touching.newCDPSession(page);
      const touch = (type, points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points });
      const swipe = async (from, to) => {
        await touch('touchStart', [from]);
        for (let i = 1; i <= 6; ++i) await touch('touchMove', [{ x: from.x + ((to.x - from.x) * i) / 6, y: from.y + ((to.y - from.y) * i) / 6 }]);
        await settled(page);
        await touch('touchEnd', []);
        await settled(page);
      };
      const box = await canvasBox(page);
      const vertices = await ends(page);
      for (const vertex of vertices) {
        const p = await at(page, vertex);
        await page.touchscreen.tap(box.x + p.x, box.y + p.y);
        await settled(page);
      }
      const handles = (await look(page)).document.handles;
      assert.equal(handles.length, vertices.length, 'a tap places');
      const lead = handles.length - 1;
      const p = await at(page, handles[lead].vertex);
      // Beside the mark, with the inaccuracy of a finger.
      await swipe({ x: box.x + p.x + 9, y: box.y + p.y + 9 }, { x: box.x + p.x + 29, y: box.y + p.y - 31 });
      const wanted = await targetAt(page, studio, lead);
      assert.ok(Math.hypot(wanted.x - p.x - 20, wanted.y - p.y + 40) < 1, `dragged by ${wanted.x - p.x}, ${wanted.y - p.y}`);
      const before = await at(page, handles[0].vertex);
      const state = (await studio.state()).handles;
      await swipe({ x: box.x + 30, y: box.y + box.height - 30 }, { x: box.x + 110, y: box.y + box.height - 30 });
      const after = await at(page, handles[0].vertex);
      assert.ok(Math.hypot(after.x - before.x, after.y - before.y) > 2, 'the view orbited');
      assert.deepEqual((await studio.state()).handles, state, 'and nothing else');
      assert.deepEqual(page.faults, []);
    } finally {
      await touching.close();
    }
  },
};
