// Further instances of meshes, and morph targets: what the GPU has, against `sinew deform`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeMade } from '../../javascript/made.mjs';
import { diagonal, readObj, sinew as command } from '../../javascript/support.mjs';
import { canvasBox, look, pictures, settled, sinew, typeRotation } from '../harness.mjs';

const tolerance = 1e-5;

/** A .glb with another JSON. */
function rewriteGlb(path, edit) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  edit(json);
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const rest = bytes.subarray(20 + length);
  const head = Buffer.from(Uint32Array.from([0x46546c67, 2, 20 + padded.length + rest.length, padded.length, 0x4e4f534a]).buffer);
  writeFileSync(path, Buffer.concat([head, padded, rest]));
}

/** The made file with its skinned mesh and its stone placed again: by another skin, by a node that mirrors, with weights
 *  of morph targets of their own. */
function writeInstanced(path) {
  writeMade(path, 4);
  rewriteGlb(path, (json) => {
    const places = [
      { name: 'body again', mesh: 0, skin: 1, weights: [0.5, 0.25] },
      { name: 'body as it is', mesh: 0, translation: [4, 0, 0], scale: [-1, 1, 1] },
      { name: 'stone again', mesh: 2, translation: [-3, 1, 0], rotation: [0, 0, 0.6, 0.8], scale: [1, -1, 1] },
    ];
    for (const place of places) json.scenes[0].nodes.push(json.nodes.push(place) - 1);
  });
}

/** Points as the page shows them, in the order in which files of meshes have them: every mesh with all its instances. */
async function shownPoints(page, view = 0) {
  const { document } = await look(page);
  const [texels, stretches] = await page.evaluate((v) => [window.__studio.positions(v), window.__studio.instances()], view);
  const points = [];
  const add = (from, count) => {
    for (let v = from; v < from + count; ++v) document.centre.forEach((c, axis) => points.push(texels[4 * v + axis] + c));
  };
  for (let v = 0; v < document.vertices; ) {
    const instances = stretches.filter((one) => one.first === v);
    const count = instances[0]?.count ?? 1;
    add(v, count);
    for (const one of instances) add(one.at, count);
    v += count;
  }
  return points;
}

/** The largest distance from what the library makes of a file, in diagonals. */
async function deviation(page, file, pose, out, view = 0) {
  command(sinew, 'deform', file, '--pose', pose, '--all', '-o', out);
  const wanted = readObj(out);
  const shown = await shownPoints(page, view);
  assert.equal(shown.length, wanted.length, 'every instance is drawn');
  let most = 0;
  for (let i = 0; i < shown.length; i += 3) most = Math.max(most, Math.hypot(shown[i] - wanted[i], shown[i + 1] - wanted[i + 1], shown[i + 2] - wanted[i + 2]));
  return most / diagonal(wanted);
}

async function goToFrame(page, frame) {
  const field = page.getByLabel('Frame', { exact: true });
  await field.fill(String(frame));
  await field.press('Enter');
  await settled(page);
}

/** Rest and two frames of every clip. */
async function comparePlayback(page, file, root) {
  const out = join(root, 'library.obj');
  assert.ok((await deviation(page, file, 'rest', out)) < tolerance, 'at rest');
  const rest = await shownPoints(page);
  let moved = 0;
  for (const clip of (await look(page)).document.clips) {
    if (await page.getByRole('combobox', { name: 'Clip', exact: true }).isVisible()) await page.getByRole('combobox', { name: 'Clip', exact: true }).selectOption({ index: clip.index });
    await settled(page);
    const last = Math.floor(24 * clip.seconds);
    for (const frame of new Set([Math.ceil(last / 3), Math.max(1, last - 1)])) {
      await goToFrame(page, frame);
      const off = await deviation(page, file, `${clip.index}@${frame / 24}`, out);
      assert.ok(off < tolerance, `clip ${clip.index}, frame ${frame}: ${off} diagonals`);
      const shown = await shownPoints(page);
      shown.forEach((x, i) => (moved = Math.max(moved, Math.abs(x - rest[i]))));
    }
  }
  if ((await look(page)).document.clips.length > 0) assert.ok(moved > 0, 'clips move it');
}

export const drawnJourneys = {
  async 'every instance and every morph target is where the library has it, in every clip'({ open, root }) {
    const file = join(root, 'instanced.glb');
    writeInstanced(file);
    const { page } = await open(file);
    const { document } = await look(page);
    assert.equal(document.instances, 3);
    assert.match(await page.locator('[data-test=counts]').textContent(), /3 further instances/);
    assert.match(document.problems.join('\n'), /'body\.0' has 3 instances\. The first one is edited, and the others follow\./);
    const close = page.getByRole('button', { name: 'Close' });
    if (await close.count()) await close.first().click();
    await comparePlayback(page, file, root);
    await page.screenshot({ path: join(pictures, 'studio_instances.png') });
    // A picked vertex is one of the first instances, wherever the pointer is.
    const box = await canvasBox(page);
    const before = (await look(page)).selectedVertices;
    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const mirrored = await page.evaluate(() => {
      const [, second] = window.__studio.instances();
      const at = 4 * (second.at + (second.count >> 1));
      return window.__studio.projectPoint(0, window.__studio.positions(0).slice(at, at + 3));
    });
    await page.mouse.click(box.x + mirrored.x, box.y + mirrored.y);
    await settled(page);
    assert.deepEqual((await look(page)).selectedVertices, before, 'a further instance is not edited');
  },

  async 'further instances follow weights; a view uploads morphed points only when its weights change'({ open, root }) {
    const file = join(root, 'instanced.glb');
    writeInstanced(file);
    const { studio, page } = await open(file);
    const close = page.getByRole('button', { name: 'Close' });
    if (await close.count()) await close.first().click();
    await goToFrame(page, 9);
    const uploaded = async () => (await page.evaluate(() => window.__studio.counters())).morphTexels;
    const sent = await uploaded();
    const before = await shownPoints(page);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const vertex = 30;
    const number = page.getByLabel('By number', { exact: true });
    await number.fill(String(vertex));
    await number.press('Enter');
    await settled(page);
    await page.locator('canvas').focus();
    await page.keyboard.press('g');
    await page.waitForFunction(() => document.activeElement?.id === 'nudge-pad');
    for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal((await studio.state()).history.depth > 0, true);
    const after = await shownPoints(page);
    const { document } = await look(page);
    const stretches = await page.evaluate(() => window.__studio.instances());
    const body = stretches.filter((one) => one.first === 0);
    assert.equal(body.length, 2);
    // The third one has no skin: its node moves it whole.
    [true, true, false].forEach((follows, place) => {
      const at = 3 * (place * body[0].count + vertex);
      const way = Math.hypot(...[0, 1, 2].map((axis) => after[at + axis] - before[at + axis]));
      assert.equal(way > 1e-4 * document.diagonal, follows, `instance ${place} moves by ${way}`);
    });
    assert.equal(await uploaded(), sent, 'weights of the skin move no rest points');
    await page.getByRole('tab', { name: 'Pose' }).click();
    await goToFrame(page, 10);
    assert.ok((await uploaded()) > sent, 'weights of morph targets do');
    await goToFrame(page, 9);
    await page.keyboard.press('Control+s');
    await page.waitForFunction(() => window.__studio.state().document.saved === true);
    assert.ok((await deviation(page, file, `0@${9 / 24}`, join(root, 'saved.obj'))) < tolerance, 'as the library poses the saved file');
  },

  async 'learned corrections act while posing'({ open, root }) {
    command(sinew, 'sample', 'arm', '--vertices', '1500', '-o', join(root, 'arm'));
    const file = join(root, 'corrected.glb');
    command(sinew, 'psd', join(root, 'arm/arm.glb'), '--examples', join(root, 'arm/examples.json'), '-o', file);
    const { page } = await open(file);
    const out = join(root, 'library.obj');
    assert.ok((await deviation(page, file, 'rest', out)) < tolerance, 'at rest');
    // At an example the morph targets give what was learned.
    await typeRotation(page, 'forearm', 'Z', 90);
    const off = await deviation(page, file, join(root, 'arm/poses/elbow90.json'), out);
    assert.ok(off < tolerance, `bent by 90 degrees: ${off} diagonals`);
    assert.ok((await deviation(page, join(root, 'arm/arm.glb'), join(root, 'arm/poses/elbow90.json'), out)) > 100 * tolerance, 'the corrections act');
    await page.screenshot({ path: join(pictures, 'studio_corrected.png') });
    // Two views have weights of their own, and the first one keeps its.
    await page.getByRole('button', { name: '2 poses side by side' }).click();
    await settled(page);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok((await deviation(page, file, 'rest', out)) < tolerance, 'undo takes the correction back');
    assert.ok((await deviation(page, file, join(root, 'arm/poses/elbow90.json'), out, 1)) < tolerance, 'the second view stays');
  },

  async 'real files with textures, instances and morph targets'({ open, root }) {
    const data = process.env.SINEW_DATA_DIR;
    const more = ['RecursiveSkeletons', 'NegativeScaleTest', 'InterpolationTest', 'AnimatedMorphCube', 'MorphStressTest'].map((name) => `gltf-more/${name}`);
    for (const path of [...more, 'gltf/CesiumMan', 'gltf/Fox']) {
      const name = path.split('/')[1];
      const source = data === undefined ? '' : join(data, `${path}.glb`);
      if (!existsSync(source)) continue;
      const file = join(root, `${name}.glb`);
      writeFileSync(file, readFileSync(source));
      const { page } = await open(file);
      const close = page.getByRole('button', { name: 'Close' });
      if (await close.count()) await close.first().click();
      assert.equal((await look(page)).look.materials, true, `${name}: the materials are shown`);
      await page.screenshot({ path: join(pictures, `studio_${name}.png`) });
      await comparePlayback(page, file, root);
      await page.screenshot({ path: join(pictures, `studio_${name}_clip.png`) });
      await page.close();
    }
  },
};
