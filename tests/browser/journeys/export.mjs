// The mode Export: what a file loses is said before it is written, and the written file is played by three.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { canvasBox, look, pictures, PNG, settled, sinew, top, typeRotation, visibleVertexNear } from '../harness.mjs';

const packages = join(top, 'tests/javascript/node_modules');

/** The sample `arm` with what its sculpts teach. */
function learnedArm(root) {
  const folder = join(root, 'arm');
  const path = join(folder, 'learned.glb');
  if (existsSync(path)) return { folder, path };
  const run = (...args) => execFileSync(sinew, args, { stdio: 'ignore' });
  run('sample', 'arm', '--vertices', '1000', '-o', folder);
  run('psd', join(folder, 'arm.glb'), '--examples', join(folder, 'examples.json'), '-o', path, '-q');
  return { folder, path };
}

const enter = async (page) => {
  await page.getByRole('tab', { name: 'Export' }).click();
  await planned(page);
};

/** Waits until the costs of the chosen options are shown. */
const planned = async (page) => {
  // Options are sent after a moment without changes.
  await page.waitForTimeout(300);
  await page.locator('[data-test=plan-deviation]').waitFor();
  await settled(page);
};

const write = async (page, name) => {
  await page.getByRole('button', { name: 'Export…' }).click();
  await page.getByLabel('File name').fill(name);
  await page.getByLabel('File name').press('Enter');
};

const numbersOf = async (page, test) => page.locator(`[data-test=${test}]`).evaluate(({ dataset }) => ({ max: Number(dataset.max), rms: Number(dataset.rms) }));

async function valid(path) {
  assert.ok(existsSync(packages), 'the packages of tests/javascript are installed');
  const { default: validator } = await import(join(packages, 'gltf-validator/index.js'));
  const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
  assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
  // A key of the whole pose also keys the node of the mesh, which moves nothing.
  const warnings = issues.messages.filter(({ severity, code }) => severity === 1 && code !== 'ANIMATION_CHANNEL_TARGET_NODE_SKIN');
  assert.deepEqual(warnings, []);
  return info;
}

/** The vertices of an OBJ, 3 numbers each. */
const objPoints = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('v '))
    .flatMap((line) => line.trim().split(/\s+/).slice(1, 4).map(Number));

const apart = (a, i, b, j) => Math.hypot(a[3 * i] - b[3 * j], a[3 * i + 1] - b[3 * j + 1], a[3 * i + 2] - b[3 * j + 2]);

/** Three keys of a bend in the clip `keys`. */
async function keyThree(page) {
  for (const [frame, angle] of [[0, 0], [12, 60], [24, 100]]) {
    if (frame > 0 || (await page.getByLabel('Frame', { exact: true }).count()) > 0) {
      await page.getByLabel('Frame', { exact: true }).fill(String(frame));
      await page.getByLabel('Frame', { exact: true }).press('Enter');
      await settled(page);
    }
    await typeRotation(page, 'forearm', 'Z', angle);
    await page.locator('canvas').focus();
    await page.keyboard.press('k');
    await settled(page);
  }
}

export const exportJourneys = {
  async 'export: three keyed poses of a skin are exported, valid, and read again without a difference'({ open, root }) {
    const { page } = await open('sample:arm');
    await keyThree(page);
    await enter(page);
    await write(page, 'keys.glb');
    await page.locator('[data-test=file-deviation]').waitFor();
    await settled(page);
    const { max } = await numbersOf(page, 'file-deviation');
    assert.ok(max < 1e-5 * (await look(page)).document.diagonal, `${max}`);
    const info = await valid(join(root, 'keys.glb'));
    assert.equal(info.animationCount, (await look(page)).document.clips.length);
    // An edit makes the comparison out of date, and undo does too.
    await page.getByText('Re-read file').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByText('The document has changed since').waitFor();
    await planned(page);
  },

  async 'export: the file with learned corrections plays in three.js as beside the document'({ open, root }) {
    const { page } = await open(learnedArm(root).path);
    await keyThree(page);
    const keyed = (await look(page)).document;
    assert.deepEqual(keyed.clips.find((one) => one.name === 'keys').times, [0, 0.5, 1]);
    const { undo } = (await look(page)).numbers;
    await enter(page);
    await page.getByRole('button', { name: 'three.js' }).click();
    await planned(page);
    assert.match(await page.locator('[data-test=preset]').innerText(), /4 influences.*Tried/s);
    await page.screenshot({ path: join(pictures, 'studio_export_before.png') });
    // Each row is a line of its own; a file that deforms differently does not claim to lose nothing.
    const rows = await page.locator('.tick').evaluateAll((list) => list.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
    assert.ok(rows.length > 2 && rows.every(([top], i) => i === 0 || top >= rows[i - 1][1]), JSON.stringify(rows));
    assert.equal(await page.getByText('Nothing is lost.').count(), 0);
    const { camera, look: { shading } } = await look(page);
    const said = await numbersOf(page, 'plan-deviation');
    assert.ok(said.max > 0 && said.max < 3e-3 * keyed.diagonal && said.rms < 3e-4 * keyed.diagonal, `${said.max} ${said.rms}`);

    await write(page, 'arm_out.glb');
    await page.locator('[data-test=file-deviation]').waitFor();
    await settled(page);
    const { max, rms } = await numbersOf(page, 'file-deviation');
    assert.ok(Math.abs(max - said.max) < 1e-6 * keyed.diagonal && rms <= max, 'as it was said');
    const path = join(root, 'arm_out.glb');
    const info = await valid(path);
    assert.equal(info.maxInfluences, 4);
    assert.equal((await look(page)).numbers.undo, undo, 'no step of undo');

    // Both in the same pose, and the file as three.js plays it.
    const pose = await page.evaluate(() => window.__studio.positions(0));
    await page.getByLabel('Clip of the file').selectOption({ label: 'keys' });
    const slider = page.getByLabel('Time in the file');
    await slider.focus();
    await page.keyboard.press('End');
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_export_after.png') });
    // Both are clay, and fill their halves.
    assert.equal((await look(page)).look.shading, 'clay');
    assert.notEqual(shading, 'clay');
    const share = await page.evaluate(() => {
      const r = window.__studio.rectangle(0);
      const points = window.__studio.besidePositions();
      let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let i = 0; i < points.length; i += 3) {
        const { x, y } = window.__studio.projectPoint(0, points.slice(i, i + 3));
        [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
      }
      return Math.max((right - left) / r.width, (bottom - top) / r.height);
    });
    assert.ok(share > 0.6 && share < 1.01, `${share} of the view`);
    // The same picture twice: below the labels and the view cube, in steps of colour.
    const area = await canvasBox(page);
    const image = PNG.sync.read(await page.screenshot());
    let [steps, pixels] = [0, 0];
    for (let y = Math.ceil(area.y + 160); y < area.y + area.height - 4; ++y)
      for (let x = Math.ceil(area.x + 4); x < area.x + area.width / 2 - 4; ++x, ++pixels) {
        const [one, other] = [x, x + area.width / 2].map((at) => image.data[4 * (y * image.width + Math.round(at))]);
        steps += Math.abs(one - other);
      }
    assert.ok(steps / pixels < 1, `the halves differ by ${steps / pixels} of 255`);
    const { loadInThree, threePoints } = await import(join(top, 'tests/javascript/player.mjs'));
    const loaded = await loadInThree(path);
    const three = threePoints(loaded, loaded.gltf.animations.findIndex((one) => one.name === 'keys'), 1);
    const { centre, diagonal } = (await look(page)).document;
    const beside = await page.evaluate(() => window.__studio.besidePositions());
    assert.equal(beside.length, three.length);
    const moved = three.map((x, i) => x - centre[i % 3]);
    const document = await page.evaluate(() => window.__studio.positions(0));
    let [toThree, toDocument] = [0, 0];
    for (let v = 0; v < beside.length / 3; ++v) {
      toThree = Math.max(toThree, apart(beside, v, moved, v));
      toDocument = Math.max(toDocument, Math.hypot(...[0, 1, 2].map((i) => beside[3 * v + i] - document[4 * v + i])));
    }
    assert.ok(toThree < 1e-5 * diagonal, `${toThree / diagonal} diagonals from three.js`);
    assert.ok(toDocument < 5e-3 * diagonal && toDocument > 0, `${toDocument / diagonal} diagonals from the document`);

    // A vertex under the pointer tells how far the file is from the document there.
    const box = await canvasBox(page);
    const near = await visibleVertexNear(page, box.width / 4, box.height / 2, beside.length / 3);
    await page.mouse.move(box.x + near.x, box.y + near.y);
    await page.getByText(/^Vertex [\d,]+ · deviation/).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForFunction(() => Number.parseFloat(document.querySelector('[data-test=file-time]').textContent) > 0.2 && Number.parseFloat(document.querySelector('[data-test=file-time]').textContent) < 0.9);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await settled(page);
    assert.equal(await page.locator('[data-test=file-time]').innerText(), 'Pose');
    const after = await page.evaluate(() => window.__studio.positions(0));
    assert.ok(after.every((x, i) => Math.abs(x - pose[i]) < 1e-6 * diagonal), 'the pose is the one from before');
    await page.getByRole('tab', { name: 'Pose' }).click();
    await settled(page);
    assert.equal((await page.evaluate(() => window.__studio.rectangle(0))).width, box.width, 'one view again');
    const left = await look(page);
    assert.equal(left.look.shading, shading);
    assert.ok(Math.abs(left.camera.distance - camera.distance) < 1e-4 * camera.distance, 'and the camera is where it was');
  },

  async 'export: a newcomer exports sculpts; three.js shows them, and more morph targets cost less error'({ open, root }) {
    const { folder, path } = learnedArm(root);
    const { page } = await open(path);
    await enter(page);
    // A shape per pose meets every sculpt.
    await page.getByLabel('Correctives as').selectOption('knots');
    await page.getByRole('checkbox', { name: /Clip of the examples/ }).check();
    await planned(page);
    const best = await numbersOf(page, 'plan-deviation');
    const morphs = page.getByLabel('Morph targets per mesh');
    await morphs.focus();
    await page.keyboard.press('ArrowRight');
    await planned(page);
    const one = await numbersOf(page, 'plan-deviation');
    assert.ok(one.rms > 2 * best.rms, `one target: ${one.rms}, as many as needed: ${best.rms}`);
    assert.equal(await page.locator('[data-test=morphs]').innerText(), '1');
    await page.getByRole('img', { name: /rms error by number of morph targets/ }).waitFor();
    await page.screenshot({ path: join(pictures, 'studio_export_curve.png') });
    await page.keyboard.press('Home');
    await planned(page);
    await page.screenshot({ path: join(pictures, 'studio_export_newcomer.png') });
    await write(page, 'elbow.glb');
    await page.locator('[data-test=file-deviation]').waitFor();
    await settled(page);
    const out = join(root, 'elbow.glb');
    await valid(out);
    const { loadInThree, threePoints } = await import(join(top, 'tests/javascript/player.mjs'));
    const loaded = await loadInThree(out);
    const { rest, examples } = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8'));
    const still = threePoints(loaded);
    const restPoints = objPoints(join(folder, rest));
    const { diagonal } = (await look(page)).document;
    // The file has a vertex more at seams.
    const map = Array.from({ length: still.length / 3 }, (_, v) => {
      let nearest = 0;
      for (let w = 1; w < restPoints.length / 3; ++w) if (apart(still, v, restPoints, w) < apart(still, v, restPoints, nearest)) nearest = w;
      assert.ok(apart(still, v, restPoints, nearest) < 1e-6 * diagonal);
      return nearest;
    });
    const clip = loaded.gltf.animations.findIndex((animation) => animation.name === 'examples');
    assert.ok(clip >= 0, 'the clip of the examples');
    examples.forEach(({ name, mesh }, k) => {
      const sculpt = objPoints(join(folder, mesh));
      const shown = threePoints(loaded, clip, k + 1);
      const rms = Math.sqrt(map.reduce((sum, w, v) => sum + apart(shown, v, sculpt, w) ** 2, 0) / map.length);
      assert.ok(rms < 1e-4 * diagonal, `${name}: ${rms / diagonal} diagonals`);
    });
  },

  async 'export: limits are shown on the skin, OBJ says what it loses, files are not replaced without asking'({ open, root }) {
    const { writeMade } = await import(join(top, 'tests/javascript/made.mjs'));
    writeMade(join(root, 'made.glb'), 8);
    const { page } = await open(join(root, 'made.glb'));
    await enter(page);
    const limit = page.locator('[data-test=limit-4]');
    assert.match(await limit.innerText(), /^4: max .*\(.* %\), [\d,]+ vert/);
    await page.getByRole('button', { name: 'Show vertices with more than 4 influences' }).click();
    await settled(page);
    const { selectedVertices } = await look(page);
    assert.ok(selectedVertices.length > 0, 'they are selected');
    await page.screenshot({ path: join(pictures, 'studio_export_limit.png') });
    await page.getByRole('group', { name: 'Influences per vertex' }).getByRole('button', { name: '4', exact: true }).click();
    await planned(page);
    assert.ok((await numbersOf(page, 'plan-deviation')).max > 0);
    await page.getByRole('checkbox', { name: /^Clip/ }).first().uncheck();
    await planned(page);
    await page.getByText(/left out/).first().waitFor();

    await page.getByLabel('Format').selectOption('.obj');
    await planned(page);
    await page.getByText('OBJ does not support skin weights').waitFor();
    await write(page, 'shape.obj');
    await page.locator('[data-test=file-deviation]').waitFor();
    await settled(page);
    const before = statSync(join(root, 'shape.obj')).mtimeMs;
    await write(page, 'shape.obj');
    const card = page.getByRole('dialog', { name: 'Export to a file' });
    await card.getByText(/shape\.obj already exists/).waitFor();
    await page.screenshot({ path: join(pictures, 'studio_export_replace.png') });
    assert.equal(statSync(join(root, 'shape.obj')).mtimeMs, before);
    await card.getByRole('button', { name: 'Replace it' }).click();
    await card.waitFor({ state: 'detached' });
    await settled(page);
    assert.ok(statSync(join(root, 'shape.obj')).mtimeMs > before);
    await page.getByRole('button', { name: /theme/i }).click();
    await page.setViewportSize({ width: 1000, height: 700 });
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_export_small.png') });
  },
};
