// The mode Fit: run, compare, select by error, keep and undo; helper joints, cancelling, the triage and the budget.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, differ, examplePictures, folds, look, patience, pictures, PNG, settled, sinew } from '../harness.mjs';

const seconds = (count) => ({ timeout: 1000 * count * patience });
const fitOf = (page) => page.evaluate(() => window.__studio.fit());

/** A small arm with its sculpts beside it, in the mode Fit with the sculpts opened. */
async function armWithSculpts(open, root, vertices = 1000) {
  const folder = join(root, 'arm');
  execFileSync(sinew, ['sample', 'arm', '-o', folder, '--vertices', String(vertices), '-q'], { stdio: 'ignore' });
  const { studio, page } = await open(join(folder, 'arm.glb'));
  await page.getByRole('tab', { name: 'Fit' }).click();
  await page.getByRole('button', { name: 'Open examples' }).click();
  await page.getByRole('list', { name: 'Examples' }).getByRole('button').nth(10).waitFor(seconds(10));
  await settled(page);
  return { studio, page, file: join(folder, 'arm.glb') };
}

/** Runs the fit by Enter, and waits until the result is drawn. */
async function runFit(page, number) {
  await page.locator('canvas').focus();
  await page.keyboard.press('Enter');
  await shown(page, number);
}
async function shown(page, number) {
  await page.waitForFunction((n) => window.__studio.fit().result?.number === n && window.__studio.fit().ready, number, seconds(20));
  await settled(page);
}

async function pixelAt(page, x, y) {
  const box = await canvasBox(page);
  const image = PNG.sync.read(await page.screenshot());
  const at = 4 * (Math.round(box.y + y) * image.width + Math.round(box.x + x));
  return [...image.data.subarray(at, at + 3)];
}

/** What a step may change, without the history. */
async function stateOf(studio) {
  const { history, saved, ...rest } = await studio.state();
  return rest;
}

export const fitJourneys = {
  async 'fit: a character with sculpts is fitted, compared, kept and saved; undo restores all'({ open, root }) {
    const { studio, page, file } = await armWithSculpts(open, root);
    differ(await examplePictures(page, 11));
    await folds(page, /^Fit$/, page.getByRole('button', { name: 'Run', exact: true }));
    await page.getByLabel('Helper joints', { exact: true }).selectOption('half');
    const rows = page.getByRole('list', { name: 'Examples' }).getByRole('button');
    await rows.nth(3).click();
    await settled(page);
    const before = await stateOf(studio);
    const { depth } = (await studio.state()).history;
    await runFit(page, 1);
    assert.deepEqual(await stateOf(studio), before, 'a preview changes nothing');
    const { result, shown: example, range, errors } = await fitOf(page);
    assert.equal(example, 3, 'the pose stays at its example');
    assert.ok(result.after.rms < 0.5 * result.before.rms, `${result.before.rms} to ${result.after.rms}`);
    // Worst first, as numbers.
    const texts = await page.locator('[data-test=fit-errors]').allInnerTexts();
    const afters = texts.map((text) => Number(/→\s*([\d.]+) %/.exec(text)[1]));
    assert.deepEqual(afters, [...afters].sort((a, b) => b - a));
    assert.match(await page.locator('[data-test=fit-left-out]').innerText(), /%/);

    // Both sides of the divider on one scale: the worst vertex is bright before and dark after.
    await rows.first().click();
    await page.waitForFunction((n) => window.__studio.fit().shown !== n && window.__studio.fit().ready, example, seconds(5));
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_fit_wipe.png') });
    const here = await fitOf(page);
    const visible = await page.evaluate(
      ([vertices, list]) => {
        const places = window.__studio.positions(0);
        const at = Array.from({ length: vertices }, (_, v) => ({ v, ...window.__studio.projectPoint(0, places.slice(4 * v, 4 * v + 3)) }));
        // The nearest vertex to the camera with a large error.
        return at.filter(({ v }) => list[v] > 0.5 * Math.max(...list)).sort((a, b) => a.depth - b.depth)[0];
      },
      [here.errors.before.length, here.errors.before],
    );
    assert.deepEqual(here.range, range, 'one scale for all examples');
    await page.getByRole('button', { name: 'Before', exact: true }).click();
    await settled(page);
    const [r1, , b1] = await pixelAt(page, visible.x, visible.y);
    await page.locator('canvas').focus();
    await page.keyboard.press('c');
    await settled(page);
    assert.equal(await page.getByRole('button', { name: 'After', exact: true }).getAttribute('aria-pressed'), 'true');
    const [r2, , b2] = await pixelAt(page, visible.x, visible.y);
    assert.ok(r1 - b1 > r2 - b2 + 40, `before ${r1} ${b1}, after ${r2} ${b2}`);

    // The divider by keys and by mouse.
    await page.getByRole('button', { name: 'Wipe', exact: true }).click();
    const divider = page.getByRole('slider', { name: 'Divider between before and after' });
    await divider.focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await divider.getAttribute('aria-valuenow'), '52');
    const line = await divider.boundingBox();
    const box = await canvasBox(page);
    await page.mouse.move(line.x + line.width / 2, line.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.25 * box.width, line.y + 60, { steps: 3 });
    await page.mouse.up();
    assert.equal(await divider.getAttribute('aria-valuenow'), '25');

    // W, a bar and a range select vertices by their error.
    await page.locator('canvas').focus();
    await page.keyboard.press('w');
    await settled(page);
    assert.deepEqual((await look(page)).selectedVertices, [result.examples[here.shown].after.vertex]);
    const bar = page.getByRole('toolbar', { name: 'Vertices by error' }).locator('button:enabled').last();
    const [, from] = /error of ([\d.]+) %/.exec(await bar.getAttribute('aria-label'));
    await bar.click();
    const picked = (await look(page)).selectedVertices;
    assert.ok(picked.length > 0 && picked.every((v) => here.errors.after[v] >= 0.99 * Number(from)), `${picked.length} vertices above ${from} %`);
    await page.getByRole('slider', { name: 'Lower end of the colours' }).focus();
    for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowRight');
    const moved = (await fitOf(page)).range;
    assert.ok(moved.from > range.from && moved.to === range.to);
    await page.getByRole('button', { name: 'Select range' }).click();
    const inside = here.errors.after.flatMap((error, v) => (error >= moved.from && error < moved.to ? [v] : []));
    assert.ok(inside.length > 0);
    assert.deepEqual([...(await look(page)).selectedVertices].sort((a, b) => a - b), inside);

    // Keep: what was previewed is what is drawn. One step; undo restores all.
    const previewed = await page.evaluate(() => window.__studio.learnedPositions(0));
    const posed = await stateOf(studio);
    const steps = (await studio.state()).history.depth;
    assert.ok(steps > depth, 'going to a pose is a step');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
    await settled(page);
    assert.equal((await studio.state()).history.depth, steps + 1);
    const drawn = await page.evaluate(() => window.__studio.positions(0));
    assert.equal(drawn.length, previewed.length);
    assert.ok(drawn.every((x, i) => Math.abs(x - previewed[i]) < 1e-5), 'the kept skin is the one that was previewed');
    const size = statSync(file).size;
    await page.keyboard.press('Control+s');
    await page.waitForFunction(() => window.__studio.state().document.saved, null, seconds(10));
    assert.ok(statSync(file).size > size, 'the file has the new joints');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.deepEqual(await stateOf(studio), posed);
  },

  async 'fit: helper joints lower the error and appear in the tree; the scale is kept'({ open, root }) {
    const { page } = await armWithSculpts(open, root);
    await runFit(page, 1);
    const plain = await fitOf(page);
    assert.equal(plain.result.helpers.length, 0);
    // Without a pose of an example it went to the worst one.
    assert.notEqual(plain.shown, undefined);
    // A reload shows it again: its row, its errors, and no further step.
    const { undo } = (await look(page)).numbers;
    await page.reload();
    await page.waitForFunction(() => window.__studio !== undefined, null, seconds(10));
    await shown(page, 1);
    assert.equal((await fitOf(page)).shown, plain.shown);
    assert.equal((await look(page)).numbers.undo, undo);
    await page.getByLabel('Helper joints', { exact: true }).selectOption('all');
    await page.getByLabel('Max helper joints').fill('3');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await shown(page, 2);
    const helped = await fitOf(page);
    assert.ok(helped.result.helpers.length > 0 && helped.result.helpers.length <= 3, `${helped.result.helpers.length} helper joints`);
    assert.ok(helped.result.after.rms < plain.result.after.rms);
    assert.deepEqual(helped.range, plain.range);
    await page.getByRole('button', { name: /^Helper joints \(/ }).click();
    await page.getByText(`${helped.result.helpers[0].name}: ${helped.result.helpers[0].rule}`).waitFor();
    await page.screenshot({ path: join(pictures, 'studio_fit_helpers.png') });
    // A pose that is no example has no error.
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
    await page.getByRole('tab', { name: 'Pose' }).click();
    await page.getByRole('option', { name: helped.result.helpers[0].name, exact: true }).waitFor();
    // A preview that a change elsewhere drops is not lost without a word.
    await page.getByRole('tab', { name: 'Fit' }).click();
    await runFit(page, 3);
    await page.getByRole('tab', { name: 'Correct' }).click();
    await page.getByRole('button', { name: 'Rename elbow30', exact: true }).click();
    await page.keyboard.type('shoulder_raised_forearm_twisted_inwards_fist_closed');
    await page.keyboard.press('Enter');
    await page.getByText('The preview was dropped: the skin or the examples were changed.').first().waitFor({ state: 'attached', ...seconds(5) });
    // Nothing overlaps in a small window.
    await page.getByRole('tab', { name: 'Fit' }).click();
    await runFit(page, 4);
    for (const size of [{ width: 1280, height: 800 }, { width: 1000, height: 700 }]) {
      await page.setViewportSize(size);
      await settled(page);
      const faults = await page.evaluate(() => {
        const box = (one) => one.getBoundingClientRect();
        const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        const rows = [...document.querySelectorAll('.fit-row')].filter((row) => {
          const [outer, name, numbers] = [box(row), box(row.querySelector('.fit-name')), box(row.querySelector('.fit-numbers'))];
          return !apart(name, numbers) || [...row.querySelectorAll('.fit-name *, .fit-numbers *')].some((one) => box(one).right > outer.right + 0.5 || box(one).bottom > outer.bottom + 0.5);
        });
        const label = apart(box(document.querySelector('.wipe-before')), box(document.querySelector('.view-corner')));
        return [...rows.map((row) => row.textContent), ...(label ? [] : ['Before is behind the menu of the view'])];
      });
      assert.deepEqual(faults, [], `at ${size.width}`);
    }
    await page.screenshot({ path: join(pictures, 'studio_fit_long.png') });
    assert.equal(await page.getByLabel('Max helper joints').inputValue(), '3');
    await page.getByLabel('Max helper joints').fill('');
    await page.getByLabel('Max helper joints').press('Tab');
    assert.equal(await page.getByLabel('Max helper joints').getAttribute('placeholder'), 'any');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
    assert.equal(await page.locator('.status .notice').getByText('dropped').count(), 0, 'Discard is not told as a loss');
    await page.getByLabel('Helper joints', { exact: true }).selectOption('half');
    await runFit(page, 5);
  },

  async 'fit: progress, cancel by Esc keeps the best so far as a preview, the next run works'({ open, root }) {
    const { studio, page } = await armWithSculpts(open, root, 8000);
    const before = await stateOf(studio);
    await page.getByLabel('Helper joints', { exact: true }).selectOption('all');
    await page.locator('canvas').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar').waitFor(seconds(5));
    await page.keyboard.press('Escape');
    // The best so far: nothing, or the fit of the weights as a preview.
    await page.getByText(/^Cancelled/).first().waitFor({ state: 'attached', ...seconds(10) });
    await settled(page);
    const { result } = await fitOf(page);
    const number = result?.number ?? 0;
    if (result === undefined) {
      await page.getByText('Cancelled. Nothing was kept; the character is unchanged.').first().waitFor({ state: 'attached', ...seconds(1) });
    } else {
      assert.equal(result.helpers.length, 0);
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
      await page.keyboard.press('Control+z');
      await settled(page);
    }
    assert.deepEqual(await stateOf(studio), before);
    await page.getByLabel('Helper joints', { exact: true }).selectOption('none');
    await page.getByLabel('Rest shape').check();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await shown(page, number + 1);
    assert.ok((await fitOf(page)).result.drift > 0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
    // The pose of the worst example is the only step.
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.deepEqual(await stateOf(studio), before);
    // A value that is out of range is refused with the value.
    await page.getByLabel('Max influences').fill('0');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('max-influences is 0; it must be 1 to 64').waitFor(seconds(5));
  },

  async 'fit: what would help, and skins within a budget: a point of the front is previewed and kept'({ open, root }) {
    const { studio, page } = await armWithSculpts(open, root);
    await page.getByRole('button', { name: 'What would help' }).click();
    await page.getByRole('button', { name: 'Explain the error' }).click();
    await page.locator('[data-test=triage-advice]').waitFor(seconds(30));
    assert.equal(await page.locator('.triage-row').count(), 12, 'all examples together, and each');
    await page.screenshot({ path: join(pictures, 'studio_fit_triage.png') });
    await page.getByRole('button', { name: 'Budget' }).click();
    await page.getByLabel('Morph targets').fill('2');
    await page.getByRole('button', { name: 'Learn', exact: true }).click();
    await shown(page, 1);
    const points = page.getByRole('group', { name: 'Error of every choice against its cost' }).getByRole('button');
    assert.ok((await points.count()) > 3);
    await page.screenshot({ path: join(pictures, 'studio_fit_budget.png') });
    await accessible(page);
    // A cheaper choice, by keyboard.
    const cheap = page.getByRole('button', { name: /^Learn fitted weights, half joints[^+]*: .* 0 morph targets$/ }).first();
    await cheap.focus();
    await page.keyboard.press('Enter');
    await shown(page, 2);
    const { result } = await fitOf(page);
    assert.equal(result.morphs, 0);
    assert.ok(result.after.rms < result.before.rms);
    const { depth } = (await studio.state()).history;
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.waitForFunction(() => window.__studio.fit().result === undefined, null, seconds(5));
    assert.equal((await studio.state()).history.depth, depth + 1);
  },
};
