// Measures the studio: loading, round trips and drags at several sizes, without and with a browser. Run by hand, not by
// ctest.
//   node tests/browser/measure.mjs SINEW PAGE [MESHES...]     prints tables as docs/benchmarks.md has them
// MESHES: folders of example meshes for the mode Handles, beside the built-in quadruped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { dragHandles, ends } from './raw_drag.mjs';
import { RawPage } from './raw_page.mjs';
import { StudioProcess } from './studio_process.mjs';

// harness.mjs takes the same first two arguments; here folders follow.
const [sinew, pageFolder, ...folders] = process.argv.slice(2);
process.argv.length = 4;
const { launchBrowser, openPage, settled } = await import('./harness.mjs');

const root = mkdtempSync(join(tmpdir(), 'sinew-measure-'));
/** Large models take a minute to learn; SINEW_MEASURE_MODELS names a folder to keep them. */
const models = process.env.SINEW_MEASURE_MODELS ?? root;
const run = (...args) => execFileSync(sinew, [...args, '-q'], { stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 1 << 28 });
const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[Math.floor(list.length / 2)];
const p95 = (list) => sorted(list)[Math.floor(0.95 * list.length)];
const ms = (value) => (value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0));
const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2);
const mega = (bytes) => (bytes / 1e6).toFixed(1);

/** Prints the header now, and each row as it is measured. */
function table(head) {
  console.log(`\n| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`);
  return (...row) => console.log(`| ${row.join(' | ')} |`);
}

async function withStudio(what, use) {
  const studio = new StudioProcess({ sinew, pageFolder, what, root: mkdtempSync(join(root, 'state-')), files: '/' });
  const begin = performance.now();
  await studio.start();
  studio.startMs = performance.now() - begin;
  try {
    return await use(studio);
  } finally {
    await studio.kill('SIGTERM');
  }
}

async function withRawPage(what, use) {
  return withStudio(what, async (studio) => {
    const page = new RawPage(studio);
    const { document } = await page.open();
    try {
      return await use(page, document, studio);
    } finally {
      page.socket.destroy();
    }
  });
}

/** Rotates joints of a character, as a moving slider does. */
async function dragJoints(what, steps = 400) {
  return withRawPage(what, async (page, document) => {
    await page.command('views', { count: tripViews });
    const joints = document.joints.map((_, j) => j);
    const server = [];
    const trip = [];
    let bytes = 0;
    for (let i = 1; i <= steps; ++i) {
      const angle = 0.2 * Math.sin(i / 20);
      const begin = performance.now();
      const reply = await page.ask(
        'PoseSet',
        {
          view: 0,
          live: 1,
          joints,
          rotations: joints.flatMap((j) => (j === 1 ? [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)] : document.joints[j].rest.rotation)),
          translations: joints.flatMap((j) => document.joints[j].rest.translation),
          scales: joints.flatMap((j) => document.joints[j].rest.scale),
        },
        'Answer',
      );
      trip.push(performance.now() - begin);
      server.push(reply.values.solveMs + reply.values.queueMs);
      bytes = reply.bytes;
    }
    return { joints: joints.length, server, trip, bytes };
  });
}

/** The same in Chromium, in an empty page of the studio's origin: the socket alone, without drawing. */
async function tripInBrowser(browser, what, steps = 400) {
  return withStudio(what, async (studio) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${studio.port}/nothing`);
    const result = await page.evaluate(
      async ([token, count, views]) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        socket.binaryType = 'arraybuffer';
        await new Promise((resolve) => (socket.onopen = resolve));
        const protocol = 0;
        const hello = (version) =>
          new Promise((resolve) => {
            socket.onmessage = ({ data }) => typeof data === 'string' && JSON.parse(data).id === 1 && resolve(JSON.parse(data));
            socket.send(JSON.stringify({ id: 1, cmd: 'hello', args: { token, protocol: version } }));
          });
        let answer = await hello(protocol);
        if (!answer.ok) answer = await hello(Number(/the studio (\d+)/.exec(answer.text)[1]));
        const { joints } = answer.result.document;
        await new Promise((resolve) => {
          socket.onmessage = ({ data }) => typeof data === 'string' && JSON.parse(data).id === 2 && resolve();
          socket.send(JSON.stringify({ id: 2, cmd: 'views', args: { count: views } }));
        });
        const words = 4 + 2 + 1 + joints.length + (1 + 4 * joints.length) + 2 * (1 + 3 * joints.length) + 1;
        const trips = [];
        let bytes = 0;
        for (let i = 1; i <= count; ++i) {
          const view = new DataView(new ArrayBuffer(4 * words));
          view.setUint32(0, 19, true);
          view.setUint32(4, i, true);
          view.setUint32(12, 4 * (words - 4), true);
          let at = 16;
          const u32 = (value) => view.setUint32((at += 4) - 4, value, true);
          const f32 = (value) => view.setFloat32((at += 4) - 4, value, true);
          u32(0);
          u32(1);
          u32(joints.length);
          joints.forEach((_, j) => u32(j));
          u32(4 * joints.length);
          joints.forEach((joint, j) => (j === 1 ? [Math.sin(0.1 * Math.sin(i / 20)), 0, 0, Math.cos(0.1 * Math.sin(i / 20))] : joint.rest.rotation).forEach(f32));
          for (const what of ['translation', 'scale']) {
            u32(3 * joints.length);
            joints.forEach((joint) => joint.rest[what].forEach(f32));
          }
          u32(0);
          const begin = performance.now();
          const reply = await new Promise((resolve) => {
            socket.onmessage = ({ data }) => data instanceof ArrayBuffer && new DataView(data).getUint32(8, true) >= i && resolve(data);
            socket.send(view.buffer);
          });
          trips.push(performance.now() - begin);
          bytes = reply.byteLength;
        }
        return { trips, bytes, sent: 4 * words };
      },
      [studio.token, steps, tripViews],
    );
    await context.close();
    return result;
  });
}

/** The complete page: time until it is visible, network traffic, and a drag in one of the modes. */
async function wholePage(browser, what, tab) {
  return withStudio(what, async (studio) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const begin = performance.now();
    const page = await openPage(context, studio);
    const loaded = performance.now() - begin;
    const parts = await page.evaluate(() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/blob/')).map((one) => ({ bytes: one.encodedBodySize, ms: one.responseEnd - one.requestStart })));
    await page.getByRole('tab', { name: tab }).click();
    await settled(page);
    const { document } = await page.evaluate(() => window.__studio.state());
    const box = await page.locator('canvas').boundingBox();
    if (tab === 'Handles') {
      const [handle] = await ends(studio, document);
      await page.getByLabel('Vertex of the new handle').fill(String(handle.vertex));
      await page.getByLabel('Vertex of the new handle').press('Enter');
      await settled(page);
    }
    const grab = await page.evaluate(async (mode) => {
      const { document: info } = window.__studio.state();
      if (mode === 'Handles') return window.__studio.projectVertex(0, info.handles[0].vertex);
      if (mode === 'Pose') return undefined;
      const t = window.__studio.positions(0);
      let best;
      for (let v = 0; v < info.vertices; v += Math.ceil(info.vertices / 3000)) {
        const p = window.__studio.projectPoint(0, [t[4 * v], t[4 * v + 1], t[4 * v + 2]]);
        if (best === undefined || p.depth < best.depth) best = p;
      }
      return best;
    }, tab);
    const counters = () => page.evaluate(() => window.__studio.counters());
    let place;
    if (grab === undefined) {
      // A slider of a joint: the same messages as the rings.
      await page.getByRole('option').or(page.getByRole('treeitem')).nth(2).click();
      const slider = page.locator('#rotate-X');
      const r = await slider.boundingBox();
      place = { x: r.x + r.width / 2, y: r.y + r.height / 2, dx: 2, dy: 0 };
    } else {
      place = { x: box.x + grab.x, y: box.y + grab.y, dx: 2, dy: -1 };
    }
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    await settled(page);
    const from = await counters();
    const dragBegin = performance.now();
    const moves = 20;
    for (let i = 1; i <= moves; ++i) await page.mouse.move(place.x + place.dx * i, place.y + place.dy * i);
    await settled(page);
    const to = await counters();
    const dragMs = performance.now() - dragBegin;
    const { numbers } = await page.evaluate(() => window.__studio.state());
    const releaseBegin = performance.now();
    await page.mouse.up();
    await settled(page);
    const release = performance.now() - releaseBegin;
    await context.close();
    return {
      vertices: document.vertices,
      startMs: studio.startMs,
      loaded,
      fetchMs: Math.max(0, ...parts.map((one) => one.ms)),
      httpBytes: parts.reduce((sum, one) => sum + one.bytes, 0),
      sent: to.sent - from.sent,
      received: to.received - from.received,
      bytes: to.socketBytes - from.socketBytes,
      coalesced: to.coalesced - from.coalesced,
      inFlight: to.mostInFlight,
      deforms: to.deforms - from.deforms,
      dragMs,
      release,
      numbers,
    };
  });
}

/** The meshes of the quadruped, as a folder that `sinew reduce` reads. */
function quadruped(vertices) {
  const folder = join(root, `quadruped_meshes${vertices}`);
  if (!existsSync(folder)) run('sample', 'quadruped', '-o', folder, '--vertices', String(vertices));
  return folder;
}

/** Enough poses side by side for a reply of 3 KB. */
const tripViews = 3;
const sizes = [40000, 300000, 1000000];
const sample = (name, vertices) => {
  const folder = join(models, `${name}${vertices}`);
  if (!existsSync(folder)) run('sample', name, '-o', folder, '--vertices', String(vertices));
  return join(folder, `${name}.glb`);
};
const reduced = (name, makeInput) => {
  const path = join(models, `${name}_model.glb`);
  if (!existsSync(path)) run('reduce', makeInput(), '-o', path);
  return path;
};
const only = process.env.SINEW_MEASURE ?? '';
const wanted = (part) => only === '' || only.includes(part);
const browser = wanted('trip') || wanted('page') ? await launchBrowser() : undefined;
try {
  if (wanted('handles')) {
    const list = folders.map((folder) => [basename(folder), reduced(basename(folder), () => folder)]);
    for (const vertices of [15000, ...sizes]) list.push(['quadruped', reduced(`quadruped${vertices}`, () => quadruped(vertices))]);
    const row = table(['model', 'vertices', 'controls', 'handles', 'solve, ms', 'server, ms', '95 %', 'round trip, ms', 'bytes per reply', 'release, ms']);
    for (const [name, path] of list) {
      const r = await withRawPage(path, (page, document, studio) => dragHandles(page, document, studio, 400));
      row(name, r.vertices, r.controls, r.handles, ms(median(r.solve)), ms(median(r.server)), ms(p95(r.server)), ms(median(r.trip)), Math.round(r.perEvent), ms(r.release));
    }
  }
  if (wanted('trip')) {
    const path = sample('biped', 10000);
    const raw = await dragJoints(path);
    const inBrowser = await tripInBrowser(browser, path);
    const row = table(['client', 'bytes sent', 'bytes received', 'server, ms', 'median, ms', '95 %']);
    row('plain socket', inBrowser.sent, raw.bytes, ms(median(raw.server)), ms(median(raw.trip)), ms(p95(raw.trip)));
    row('Chromium', inBrowser.sent, inBrowser.bytes, ms(median(raw.server)), ms(median(inBrowser.trips)), ms(p95(inBrowser.trips)));
  }
  if (wanted('page')) {
    const row = table(['mode', 'vertices', 'server opens, s', 'page loads, s', 'fetching (included), s', 'HTTP, MB', 'sent', 'received', 'bytes each', 'coalesced', 'in flight', 'deform passes', 'solve, ms', 'drag, s', 'release, s']);
    for (const vertices of sizes) {
      const files = { Pose: () => sample('biped', vertices), Weights: () => sample('biped', vertices), Handles: () => reduced(`quadruped${vertices}`, () => quadruped(vertices)) };
      for (const [tab, file] of Object.entries(files)) {
               const r = await wholePage(browser, file(), tab);
        row(tab, r.vertices, seconds(r.startMs), seconds(r.loaded), seconds(r.fetchMs), mega(r.httpBytes), r.sent, r.received, Math.round(r.bytes / Math.max(1, r.sent + r.received)), r.coalesced, r.inFlight, r.deforms, ms(r.numbers.solveMs), seconds(r.dragMs), seconds(r.release));
      }
    }
  }
} finally {
  await browser?.close();
  rmSync(root, { recursive: true, force: true });
}
