// The studio as a person uses it: the shipped page in a real browser against the real server. Acts by mouse and keys
// only; window.__studio is read, never written. Usage: studio.mjs SINEW PAGE [JOURNEY]. Exit 77: there is no browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
