// The mode Pose.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, placesOf, ringAt, settled, typeRotation, visibleVertexNear } from '../harness.mjs';

export const poseJourneys = {
  async 'a joint is rotated by typing; undo, redo and a reload keep the state'({ open }) {
    const { studio, page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 80);
    const bent = (await look(page)).poses[0][1].rotation;
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    for (let i = 0; i < 4; ++i) assert.ok(Math.abs(bent[i] - server[i]) < 1e-5, `${bent} against ${server}`);
    const count = (await look(page)).document.vertices;
    const before = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    await page.getByRole('button', { name: 'Undo' }).click();
    await settled(page);
    const rest = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    assert.ok(rest.some((p, v) => Math.hypot(p[0] - before[v][0], p[1] - before[v][1]) > 0.01), 'undo restores the skin');
    await page.getByRole('button', { name: 'Redo' }).click();
    await settled(page);
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    const after = placesOf(await page.evaluate(() => window.__studio.positions(0)), count);
    after.forEach((p, v) => p.forEach((x, i) => assert.ok(Math.abs(x - before[v][i]) < 1e-5)));
  },

  async 'a joint is rotated by rings, slider and typing; Esc restores; undo, redo'({ open }) {
    const { studio, page } = await open('sample:arm');
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
    // On the ring of the joint's Z axis, which faces the camera here.
    const ring = await ringAt(page, place, 'Z');
    assert.ok(ring.across >= 24, `a mouse has ${ring.across} pixels to hit it`);
    assert.ok((await ringAt(page, place, 'Z', 'touch')).across >= 44, 'and larger for touch');
    const drag = async (release) => {
      await page.mouse.move(box.x + ring.x, box.y + ring.y);
      await page.mouse.down();
      for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + ring.x - 9 * i, box.y + ring.y + 4 * i);
      await settled(page);
      if (release) await page.mouse.up();
      await settled(page);
    };
    await drag(false);
    assert.ok((await rotation()).some((x, i) => Math.abs(x - rest[i]) > 0.05), 'the ring rotates the joint');
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
    const degrees = Number(await page.getByLabel('Rotation Z in degrees').inputValue());
    assert.ok(degrees !== 0 && Math.abs(degrees % 5) < 1e-9, `Ctrl snaps to 5 degrees (${degrees})`);
    assert.equal((await look(page)).numbers.undo, 1, 'a drag is one step');
    await page.keyboard.press('Control+z');
    await settled(page);
    close(await rotation(), rest, 'undo');
    await page.getByLabel('Rotation Z', { exact: true }).fill(String(degrees));
    await settled(page);
    close(await rotation(), byRing, 'slider');
    await page.keyboard.press('Control+z');
    await settled(page);
    await typeRotation(page, 'forearm', 'Z', `${2 * degrees}/2`);
    close(await rotation(), byRing, 'typing');
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    close(server, byRing, 'server');
    // The field keeps the focus; what was typed is committed, so undo is that of the document.
    await page.keyboard.press('Control+z');
    await settled(page);
    close(await rotation(), rest, 'undo in the field');
    await page.keyboard.press('Control+Shift+z');
    await settled(page);
    close(await rotation(), byRing, 'redo');
    assert.equal((await look(page)).numbers.undo, 1);
    await accessible(page);
  },

  async 'rotations beyond 90 degrees: typed, by slider and by ring; undo, redo and a reload restore the typed angles'({ open }) {
    const { page } = await open('sample:arm');
    const shown = async () => Promise.all(['X', 'Y', 'Z'].map(async (axis) => Number(await page.getByLabel(`Rotation ${axis} in degrees`).inputValue())));
    const undo = async (keys) => {
      await page.locator('canvas').focus();
      await page.keyboard.press(keys);
      await settled(page);
    };
    for (const [i, axis] of ['X', 'Y', 'Z'].entries()) {
      for (const degrees of [110, 170, -135]) {
        await typeRotation(page, 'forearm', axis, degrees);
        assert.deepEqual(await shown(), [0, 1, 2].map((k) => (k === i ? degrees : 0)), `typed ${degrees} about ${axis}`);
      }
      await typeRotation(page, 'forearm', axis, 0);
    }
    const steps = [[0, 0, 0], [170, 0, 0], [170, 110, 0], [170, 110, -135]];
    for (const [i, axis] of ['X', 'Y', 'Z'].entries()) await typeRotation(page, 'forearm', axis, steps[3][i]);
    assert.deepEqual(await shown(), steps[3]);
    await page.screenshot({ path: join(pictures, 'studio_beyond_90.png') });
    for (let k = 2; k >= 0; --k) {
      await undo('Control+z');
      assert.deepEqual(await shown(), steps[k], `undone ${3 - k} times`);
    }
    for (let k = 1; k <= 3; ++k) {
      await undo('Control+Shift+z');
      assert.deepEqual(await shown(), steps[k], 'redone');
    }
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    assert.deepEqual(await shown(), steps[3], 'after a reload');
    // All joints at once, and undo.
    await undo('0');
    assert.deepEqual(await shown(), [0, 0, 0]);
    await undo('Control+z');
    assert.deepEqual(await shown(), steps[3], 'the reset undone');
    // A slider moves to both ends.
    for (const end of [180, -180]) {
      await page.getByLabel('Rotation Y', { exact: true }).fill(String(end));
      await settled(page);
      assert.equal((await shown())[1], end);
    }
    // Rings continue through 90 and 180 degrees without a jump.
    await undo('0');
    const box = await canvasBox(page);
    const place = await page.evaluate(() => window.__studio.projectJoint(0, 1));
    for (const [i, axis] of [[2, 'Z'], [1, 'Y']]) {
      const ring = await ringAt(page, place, axis);
      await page.mouse.move(box.x + ring.x, box.y + ring.y);
      await page.mouse.down();
      let last = await shown();
      // The ring of Z faces the camera; that of Y lies flat, and is turned sideways.
      const along = Math.hypot(ring.x - place.x, ring.y - place.y);
      const [tx, ty] = axis === 'Y' ? [1, 0] : [(place.y - ring.y) / along, (ring.x - place.x) / along];
      for (let k = 1; k <= 60 && Math.abs(last[i]) < 215; ++k) {
        await page.mouse.move(box.x + ring.x + 8 * k * tx, box.y + ring.y + 8 * k * ty);
        const now = await shown();
        now.forEach((x, at) => assert.ok(Math.abs(x - last[at]) < 40, `ring ${axis}: from ${last} to ${now}`));
        last = now;
      }
      assert.ok(Math.abs(last[i]) > 200, `the ring ${axis} turned by ${last[i]}`);
      if (axis === 'Z') await page.screenshot({ path: join(pictures, 'studio_ring_200.png') });
      await page.mouse.up();
      await settled(page);
      const kept = await shown();
      kept.forEach((x, at) => assert.ok(Math.abs(x - last[at]) < 0.02, `let go at ${last}, shown ${kept}`));
      await undo('Control+z');
      assert.deepEqual(await shown(), [0, 0, 0]);
      await undo('Control+Shift+z');
      assert.deepEqual(await shown(), kept);
      await undo('Control+z');
    }
  },

  async 'poses are saved, applied and deleted; a pose is mirrored and reset; the history jumps'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 60);
    const bent = (await look(page)).poses[0][1].rotation;
    await page.getByLabel('Pose name').fill('elbow60');
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
  },

  async 'a biped by keyboard only: a joint is rotated, mirrored, reset and undone'({ open }) {
    const { page } = await open('sample:biped');
    const { joints } = (await look(page)).document;
    const left = joints.findIndex((joint) => /(\.|_)l$/i.test(joint.name) && joint.name.toLowerCase().includes('arm'));
    assert.ok(left > 0, `the biped has a left arm: ${joints.map((joint) => joint.name)}`);
    const mirrored = joints.findIndex((joint) => joint.name === joints[left].name.replace(/l$/, 'r').replace(/L$/, 'R'));
    await page.getByRole('option', { name: joints[left].name, exact: true }).focus();
    await page.keyboard.press('Enter');
    const angle = page.getByLabel('Rotation X in degrees');
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
    assert.ok(turn(pose, left) < 1e-3 && Math.abs(turn(pose, mirrored) - 30) < 1e-3, 'the other arm is rotated now');
    await page.keyboard.press('Shift+Digit0');
    await settled(page);
    assert.ok(turn((await look(page)).poses[0], mirrored) < 1e-3);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30) < 1e-3);
    await page.keyboard.press('f');
    // Arrow keys on a slider are one step, also if undo follows immediately.
    const before = (await look(page)).numbers.undo;
    await page.getByLabel('Rotation X', { exact: true }).focus();
    for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, before);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30) < 1e-3);
    await page.keyboard.press('Control+Shift+z');
    await settled(page);
    assert.ok(Math.abs(turn((await look(page)).poses[0], left) - 30.5) < 1e-3, 'five steps of a tenth of a degree');
    await accessible(page);
  },

  async 'the gizmo moves slowly, snaps and is constrained; numbers are scrubbed and stepped; both sides are posed at once'({ open, context }) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = await open('sample:biped');
    const { joints } = (await look(page)).document;
    const left = joints.findIndex((joint) => /arm/i.test(joint.name) && /(\.|_)l$/i.test(joint.name));
    const { name } = joints[left];
    const right = joints.findIndex((joint) => joint.name === name.replace(/l$/, 'r').replace(/L$/, 'R'));
    const box = await canvasBox(page);
    const pose = async () => (await look(page)).poses[0];
    const turn = (now, j) => 2 * Math.acos(Math.min(1, Math.abs(now[j].rotation.reduce((sum, x, i) => sum + x * joints[j].rest.rotation[i], 0)))) * (180 / Math.PI);
    const back = async () => {
      await page.locator('canvas').focus();
      await page.keyboard.press('Control+z');
      await settled(page);
    };
    await page.getByRole('option', { name, exact: true }).click();
    await page.keyboard.press('f');
    await settled(page);
    const place = await page.evaluate((j) => window.__studio.projectJoint(0, j), left);
    const ring = await ringAt(page, place, 'Z');
    const pull = async (at, by, { keys = [], during = [] } = {}) => {
      await page.mouse.move(box.x + at.x, box.y + at.y);
      for (const key of keys) await page.keyboard.down(key);
      await page.mouse.down();
      for (let i = 1; i <= 8; ++i) await page.mouse.move(box.x + at.x + (by[0] * i) / 8, box.y + at.y + (by[1] * i) / 8);
      for (const key of during) await page.keyboard.press(key);
      await settled(page);
      await page.mouse.up();
      for (const key of keys) await page.keyboard.up(key);
      await settled(page);
    };
    await pull(ring, [-60, -40]);
    const fast = turn(await pose(), left);
    await back();
    await pull(ring, [-60, -40], { keys: ['Shift'] });
    const slow = turn(await pose(), left);
    assert.ok(fast > 10 && slow > 0.05 * fast && slow < 0.15 * fast, `${slow} of ${fast} degrees`);
    await back();
    // Grabbed anywhere, X constrains the rotation to X.
    await pull(ring, [-60, -40], { during: ['x'] });
    const about = (await pose())[left].rotation.map((x, i) => x - joints[left].rest.rotation[i]);
    const angles = await Promise.all(['X', 'Y', 'Z'].map((axis) => page.getByLabel(`Rotation ${axis} in degrees`).inputValue()));
    assert.ok(Math.abs(Number(angles[0])) > 1 && Math.abs(Number(angles[1])) < 0.02 && Math.abs(Number(angles[2])) < 0.02, `${angles} ${about}`);
    await back();
    assert.ok(turn(await pose(), left) < 1e-4);
    // Arrows of Move, snapped to a round step.
    await page.keyboard.press('w');
    await settled(page);
    const arrow = await page.evaluate(
      ({ x, y }) => {
        for (let angle = 0; angle < 360; angle += 5) {
          const p = { x: x + 60 * Math.cos((angle * Math.PI) / 180), y: y + 60 * Math.sin((angle * Math.PI) / 180) };
          if (['X', 'Y', 'Z'].includes(window.__studio.gizmoAxis(p.x, p.y))) return { ...p, axis: window.__studio.gizmoAxis(p.x, p.y) };
        }
      },
      place,
    );
    await pull(arrow, [0.9 * (arrow.x - place.x), 0.9 * (arrow.y - place.y)], { keys: ['Control'] });
    const axis = 'XYZ'.indexOf(arrow.axis);
    const after = (await pose())[left].translation;
    // Steps are counted along the joint's own axes.
    const [qx, qy, qz, qw] = joints[left].rest.rotation.map((x, i) => (i < 3 ? -x : x));
    const t = [qy * after[2] - qz * after[1], qz * after[0] - qx * after[2], qx * after[1] - qy * after[0]].map((x) => 2 * x);
    const moved = [0, 1, 2].map((i) => after[i] + qw * t[i] + [qy * t[2] - qz * t[1], qz * t[0] - qx * t[2], qx * t[1] - qy * t[0]][i]);
    const step = Number(/snaps to ([\d.e-]+),/.exec(await page.getByLabel('Inspector').innerText())[1]);
    const along = moved[axis] / step;
    assert.ok(Math.hypot(...after.map((x, i) => x - joints[left].rest.translation[i])) > 0.5 * step, 'it moved');
    assert.ok(Math.abs(along - Math.round(along)) < 1e-3, `${moved} in steps of ${step}`);
    await back();
    await page.keyboard.press('e');
    // Number fields: dragged sideways, stepped, reset.
    const field = page.getByLabel('Rotation Y in degrees');
    const at = await field.boundingBox();
    await page.mouse.move(at.x + 20, at.y + 12);
    await page.mouse.down();
    for (let i = 1; i <= 5; ++i) await page.mouse.move(at.x + 20 + 8 * i, at.y + 12);
    await page.mouse.up();
    await settled(page);
    assert.equal(await field.inputValue(), '20.00', 'half a degree each pixel');
    assert.equal((await look(page)).numbers.undo, 1);
    await field.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await settled(page);
    assert.equal(await field.inputValue(), '25.50');
    await back();
    assert.equal((await look(page)).numbers.undo, 1, 'successive arrow keys are one step');
    await field.dblclick();
    await settled(page);
    assert.ok(turn(await pose(), left) < 1e-3, 'a double-click resets');
    // The other side moves symmetrically: swapping both sides changes nothing.
    await page.getByLabel('mirror X').check();
    await typeRotation(page, name, 'X', 25);
    await typeRotation(page, name, 'Z', -30);
    const both = await pose();
    assert.ok(turn(both, right) > 20 && Math.abs(turn(both, right) - turn(both, left)) < 1e-3);
    await page.locator('canvas').focus();
    await page.keyboard.press('m');
    await settled(page);
    const swapped = await pose();
    for (const j of [left, right]) assert.ok(both[j].rotation.every((x, i) => Math.abs(Math.abs(x) - Math.abs(swapped[j].rotation[i])) < 1e-4), `${both[j].rotation} ${swapped[j].rotation}`);
    await page.getByLabel('mirror X').uncheck();
    assert.ok(Number((await page.locator('[data-test=verts-moved]').innerText()).replace(/,/g, '')) > 10);
    assert.match(await page.locator('[data-test=influences-used]').innerText(), /^\d+ \/ \d+$/);
    // The context menu of a joint, by right click and by keyboard.
    await page.locator('canvas').focus();
    const joint = await page.evaluate((j) => window.__studio.projectJoint(0, j), left);
    await page.mouse.click(box.x + joint.x, box.y + joint.y, { button: 'right' });
    const menu = page.getByRole('menu');
    await menu.waitFor();
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_menu.png') });
    await menu.getByRole('menuitem', { name: 'Copy values' }).click();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.equal(copied.joint, name);
    await page.locator('canvas').focus();
    await page.keyboard.press('Shift+F10');
    await menu.waitFor();
    await page.keyboard.press('Enter');
    await settled(page);
    assert.ok(turn(await pose(), left) < 1e-4 && turn(await pose(), right) > 20, 'its first entry resets the joint');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Shift+F10');
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  },

  async 'typed angles: degrees and a decimal comma are read, invalid text stays with a message'({ open }) {
    const { page } = await open('sample:arm');
    const field = page.getByLabel('Rotation Z in degrees');
    for (const [text, shown] of [['90°', '90.00'], ['45 deg', '45.00'], ['1,5', '1.50']]) {
      await typeRotation(page, 'forearm', 'Z', text);
      assert.equal(await field.inputValue(), shown);
      assert.equal(await field.getAttribute('aria-invalid'), 'false');
    }
    const { undo } = (await look(page)).numbers;
    for (const [text, message] of [['abc', /"abc" is not a number/], ['45/0', /divides by 0/], ['1e400', /too large/]]) {
      await field.fill(text);
      await field.press('Enter');
      const alert = page.locator('.field-fault');
      await alert.waitFor();
      assert.match(await alert.innerText(), message);
      assert.equal(await field.inputValue(), text, 'the text stays');
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
    }
    await page.screenshot({ path: join(pictures, 'studio_no_number.png') });
    await accessible(page);
    await field.press('Escape');
    assert.equal(await field.inputValue(), '1.50', 'Esc restores');
    assert.equal(await page.locator('.field-fault').count(), 0);
    assert.equal((await look(page)).numbers.undo, undo, 'nothing was changed');
    await field.fill('x');
    await field.press('Enter');
    await page.getByRole('option', { name: 'upper_arm', exact: true }).click();
    assert.equal(await field.getAttribute('aria-invalid'), 'false', 'another joint has its own numbers');
  },
};
