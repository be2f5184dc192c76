// The page around the modes: start, keyboard, files, crashes, a second tab.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, choose, look, openPage, patience, pictures, settled, sinew, typeRotation, visibleVertexNear } from '../harness.mjs';

export const shellJourneys = {
  async 'cold start: the empty screen, then a sample'({ open }) {
    const { page } = await open();
    await page.getByRole('button', { name: /^arm/ }).waitFor();
    const began = Date.now();
    await page.getByRole('button', { name: /^arm/ }).click();
    await page.waitForFunction(() => window.__studio.state().document?.open === true && window.__studio.counters().deforms > 0, null, { timeout: 20000, polling: 20 });
    const seconds = (Date.now() - began) / 1000;
    console.log(`        first pixels after ${seconds.toFixed(2)} s`);
    assert.ok(seconds < 3 * patience, `${seconds} s until the first pixels`);
    await settled(page);
    assert.match(await page.locator('[data-test=counts]').innerText(), /vertices · 3 joints/);
    // Frames are counted only when they are drawn.
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Details' }).click();
    await page.locator('canvas').focus();
    await page.keyboard.press('o');
    await page.locator('[data-test=fps]').waitFor();
    await page.locator('[data-test=fps]').waitFor({ state: 'detached' });
    await page.keyboard.press('o');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Details' }).waitFor({ state: 'detached' });
    // A slow machine may still draw a pending frame; without changes the count becomes constant eventually.
    const frames = async () => (await page.evaluate(() => window.__studio.counters())).frames;
    let [before, after] = [-1, await frames()];
    for (let tries = 0; before !== after && tries < 10; ++tries) {
      await page.waitForTimeout(300);
      [before, after] = [after, await frames()];
    }
    assert.equal(after, before, 'nothing is drawn while nothing changes');
    await page.screenshot({ path: join(pictures, 'studio_arm.png') });
  },

  async 'killing the server loses nothing that was committed'({ open }) {
    const { studio, page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 45);
    const before = await studio.state();
    await studio.kill();
    await studio.start();
    const after = await studio.state();
    assert.deepEqual(after.views, before.views);
    assert.equal(after.history.depth, 1);
    page.faults = []; // that the studio was away for a moment
  },

  async 'the studio restarts: an edit meanwhile is not applied and reported; its new address opens in the same tab'({ open }) {
    const { studio, page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 45);
    const field = page.getByLabel('Rotation Z in degrees');
    await studio.kill();
    await page.getByText('Edits are not applied until the studio is back').waitFor();
    await field.fill('77');
    await field.press('Enter');
    await page.waitForFunction(() => document.querySelector('.status .notice')?.textContent === 'Not connected to the studio; this edit was not applied.');
    await page.waitForFunction(() => document.querySelector('[aria-label="Rotation Z in degrees"]').value === '45.00');
    assert.ok((await look(page)).poses[0][1].rotation[2] < Math.sin(Math.PI / 7));
    await studio.start();
    await page.getByText('The studio rejected this page').waitFor({ timeout: 15000 });
    await page.goto(studio.address);
    await page.getByText('The studio rejected this page').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelector('.status .notice')?.textContent === '1 edit was lost while the studio was disconnected.');
    await settled(page);
    assert.equal(new URL(page.url()).hash, '', 'the token is removed from the address');
    assert.equal(await field.inputValue(), '45.00');
    await field.fill('80');
    await field.press('Enter');
    await settled(page);
    assert.ok(Math.abs((await studio.state()).views[0].joints[15] - Math.sin((40 * Math.PI) / 180)) < 1e-6, 'edits go on');
    page.faults = []; // that the studio was away for a moment
  },

  async 'keys: modes, panels, palette and the list of shortcuts, in both themes'({ open }) {
    const { page } = await open('sample:arm');
    await page.keyboard.press('3');
    assert.equal((await look(page)).mode, 'weights');
    await page.keyboard.press('1');
    assert.equal((await look(page)).mode, 'pose');
    await page.keyboard.press('[');
    assert.equal(await page.getByLabel('Outliner').count(), 0);
    await page.keyboard.press('`');
    assert.equal(await page.getByLabel('Inspector').count(), 0);
    await page.keyboard.press('`');
    assert.equal(await page.getByLabel('Outliner').count(), 1);
    // In a text field, letters are not shortcuts.
    await page.getByLabel('Pose name').fill('');
    await page.getByLabel('Pose name').press('2');
    assert.equal((await look(page)).mode, 'pose');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search commands').fill('mode hand');
    await accessible(page);
    await page.keyboard.press('Enter');
    assert.equal((await look(page)).mode, 'handles');
    await page.keyboard.press('1');
    for (const size of [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      await page.setViewportSize(size);
      for (const theme of ['light', 'dark']) {
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.getByRole('button', { name: /theme$/ }).click();
        await page.getByRole('option', { name: 'forearm', exact: true }).click();
        await settled(page);
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
        if (size.width === 1280) await accessible(page);
        await page.screenshot({ path: join(pictures, `studio_shortcuts_${theme}_${size.width}.png`) });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor({ state: 'detached' });
      }
    }
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the theme is kept');
    await page.keyboard.press(']');
    await page.keyboard.press('3');
    assert.equal(await page.getByLabel('Inspector').count(), 1);
    await page.keyboard.press('1');
    assert.equal(await page.getByLabel('Inspector').count(), 0, 'panels are kept per mode');
  },

  async 'files: dropped, refused with a remedy, saved and opened again'({ open, root }) {
    const { page } = await open();
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_empty.png') });
    const drop = (files) =>
      page.evaluate((list) => {
        const data = new DataTransfer();
        for (const { name, text } of list) data.items.add(new File([text], name));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, files);
    const card = page.getByRole('alert');
    await drop([{ name: 'fake.glb', text: 'this is no character' }]);
    await card.waitFor();
    assert.match(await card.innerText(), /^fake\.glb: .*export the file again/);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_refused.png') });
    await drop([{ name: 'notes.txt', text: 'hello' }]);
    await page.waitForFunction(() => document.querySelector('[role=alert]')?.textContent.includes('notes.txt'));
    assert.match(await card.innerText(), /None of these files can be opened[\s\S]*not a character or a mesh[\s\S]*Drop a \.glb/);
    // A folder in which one mesh has another topology.
    const folder = join(root, 'shapes');
    mkdirSync(folder);
    const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n';
    writeFileSync(join(folder, 'a.obj'), square);
    writeFileSync(join(folder, 'b.obj'), square.replace('1 1 0', '1 2 0'));
    writeFileSync(join(folder, 'c.obj'), `${square}v 5 5 5\n`);
    writeFileSync(join(folder, 'read me.txt'), 'about');
    await choose(page, /^Choose a folder/, folder);
    await page.getByRole('button', { name: 'Skip it' }).waitFor();
    const text = await card.innerText();
    assert.match(text, /c\.obj has 5 vertices, a\.obj has 4: example meshes need the same vertices in the same order/);
    assert.match(text, /a\.obj used: vertices match[\s\S]*c\.obj has 5/);
    await page.screenshot({ path: join(pictures, 'studio_topology.png') });
    await page.getByRole('button', { name: 'Skip it' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'shapes');
    await settled(page);
    assert.match(await card.innerText(), /some files were skipped[\s\S]*read me\.txt/);
    // An empty folder, by its path.
    mkdirSync(join(root, 'nothing'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+o');
    const dialog = page.getByRole('dialog', { name: 'Open' });
    await dialog.getByRole('button', { name: 'nothing' }).click();
    await dialog.getByText('Nothing here can be opened').waitFor();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Open this folder' }).click();
    await card.waitFor();
    assert.match(await card.innerText(), /has no readable meshes; add files/);
    await page.keyboard.press('Escape');
    // Save as, then open the saved file.
    await page.keyboard.press('Control+s');
    const save = page.getByRole('dialog', { name: 'Save as' });
    await save.getByLabel('File name').fill('square');
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_save.png') });
    await save.getByRole('button', { name: 'Save', exact: true }).click();
    await save.waitFor({ state: 'detached' });
    assert.ok(existsSync(join(root, 'square.glb')));
    await page.keyboard.press('Control+Shift+s');
    await save.getByLabel('File name').fill('b.glb');
    writeFileSync(join(root, 'b.glb'), 'other');
    await save.getByRole('button', { name: 'Save', exact: true }).click();
    await save.getByRole('button', { name: 'Replace it' }).click();
    await save.waitFor({ state: 'detached' });
    assert.ok(readFileSync(join(root, 'b.glb')).length > 100, 'it was replaced');
    await page.keyboard.press('Control+o');
    await page.getByRole('table', { name: 'Files' }).getByRole('button', { name: 'square.glb' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'square.glb');
    // Dropped as data, under another name.
    const bytes = [...readFileSync(join(root, 'square.glb'))];
    await page.evaluate((list) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(list)], 'dropped.glb'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes);
    await page.waitForFunction(() => window.__studio.state().document?.title === 'dropped.glb');
  },

  async 'the graphics context is lost and restored'({ open }) {
    const { page } = await open('sample:arm');
    await typeRotation(page, 'forearm', 'Z', 40);
    const before = await page.evaluate(() => window.__studio.positions(0));
    await page.evaluate(() => {
      window.lose = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
      window.lose.loseContext();
    });
    await page.getByText('Graphics context lost').waitFor();
    await page.screenshot({ path: join(pictures, 'studio_lost.png') });
    await page.evaluate(() => window.lose.restoreContext());
    await page.getByText('Graphics context lost').waitFor({ state: 'detached' });
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_back.png') });
    const after = await page.evaluate(() => window.__studio.positions(0));
    assert.ok(before.length > 0 && before.every((x, i) => Math.abs(x - after[i]) < 1e-6), 'the skin has not moved');
  },

  async 'a second tab takes over; 200 undos and redos keep the state and the memory'({ open, context }) {
    const { studio, page: first } = await open('sample:arm');
    await typeRotation(first, 'forearm', 'Z', 50);
    for (const count of [4, 1, 2]) {
      await first.getByRole('button', { name: count === 1 ? '1 pose' : `${count} poses side by side`, exact: true }).click();
      await settled(first);
      assert.equal((await look(first)).poses.length, count);
      assert.equal(await first.getByRole('button', { name: /^Pose [A-D]$/ }).count(), count === 1 ? 0 : count);
    }
    const before = await studio.state();
    const second = await openPage(context, studio);
    await first.getByText('another page has taken over').waitFor();
    assert.deepEqual((await look(second)).poses, (await look(first)).poses);
    await accessible(first);
    // Undo and redo.
    await first.getByRole('button', { name: 'Take it back' }).click();
    await second.getByText('Another page has taken over').waitFor();
    assert.equal(await first.getByText('Another page has taken over').count(), 0);
    await second.getByRole('button', { name: 'Take it back' }).click();
    await first.getByText('Another page has taken over').waitFor();
    await settled(second);
    await second.locator('canvas').focus();
    const heap = async () => {
      const session = await context.newCDPSession(second);
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const rounds = async (count) => {
      for (let i = 0; i < count; ++i) {
        await second.keyboard.press('Control+z');
        await second.keyboard.press('Control+Shift+z');
      }
      await settled(second);
    };
    // Compiled code and caches grow initially.
    await rounds(200);
    const start = await heap();
    await rounds(200);
    const end = await heap();
    console.log(`        heap ${(start / 1e6).toFixed(2)} MB, after 200 undos and redos ${(end / 1e6).toFixed(2)} MB`);
    assert.ok(Math.abs(end - start) < 0.05 * start, `${start} bytes became ${end}`);
    assert.deepEqual((await studio.state()).views, before.views);
    assert.equal((await look(second)).numbers.undo, 1);
  },

  async 'panels: edges are dragged and stepped, kept per mode; in narrow windows they shrink, and cover the view only when nothing else is left'({ open }) {
    const { page } = await open('sample:arm');
    const width = async (label) => (await page.getByLabel(label, { exact: true }).boundingBox()).width;
    const edge = page.getByRole('separator', { name: 'Width of the left panel' });
    const at = await edge.boundingBox();
    await page.mouse.move(at.x + at.width / 2, at.y + 200);
    await page.mouse.down();
    await page.mouse.move(at.x + at.width / 2 + 60, at.y + 200, { steps: 4 });
    await page.mouse.up();
    assert.equal(await width('Outliner'), 320);
    const canvas = await page.locator('canvas').boundingBox();
    assert.equal(canvas.x, 320, 'the view shrinks');
    await page.getByRole('separator', { name: 'Width of the right panel' }).focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await width('Inspector'), 336);
    await page.keyboard.press('Shift+ArrowRight');
    assert.equal(await width('Inspector'), 272);
    await page.locator('canvas').focus();
    await page.keyboard.press('3');
    assert.equal(await width('Outliner'), 260, 'sizes are those of the mode');
    await page.keyboard.press('1');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal(await width('Outliner'), 320, 'and are kept');
    await edge.dblclick();
    assert.equal(await width('Outliner'), 260, 'a double-click resets them');
    // 1000 pixels, 1280 and 1000 at 150 %: the view keeps its half, and nothing lies over it or beyond the window.
    for (const size of [{ width: 1000, height: 700 }, { width: 853, height: 533 }]) {
      await page.setViewportSize(size);
      await settled(page);
      const [left, view, right] = await Promise.all(['aside.left', 'canvas', 'aside.right'].map((one) => page.locator(one).boundingBox()));
      assert.ok(left.x === 0 && Math.abs(left.x + left.width - view.x) < 1 && Math.abs(view.x + view.width - right.x) < 1, JSON.stringify([left, view, right]));
      assert.ok(view.width >= 0.46 * size.width && Math.abs(right.x + right.width - size.width) < 1, `${view.width} of ${size.width}`);
      const wide = await page.evaluate(() => [...document.querySelectorAll('.scroll, .header, .status')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.parentElement.className} ${one.className}: ${one.scrollWidth} in ${one.clientWidth}`));
      assert.deepEqual(wide, [], `nothing is cut off at ${size.width}`);
      await accessible(page);
    }
    await page.setViewportSize({ width: 620, height: 700 });
    await settled(page);
    assert.equal((await page.locator('canvas').boundingBox()).width, 620, 'the view continues below the panels');
    await accessible(page);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.screenshot({ path: join(pictures, 'studio_narrow.png') });
    await page.getByRole('button', { name: /^Left panel/ }).click();
    assert.equal(await page.getByLabel('Outliner').count(), 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_forced_colours.png') });
    await accessible(page);
    // Without animation the camera arrives immediately.
    const before = (await look(page)).camera;
    await page.getByRole('button', { name: 'View from the top' }).focus();
    await page.keyboard.press('Enter');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const after = (await look(page)).camera;
    assert.ok(before.polar > 1 && after.polar < 1e-3, `${before.polar} to ${after.polar}`);
  },

  async 'work shows its stages and can be cancelled; recent files open after a restart; bad drops show a remedy'({ open, context, root }) {
    const { studio, page } = await open();
    const grid = (n) => {
      const lines = [];
      for (let y = 0; y < n; ++y) for (let x = 0; x < n; ++x) lines.push(`v ${x / n} ${y / n} ${0.05 * Math.sin((9 * x) / n)}`);
      for (let y = 0; y + 1 < n; ++y) for (let x = 0; x + 1 < n; ++x) lines.push(`f ${y * n + x + 1} ${y * n + x + 2} ${(y + 1) * n + x + 2} ${(y + 1) * n + x + 1}`);
      return lines.join('\n');
    };
    writeFileSync(join(root, 'sheet.obj'), grid(250));
    writeFileSync(join(root, 'large.obj'), grid(560));
    await page.evaluate(() => {
      window.seen = new Set();
      new MutationObserver(() => document.querySelectorAll('.stages li').forEach((one) => window.seen.add(one.textContent))).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    const openPath = async (path) => {
      await page.getByLabel('Path of a file or folder').fill(path);
      await page.getByLabel('Path of a file or folder').press('Enter');
    };
    await openPath('large.obj');
    const card = page.getByRole('status', { name: 'Work in progress' });
    await card.getByText('Opening large.obj').waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.waitFor({ state: 'detached' });
    assert.notEqual((await look(page)).document?.open, true, 'nothing was opened');
    await openPath('sheet.obj');
    await page.waitForFunction(() => window.__studio.state().document?.title === 'sheet.obj', null, { timeout: 60000 });
    await settled(page);
    const stages = await page.evaluate(() => [...window.seen]);
    assert.ok(stages.some((one) => /read.*MB/.test(one)) && stages.length > 2, `${stages}`);
    // Dropped onto the open document.
    const alert = page.getByRole('alert');
    const session = await context.newCDPSession(page);
    const dropPath = async (path) => {
      const data = { items: [], files: [path], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data });
    };
    writeFileSync(join(root, 'other.obj'), grid(5));
    await dropPath(join(root, 'other.obj'));
    await alert.getByText('other.obj has 25 vertices, sheet.obj has 62,500').waitFor();
    assert.match(await alert.innerText(), /Export it again from the same mesh/);
    await accessible(page);
    await page.screenshot({ path: join(pictures, 'studio_stranger.png') });
    assert.equal((await look(page)).document.title, 'sheet.obj');
    mkdirSync(join(root, 'hollow'));
    await dropPath(join(root, 'hollow'));
    await alert.getByText('The folder hollow is empty').waitFor();
    assert.match(await alert.innerText(), /Drop a \.glb/);
    writeFileSync(join(root, 'words.glb'), 'words, not a character');
    await dropPath(join(root, 'words.glb'));
    await alert.getByText(/^words\.glb: /).waitFor();
    assert.match(await alert.innerText(), /export the file again/);
    assert.equal((await look(page)).document.title, 'sheet.obj', 'the open document stays open');
    await dropPath(join(root, 'other.obj'));
    await alert.getByRole('button', { name: 'Open on its own' }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'other.obj');
    // After a restart the list of recent files is kept.
    await studio.kill();
    studio.what = undefined;
    await studio.start();
    await page.goto('about:blank');
    await page.goto(studio.address);
    await page.waitForFunction(() => window.__studio !== undefined);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_recent.png') });
    await page.getByRole('region', { name: 'Recent files' }).getByRole('button', { name: /sheet\.obj/ }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'sheet.obj', null, { timeout: 60000 });
    page.faults = []; // that the studio was away for a moment
  },

  async 'one file after another: nothing of the first is left in the second; long names are shortened with a tooltip; meshes by path are skipped'({ open, root }) {
    execFileSync(sinew, ['sample', 'arm', '-o', join(root, 'arm'), '--vertices', '1000', '-q'], { stdio: 'ignore' });
    const glb = readdirSync(join(root, 'arm')).find((name) => name.endsWith('.glb'));
    const long = 'forearm_of_the_left_side_with_a_name_that_no_panel_has_room_for';
    writeFileSync(join(root, 'long.glb'), reworded(readFileSync(join(root, 'arm', glb)), (text) => text.replaceAll('"forearm"', `"${long}"`)));
    mkdirSync(join(root, 'shapes'));
    const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n';
    for (const name of ['a', 'b']) writeFileSync(join(root, 'shapes', `${name}.obj`), square);
    writeFileSync(join(root, 'shapes', 'c.obj'), `${square}v 5 5 5\n`);
    const { page } = await open('sample:arm');
    const openPath = async (name) => {
      await page.keyboard.press('Control+o');
      await page.getByRole('dialog', { name: 'Open' }).getByRole('button', { name, exact: true }).click();
    };
    // Much state that belongs to the arm.
    await typeRotation(page, 'forearm', 'Z', 30);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.getByRole('button', { name: 'Show forearm' }).click();
    await page.getByLabel('By number', { exact: true }).fill('3, 10-12');
    await page.getByLabel('By number', { exact: true }).press('Enter');
    await page.getByLabel('Filter influences').fill('fore');
    await page.getByRole('tab', { name: 'Pose' }).click();
    const frame = page.getByLabel('Frame', { exact: true });
    await frame.fill('20');
    await frame.press('Enter');
    await settled(page);
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'History' }).getByText('Pose forearm').waitFor();
    await page.keyboard.press('Escape');
    await openPath('long.glb');
    await page.waitForFunction(() => window.__studio.state().document?.title === 'long.glb');
    await settled(page);
    const state = await look(page);
    assert.equal(state.selectedJoint, undefined, 'no joint is picked');
    assert.deepEqual(state.selectedVertices, []);
    assert.equal(await frame.inputValue(), '0', 'the clip is at its beginning');
    assert.deepEqual(await page.locator('.status .notice').allInnerTexts(), [], 'no message of the other file');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'History' }).getByText('As opened').waitFor();
    assert.equal(await page.getByRole('list', { name: 'History' }).getByText('Pose forearm').count(), 0);
    await page.keyboard.press('Escape');
    // The long name: one line with an ellipsis, the full name as the title.
    const cut = async (button) => {
      await button.waitFor();
      const found = await button.evaluate((one) => ({ title: one.title, overflow: getComputedStyle(one).textOverflow, high: one.getBoundingClientRect().height, wide: one.getBoundingClientRect().right - one.closest('aside').getBoundingClientRect().right }));
      assert.equal(found.title, long);
      assert.equal(found.overflow, 'ellipsis');
      assert.ok(found.high < 32 && found.wide <= 0, JSON.stringify(found));
      // Its end, where the names of a chain differ, is visible.
      const tail = await button.locator('.name-tail').evaluate((one) => ({ text: one.textContent, over: one.getBoundingClientRect().right - one.closest('button').getBoundingClientRect().right }));
      assert.ok(long.endsWith(tail.text) && tail.over <= 0, JSON.stringify(tail));
    };
    await cut(page.getByRole('option', { name: long }));
    await page.getByRole('option', { name: long }).click();
    await page.screenshot({ path: join(pictures, 'studio_long_names.png') });
    await page.getByRole('tab', { name: 'Weights' }).click();
    assert.equal(await page.getByLabel('Filter influences').inputValue(), '');
    assert.equal(await page.getByRole('button', { name: 'All, by colour' }).getAttribute('aria-pressed'), 'true');
    await cut(page.getByRole('button', { name: `Show ${long}` }));
    await page.getByLabel('By number', { exact: true }).fill('0-900');
    await page.getByLabel('By number', { exact: true }).press('Enter');
    await page.getByRole('columnheader', { name: long }).waitFor();
    const head = await page.getByRole('columnheader', { name: long }).evaluate((one) => ({ cut: one.querySelector('.name-cut').getBoundingClientRect().width - one.clientWidth, over: one.closest('.scroll').scrollWidth - one.closest('.scroll').clientWidth }));
    assert.ok(head.cut <= 0 && head.over <= 0, `the table fits the dock: ${JSON.stringify(head)}`);
    const view = await canvasBox(page);
    const skin = await visibleVertexNear(page, 0.6 * view.width, view.height / 2, (await look(page)).document.vertices);
    await page.mouse.move(view.x + skin.x, view.y + skin.y);
    const hover = page.locator('[data-test=hover]');
    await hover.waitFor();
    assert.ok((await hover.boundingBox()).height < 32, 'one line');
    await page.screenshot({ path: join(pictures, 'studio_long_names_weights.png') });
    // Meshes that do not fit, opened by path: the message names them.
    await openPath('shapes');
    const dialog = page.getByRole('dialog', { name: 'Open' });
    await dialog.getByRole('button', { name: 'a.obj' }).waitFor();
    await dialog.getByRole('button', { name: 'Open this folder' }).click();
    const card = page.getByRole('alert');
    await card.getByRole('button', { name: /^Skip/ }).waitFor();
    assert.match(await card.innerText(), /Skip it/);
    await card.getByRole('button', { name: /^Skip/ }).click();
    await page.waitForFunction(() => window.__studio.state().document?.title === 'shapes');
    assert.equal(await card.count(), 0, 'and the message is gone');
  },
};

/** A .glb with replaced text in its JSON. */
function reworded(glb, change) {
  const length = glb.readUInt32LE(12);
  const json = Buffer.from(change(glb.subarray(20, 20 + length).toString('utf8').trimEnd()));
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)]);
  const out = Buffer.concat([glb.subarray(0, 20), padded, glb.subarray(20 + length)]);
  out.writeUInt32LE(out.length, 8);
  out.writeUInt32LE(padded.length, 12);
  return out;
}

/** For visual inspection: every mode in both themes and three sizes, written to build/pictures. */
export const sheetJourneys = {
  async 'contact sheets: every mode, dark and light, 1000, 1280 and 1920'({ open }) {
    let { page } = await open('sample:biped');
    const { joints } = (await look(page)).document;
    const shots = async (mode, prepare) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('tab', { name: new RegExp(mode, 'i') }).click();
      await settled(page);
      await prepare();
      for (const size of [{ width: 1000, height: 700 }, { width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
        await page.setViewportSize(size);
        for (const theme of ['light', 'dark']) {
          if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.getByRole('button', { name: /theme$/ }).click();
          await settled(page);
          await page.screenshot({ path: join(pictures, `studio_${mode}_${theme}_${size.width}.png`) });
          if (size.width <= 1280) await accessible(page);
          const wide = await page.evaluate(() => [...document.querySelectorAll('.studio, .scroll, .header, .status')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.parentElement.className} ${one.className}: ${one.scrollWidth} in ${one.clientWidth}`));
          assert.deepEqual(wide, [], `nothing is cut off in ${mode} at ${size.width}`);
        }
      }
    };
    await shots('pose', async () => {
      await typeRotation(page, joints.find((joint) => /forearm.*l$/i.test(joint.name)).name, 'Y', 60);
    });
    const press = async () => {
      const box = await canvasBox(page);
      const elbow = await page.evaluate((j) => window.__studio.projectJoint(0, j), joints.findIndex((joint) => /forearm.*l$/i.test(joint.name)));
      const skin = await visibleVertexNear(page, elbow.x, elbow.y, (await look(page)).document.vertices);
      await page.mouse.move(box.x + skin.x, box.y + skin.y);
      await page.mouse.down();
      await page.mouse.move(box.x + skin.x + 20, box.y + skin.y - 40, { steps: 4 });
      await page.mouse.up();
      await settled(page);
    };
    await shots('weights', press);
    await page.close();
    ({ page } = await open('sample:arm'));
    await shots('correct', async () => {
      await page.getByRole('button', { name: 'Open the sculpts of arm' }).click();
      await page.waitForFunction(() => window.__studio.correct().learned?.examples.length > 3, null, { timeout: 60000 });
      await page.getByRole('button', { name: /^Go to example / }).nth(1).click();
      await settled(page);
    });
    await shots('fit', async () => {
      await page.locator('canvas').focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => window.__studio.fit().ready, null, { timeout: 60000 });
      await settled(page);
    });
    await shots('export', async () => {
      await page.locator('[data-test=plan-deviation]').waitFor();
      await page.getByRole('button', { name: 'Export…' }).click();
      await page.getByLabel('File name').fill('sheet.glb');
      await page.getByLabel('File name').press('Enter');
      await page.locator('[data-test=file-deviation]').waitFor();
      await settled(page);
    });
    await page.close();
    ({ page } = await open('sample:quadruped'));
    await shots('handles', async () => {
      await page.getByRole('button', { name: 'Learn', exact: true }).click();
      await page.waitForFunction(() => window.__studio.state().document.reduced !== undefined, null, { timeout: 120000 });
      await settled(page);
      const box = await canvasBox(page);
      for (const [x, y] of [[0.35, 0.45], [0.6, 0.5]]) {
        const skin = await visibleVertexNear(page, x * box.width, y * box.height, (await look(page)).document.vertices);
        await page.mouse.click(box.x + skin.x, box.y + skin.y);
        await settled(page);
      }
    });
  },
};
