// Clips, keys and frames in Pose: playing, scrubbing, undo while playing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, canvasBox, look, pictures, ringAt, settled, sinew, typeRotation } from '../harness.mjs';

export const timelineJourneys = {
  async 'a reload in the middle of a drag ends it as one step; the frame is never beyond the end; Esc closes the history'({ open }) {
    const { page } = await open('sample:arm');
    const rotation = async () => (await look(page)).poses[0][1].rotation;
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    const box = await canvasBox(page);
    const ring = await ringAt(page, await page.evaluate(() => window.__studio.projectJoint(0, 1)), 'Z');
    await page.mouse.move(box.x + ring.x, box.y + ring.y);
    await page.mouse.down();
    for (let i = 1; i <= 6; ++i) await page.mouse.move(box.x + ring.x - 9 * i, box.y + ring.y + 4 * i);
    await settled(page);
    const seen = await rotation();
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await page.mouse.up();
    await settled(page);
    (await rotation()).forEach((x, i) => assert.ok(Math.abs(x - seen[i]) < 1e-5, 'the rotation that was shown'));
    assert.equal((await look(page)).numbers.undo, 1, 'is a step');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok(Math.abs((await rotation())[3] - 1) < 1e-9, 'it can be undone');
    // Keys at 0 and 40, a time far beyond them, and the second key undone.
    const frame = page.getByLabel('Frame', { exact: true });
    const goTo = async (number) => {
      await frame.fill(String(number));
      await frame.press('Enter');
      await settled(page);
    };
    const counter = async () => {
      const [now, end] = [Number(await frame.inputValue()), Number(/\/ (\d+)/.exec(await page.locator('.timeline .pair').innerText())[1])];
      assert.ok(now <= end, `frame ${now} / ${end}`);
      return now;
    };
    const key = page.getByRole('button', { name: 'Key', exact: true });
    await goTo(0);
    await key.click();
    await settled(page);
    await goTo(40);
    await key.click();
    await settled(page);
    await goTo(80);
    assert.equal(await counter(), 80);
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+z');
    await settled(page);
    await counter();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'History' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('list', { name: 'History' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'History' }).waitFor();
    await page.mouse.click(box.x + 30, box.y + box.height - 30);
    await page.getByRole('list', { name: 'History' }).waitFor({ state: 'detached' });
  },

  async 'Esc cancels sliders; a slider continues from 250; undo stops a clip, another clip continues; a reload keeps mode, mirror and frame; the zoom is limited'({ open }) {
    const { studio, page } = await open('sample:arm');
    const shown = async () => Number(await page.getByLabel('Rotation Z in degrees').inputValue());
    const canvas = page.locator('canvas');
    const depth = async () => (await look(page)).numbers;
    await typeRotation(page, 'forearm', 'Z', 30);
    const slider = page.getByLabel('Rotation Z', { exact: true });
    const track = await slider.boundingBox();
    const at = (degrees) => [track.x + track.width * (0.5 + degrees / 390), track.y + track.height / 2];
    await page.mouse.move(...at(30));
    await page.mouse.down();
    await page.mouse.move(...at(100), { steps: 5 });
    await settled(page);
    assert.ok((await shown()) > 60, 'the slider rotates the joint');
    await page.keyboard.press('Escape');
    await settled(page);
    assert.equal(await shown(), 30, 'Esc restores it');
    await page.mouse.move(...at(140), { steps: 3 });
    await page.mouse.up();
    await settled(page);
    assert.equal(await shown(), 30, 'and the rest of the drag does nothing');
    assert.equal((await depth()).undo, 1);
    assert.ok(Math.abs((await studio.state()).views[0].joints[16] - Math.cos(Math.PI / 12)) < 1e-6, 'nor on the server');
    // The typed value is beyond the slider's range: it shows the angle, and steps continue from there.
    await typeRotation(page, 'forearm', 'Z', 250);
    assert.equal(await slider.inputValue(), '-110');
    await slider.focus();
    for (let k = 0; k < 3; ++k) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(700);
    await settled(page);
    assert.ok(Math.abs((await shown()) - 250.3) < 1e-6, `${await shown()}`);
    await canvas.focus();
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal(await shown(), 250, 'three presses are one step');
    // Undo while a clip plays reverts only the playback, and can be redone.
    const redo = (await depth()).redo;
    const ride = async () => {
      await page.keyboard.press('p');
      await page.waitForFunction(() => Number(document.querySelector('[data-test=time]').textContent.split(' ')[0]) > 0.2);
    };
    await ride();
    await page.keyboard.press('Control+z');
    await settled(page);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    assert.equal(await shown(), 250, 'the previous pose');
    assert.deepEqual([(await depth()).undo, (await depth()).redo], [2, redo], 'no step was made or lost');
    // A new clip; selecting the other one during playback continues with that.
    const frame = page.getByLabel('Frame', { exact: true });
    const goTo = async (number) => {
      await frame.fill(String(number));
      await frame.press('Enter');
      await settled(page);
    };
    for (const number of [0, 40]) {
      await goTo(number);
      await page.getByRole('button', { name: 'Key', exact: true }).click();
      await settled(page);
    }
    await goTo(0);
    await canvas.focus();
    await ride();
    await page.getByRole('combobox', { name: 'Clip', exact: true }).selectOption({ label: 'flex' });
    await page.waitForFunction(() => Number(document.querySelector('[data-test=time]').textContent.split(' ')[0]) > 0.3);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await settled(page);
    await goTo(9);
    await canvas.focus();
    await page.keyboard.press('Shift+x');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal(await frame.inputValue(), '9', 'the frame of the pose');
    assert.equal(await page.getByRole('combobox', { name: 'Clip', exact: true }).evaluate((field) => field.selectedOptions[0].textContent), 'flex');
    assert.equal(await page.getByRole('checkbox', { name: /^Mirror/ }).isChecked(), true);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.equal(await page.getByRole('tab', { name: 'Weights' }).getAttribute('aria-selected'), 'true', 'the mode');
    // Zooming never loses the character.
    const box = await canvasBox(page);
    const { diagonal } = (await look(page)).document;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (const [way, least, most] of [[-600, 0.003, 0.01], [600, 5, 15]]) {
      for (let k = 0; k < 60; ++k) await page.mouse.wheel(0, way);
      await settled(page);
      const distance = (await look(page)).camera.distance / diagonal;
      assert.ok(distance >= least && distance <= most, `${distance} diagonals`);
    }
  },

  async 'a clip plays and stops as one step; two views have separate rings; a pose is mirrored'({ open }) {
    const { studio, page } = await open('sample:arm');
    await page.keyboard.press('p');
    await page.waitForFunction(() => Number(document.querySelector('[data-test=time]').textContent.split(' ')[0]) > 0.4);
    await page.keyboard.press('p');
    await settled(page);
    assert.equal((await look(page)).numbers.undo, 1, 'playback is one step');
    const shown = (await look(page)).poses[0][1].rotation;
    const server = (await studio.state()).views[0].joints.slice(13, 17);
    shown.forEach((x, i) => assert.ok(Math.abs(x - server[i]) < 1e-6));
    assert.ok(Math.abs(shown[3] - 1) > 1e-4, 'the clip moved the joint');
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.ok(Math.abs((await look(page)).poses[0][1].rotation[3] - 1) < 1e-9, 'undo reverts the playback');
    // Frames and keys while the viewport does not have the focus.
    const frame = page.getByLabel('Frame', { exact: true });
    const times = (await look(page)).document.clips[0].times;
    const goTo = async (number) => {
      await frame.fill(String(number));
      await frame.press('Enter');
      await settled(page);
    };
    await goTo(0);
    await page.getByRole('button', { name: 'Next key' }).focus();
    for (const [key, wanted] of [['ArrowRight', 1], ['Shift+ArrowRight', 11], ['ArrowLeft', 10], ['.', 24 * times.find((t) => t > 10 / 24)], [',', 24 * times.filter((t) => t <= 10 / 24).at(-1)]]) {
      await page.keyboard.press(key);
      await settled(page);
      assert.equal(await frame.inputValue(), String(Math.round(wanted)), key);
    }
    // The pose becomes a key of a new clip.
    await goTo(0);
    await page.getByRole('button', { name: 'Reset all' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await settled(page);
    assert.deepEqual((await look(page)).document.clips.map((one) => one.name), ['flex', 'keys']);
    await goTo(24);
    await typeRotation(page, 'forearm', 'Z', 40);
    await page.getByRole('button', { name: 'Next key' }).focus();
    await page.keyboard.press('k');
    await settled(page);
    assert.deepEqual((await look(page)).document.clips[1].times, [0, 1]);
    await goTo(12);
    assert.ok(Math.abs(Number(await page.getByLabel('Rotation Z in degrees').inputValue()) - 20) < 0.01, 'halfway between both keys');
    await goTo(24);
    await page.getByRole('button', { name: 'Remove key' }).click();
    await settled(page);
    assert.deepEqual((await look(page)).document.clips[1].times, [0]);
    await page.locator('canvas').focus();
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.deepEqual((await look(page)).document.clips[1].times, [0, 1], 'undone');
    await page.getByRole('button', { name: 'Go to pose rest' }).click();
    await settled(page);
    await page.getByRole('tab', { name: 'Weights' }).click();
    await page.getByRole('button', { name: '2 poses side by side' }).click();
    await settled(page);
    await page.keyboard.press('1');
    await page.getByRole('button', { name: 'Pose B' }).click();
    await page.getByRole('option', { name: 'forearm', exact: true }).click();
    await settled(page);
    const place = await page.evaluate(() => window.__studio.projectJoint(1, 1));
    const ring = await ringAt(page, place, 'Z');
    const box = await canvasBox(page);
    await page.mouse.move(box.x + ring.x, box.y + ring.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; ++i) await page.mouse.move(box.x + ring.x - 8 * i, box.y + ring.y + 3 * i);
    await settled(page);
    await page.screenshot({ path: join(pictures, 'studio_views.png') });
    await page.mouse.up();
    await settled(page);
    const { views } = await studio.state();
    assert.ok(Math.abs(views[1].joints[15]) > 0.05 && Math.abs(views[0].joints[15]) < 1e-9, 'only the second view is posed');
    await accessible(page);
  },

  async 'the timeline matches the pose, also after undo; it reaches the last frame, and keys can be set beyond the end'({ open, root }) {
    writeFileSync(join(root, 'two.glb'), clipsOf(root));
    const { page } = await open('two.glb');
    const frame = page.getByLabel('Frame', { exact: true });
    const goTo = async (number) => {
      await frame.fill(String(number));
      await frame.press('Enter');
      await settled(page);
    };
    const line = async () => ({
      clip: await page.getByRole('combobox', { name: 'Clip', exact: true }).evaluate((field) => field.selectedOptions[0].textContent),
      frame: Number(await frame.inputValue()),
      differs: (await page.locator('[data-test=time]').innerText()) === 'Pose differs',
    });
    const key = async (keys) => {
      await page.locator('canvas').focus();
      await page.keyboard.press(keys);
      await settled(page);
    };
    assert.equal((await line()).differs, true, 'the rest pose matches no frame of a clip');
    await page.getByRole('combobox', { name: 'Clip', exact: true }).selectOption({ label: 'second' });
    await settled(page);
    await goTo(4);
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: false });
    await key('k');
    assert.deepEqual(await line(), { clip: 'keys', frame: 4, differs: false });
    await goTo(100);
    assert.deepEqual(await line(), { clip: 'keys', frame: 100, differs: true }, 'keys can be set beyond the last one');
    await key('Control+z');
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: false }, 'without the key the pose is the original one');
    // A manual rotation is not a frame of the clip; after undo the pose is one again.
    await typeRotation(page, 'forearm', 'Z', 33);
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: true });
    await key('Control+z');
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: false });
    await goTo(9);
    await key('Control+z');
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: false }, 'undo goes back to the frame');
    await key('Control+Shift+z');
    assert.deepEqual(await line(), { clip: 'second', frame: 9, differs: false }, 'and redo to the other');
    await page.reload();
    await page.waitForFunction(() => window.__studio?.state().document?.open === true);
    await settled(page);
    assert.deepEqual(await line(), { clip: 'second', frame: 9, differs: false }, 'after a reload');
    await key('Control+z');
    assert.deepEqual(await line(), { clip: 'second', frame: 4, differs: false });
    assert.equal((await look(page)).selectedJoint, 1, 'the joint is still selected');
    // The end, which is between frames.
    const last = Number(/\/ (\d+)/.exec(await page.locator('.timeline .pair').innerText())[1]);
    const track = await page.getByLabel('Time', { exact: true }).boundingBox();
    await page.mouse.move(track.x + 10, track.y + track.height / 2);
    await page.mouse.down();
    await page.mouse.move(track.x + track.width + 60, track.y + track.height / 2, { steps: 6 });
    await page.mouse.up();
    await settled(page);
    assert.deepEqual(await line(), { clip: 'second', frame: last, differs: false }, 'dragging reaches the last frame');
    await goTo(last + 50);
    assert.equal((await line()).frame, last);
    assert.equal(await page.locator('.status .notice').innerText(), `The clip ends at frame ${last}.`);
    // A key far beyond the last one.
    await goTo(2);
    await key('k');
    await goTo(130);
    await key('k');
    assert.deepEqual(await line(), { clip: 'keys', frame: 130, differs: false });
    const { clips } = (await look(page)).document;
    assert.ok(Math.abs(clips.at(-1).seconds - 130 / 24) < 1e-6, `${clips.at(-1).seconds}`);
  },
};

/** The arm with two clips; neither ends on a whole frame. */
function clipsOf(root) {
  execFileSync(sinew, ['sample', 'arm', '-o', join(root, 'arm'), '--vertices', '1000', '-q'], { stdio: 'ignore' });
  const glb = readFileSync(join(root, 'arm', readdirSync(join(root, 'arm')).find((name) => name.endsWith('.glb'))));
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.subarray(20, 20 + length).toString('utf8'));
  json.animations = ['first', 'second'].map((name) => ({ ...json.animations[0], name }));
  // Key times scaled by 0.3 %, so that the end is between frames.
  const times = new Set(json.animations[0].samplers.map((sampler) => sampler.input));
  const out = Buffer.from(glb.subarray(20 + length));
  for (const at of times) {
    const accessor = json.accessors[at];
    const start = 8 + (json.bufferViews[accessor.bufferView].byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    for (let i = 0; i < accessor.count; ++i) out.writeFloatLE(out.readFloatLE(start + 4 * i) * 0.97, start + 4 * i);
    accessor.max = accessor.max?.map((x) => Math.fround(x * 0.97));
    accessor.min = accessor.min?.map((x) => Math.fround(x * 0.97));
  }
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.from(glb.subarray(0, 20));
  head.writeUInt32LE(20 + padded.length + out.length, 8);
  head.writeUInt32LE(padded.length, 12);
  return Buffer.concat([head, padded, out]);
}
