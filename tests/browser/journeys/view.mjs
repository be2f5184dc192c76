// The camera, and posing from every mode: mouse, keyboard, touch.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, ringAt, settled, typeRotation, visibleVertexNear } from '../harness.mjs';

const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** A press, moves and a release. */
async function drag(page, from, by, { button = 'left', release = true, steps = 6 } = {}) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button });
  await settled(page);
  for (let i = 1; i <= steps; ++i) await page.mouse.move(from.x + (by.x * i) / steps, from.y + (by.y * i) / steps);
  await settled(page);
  if (release) await page.mouse.up({ button });
  await settled(page);
}

async function withKeys(page, keys, run) {
  for (const key of keys) await page.keyboard.down(key);
  await run();
  for (const key of keys) await page.keyboard.up(key);
  await settled(page);
}

/** Visible vertices, far enough apart, and some hidden behind the character. */
async function seenAndHidden(page, count, wanted) {
  return page.evaluate(
    ([n, most]) => {
      const { width, height } = window.__studio.rectangle(0);
      const places = window.__studio.positions(0);
      const points = [];
      for (let v = 0; v < n; ++v) {
        const p = window.__studio.projectPoint(0, [places[4 * v], places[4 * v + 1], places[4 * v + 2]]);
        if (p.x > 20 && p.y > 20 && p.x < width - 90 && p.y < height - 20) points.push({ v, ...p });
      }
      // Relative to the depth of the character, for perspective and orthographic views alike.
      const depths = points.map((p) => p.depth);
      const thick = Math.max(...depths) - Math.min(...depths);
      const seen = [];
      const hidden = [];
      const step = Math.max(1, Math.floor(points.length / (12 * most)));
      for (let i = 0; i < points.length; i += step) {
        const p = points[i];
        const near = points.filter((q) => Math.hypot(q.x - p.x, q.y - p.y) < 12);
        const front = near.every((q) => q.depth >= p.depth - 0.03 * thick);
        const alone = near.every((q) => q === p || Math.hypot(q.x - p.x, q.y - p.y) > 1.2 || q.depth > p.depth + 0.1 * thick);
        if (front && alone && seen.length < most) seen.push(p);
        const over = near.filter((q) => q.depth < p.depth - 0.2 * thick);
        if (over.length > 6 && hidden.length < most / 2) hidden.push(p);
      }
      return { seen, hidden };
    },
    [count, wanted],
  );
}

export const viewJourneys = {
  async 'Space poses in every mode; modes keep pose, selection, camera and history'({ open }) {
    const { studio, page } = await open('sample:arm');
    const rotation = async () => (await look(page)).poses[0][1].rotation;
    await page.keyboard.press('3');
    await settled(page);
    const box = await canvasBox(page);
    const { vertices } = (await look(page)).document;
    const skin = await visibleVertexNear(page, 0.78 * box.width, box.height / 2, vertices);
    const hand = { x: box.x + skin.x, y: box.y + skin.y };
    const before = await studio.state();
    const rest = await rotation();
    // The grabbed point follows the pointer; weights do not change.
    await page.mouse.move(hand.x, hand.y);
    await page.keyboard.down('Space');
    await drag(page, hand, { x: -40, y: -120 }, { release: false });
    const held = await page.evaluate((v) => window.__studio.projectVertex(0, v), skin.v);
    const centre = await page.evaluate(() => window.__studio.projectJoint(0, 1));
    const angle = (p) => Math.atan2(p.y - centre.y, p.x - centre.x);
    const off = Math.abs(angle(held) - angle({ x: skin.x - 40, y: skin.y - 120 }));
    // The picked vertex may be a neighbour, and the bone points towards the camera.
    assert.ok(off < 0.12 && Math.abs(angle(skin) - angle({ x: skin.x - 40, y: skin.y - 120 })) > 0.3, `the skin is ${off} rad beside the line from its joint to the pointer`);
    await page.screenshot({ path: join(pictures, 'studio_space.png') });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await settled(page);
    assert.ok(apart(await rotation(), rest) < 1e-6, 'Esc restores it');
    assert.equal((await look(page)).numbers.undo, 0);
    await drag(page, hand, { x: -40, y: -120 });
    await page.keyboard.up('Space');
    await settled(page);
    const bent = await rotation();
    assert.ok(apart(bent, rest) > 0.1, 'the joint is rotated');
    const state = await studio.state();
    assert.equal(state.weightsName, before.weightsName);
    assert.equal(state.history.depth, 1, 'as one step');
    // By dragging the joint: Ctrl snaps to 5 degrees, Shift moves at a tenth of the speed.
    await page.keyboard.down('Space');
    const elbow = { x: box.x + centre.x, y: box.y + centre.y };
    const turnOf = (a, b) => 2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, x, i) => sum + x * b[i], 0)))) * (180 / Math.PI);
    await drag(page, elbow, { x: 0, y: 60 });
    const fast = turnOf(await rotation(), bent);
    assert.ok(fast > 5, `${fast} degrees`);
    await page.keyboard.press('Control+z');
    await settled(page);
    await withKeys(page, ['Shift'], () => drag(page, elbow, { x: 0, y: 60 }));
    const slow = turnOf(await rotation(), bent);
    assert.ok(slow > 0.03 * fast && slow < 0.3 * fast, `${slow} of ${fast} degrees`);
    await page.keyboard.press('Control+z');
    await settled(page);
    await withKeys(page, ['Control'], () => drag(page, elbow, { x: 0, y: 60 }));
    const snapped = turnOf(await rotation(), bent);
    assert.ok(snapped > 1 && Math.abs(snapped - 5 * Math.round(snapped / 5)) < 1e-2, `${snapped} degrees`);
    await page.keyboard.press('Control+z');
    await page.keyboard.up('Space');
    await settled(page);
    // Space does not press a button that has the focus from a click.
    await page.getByRole('button', { name: '2 poses side by side' }).click();
    await page.getByRole('button', { name: '1 pose', exact: true }).click();
    await settled(page);
    await page.mouse.click(hand.x, hand.y + 200);
    const kept = async () => {
      const { poses, selectedVertices, selectedJoint, numbers, camera } = await look(page);
      return { poses, selectedVertices, selectedJoint, undo: numbers.undo, camera };
    };
    await drag(page, { x: box.x + 30, y: box.y + box.height - 30 }, { x: 50, y: 20 });
    const first = await kept();
    for (const mode of ['1', '4', '3', '2', '1']) {
      await page.keyboard.press(mode);
      await settled(page);
      assert.deepEqual(await kept(), first, `mode ${mode} changes nothing`);
    }
    // A tap starts playback.
    await page.keyboard.press('Space');
    await page.waitForFunction(() => Number(document.querySelector('[data-test=time]').textContent.split(' ')[0]) > 0.1);
    await page.keyboard.press('Space');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, first.undo + 1, 'and stops as one step');
  },

  async 'the view: the orthographic view, the cube, keys, double-clicks and wheels'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 70);
    const box = await canvasBox(page);
    const camera = async () => (await look(page)).camera;
    const target = () => page.evaluate(() => window.__studio.projectPoint(0, [0, 0, 0]));
    const before = await target();
    await page.locator('canvas').focus();
    await page.keyboard.press('o');
    await settled(page);
    assert.equal((await camera()).orthographic, true);
    const after = await target();
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 0.5, 'the viewed pose does not change');
    // Rings turn, snapped, as they do in perspective.
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    await settled(page);
    const ring = await ringAt(page, await page.evaluate(() => window.__studio.projectJoint(0, 1)), 'Z');
    await withKeys(page, ['Control'], () => drag(page, { x: box.x + ring.x, y: box.y + ring.y }, { x: -60, y: 25 }));
    const degrees = Number(await page.getByLabel('Rotation Z in degrees').inputValue());
    assert.ok(Math.abs(degrees - 70) > 1 && Math.abs(degrees % 5) < 1e-6, `${degrees} degrees`);
    await page.screenshot({ path: join(pictures, 'studio_parallel.png') });
    // The skin is dragged under the pointer, and hidden vertices are not picked.
    await page.keyboard.press('3');
    await settled(page);
    const { vertices } = (await look(page)).document;
    for (const orthographic of [true, false]) {
      if ((await camera()).orthographic !== orthographic) await page.keyboard.press('o');
      await settled(page);
      const wanted = orthographic ? 10 : 20;
      const { seen, hidden } = await seenAndHidden(page, vertices, 40);
      // Reach corners are buttons that may cover the next vertex.
      const free = (p) => page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.tagName === 'CANVAS', [box.x + p.x, box.y + p.y]);
      const wrong = [];
      let clicked = 0;
      for (const p of seen) {
        if (clicked === wanted || !(await free(p))) continue;
        await page.mouse.click(box.x + p.x, box.y + p.y);
        await settled(page);
        const found = (await look(page)).selectedVertices[0];
        if (found !== p.v) wrong.push({ ...p, found });
        clicked += 1;
      }
      assert.deepEqual(wrong, [], `vertices by clicks, ${orthographic ? 'orthographic' : 'perspective'}`);
      assert.equal(clicked, wanted);
      assert.ok(hidden.length >= 5);
      for (const p of hidden.slice(0, 5)) {
        if (!(await free(p))) continue;
        await page.mouse.click(box.x + p.x, box.y + p.y);
        await settled(page);
        assert.notEqual((await look(page)).selectedVertices[0], p.v, 'hidden vertices are not picked');
      }
      await settled(page);
      assert.equal((await look(page)).numbers.undo, 2, 'a click is not a step');
    }
    await page.keyboard.press('1');
    // Faces of the cube, and the same commands in the palette.
    for (const [name, azimuth, polar] of [['top', 0, 0], ['right', Math.PI / 2, Math.PI / 2], ['front', 0, Math.PI / 2]]) {
      await page.getByRole('button', { name: `View from the ${name}` }).focus();
      await page.keyboard.press('Enter');
      await settled(page);
      const now = await camera();
      assert.ok(Math.abs(now.azimuth - azimuth) < 1e-3 && Math.abs(now.polar - polar) < 1e-3, `${name}: ${JSON.stringify(now)}`);
    }
    const face = await page.getByRole('button', { name: 'View from the front' }).boundingBox();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search commands').fill('view left');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.ok(Math.abs((await camera()).azimuth + Math.PI / 2) < 1e-3);
    await page.mouse.click(face.x + face.width / 2, face.y + face.height / 2);
    await settled(page);
    assert.ok(Math.abs((await camera()).azimuth + Math.PI / 2) < 1e-3, 'the front face is the one that is hit');
    await page.getByRole('button', { name: 'View from the front' }).focus();
    await page.keyboard.press('Enter');
    // Keys while the viewport has the focus.
    await page.locator('canvas').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await settled(page);
    const turned = await camera();
    assert.ok(turned.azimuth > 0.05 && turned.polar < Math.PI / 2 - 0.05);
    await page.keyboard.press('+');
    await settled(page);
    assert.ok((await camera()).distance < 0.95 * turned.distance);
    // The wheel zooms to the pointer.
    const vertex = await visibleVertexNear(page, 0.7 * box.width, 0.45 * box.height, vertices);
    await page.mouse.move(box.x + vertex.x, box.y + vertex.y);
    await page.mouse.wheel(0, -240);
    await settled(page);
    const nearer = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex.v);
    assert.ok(Math.hypot(nearer.x - vertex.x, nearer.y - vertex.y) < 0.06 * box.width, `${JSON.stringify(nearer)} was at ${vertex.x} ${vertex.y}`);
    // A double-click makes the point the orbit centre.
    await page.mouse.dblclick(box.x + nearer.x, box.y + nearer.y);
    await settled(page);
    const middle = await page.evaluate((v) => window.__studio.projectVertex(0, v), vertex.v);
    assert.ok(Math.hypot(middle.x - box.width / 2, middle.y - box.height / 2) < 12, `${JSON.stringify(middle)} is the middle`);
    await accessible(page);
  },

  async 'two navigation styles, remembered; single-letter shortcuts can be turned off'({ open }) {
    const { page } = await open('sample:arm');
    const box = await canvasBox(page);
    const empty = { x: box.x + 60, y: box.y + box.height - 60 };
    const camera = async () => (await look(page)).camera;
    const does = async (keys, button) => {
      const before = await camera();
      await withKeys(page, keys, () => drag(page, empty, { x: 30, y: -20 }, { button }));
      const after = await camera();
      const turned = Math.abs(after.azimuth - before.azimuth) > 0.01;
      const nearer = Math.abs(after.distance / before.distance - 1) > 0.01;
      const moved = apart(after.target, before.target) > 1e-4;
      return turned ? 'turns' : nearer ? 'zooms' : moved ? 'moves' : 'nothing';
    };
    assert.deepEqual([await does([], 'left'), await does([], 'middle'), await does([], 'right')], ['turns', 'moves', 'moves']);
    assert.deepEqual([await does(['Alt'], 'left'), await does(['Alt'], 'middle'), await does(['Alt'], 'right')], ['turns', 'moves', 'zooms']);
    assert.equal(await page.getByRole('menu').count(), 0, 'a right drag is not a click');
    await page.keyboard.press('Control+,');
    await page.getByLabel('Navigation').selectOption('blender');
    await accessible(page);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.deepEqual([await does([], 'left'), await does([], 'middle'), await does(['Shift'], 'middle'), await does(['Control'], 'middle')], ['nothing', 'turns', 'moves', 'zooms']);
    await page.keyboard.press('g');
    assert.equal(await page.getByRole('button', { name: 'Move', exact: true }).getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('r');
    assert.equal(await page.getByRole('button', { name: 'Rotate', exact: true }).getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('Control+,');
    await page.getByLabel('Single-letter shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    assert.equal(await page.getByRole('button', { name: 'Rotate', exact: true }).getAttribute('aria-pressed'), 'true', 'letters are off');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  },

  async 'touch: one finger orbits, two pan and zoom, one on a ring rotates the joint, a long press opens the menu'({ open, context }) {
    const { page } = await open('sample:arm');
    const session = await context.newCDPSession(page);
    const box = await canvasBox(page);
    const camera = async () => (await look(page)).camera;
    const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id, radiusX: 8, radiusY: 8 })) });
    // Holding one finger for half a second opens the menu, so moves are sent without waiting for frames.
    const gesture = async (from, to, steps = 6) => {
      const moved = (i) => from.map(([x, y], f) => [x + ((to[f][0] - x) * i) / steps, y + ((to[f][1] - y) * i) / steps]);
      const start = touch('touchStart', from);
      if (from.length > 1) {
        await start;
        await settled(page);
      }
      const sent = [start];
      for (let i = 1; i <= steps; ++i) {
        sent.push(touch('touchMove', moved(i)));
        if (from.length > 1) await sent.at(-1);
      }
      await Promise.all(sent);
      await settled(page);
      await touch('touchEnd', []);
      await settled(page);
    };
    const [x, y] = [box.x + 120, box.y + box.height - 120];
    let before = await camera();
    await gesture([[x, y]], [[x + 40, y - 10]]);
    let after = await camera();
    assert.ok(Math.abs(after.azimuth - before.azimuth) > 0.02, 'one finger orbits');
    before = after;
    await gesture([[x, y], [x + 80, y]], [[x - 40, y], [x + 160, y]]);
    after = await camera();
    assert.ok(after.distance < 0.9 * before.distance, `a pinch brings nearer: ${before.distance} to ${after.distance}`);
    before = after;
    await gesture([[x, y], [x + 80, y]], [[x + 50, y - 30], [x + 130, y - 30]]);
    after = await camera();
    assert.ok(apart(after.target, before.target) > 1e-3 && Math.abs(after.azimuth - before.azimuth) < 1e-6, 'two fingers pan');
    await page.keyboard.press('a');
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    await settled(page);
    const ring = await ringAt(page, await page.evaluate(() => window.__studio.projectJoint(0, 1)), 'Z', 'touch');
    const rest = (await look(page)).poses[0][1].rotation;
    await gesture([[box.x + ring.x, box.y + ring.y]], [[box.x + ring.x - 60, box.y + ring.y + 20]]);
    assert.ok(apart((await look(page)).poses[0][1].rotation, rest) > 0.05, 'touch drags the ring');
    assert.equal((await look(page)).numbers.undo, 1);
    const { vertices } = (await look(page)).document;
    const skin = await visibleVertexNear(page, 0.3 * box.width, box.height / 2, vertices);
    await touch('touchStart', [[box.x + skin.x, box.y + skin.y]]);
    await page.getByRole('menu').waitFor();
    await touch('touchEnd', []);
    await settled(page);
    assert.ok((await page.getByRole('menuitem').count()) > 2);
    await accessible(page);
    await page.getByRole('menuitem', { name: 'Orbit around this point' }).click();
    await settled(page);
    const middle = await page.evaluate((v) => window.__studio.projectVertex(0, v), skin.v);
    assert.ok(Math.hypot(middle.x - box.width / 2, middle.y - box.height / 2) < 30);
  },
};
