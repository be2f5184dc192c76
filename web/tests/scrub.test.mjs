// Scrubbing between examples: the ends are kept by name, and key presses are one step of undo.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

globalThis.KeyboardEvent ??= class extends Event {};
globalThis.window ??= Object.assign(new EventTarget(), { setTimeout, clearTimeout });
const { batch, beginDocument, connection, document_, from, fromName, installStepEnds, renameEnds, stepScrub, to, toName, way } = await loadModule('tests/entries/scrub.ts');
const tell = (...names) => (document_.value = { open: true, joints: [], views: [], examples: { examples: names.map((name) => ({ name, shape: name })), drivers: [] } });
const open = (...names) =>
  batch(() => {
    beginDocument();
    tell(...names);
  });

test('the ends stay when examples are removed, moved and renamed', () => {
  open('a', 'b', 'c');
  assert.deepEqual(way.value, { from: -1, to: 0 }, 'from rest to the first example');
  fromName.value = 'b';
  tell('c', 'b', 'a');
  assert.deepEqual(way.value, { from: 1, to: 2 });
  tell('c', 'b');
  assert.equal(way.value, undefined, 'an end that is removed is not replaced by another example');
  assert.deepEqual([from.value, to.value], [1, undefined]);
  tell('c', 'b', 'a');
  assert.deepEqual(way.value, { from: 1, to: 2 }, 'undo brings it back');
  tell('c', 'other', 'a');
  renameEnds('b', 'other');
  assert.deepEqual(way.value, { from: 1, to: 2 });
  tell();
  assert.equal(way.value, undefined);
  tell('new');
  assert.deepEqual(way.value, { from: -1, to: 0 }, 'after the last one is removed, the first new one counts');
  open('x');
  assert.deepEqual([fromName.value, toName.value], ['', 'x']);
});

test('key presses are shown at once and become one step of undo, at the next other input', async () => {
  const sent = [];
  connection.command = async (name, args) => void sent.push([name, args.t, args.live]);
  open('a');
  const stop = installStepEnds();
  for (const t of [0.01, 0.02, 0.03]) {
    stepScrub(t);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual(sent, [0.01, 0.02, 0.03].map((t) => ['correct.scrub', t, true]));
  window.dispatchEvent(new Event('pointerdown'));
  assert.deepEqual(sent.slice(3), [['correct.scrub', 0.03, false]]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(sent.length, 4, 'once');
  stop();
});
