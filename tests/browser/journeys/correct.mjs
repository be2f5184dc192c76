// The mode Correct: sculpting, learning, scrubbing, and the file that comes out.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, differ, dragBy, examplePictures, folds, look, pictures, placesOf, settled, sinew, typeRotation, visibleVertexNear } from '../harness.mjs';

/** The arm with its sculpts, as `sinew sample` writes them. */
function armFiles(root) {
  const folder = join(root, 'arm');
  if (!existsSync(folder)) execFileSync(sinew, ['sample', 'arm', '-o', folder, '--vertices', '1500', '-q'], { stdio: 'ignore' });
  return folder;
}

const enter = async (page) => {
  await page.getByRole('tab', { name: 'Correct' }).click();
  await settled(page);
};

const correct = (page) => page.evaluate(() => window.__studio.correct());

/** Waits until the model of exactly these examples is learned and shown. */
async function learned(page, count) {
  await page.waitForFunction((n) => window.__studio.correct().learned?.examples.length === n && !window.__studio.correct().learning, count, { timeout: 60000 });
  // The pause that collects changes may just have begun.
  await page.waitForTimeout(200);
  await page.waitForFunction(() => !window.__studio.correct().learning, null, { timeout: 60000 });
  await settled(page);
  const result = (await correct(page)).learned;
  assert.equal(result.fault, '');
  return result;
}

async function positions(page) {
  const { vertices } = (await look(page)).document;
  return placesOf(await page.evaluate(() => window.__studio.positions(0)), vertices);
}

const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
const largest = (a, b) => Math.max(...a.map((p, v) => distance(p, b[v])));

/** A visible vertex beside the elbow. */
async function elbow(page) {
  const { document } = await look(page);
  const joint = document.joints.findIndex((one) => one.name === 'forearm');
  const p = await page.evaluate((j) => window.__studio.projectJoint(0, j), joint);
  return visibleVertexNear(page, p.x, p.y, document.vertices);
}

/** Where the slider of the scrub is at `t`. */
async function slideTo(page, t) {
  const slider = page.getByLabel('Between the two examples');
  const box = await slider.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  // The ends are reached beyond the track, wherever the thumb is held.
  await page.mouse.move(box.x + t * box.width + (t === 0 ? -20 : t === 1 ? 20 : 0), y, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  return Number(await slider.inputValue());
}

export const correctJourneys = {
  async 'correct: a newcomer bends the arm, sculpts the elbow, saves, scrubs and keeps; the file has the elbow fixed'({ open, root }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 90);
    await enter(page);
    const { diagonal } = (await look(page)).document;
    const plain = await positions(page);
    const depth = (await look(page)).numbers.undo;
    const from = await elbow(page);
    await dragBy(page, from, [6, -5], 6);
    const once = await positions(page);
    const moved = await page.evaluate((v) => window.__studio.projectVertex(0, v), from.v);
    assert.ok(Math.hypot(moved.x - from.x - 36, moved.y - from.y + 30) < 2, 'the vertex is under the pointer');
    assert.equal((await look(page)).numbers.undo, depth + 1, 'a stroke is one step');
    await page.locator('[data-test=sculpt-state]').waitFor();
    // Shift smooths, and the step can be undone.
    await page.keyboard.down('Shift');
    const smoothed = await elbow(page);
    await dragBy(page, smoothed, [5, 3], 5);
    await page.keyboard.up('Shift');
    assert.equal((await look(page)).numbers.undo, depth + 2);
    assert.ok(largest(await positions(page), once) > 1e-4 * diagonal, 'the brush has smoothed something');
    await page.screenshot({ path: join(pictures, 'studio_sculpt.png') });
    const sculpted = await positions(page);
    // Nothing of it is lost by a reload.
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true && window.__studio.state().mode === 'correct');
    await settled(page);
    assert.ok(largest(await positions(page), sculpted) < 1e-6 * diagonal, 'the sculpt survives a reload');
    await page.getByLabel('Example name').fill('elbow');
    await page.getByRole('button', { name: 'Save as example' }).click();
    const result = await learned(page, 1);
    assert.ok(result.before > 0.05 && result.after < 1e-3, `plain ${result.before} %, model ${result.after} %`);
    assert.ok(largest(await positions(page), sculpted) < 1e-5 * diagonal, 'the model has the sculpt at its pose');
    const state = await correct(page);
    assert.equal(state.example, 0);
    assert.ok(Math.abs(state.weights[1] - 1) < 1e-4);
    // Plain skin while T is held.
    await page.locator('canvas').focus();
    await page.keyboard.down('t');
    await settled(page);
    assert.ok(largest(await positions(page), plain) < 1e-6 * diagonal, 'T shows plain skin');
    await page.keyboard.up('t');
    await settled(page);
    assert.ok(largest(await positions(page), sculpted) < 1e-5 * diagonal);
    // Half of the way it is between the two.
    const half = await slideTo(page, 0.5);
    assert.ok(Math.abs(half - 0.5) < 0.03, `${half}`);
    const here = await correct(page);
    assert.ok(here.weights[1] > 0.2 && here.weights[1] < 0.8, `activation ${here.weights[1]} at ${half}`);
    await page.screenshot({ path: join(pictures, 'studio_correct.png') });
    await accessible(page);
    await page.getByRole('button', { name: 'Go to example elbow' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Keep model' }).click();
    await page.waitForFunction(() => window.__studio.state().document.history.names.at(-1) === 'Keep the learned corrections', null, { timeout: 120000 });
    await settled(page);
    // What the document has now is what was shown, in every mode.
    await page.getByRole('tab', { name: 'Pose' }).click();
    await settled(page);
    assert.ok(largest(await positions(page), sculpted) < 1e-4 * diagonal, 'the kept character has the elbow');
    await page.keyboard.press('Control+Shift+s');
    await page.getByLabel('File name').fill('fixed.glb');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: false }).last().waitFor();
    await enter(page);
    await page.getByRole('button', { name: 'Export…' }).click();
    // The field of the name has the focus, and Enter writes.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Folder name');
    await page.getByLabel('Folder name').fill('sculpts');
    await page.keyboard.press('Enter');
    await page.getByText('other files').last().waitFor();
    const evaluated = JSON.parse(execFileSync(sinew, ['evaluate', join(root, 'fixed.glb'), '--examples', join(root, 'sculpts/examples.json'), '--json', '-q']));
    assert.ok(evaluated.total.rmsPercent < 0.01, `the file is ${evaluated.total.rmsPercent} % off at the example`);
  },

  async 'correct: examples beside a character are opened, a shape is imported; curves, bars and mesh agree along a scrub'({ open, root }) {
    const folder = armFiles(root);
    const { page } = await open(join(folder, 'arm.glb'));
    await enter(page);
    const atRest = await positions(page);
    const { deforms } = await page.evaluate(() => window.__studio.counters());
    await page.getByRole('button', { name: 'Open examples.json' }).click();
    await page.waitForFunction(() => window.__studio.state().document.examples.examples.length > 3, null, { timeout: 60000 });
    const names = (await look(page)).document.examples.examples.map((one) => one.name);
    await learned(page, names.length);
    const { diagonal } = (await look(page)).document;
    // Each has a picture of its pose, which the view never showed.
    differ(await examplePictures(page, names.length));
    await settled(page);
    assert.deepEqual(await positions(page), atRest);
    assert.equal((await page.evaluate(() => window.__studio.counters())).deforms, deforms, 'the view was not posed');
    assert.equal((await look(page)).numbers.undo, 1, 'pictures are not steps');
    await folds(page, /^Learned model/, page.locator('[data-test=learned]'));
    assert.equal(await page.getByLabel('Ridge').count(), 0, 'options are folded at first');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Ridge').waitFor();
    // One is removed and imported again as a corrected shape of its pose.
    const last = names.length - 1;
    await page.getByRole('button', { name: `Go to example ${names[last]}`, exact: true }).click();
    await settled(page);
    const shape = await positions(page);
    await page.getByRole('button', { name: `Remove ${names[last]}`, exact: true }).click();
    await learned(page, last);
    await page.getByRole('button', { name: 'Import shape…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'arm', exact: false }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: `${names[last]}.obj`, exact: true }).click();
    await page.getByText(`Imported ${names[last]}`).waitFor();
    await page.screenshot({ path: join(pictures, 'studio_import.png') });
    await learned(page, names.length);
    await page.getByRole('button', { name: 'Close' }).first().click().catch(() => {});
    assert.ok(largest(await positions(page), shape) < 1e-5 * diagonal, 'the imported shape is the one that was removed');
    differ(await examplePictures(page, names.length));

    await page.getByLabel('From', { exact: true }).selectOption({ label: names[0] });
    await page.getByLabel('To', { exact: true }).selectOption({ label: names[1] });
    await settled(page);
    const slider = page.getByLabel('Between the two examples');
    const ends = [];
    for (const t of [1, 0.5, 0]) {
      const at = await slideTo(page, t);
      if (t !== 0.5) assert.equal(at, t);
      const { weights, learned: model } = await correct(page);
      const bars = await page.locator('[data-test=activation]').allInnerTexts();
      names.forEach((name, k) => assert.ok(Math.abs(Number(bars[k]) - weights[model.names.indexOf(name)]) < 0.006, `${name}: ${bars[k]}`));
      const cursor = await page.locator('[data-test=curve-cursor]').getAttribute('x1');
      assert.ok(Math.abs(Number(cursor) / 600 - at) < 1e-6, 'the cursor of the curves is there');
      ends.unshift({ weights, shape: await positions(page), model });
      if (t === 0.5) await page.screenshot({ path: join(pictures, 'studio_scrub.png') });
    }
    assert.ok(Math.abs(ends[0].weights[ends[0].model.names.indexOf(names[0])] - 1) < 1e-3);
    assert.ok(Math.abs(ends[2].weights[ends[2].model.names.indexOf(names[1])] - 1) < 1e-3);
    for (const [k, end] of [[0, ends[0]], [1, ends[2]]]) {
      await page.getByRole('button', { name: `Go to example ${names[k]}`, exact: true }).click();
      await page.getByRole('button', { name: 'Target', exact: true }).click();
      await settled(page);
      assert.equal((await correct(page)).along, k, 'the slider is at the end whose pose is shown');
      assert.equal(await page.locator('[data-test=along]').innerText(), `${100 * k} %`);
      assert.ok(largest(await positions(page), end.shape) < 1e-4 * diagonal, 'the ends are the examples');
      await page.getByRole('button', { name: 'Result', exact: true }).click();
    }
    // A pose beside the way has no place on it; undo goes back to one that has.
    await slideTo(page, 0.5);
    const { along } = await correct(page);
    assert.ok(Math.abs(along - 0.5) < 0.03, `${along}`);
    await page.getByRole('button', { name: `Go to example ${names[2]}`, exact: true }).click();
    await settled(page);
    assert.equal(await page.locator('[data-test=along]').innerText(), '–');
    assert.equal(await page.locator('[data-test=curve-cursor]').count(), 0);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await correct(page)).along, along);
    // By keys: the slider steps, Escape takes a drag back.
    await slider.focus();
    await page.keyboard.press('Home');
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.equal(Number(await slider.inputValue()), 0.01);
    // Renaming replaces the old name; a long one is cut, and pushes nothing out of the panels.
    await page.getByRole('button', { name: `Go to example ${names[0]}`, exact: true }).click();
    await page.getByRole('button', { name: `Rename ${names[0]}`, exact: true }).click();
    await page.getByLabel(`New name of ${names[0]}`).waitFor();
    const long = 'shoulder_raised_forearm_twisted_inwards_fist_closed';
    await page.keyboard.type(long);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Go to example ${long}`, exact: true }).waitFor();
    await learned(page, names.length);
    for (const size of [{ width: 853, height: 533 }, { width: 1000, height: 700 }, { width: 1280, height: 800 }]) {
      await page.setViewportSize(size);
      await settled(page);
      if (size.width < 1280) await page.screenshot({ path: join(pictures, `studio_correct_long_${size.width}.png`) });
      const found = await page.evaluate(() => {
        const out = [...document.querySelectorAll('aside, .dock')].flatMap((panel) => [...panel.querySelectorAll('button, input, select, dd, .name-tail')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > panel.getBoundingClientRect().right + 0.5).map((one) => one.textContent || one.ariaLabel));
        return { out, name: document.querySelector('.example-name').getBoundingClientRect().width };
      });
      assert.deepEqual(found.out, [], `all is within its panel at ${size.width}`);
      assert.ok(found.name > 80, `${found.name} pixels for a name at ${size.width}`);
    }
    // A hint goes to its pose.
    const hints = (await correct(page)).learned.hints.length;
    if (hints > 0) {
      const before = (await look(page)).poses[0];
      await page.getByRole('list', { name: 'Sculpt here next' }).getByRole('button').first().click();
      await settled(page);
      assert.notDeepEqual((await look(page)).poses[0], before, 'the hint has a pose of its own');
    }
  },

  async 'correct: plain skin, result and target are shown side by side in one pose, which follows in all of them'({ open, root }) {
    const folder = armFiles(root);
    const { page } = await open(join(folder, 'arm.glb'));
    await enter(page);
    await page.getByRole('button', { name: 'Open examples.json' }).click();
    await page.waitForFunction(() => window.__studio.state().document.examples.examples.length > 3, null, { timeout: 60000 });
    const { diagonal, vertices, examples } = (await look(page)).document;
    await learned(page, examples.examples.length);
    await page.getByRole('button', { name: 'Side by side' }).click();
    await page.waitForFunction(() => window.__studio.state().views === 3);
    await settled(page);
    const shownIn = async (view) => placesOf(await page.evaluate((v) => window.__studio.positions(v), view), vertices);
    const twisted = examples.examples.findIndex((one) => one.name === 'twist60');
    await page.getByRole('button', { name: `Go to example ${examples.examples[twisted].name}`, exact: true }).click();
    await settled(page);
    assert.deepEqual((await page.locator('[data-test=shown]').allInnerTexts()).map((text) => text.split(' · ')[0]), ['Plain skin', 'Result', 'Target']);
    const [plain, result, target] = [await shownIn(0), await shownIn(1), await shownIn(2)];
    assert.ok(largest(plain, target) > 0.005 * diagonal, 'plain skin is not the target');
    assert.ok(largest(result, target) < 1e-5 * diagonal, 'the model is');
    await page.screenshot({ path: join(pictures, 'studio_compare.png') });
    await accessible(page);
    // One step for all three, and as many views as before are left afterwards.
    const { undo } = (await look(page)).numbers;
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, undo - 1);
    assert.ok(largest(await shownIn(1), await shownIn(2)) < 1e-6 * diagonal && largest(await shownIn(2), target) > 0.01 * diagonal, 'all views follow an undo');
    await page.getByRole('tab', { name: 'Pose' }).click();
    await page.waitForFunction(() => window.__studio.state().views === 1);
    await settled(page);
    await page.getByRole('button', { name: '2 poses side by side', exact: true }).click();
    await page.waitForFunction(() => window.__studio.state().views === 2);
    await enter(page);
    await page.getByRole('button', { name: 'Side by side' }).click();
    await page.waitForFunction(() => window.__studio.state().views === 3);
    await settled(page);
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true && window.__studio.state().mode === 'correct');
    await settled(page);
    const pressed = page.getByRole('button', { name: 'Side by side', pressed: true });
    await pressed.waitFor();
    await page.getByRole('button', { name: 'Go to example twist60', exact: true }).click();
    await settled(page);
    const { poses } = await look(page);
    assert.equal(poses.length, 3);
    assert.deepEqual(poses[2], poses[0], 'still one pose after a reload');
    await pressed.click();
    await page.waitForFunction(() => window.__studio.state().views === 2);
    await settled(page);
  },
};
