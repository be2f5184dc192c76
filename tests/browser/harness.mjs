// Shared code of the journeys: the browser, pages, and queries to a page. Tests only read through window.__studio. Exit
// code 77: no browser was found.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StudioProcess } from './studio_process.mjs';

export const [sinew, pageFolder, only] = process.argv.slice(2);
export const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const packages = join(top, 'web/node_modules/playwright-core/index.mjs');
if (browserPath === undefined) {
  console.log('skipped: there is no chromium');
  process.exit(77);
}
if (!existsSync(packages)) {
  console.log('the packages of web/ are not installed: npm ci in web');
  process.exit(1);
}
const { chromium } = await import(packages);
export const { PNG } = (await import(join(top, 'web/node_modules/pngjs/lib/png.js'))).default;
const axeSource = readFileSync(join(top, 'web/node_modules/axe-core/axe.min.js'), 'utf8');
/** Time limits for an idle machine are multiplied by this: tests run in parallel. */
export const patience = Number(process.env.SINEW_PATIENCE ?? 4);
/** How often a journey may be run until it succeeds: software rendering on a busy machine sometimes stalls for seconds. */
const tries = Number(process.env.SINEW_JOURNEY_TRIES ?? 2);
export const pictures = join(top, 'build/pictures');
mkdirSync(pictures, { recursive: true });

export const look = (page) => page.evaluate(() => window.__studio.state());
export const settled = (page) => page.evaluate(() => window.__studio.settled());
export const canvasBox = (page) => page.locator('canvas').boundingBox();

/** Presses at a point of the canvas, moves `steps` times by [x, y] pixels, and releases. */
export async function dragBy(page, from, [x, y], steps = 4) {
  const box = await canvasBox(page);
  await page.mouse.move(box.x + from.x, box.y + from.y);
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) await page.mouse.move(box.x + from.x + x * i, box.y + from.y + y * i);
  await page.mouse.up();
  await settled(page);
}

export async function openPage(context, studio) {
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  await page.goto(studio.address);
  await page.waitForFunction(() => window.__studio !== undefined, null, { timeout: 30000 });
  await settled(page);
  return page;
}

/** Chooses files, or a folder, with the browser's own dialog. */
export async function choose(page, row, files) {
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('menuitem', { name: row }).click()]);
  await chooser.setFiles(files);
}

/** Accessibility violations. */
export async function accessible(page) {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`),
    [],
  );
}

export async function typeRotation(page, joint, axis, degrees) {
  await page.getByRole('listbox', { name: 'Joints' }).getByRole('option', { name: joint, exact: true }).click();
  const field = page.getByLabel(`Rotation ${axis} in degrees`);
  await field.fill(String(degrees));
  await field.press('Enter');
  await settled(page);
}

/** A position at which only this ring of the gizmo is under the pointer. */
export async function ringAt(page, place, axis, pointer = 'mouse') {
  const found = await page.evaluate(
    ({ place: { x, y }, axis, pointer }) => {
      for (let angle = 45; angle < 405; angle += 15) {
        const [c, s] = [Math.cos((angle * Math.PI) / 180), -Math.sin((angle * Math.PI) / 180)];
        const hits = [];
        for (let r = 20; r < 140; r += 1) if (window.__studio.gizmoAxis(x + r * c, y + r * s, pointer) === axis) hits.push(r);
        // In its middle.
        if (hits.length > 8) return { x: x + hits[hits.length >> 1] * c, y: y + hits[hits.length >> 1] * s, across: hits.length };
      }
      return undefined;
    },
    { place, axis, pointer },
  );
  assert.ok(found !== undefined, `the ring ${axis} is under the pointer`);
  return found;
}

/** Vertices as the page shows them, for comparison with an independent skinning of the server's state. */
export function placesOf(texels, count) {
  return Array.from({ length: count }, (_, v) => texels.slice(4 * v, 4 * v + 3));
}

/** Waits until every example of a list has its picture: its address, and the share of it that is not empty. */
export async function examplePictures(page, count) {
  await page.waitForFunction((n) => document.querySelectorAll('img.example-picture').length === n, count, { timeout: 10000 * patience });
  return page.evaluate(() =>
    [...document.querySelectorAll('img.example-picture')].map((image) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: image.naturalWidth, height: image.naturalHeight });
      const drawing = canvas.getContext('2d');
      drawing.drawImage(image, 0, 0);
      const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height);
      const filled = data.filter((value, i) => i % 4 === 3 && value > 128).length;
      return { address: image.src, share: (4 * filled) / data.length };
    }),
  );
}

/** One picture per pose, none of them empty. */
export function differ(pictures) {
  assert.equal(new Set(pictures.map((one) => one.address)).size, pictures.length, 'poses look different');
  for (const { share } of pictures) assert.ok(share > 0.03 && share < 0.9, `${share} of a picture is filled`);
}

/** A section, by its heading, is folded and unfolded again. */
export async function folds(page, heading, content) {
  const button = page.locator('.fold').filter({ hasText: heading });
  for (const open of [false, true]) {
    await button.click();
    assert.equal(await button.getAttribute('aria-expanded'), String(open));
    assert.equal(await content.count(), open ? 1 : 0);
  }
}

/** Reads all vertices at once, since each query waits for the GPU. */
export async function visibleVertexNear(page, x, y, count) {
  return page.evaluate(
    ([wantX, wantY, n]) => {
      const places = window.__studio.positions(0);
      let best;
      for (let v = 0; v < n; v += 5) {
        const p = window.__studio.projectPoint(0, [places[4 * v], places[4 * v + 1], places[4 * v + 2]]);
        const d = Math.hypot(p.x - wantX, p.y - wantY) + 400 * p.depth;
        if (best === undefined || d < best.d) best = { v, d, x: p.x, y: p.y };
      }
      return best;
    },
    [x, y, count],
  );
}

export const launchBrowser = () =>
  chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb', '--font-render-hinting=none'],
  });

/** Required: without a browser the suite would be skipped and look green. */
async function requireWebGl2(browser) {
  const page = await browser.newPage();
  const fault = await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl2');
    return gl === null ? 'no WebGL 2' : gl.getExtension('EXT_color_buffer_float') === null ? 'no floating-point targets' : '';
  });
  await page.close();
  if (fault === '') return;
  console.log(`FAILED  this chromium has ${fault}`);
  await browser.close();
  process.exit(1);
}

/** Headings whose text has no room, by the names of their buttons. */
const cutHeadings = (page) =>
  page.evaluate(() => [...document.querySelectorAll('h2, summary')].filter((one) => one.checkVisibility() && [one, ...one.querySelectorAll('*')].some((part) => part.textContent.trim() !== '' && part.getBoundingClientRect().width < 8)).map((one) => one.textContent));

/** What must hold at the end of every journey. */
async function sound(page) {
  assert.deepEqual(page.faults, []);
  assert.deepEqual(await cutHeadings(page), []);
  assert.equal(await page.evaluate(() => document.querySelector('canvas').getContext('webgl2').isContextLost()), false, 'the GPU is available');
  await accessible(page);
}

/** Runs one journey with its own folder, browser context and studios; returns its failures. */
async function walk(browser, name, run) {
  const root = mkdtempSync(join(tmpdir(), 'sinew-browser-'));
  // Reduced motion, so that there is less to wait for.
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const studios = [];
  const open = async (what) => {
    const studio = new StudioProcess({ sinew, pageFolder, what, root });
    await studio.start();
    studios.push(studio);
    return { studio, page: await openPage(context, studio) };
  };
  try {
    await run({ open, context, root });
    for (const page of context.pages()) await sound(page);
    return undefined;
  } catch (error) {
    const kept = join(pictures, `failed ${name.replace(/[^\w ]/g, '').slice(0, 60)}.png`);
    await context.pages().at(-1)?.screenshot({ path: kept, timeout: 5000 }).catch(() => {});
    return error;
  } finally {
    await context.close();
    for (const studio of studios) await studio.kill('SIGTERM');
    rmSync(root, { recursive: true, force: true });
  }
}

/** Runs journeys one after the other; returns how many failed. */
export async function runJourneys(journeys) {
  let failed = 0;
  assert.ok(Object.keys(journeys).length > 0, `no journey is called ${only}`);
  const browser = await launchBrowser();
  await requireWebGl2(browser);
  for (const [name, run] of Object.entries(journeys)) {
    for (let left = tries; left > 0; --left) {
      const began = Date.now();
      const error = await walk(browser, name, run);
      const seconds = `${((Date.now() - began) / 1000).toFixed(0).padStart(3)} s`;
      const outcome = error === undefined ? 'ok    ' : left > 1 ? 'AGAIN ' : 'FAILED';
      console.log(`${outcome} ${seconds}  ${name}${error === undefined ? '' : `\n${error.stack}`}`);
      if (error === undefined) break;
      if (left === 1) failed += 1;
    }
  }
  await browser.close();
  return failed;
}
