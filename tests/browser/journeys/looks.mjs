// How the view is drawn: materials, overlays, hidden parts, the camera, poses per view, morph targets, several joints, images.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary, writeMade } from '../../javascript/made.mjs';
import { accessible, canvasBox, look, pictures, PNG, settled, typeRotation } from '../harness.mjs';

const sheetColours = { red: [200, 30, 40], blue: [30, 60, 210] };
const green = [40, 160, 70];

/** Linear, as glTF has base colours. */
const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);

/** Two squares side by side on two joints: one with a texture that is red on its left half and blue on the other, one plain
 *  green. */
function writeSquares(path) {
  const sheet = new PNG({ width: 8, height: 8 });
  for (let i = 0; i < 64; ++i) sheet.data.set([...(i % 8 < 4 ? sheetColours.red : sheetColours.blue), 255], 4 * i);
  const binary = new Binary();
  const square = (x) => binary.accessor([x, 0, 0, x + 1, 0, 0, x, 1, 0, x + 1, 1, 0], 'VEC3', { bounds: true });
  const joints = (j) => binary.accessor(Array(4).fill([j, 0, 0, 0]).flat(), 'VEC4', { component: 5121 });
  const weights = binary.accessor(Array(4).fill([1, 0, 0, 0]).flat(), 'VEC4');
  const uv = binary.accessor([0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0], 'VEC3');
  Object.assign(binary.accessors[uv], { type: 'VEC2', count: 4 });
  binary.accessors[uv].bufferView = binary.view([0, 1, 1, 1, 0, 0, 1, 0], 5126);
  const indices = binary.accessor([0, 1, 2, 2, 1, 3], 'SCALAR', { component: 5123 });
  const picture = PNG.sync.write(sheet);
  const image = binary.view([...picture], 5121);
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const inverse = binary.accessor([...identity, ...identity.slice(0, 12), -1, 0, 0, 1], 'MAT4');
  const json = {
    asset: { version: '2.0' },
    scenes: [{ nodes: [0, 2] }],
    nodes: [{ name: 'first', children: [1] }, { name: 'second', translation: [1, 0, 0] }, { mesh: 0, skin: 0 }],
    skins: [{ joints: [0, 1], inverseBindMatrices: inverse }],
    meshes: [
      {
        name: 'squares',
        primitives: [
          { attributes: { POSITION: square(0), JOINTS_0: joints(0), WEIGHTS_0: weights, TEXCOORD_0: uv }, indices, material: 0 },
          { attributes: { POSITION: square(1), JOINTS_0: joints(1), WEIGHTS_0: weights }, indices, material: 1 },
        ],
      },
    ],
    materials: [
      { name: 'sheet', pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } },
      { name: 'green', pbrMetallicRoughness: { baseColorFactor: [...green.map(linear), 1], metallicFactor: 0 } },
    ],
    textures: [{ source: 0, sampler: 0 }],
    samplers: [{ magFilter: 9728, minFilter: 9728 }],
    images: [{ bufferView: image, mimeType: 'image/png' }],
    accessors: binary.accessors,
    bufferViews: binary.bufferViews,
    buffers: [{ byteLength: binary.length }],
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const words = (...list) => Buffer.from(Uint32Array.from(list).buffer);
  const bin = Buffer.concat(binary.chunks);
  writeFileSync(path, Buffer.concat([words(0x46546c67, 2, 28 + padded.length + bin.length, padded.length, 0x4e4f534a), padded, words(bin.length, 0x004e4942), bin]));
}

/** The colour at a point of the scene. */
async function colourAt(page, point) {
  const { document } = await look(page);
  const place = await page.evaluate((p) => window.__studio.projectPoint(0, p), point.map((x, i) => x - document.centre[i]));
  const box = await canvasBox(page);
  const shot = PNG.sync.read(await page.screenshot());
  const at = 4 * (Math.round(box.y + place.y) * shot.width + Math.round(box.x + place.x));
  return { rgb: [...shot.data.subarray(at, at + 3)], x: box.x + place.x, y: box.y + place.y };
}

const near = (a, b, by = 4) => a.every((x, i) => Math.abs(x - b[i]) <= by);

async function viewPanel(page, run) {
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await run(page.getByRole('dialog', { name: 'View options' }));
  await settled(page);
  await page.keyboard.press('Escape');
  await settled(page);
}

const left = [0.25, 0.3, 0];
const middle = [0.75, 0.3, 0];
const right = [1.6, 0.3, 0];

export const looksJourneys = {
  async 'materials and textures of the file, unlit, clay, wireframe; parts that are hidden are neither drawn nor picked'({ open, root }) {
    const file = join(root, 'squares.glb');
    writeSquares(file);
    const { studio, page } = await open(file);
    await page.keyboard.press('j');
    await page.waitForFunction(() => window.__studio.state().look.materials === true);
    await settled(page);
    const { look: first, document } = await look(page);
    assert.equal(first.shading, 'materials');
    assert.deepEqual(document.parts.map((part) => part.vertices), [4, 4]);
    // Lit: the colours of the image and of the material, lighter or darker.
    for (const [place, wanted] of [[left, sheetColours.red], [middle, sheetColours.blue], [right, green]]) {
      const { rgb } = await colourAt(page, place);
      assert.equal(rgb.indexOf(Math.max(...rgb)), wanted.indexOf(Math.max(...wanted)), `${rgb} is of the hue of ${wanted}`);
    }
    await page.screenshot({ path: join(pictures, 'studio_materials.png') });
    await viewPanel(page, (panel) => panel.getByLabel('Unlit').check());
    for (const [place, wanted] of [[left, sheetColours.red], [middle, sheetColours.blue], [right, green]]) {
      const { rgb } = await colourAt(page, place);
      assert.ok(near(rgb, wanted), `${rgb} is ${wanted} of the file`);
    }
    // Texture coordinates follow the skin: the red half moves with its joint.
    await typeRotation(page, 'first', 'Z', 90);
    assert.ok(near((await colourAt(page, [-0.3, 0.25, 0])).rgb, sheetColours.red), 'the texture is turned with the skin');
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+z');
    await settled(page);
    await viewPanel(page, async (panel) => {
      await panel.getByLabel('Clay').check();
      await panel.getByLabel('Wireframe').check();
      await panel.getByLabel('Vertices').check();
      await panel.getByLabel('Ground grid').check();
      await accessible(page);
      await page.screenshot({ path: join(pictures, 'studio_view_options.png') });
    });
    const clay = (await colourAt(page, middle)).rgb;
    assert.ok(Math.max(...clay) - Math.min(...clay) < 30 && Math.max(...clay) < 215, `${clay} is clay`);
    assert.deepEqual((await look(page)).look.marks, { edges: 10, vertices: 8 });
    assert.equal(await page.getByText('Grid 0.2 units').isVisible(), true);
    // The second square is hidden, in the view and for the pointer.
    const depth = (await look(page)).numbers.undo;
    assert.equal(depth, 0);
    await page.getByRole('button', { name: 'Part squares.1' }).click();
    await page.keyboard.press('Shift+H');
    await settled(page);
    const hidden = (await look(page)).look;
    assert.deepEqual([hidden.triangles, hidden.marks], [2, { edges: 5, vertices: 4 }]);
    assert.equal(await page.getByLabel('Draw squares.1').isChecked(), false);
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal((await look(page)).look.triangles, 2, 'it stays hidden after a reload');
    await page.getByRole('tab', { name: 'Weights' }).click();
    await settled(page);
    const at = await colourAt(page, [1.985, 0.015, 0]);
    await page.mouse.click(at.x, at.y);
    await settled(page);
    assert.deepEqual((await look(page)).selectedVertices, [], 'hidden vertices are not picked');
    await page.keyboard.press('Alt+h');
    await settled(page);
    assert.equal((await look(page)).look.triangles, 4);
    await page.mouse.click(at.x, at.y);
    await settled(page);
    assert.deepEqual((await look(page)).selectedVertices, [5], 'visible ones are');
    // The part of the selected vertex is isolated, and all come back.
    await page.keyboard.press('/');
    await settled(page);
    assert.equal((await look(page)).look.triangles, 2);
    await page.keyboard.press('/');
    await settled(page);
    assert.equal((await look(page)).look.triangles, 4);
    assert.equal((await look(page)).numbers.undo, depth, 'nothing of this is a step');
    assert.equal((await studio.state()).history.depth, depth);
  },

  async 'the camera stays when the number of views changes; every view gets a pose from its corner, in every mode'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 60);
    await page.locator('canvas').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await page.keyboard.press('a');
    await settled(page);
    const { camera } = await look(page);
    for (const count of [2, 4, 3, 1, 2]) {
      await page.getByRole('button', { name: count === 1 ? '1 pose' : `${count} poses side by side`, exact: true }).click();
      await settled(page);
      assert.deepEqual((await look(page)).camera, camera, `${count} views`);
    }
    // A narrow view shows all of the character.
    const outside = await page.evaluate(() => {
      const places = window.__studio.positions(0);
      const { x, y, width, height } = window.__studio.rectangle(0);
      let count = 0;
      for (let v = 0; v < window.__studio.state().document.vertices; v += 7) {
        const p = window.__studio.projectPoint(0, places.slice(4 * v, 4 * v + 3));
        if (p.x < x || p.y < y || p.x > x + width || p.y > y + height) count += 1;
      }
      return count;
    });
    assert.equal(outside, 0);
    await page.getByRole('textbox', { name: 'Pose name' }).fill('bent');
    await page.getByRole('button', { name: 'Save pose' }).click();
    await settled(page);
    await page.keyboard.press('3');
    await settled(page);
    const turn = async (view) => (await look(page)).poses[view][1].rotation;
    const rest = (await look(page)).document.joints[1].rest.rotation;
    const bent = await turn(0);
    const choose = async (view, name) => {
      await page.getByRole('button', { name: `Set the pose of view ${view}` }).click();
      await accessible(page);
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      await page.keyboard.press('Escape');
      await settled(page);
    };
    await choose('B', 'rest');
    assert.deepEqual([await turn(0), await turn(1)], [bent, rest]);
    await choose('A', 'As in view B');
    assert.deepEqual(await turn(0), rest);
    await choose('B', 'bent');
    assert.deepEqual(await turn(1), bent);
    assert.equal((await look(page)).mode, 'weights');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.deepEqual(await turn(1), rest, 'each is a step');
  },

  async 'several joints turn together, as one step; the tree folds'({ open }) {
    const { page } = await open('sample:biped');
    const joints = (await look(page)).document.joints;
    const names = joints.map((joint) => joint.name);
    const row = (name) => page.getByRole('listbox', { name: 'Joints' }).getByRole('option', { name, exact: true });
    const chain = joints.findIndex((joint, j) => joint.parent >= 0 && joints.filter((one) => one.parent === j).length === 1);
    const below = joints.findIndex((joint) => joint.parent === chain);
    await row(names[chain]).click();
    await row(names[below]).click({ modifiers: ['Control'] });
    await settled(page);
    assert.deepEqual((await look(page)).selectedJoints.sort(), [chain, below].sort());
    const field = page.getByLabel('Rotation Y in degrees');
    await field.fill('30');
    await field.press('Enter');
    await settled(page);
    const { poses, numbers } = await look(page);
    const angle = (j) => {
      const [a, b] = [poses[0][j].rotation, joints[j].rest.rotation];
      return (360 / Math.PI) * Math.acos(Math.min(1, Math.abs(a.reduce((sum, x, i) => sum + x * b[i], 0))));
    };
    for (const j of [chain, below]) assert.ok(Math.abs(angle(j) - 30) < 1e-2, `${names[j]} is turned by ${angle(j)}`);
    assert.equal(numbers.undo, 1);
    await page.screenshot({ path: join(pictures, 'studio_joints.png') });
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await settled(page);
    const reset = await look(page);
    assert.equal(reset.numbers.undo, 2);
    for (const j of [chain, below]) reset.poses[0][j].rotation.forEach((x, i) => assert.ok(Math.abs(x - joints[j].rest.rotation[i]) < 1e-6));
    // Keys fold and unfold; a plain click selects one.
    const count = async () => page.getByRole('listbox', { name: 'Joints' }).getByRole('option').count();
    const all = await count();
    await row(names[chain]).click();
    assert.deepEqual((await look(page)).selectedJoints, [chain]);
    await page.keyboard.press('ArrowLeft');
    const folded = await count();
    assert.ok(folded < all, `${folded} of ${all} rows`);
    await page.keyboard.press('ArrowRight');
    assert.equal(await count(), all);
    await accessible(page);
  },

  async 'morph targets have sliders, which are steps; images have no background'({ open, root }) {
    const file = join(root, 'made.glb');
    writeMade(file, 4);
    const { page } = await open(file);
    const close = page.getByRole('button', { name: 'Close' });
    if (await close.count()) await close.first().click();
    const { morphs } = (await look(page)).document;
    assert.ok(morphs.length > 0);
    const name = morphs[0].name || 'morph target 0';
    const weight = async () => (await look(page)).morphWeights[0][0];
    const before = await weight();
    const points = () => page.evaluate(() => window.__studio.positions(0));
    const still = await points();
    assert.ok(before !== 0.75);
    const field = page.getByLabel(`Weight of ${name}, number`);
    await field.fill('0.75');
    await field.press('Enter');
    await settled(page);
    assert.equal(await weight(), 0.75);
    const moved = await points();
    assert.ok(moved.some((x, i) => Math.abs(x - still[i]) > 1e-3), 'the skin follows');
    const slider = page.getByRole('slider', { name: `Weight of ${name}`, exact: true });
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.ok(Math.abs((await weight()) - 0.76) < 1e-9);
    assert.equal((await look(page)).numbers.undo, 2);
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal(await weight(), before);
    assert.deepEqual(await points(), still);
    // A clip as images: the pose stays, and nothing is a step.
    const steps = (await look(page)).numbers;
    const saved = async (button, file_) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button, exact: true }).click()]);
      await download.saveAs(join(root, file_));
      await settled(page);
      return readFileSync(join(root, file_));
    };
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByLabel('Size of images').selectOption('1');
    const image = PNG.sync.read(await saved('Image', 'image.png'));
    const box = await canvasBox(page);
    assert.deepEqual([image.width, image.height], [Math.round(box.width), Math.round(box.height)]);
    let [clear, opaque] = [0, 0];
    for (let i = 3; i < image.data.length; i += 4) image.data[i] === 0 ? (clear += 1) : image.data[i] === 255 && (opaque += 1);
    assert.equal(image.data[3], 0, 'the corner is clear');
    assert.ok(clear > 0.3 * image.width * image.height && opaque > 0.01 * image.width * image.height, `${clear} clear, ${opaque} opaque`);
    const zip = await saved('Clip', 'clip.zip');
    const names = zip.toString('latin1').match(/made_[\w.-]+_\d{4}\.png/g);
    const { clips } = (await look(page)).document;
    assert.equal(new Set(names).size, Math.ceil(24 * clips[0].seconds - 1e-6) + 1);
    assert.equal((await look(page)).numbers.undo, steps.undo);
    assert.deepEqual(await points(), still, 'the pose is as before');
  },
};
