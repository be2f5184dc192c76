// The studio as a person uses it: the shipped page in a real browser against the real server. Acts by mouse and keys
// only; window.__studio is read, never written. Usage: studio.mjs SINEW PAGE [JOURNEY]. Exit 77: there is no browser.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [sinew, pageFolder, only] = process.argv.slice(2);
const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const packages = join(top, 'web/node_modules/playwright-core/index.mjs');
if (browserPath === undefined || !existsSync(packages)) {
  console.log('skipped: no chromium, or the packages of web/ are not installed');
  process.exit(77);
}
const { chromium } = await import(packages);
const { PNG } = (await import(join(top, 'web/node_modules/pngjs/lib/png.js'))).default;
const axeSource = readFileSync(join(top, 'web/node_modules/axe-core/axe.min.js'), 'utf8');
const pictures = join(top, 'build/pictures');
mkdirSync(pictures, { recursive: true });

class Studio {
  constructor(what, root) {
    this.what = what;
    this.root = root;
  }

  async start() {
    const args = ['studio', ...(this.what === undefined ? [] : [this.what]), '--no-open', '--test-hooks', '--json', '--page', pageFolder];
    if (this.port !== undefined) args.push('--port', String(this.port));
    this.process = spawn(sinew, [...args, '--state', join(this.root, 'state'), '--root', this.root], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.log = '';
    this.process.stderr.on('data', (chunk) => (this.log += chunk));
    let text = '';
    for await (const chunk of this.process.stdout) {
      text += chunk;
      if (text.includes('}')) break;
    }
    const { address, port, token } = JSON.parse(text);
    Object.assign(this, { address, port, token });
  }

  kill(signal = 'SIGKILL') {
    return new Promise((resolve) => {
      this.process.once('exit', resolve);
      this.process.kill(signal);
    });
  }

  async state() {
    const response = await fetch(`http://127.0.0.1:${this.port}/debug/state`, { headers: { 'X-Sinew-Token': this.token } });
    return response.json();
  }
}

const look = (page) => page.evaluate(() => window.__studio.state());
const settled = (page) => page.evaluate(() => window.__studio.settled());
const canvasBox = (page) => page.locator('canvas').boundingBox();

async function openPage(context, studio) {
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  await page.goto(studio.address);
  await page.waitForFunction(() => window.__studio !== undefined, null, { timeout: 30000 });
  const renderer = await page.evaluate(() => window.__studio.webgl());
  assert.ok(renderer !== 'unknown', 'there is no WebGL 2 here, so nothing could be tested');
  await settled(page);
  return page;
}

/** What people with a screen reader or weak eyes would stumble over. */
async function accessible(page) {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`),
    [],
  );
}

async function typeRotation(page, joint, axis, degrees) {
  await page.getByRole('option', { name: joint, exact: true }).click();
  const field = page.getByLabel(`rotation ${axis} in degrees`);
  await field.fill(String(degrees));
  await field.press('Enter');
  await settled(page);
}

/** Vertices as the page shows them, against an independent small skinning of the server's state. */
function placesOf(texels, count) {
  return Array.from({ length: count }, (_, v) => texels.slice(4 * v, 4 * v + 3));
}

async function visibleVertexNear(page, x, y, count) {
  return page.evaluate(
    ([wantX, wantY, n]) => {
      let best;
      for (let v = 0; v < n; v += 5) {
        const p = window.__studio.projectVertex(0, v);
        const d = Math.hypot(p.x - wantX, p.y - wantY) + 400 * p.depth;
        if (best === undefined || d < best.d) best = { v, d, x: p.x, y: p.y };
      }
      return best;
    },
    [x, y, count],
  );
}

const journeys = {
  async 'cold start: the empty screen, then a sample'({ context, root }) {
    const studio = new Studio(undefined, root);
    await studio.start();
    const page = await openPage(context, studio);
    await page.getByRole('button', { name: /^arm/ }).click();
    await page.waitForFunction(() => window.__studio.state().document?.open === true, null, { timeout: 20000 });
    await settled(page);
    assert.match(await page.locator('[data-test=counts]').innerText(), /verts · 3 joints/);
    await page.screenshot({ path: join(pictures, 'studio_arm.png') });
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'a joint turns by typing; undo, redo and a reload keep the state'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await typeRotation(page, 'forearm', 'Z', 80);
    const bent = (await look(page)).poses[0][1].rotation;
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    for (let i = 0; i < 4; ++i) assert.ok(Math.abs(bent[i] - server[i]) < 1e-5, `${bent} against ${server}`);
    const count = (await look(page)).document.vertices;
    const before = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    await page.getByRole('button', { name: 'Undo' }).click();
    await settled(page);
    const rest = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    assert.ok(rest.some((p, v) => Math.hypot(p[0] - before[v][0], p[1] - before[v][1]) > 0.01), 'undo moves the skin back');
    await page.getByRole('button', { name: 'Redo' }).click();
    await settled(page);
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    const after = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    after.forEach((p, v) => p.forEach((x, i) => assert.ok(Math.abs(x - before[v][i]) < 1e-5)));
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'dragging the skin: weights stay convex, the line shows what is out of reach, a drag is one step'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'handles: learn from meshes, place by clicks, drag one, the others stay'({ context, root }) {
    const studio = new Studio('sample:quadruped', root);
    await studio.start();
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'killing the server loses nothing that was committed'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await typeRotation(page, 'forearm', 'Z', 45);
    const before = await studio.state();
    await studio.kill();
    await studio.start();
    const after = await studio.state();
    assert.deepEqual(after.views, before.views);
    assert.equal(after.history.depth, 1);
    await page.goto('about:blank');
    await studio.kill('SIGTERM');
  },

  async 'a joint turns by rings, slider and typing alike; Esc restores; undo, redo'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    const rotation = async () => (await look(page)).poses[0][1].rotation;
    const close = (a, b, what) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-5, `${what}: ${a} against ${b}`));
    const rest = await rotation();
    // The skin of the forearm picks the forearm.
    const box = await canvasBox(page);
    const { joints, vertices } = (await look(page)).document;
    const skin = await visibleVertexNear(page, 0.75 * box.width, box.height / 2, vertices);
    await page.mouse.click(box.x + skin.x, box.y + skin.y);
    await settled(page);
    const picked = (await look(page)).selectedJoint;
    assert.ok(picked > 0, 'a click on the skin picks a joint');
    // So does the joint itself.
    const elbow = joints.findIndex((joint) => joint.name === 'forearm');
    const place = await page.evaluate((j) => window.__studio.projectJoint(0, j), elbow);
    await page.mouse.click(box.x + place.x, box.y + place.y);
    await settled(page);
    assert.equal((await look(page)).selectedJoint, elbow);
    // On the ring of the joint's Z axis, which here looks at the camera.
    const ring = await page.evaluate(
      ({ x, y }) => {
        for (let r = 30; r < 140; r += 1) if (window.__studio.gizmoAxis(x, y - r) === 'Z') return { x, y: y - r };
        return undefined;
      },
      place,
    );
    assert.ok(ring !== undefined, 'the ring is under the pointer');
    const drag = async (release) => {
      await page.mouse.move(box.x + ring.x, box.y + ring.y);
      await page.mouse.down();
      for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + ring.x - 9 * i, box.y + ring.y + 4 * i);
      await settled(page);
      if (release) await page.mouse.up();
      await settled(page);
    };
    await drag(false);
    assert.ok((await rotation()).some((x, i) => Math.abs(x - rest[i]) > 0.05), 'the ring turns the joint');
    await page.screenshot({ path: join(pictures, 'studio_rings.png') });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await settled(page);
    close(await rotation(), rest, 'Esc restores');
    assert.equal((await look(page)).numbers.undo, 0);
    await page.keyboard.down('Control');
    await drag(true);
    await page.keyboard.up('Control');
    const byRing = await rotation();
    const degrees = Number(await page.getByLabel('rotation Z in degrees').inputValue());
    assert.ok(degrees !== 0 && Math.abs(degrees % 5) < 1e-9, `Ctrl snaps to 5 degrees (${degrees})`);
    assert.equal((await look(page)).numbers.undo, 1, 'a drag is one step');
    await page.keyboard.press('Control+z');
    await settled(page);
    close(await rotation(), rest, 'undo');
    await page.getByLabel('rot Z', { exact: true }).fill(String(degrees));
    await settled(page);
    close(await rotation(), byRing, 'slider');
    await page.keyboard.press('Control+z');
    await settled(page);
    await typeRotation(page, 'forearm', 'Z', `${2 * degrees}/2`);
    close(await rotation(), byRing, 'typing');
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    close(server, byRing, 'server');
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+Shift+z');
    await settled(page);
    close(await rotation(), byRing, 'redo');
    assert.equal((await look(page)).numbers.undo, 1);
    await accessible(page);
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'poses are saved, applied and deleted; a pose is mirrored and reset; the history jumps'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await typeRotation(page, 'forearm', 'Z', 60);
    const bent = (await look(page)).poses[0][1].rotation;
    await page.getByLabel('Name of the pose').fill('elbow60');
    await page.getByRole('button', { name: 'Save pose' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Go to pose rest' }).click();
    await settled(page);
    assert.notDeepEqual((await look(page)).poses[0][1].rotation, bent);
    await page.getByRole('button', { name: 'Go to pose elbow60' }).click();
    await settled(page);
    (await look(page)).poses[0][1].rotation.forEach((x, i) => assert.ok(Math.abs(x - bent[i]) < 1e-6));
    await page.getByRole('button', { name: 'History' }).click();
    const steps = page.getByRole('list', { name: 'History' }).getByRole('button');
    await steps.nth(4).waitFor();
    assert.deepEqual(await steps.allInnerTexts(), ['As opened', 'Pose forearm', 'Save pose elbow60', 'Go to pose rest', 'Go to pose elbow60']);
    await accessible(page);
    await steps.nth(1).click();
    await settled(page);
    const state = await look(page);
    assert.equal(state.numbers.undo, 1);
    assert.equal(state.numbers.redo, 3);
    assert.deepEqual(state.document.savedPoses, []);
    await steps.nth(4).click();
    await settled(page);
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Delete pose elbow60' }).click();
    await settled(page);
    assert.deepEqual((await look(page)).document.savedPoses, []);
    await page.locator('canvas').focus();
    await page.keyboard.press('0');
    await settled(page);
    assert.ok(Math.abs((await look(page)).poses[0][1].rotation[2]) < 1e-9, '0 resets the joint');
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'keys: modes, panels, palette and the sheet of shortcuts, in both themes'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await page.keyboard.press('2');
    assert.equal((await look(page)).mode, 'weights');
    await page.keyboard.press('1');
    assert.equal((await look(page)).mode, 'pose');
    await page.keyboard.press('[');
    assert.equal(await page.getByLabel('Outliner').count(), 0);
    await page.keyboard.press('`');
    assert.equal(await page.getByLabel('Inspector').count(), 0);
    await page.keyboard.press('`');
    assert.equal(await page.getByLabel('Outliner').count(), 1);
    // While one types, letters are letters.
    await page.getByLabel('Name of the pose').fill('');
    await page.getByLabel('Name of the pose').press('2');
    assert.equal((await look(page)).mode, 'pose');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search commands').fill('mode hand');
    await accessible(page);
    await page.keyboard.press('Enter');
    assert.equal((await look(page)).mode, 'handles');
    await page.keyboard.press('1');
    for (const size of [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      await page.setViewportSize(size);
      for (const theme of ['light', 'dark']) {
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.getByRole('button', { name: /theme$/ }).click();
        await page.getByRole('option', { name: 'forearm', exact: true }).click();
        await settled(page);
        await accessible(page);
        await page.screenshot({ path: join(pictures, `studio_pose_${theme}_${size.width}.png`) });
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
        await accessible(page);
        await page.screenshot({ path: join(pictures, `studio_shortcuts_${theme}_${size.width}.png`) });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor({ state: 'detached' });
      }
    }
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the theme is kept');
    await page.keyboard.press(']');
    await page.keyboard.press('2');
    assert.equal(await page.getByLabel('Inspector').count(), 1);
    await page.keyboard.press('1');
    assert.equal(await page.getByLabel('Inspector').count(), 0, 'panels are kept per mode');
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'files: dropped, refused with what to do, saved and opened again'({ context, root }) {
    const studio = new Studio(undefined, root);
    await studio.start();
    const page = await openPage(context, studio);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_empty.png') });
    const drop = (files) =>
      page.evaluate((list) => {
        const data = new DataTransfer();
        for (const { name, text } of list) data.items.add(new File([text], name));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, files);
    const card = page.getByRole('alert');
    await drop([{ name: 'fake.glb', text: 'this is no character' }]);
    await card.waitFor();
    assert.match(await card.innerText(), /^fake\.glb: .*export the file again/);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_refused.png') });
    await drop([{ name: 'notes.txt', text: 'hello' }]);
    await page.waitForFunction(() => document.querySelector('[role=alert]')?.textContent.includes('notes.txt'));
    assert.match(await card.innerText(), /None of these files can be opened[\s\S]*neither a character nor a mesh[\s\S]*Drop a \.glb/);
    // A folder in which one mesh has another topology.
    const folder = join(root, 'shapes');
    mkdirSync(folder);
    const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n';
    writeFileSync(join(folder, 'a.obj'), square);
    writeFileSync(join(folder, 'b.obj'), square.replace('1 1 0', '1 2 0'));
    writeFileSync(join(folder, 'c.obj'), `${square}v 5 5 5\n`);
    writeFileSync(join(folder, 'read me.txt'), 'about');
    await page.getByLabel('Choose a folder').setInputFiles(folder);
    await page.getByRole('button', { name: 'Skip it' }).waitFor();
    const text = await card.innerText();
    assert.match(text, /c\.obj has 5 vertices, a\.obj has 4: example meshes need the same vertices in the same order/);
    assert.match(text, /a\.obj taken, it fits[\s\S]*c\.obj has 5/);
    await page.screenshot({ path: join(pictures, 'studio_topology.png') });
    await page.getByRole('button', { name: 'Skip it' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'shapes');
    await settled(page);
    assert.match(await card.innerText(), /not all files were taken[\s\S]*read me\.txt/);
    // An empty folder, by its path.
    mkdirSync(join(root, 'nothing'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+o');
    const dialog = page.getByRole('dialog', { name: 'Open' });
    await dialog.getByRole('button', { name: 'nothing' }).click();
    await dialog.getByText('Nothing here can be opened').waitFor();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Open this folder' }).click();
    await card.waitFor();
    assert.match(await card.innerText(), /has no meshes that can be read; put files there/);
    await page.keyboard.press('Escape');
    // Save as, and open what was saved.
    await page.keyboard.press('Control+s');
    const save = page.getByRole('dialog', { name: 'Save as' });
    await save.getByLabel('File name').fill('square');
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_save.png') });
    await save.getByRole('button', { name: 'Save', exact: true }).click();
    await save.waitFor({ state: 'detached' });
    assert.ok(existsSync(join(root, 'square.glb')));
    await page.keyboard.press('Control+Shift+s');
    await save.getByLabel('File name').fill('b.glb');
    writeFileSync(join(root, 'b.glb'), 'other');
    await save.getByRole('button', { name: 'Save', exact: true }).click();
    await save.getByRole('button', { name: 'Replace it' }).click();
    await save.waitFor({ state: 'detached' });
    assert.ok(readFileSync(join(root, 'b.glb')).length > 100, 'it was replaced');
    await page.keyboard.press('Control+o');
    await page.getByRole('button', { name: 'square.glb' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'square.glb');
    // Dropped as bytes, under another name.
    const bytes = [...readFileSync(join(root, 'square.glb'))];
    await page.evaluate((list) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(list)], 'dropped.glb'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes);
    await page.waitForFunction(() => window.__studio.state().document?.title === 'dropped.glb');
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'the GPU forgets everything, and the picture comes back'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await typeRotation(page, 'forearm', 'Z', 40);
    const before = await page.evaluate(() => window.__studio.positions(0));
    await page.evaluate(() => {
      window.lose = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
      window.lose.loseContext();
    });
    await page.getByText('The graphics card forgot the picture').waitFor();
    await page.screenshot({ path: join(pictures, 'studio_lost.png') });
    await page.evaluate(() => window.lose.restoreContext());
    await page.getByText('The graphics card forgot the picture').waitFor({ state: 'detached' });
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_back.png') });
    const after = await page.evaluate(() => window.__studio.positions(0));
    assert.ok(before.length > 0 && before.every((x, i) => Math.abs(x - after[i]) < 1e-6), 'the skin is where it was');
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'a clip plays and stops as one step; two views have rings of their own; a pose is mirrored'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
    await page.keyboard.press('p');
    await page.waitForFunction(() => Number(document.querySelector('[data-test=time]').textContent.split(' ')[0]) > 0.4);
    await page.keyboard.press('p');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, 1, 'a ride is one step');
    const shown = (await look(page)).poses[0][1].rotation;
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    shown.forEach((x, i) => assert.ok(Math.abs(x - server[i]) < 1e-6));
    assert.ok(Math.abs(shown[3] - 1) > 1e-4, 'the clip moved the joint');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok(Math.abs((await look(page)).poses[0][1].rotation[3] - 1) < 1e-9, 'undo goes to before the ride');
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.getByRole('button', { name: '2 poses side by side' }).click();
    await settled(page);
    await page.keyboard.press('1');
    await page.getByRole('button', { name: 'pose B' }).click();
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    await settled(page);
    const place = await page.evaluate(() => window.__studio.projectJoint(1, 1));
    const ring = await page.evaluate(
      ({ x, y }) => {
        for (let r = 20; r < 140; r += 1) if (window.__studio.gizmoAxis(x, y - r) === 'Z') return { x, y: y - r };
        return undefined;
      },
      place,
    );
    assert.ok(ring !== undefined, 'the ring is in the second view');
    const box = await canvasBox(page);
    await page.mouse.move(box.x + ring.x, box.y + ring.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; ++i) await page.mouse.move(box.x + ring.x - 8 * i, box.y + ring.y + 3 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_views.png') });
    await page.mouse.up();
    await settled(page);
    const { views } = await studio.state();
    assert.ok(Math.abs(views[1].joints[15]) > 0.05 && Math.abs(views[0].joints[15]) < 1e-9, 'only the second view is posed');
    await accessible(page);
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'a biped by keys alone: a joint is turned, mirrored, reset and undone'({ context, root }) {
    const studio = new Studio('sample:biped', root);
    await studio.start();
    const page = await openPage(context, studio);
    const { joints } = (await look(page)).document;
    const left = joints.findIndex((joint) => /(\.|_)l$/i.test(joint.name) && joint.name.toLowerCase().includes('arm'));
    assert.ok(left > 0, `the biped has a left arm: ${joints.map((joint) => joint.name)}`);
    const mirrored = joints.findIndex((joint) => joint.name === joints[left].name.replace(/l$/, 'r').replace(/L$/, 'R'));
    await page.getByRole('option', { name: joints[left].name, exact: true }).focus();
    await page.keyboard.press('Enter');
    const angle = page.getByLabel('rotation X in degrees');
    for (let i = 0; i < 60 && !(await angle.evaluate((one) => one === document.activeElement)); ++i) await page.keyboard.press('Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('90/3');
    await page.keyboard.press('Enter');
    await settled(page);
    const turn = (pose, j) => {
      const [a, b] = [pose[j].rotation, joints[j].rest.rotation];
      return 2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, x, i) => sum + x * b[i], 0)))) * (180 / Math.PI);
    };
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30) < 1e-3);
    await page.screenshot({ path: join(pictures, 'studio_biped.png') });
    for (let i = 0; i < 200 && !(await page.locator('canvas').evaluate((one) => one === document.activeElement)); ++i) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('m');
    await settled(page);
    const pose = (await look(page)).poses[0];
    assert.ok(turn(pose, left) < 1e-3 && Math.abs(turn(pose, mirrored) - 30) < 1e-3, 'the other arm is turned now');
    await page.keyboard.press('Shift+Digit0');
    await settled(page);
    assert.ok(turn((await look(page)).poses[0], mirrored) < 1e-3);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30) < 1e-3);
    await page.keyboard.press('f');
    // Arrow keys on a slider are one step, also where undo comes at once.
    const before = (await look(page)).numbers.undo;
    await page.getByLabel('rot X', { exact: true }).focus();
    for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, before);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30) < 1e-3);
    await page.keyboard.press('Control+Shift+z');
    await settled(page);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30.5) < 1e-3, 'five steps of a tenth of a degree');
    await accessible(page);
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'a second tab takes over; 200 undos and redos keep the state and the memory'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const first = await openPage(context, studio);
    await typeRotation(first, 'forearm', 'Z', 50);
    for (const count of [4, 1, 2]) {
      await first.getByRole('button', { name: `${count} poses side by side` }).click();
      await settled(first);
      assert.equal((await look(first)).poses.length, count);
      assert.equal(await first.getByRole('button', { name: /^pose [A-D]$/ }).count(), count === 1 ? 0 : count);
    }
    const before = await studio.state();
    const second = await openPage(context, studio);
    await first.getByText('another page has taken over').waitFor();
    assert.deepEqual((await look(second)).poses, (await look(first)).poses);
    await accessible(first);
    await second.locator('canvas').focus();
    const heap = async () => {
      const session = await context.newCDPSession(second);
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const rounds = async (count) => {
      for (let i = 0; i < count; ++i) {
        await second.keyboard.press('Control+z');
        await second.keyboard.press('Control+Shift+z');
      }
      await settled(second);
    };
    await rounds(20);
    const start = await heap();
    await rounds(200);
    const end = await heap();
    assert.ok(end < 1.1 * start + 1e6, `${start} bytes grew to ${end}`);
    assert.deepEqual((await studio.state()).views, before.views);
    assert.equal((await look(second)).numbers.undo, 1);
    assert.deepEqual([...first.faults, ...second.faults], []);
    await studio.kill('SIGTERM');
  },

  async 'weights: several vertices, soft radius, locks, a joint that is suggested; the tools are one step each'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'paint: a stroke that leaves the canvas is one step; S takes an influence; exact 0 and 1 are seen'({ context, root }) {
    const studio = new Studio('sample:arm', root);
    await studio.start();
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'handles: a drag on the skin orbits, double-click removes, keys play, and the exported clip is the same'({ context, root }) {
    const studio = new Studio('sample:quadruped', root);
    await studio.start();
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },

  async 'a mesh dropped with a skeleton gets its first weights, as one step'({ context, root }) {
    const studio = new Studio(undefined, root);
    await studio.start();
    execFileSync(sinew, ['sample', 'arm', '--vertices', '1000', '-o', join(root, 'arm')]);
    const page = await openPage(context, studio);
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
    assert.deepEqual(page.faults, []);
    await studio.kill('SIGTERM');
  },
};

let failed = 0;
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb', '--font-render-hinting=none'],
});
for (const [name, run] of Object.entries(journeys)) {
  if (only !== undefined && !name.includes(only)) continue;
  const root = mkdtempSync(join(tmpdir(), 'sinew-browser-'));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await run({ context, root });
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
  await context.close();
  rmSync(root, { recursive: true, force: true });
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
