// The page's own comfort: what opens things, the tour, folding sections, preferences, tooltips, keys in another clip.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, settled, sinew, typeRotation, visibleVertexNear } from '../harness.mjs';

export const pageJourneys = {
  async 'files: one button opens them; folders come first, with sizes and dates, sorted by a click; a folder of meshes leads to Handles'({ open, root }) {
    const { page } = await open();
    for (const [name, bytes, day] of [['b10.obj', 40, 3], ['b9.obj', 4000, 1], ['zebra.obj', 400, 2]]) {
      writeFileSync(join(root, name), `${'v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n'}#${'x'.repeat(bytes)}\n`);
      utimesSync(join(root, name), new Date(2024, 0, day), new Date(2024, 0, day));
    }
    mkdirSync(join(root, 'yaks'));
    for (const name of ['a', 'b']) writeFileSync(join(root, 'yaks', `${name}.obj`), 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n');
    // The menu, by keyboard: it has the focus, Esc closes it and gives the focus back.
    const button = page.getByRole('button', { name: 'Open', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('menu', { name: 'Open' });
    await menu.getByRole('menuitem', { name: 'biped' }).waitFor();
    await accessible(page);
    await page.keyboard.press('ArrowDown');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^Choose files/);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    assert.equal(await button.evaluate((one) => one === document.activeElement), true);
    await button.click();
    await menu.getByRole('menuitem', { name: /^Browse/ }).click();
    const table = page.getByRole('dialog', { name: 'Open' }).getByRole('table', { name: 'Files' });
    const names = async () => (await table.locator('.file-name').allInnerTexts()).filter((name) => name !== 'state');
    await table.getByRole('button', { name: 'yaks' }).waitFor();
    assert.deepEqual(await names(), ['yaks', 'b9.obj', 'b10.obj', 'zebra.obj']);
    assert.match(await table.getByRole('row', { name: /zebra/ }).innerText(), /434 B\s+Jan 2, 2024/);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_open.png') });
    for (const [column, expected] of [['Size', ['yaks', 'b9.obj', 'zebra.obj', 'b10.obj']], ['Changed', ['yaks', 'b10.obj', 'zebra.obj', 'b9.obj']]]) {
      await table.getByRole('button', { name: column }).click();
      assert.deepEqual(await names(), expected);
      assert.equal(await table.getByRole('columnheader', { name: column }).getAttribute('aria-sort'), 'descending');
    }
    await table.getByRole('button', { name: 'yaks' }).click();
    await table.getByRole('button', { name: 'a.obj' }).waitFor();
    await page.getByRole('button', { name: 'Open this folder' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'yaks');
    await settled(page);
    assert.equal((await look(page)).mode, 'handles');
    await page.getByRole('button', { name: 'Learn', exact: true }).waitFor();
    // A choice of mode is kept.
    await page.keyboard.press('1');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    assert.equal((await look(page)).mode, 'pose');
  },

  async 'sections fold and stay folded in their mode; preferences; tooltips by pointer and keyboard; status bar'({ open }) {
    const { page } = await open('sample:arm');
    const section = page.getByRole('button', { name: 'Whole pose' });
    await section.click();
    assert.equal(await page.getByRole('button', { name: 'Reset all' }).count(), 0);
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal(await section.getAttribute('aria-expanded'), 'false', 'it is kept');
    await section.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset all' }).waitFor();
    // What can be done, what is selected, whether it is saved.
    const [hint, selection, saved] = ['hint', 'status-selection', 'saved'].map((name) => page.locator(`[data-test=${name}]`));
    assert.match(await hint.innerText(), /Click a joint/);
    assert.equal(await selection.count(), 0);
    assert.equal(await saved.innerText(), 'Saved');
    const places = () => page.evaluate(() => [...document.querySelectorAll('.header button')].map((one) => Math.round(one.getBoundingClientRect().x)));
    const before = await places();
    await typeRotation(page, 'forearm', 'Z', 44.5678);
    assert.match(await hint.innerText(), /Drag a ring to rotate/);
    assert.equal(await selection.innerText(), 'forearm');
    assert.equal(await saved.innerText(), 'Unsaved changes');
    assert.deepEqual(await places(), before, 'the header does not shift');
    await page.getByRole('button', { name: 'Details' }).click();
    assert.equal(await page.locator('[data-test=undo]').innerText(), '1');
    await page.keyboard.press('Escape');
    // Tooltips.
    await page.getByRole('button', { name: 'Undo' }).hover();
    const tip = page.locator('.tooltip:popover-open');
    await tip.waitFor();
    assert.equal((await tip.innerText()).replace(/\s+/g, ' '), 'Undo Ctrl Z');
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Influences used' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await tip.waitFor();
    assert.match(await tip.innerText(), /^The most joints that any vertex of this joint has/);
    await page.keyboard.press('Escape');
    // The slider of a signed value fills from its middle.
    const fill = await page.locator('#rotate-Z').evaluate((one) => ['--from', '--to'].map((name) => Number(one.style.getPropertyValue(name))));
    assert.ok(fill[0] === 0.5 && Math.abs(fill[1] - (0.5 + 44.5678 / 360)) < 1e-4, `${fill}`);
    // Preferences.
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+,');
    const dialog = page.getByRole('dialog', { name: 'Preferences' });
    await dialog.getByLabel('Angles, in degrees').selectOption('0');
    await dialog.getByLabel('Theme').selectOption('dark');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_preferences.png') });
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('Rotation Z in degrees').inputValue(), '45');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    assert.equal(await page.getByLabel('Rotation Z in degrees').inputValue(), '45', 'and is kept');
    assert.ok(Math.abs((await look(page)).poses[0][1].rotation[2] - Math.sin((44.5678 * Math.PI) / 360)) < 1e-6, 'only the shown text is rounded');
  },

  async 'a key beside a clip of the file says to which clip it went, and can be undone there'({ open, root }) {
    execFileSync(sinew, ['sample', 'biped', '-o', join(root, 'biped'), '--vertices', '3000', '-q'], { stdio: 'ignore' });
    const { page } = await open(join(root, 'biped', 'biped.glb'));
    const clip = page.getByLabel('Clip', { exact: true });
    const shown = () => clip.evaluate((one) => one.selectedOptions[0].textContent);
    const before = await shown();
    await page.locator('canvas').focus();
    await page.keyboard.press('k');
    const undo = page.getByRole('button', { name: 'Undo key' });
    await undo.waitFor();
    assert.match(await page.locator('.status .notice').innerText(), new RegExp(`^The key is in the clip "keys", which is shown now\\. The clip "${before}" is unchanged\\.$`));
    await undo.click();
    await page.waitForFunction((name) => document.querySelector('[aria-label=Clip]').selectedOptions[0].textContent === name, before);
    assert.equal((await look(page)).numbers.undo, 0);
    await undo.waitFor({ state: 'detached' });
    await page.locator('canvas').focus();
    await page.keyboard.press('k');
    await undo.waitFor();
    assert.equal(await shown(), 'keys');
    await page.screenshot({ path: join(pictures, 'studio_key_notice.png') });
    await accessible(page);
  },

  async 'the tour waits for each real action, and is not offered again'({ open }) {
    const { page } = await open();
    const tour = page.getByRole('region', { name: 'Tour' });
    await page.getByRole('button', { name: 'Take the tour' }).click();
    const title = (name) => tour.getByRole('heading', { name }).waitFor();
    await title('Look around');
    await page.waitForFunction(() => window.__studio.state().document?.open === true);
    await settled(page);
    await page.waitForTimeout(400);
    const box = await canvasBox(page);
    await page.mouse.move(box.x + 40, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + 70, { steps: 4 });
    await page.mouse.up();
    await title('Select a joint');
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_tour.png') });
    await page.waitForTimeout(500);
    await title('Select a joint');
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    await title('Bend the elbow');
    assert.ok(await page.locator('.tour-mark').evaluate((one) => {
      const [mark, slider] = [one.getBoundingClientRect(), document.querySelector('#rotate-Z').getBoundingClientRect()];
      return mark.left < slider.left && mark.right > slider.right && mark.top < slider.top && mark.bottom > slider.bottom;
    }), 'the slider is marked');
    await typeRotation(page, 'forearm', 'Z', 70);
    await title('Undo');
    await page.getByRole('button', { name: 'Undo' }).click();
    await title('Redo');
    await page.getByRole('button', { name: 'Redo' }).click();
    await title('Switch to Weights');
    await page.getByRole('tab', { name: 'Weights' }).click();
    await title('Drag the skin');
    await settled(page);
    const elbow = await page.evaluate(() => window.__studio.projectJoint(0, 1));
    const view = await canvasBox(page);
    const skin = await visibleVertexNear(page, elbow.x, elbow.y, (await look(page)).document.vertices);
    await page.mouse.move(view.x + skin.x, view.y + skin.y);
    await page.mouse.down();
    await page.mouse.move(view.x + skin.x + 12, view.y + skin.y + 12, { steps: 4 });
    await page.mouse.up();
    await title('Find any command');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search commands').waitFor();
    await page.waitForTimeout(300);
    await page.keyboard.press('Escape');
    await title('Tour complete');
    await tour.getByRole('button', { name: 'Done' }).click();
    await tour.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => localStorage.getItem('sinew-tour')), 'seen');
    // Asked for again in the menu, and ended.
    await page.getByRole('button', { name: 'Help', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Tour/ }).click();
    await title('Look around');
    await tour.getByRole('button', { name: 'End the tour' }).click();
    await tour.waitFor({ state: 'detached' });
  },
};
