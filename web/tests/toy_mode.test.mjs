// A new mode is one folder and one row: a toy mode, added to the table as its row would be, is on the whole page.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';
import { findAll, makePage, textOf } from './support/fake_page.mjs';

/** The table with one import and one row more. */
function withRow(source) {
  const row = source.replace(/(export const modes: Mode\[\] = \[\n(?: {2}\w+,\n)*)/, '$1  toyMode,\n');
  assert.notEqual(row, source, 'the table of modes was not found');
  return `import { toyMode } from '../../tests/toy_mode';\n${row}`;
}

const body = makePage();
const page = await loadModule('tests/entries/modes.ts', { 'src/modes/modes.ts': withRow });
// Effects need a real canvas.
page.options.requestAnimationFrame = () => {};
const info = { open: true, title: 'toy.glb', path: '/toy.glb', saved: true, joints: [], clips: [], handles: [], keys: [], locks: [], savedPoses: [], bindings: [], views: [[]], beside: [], history: { depth: 0, redo: 0, names: [] }, vertices: 0, problems: [] };

test('it has a tab with the next number, which brings its panels', async () => {
  page.document_.value = info;
  page.render(page.h(page.App, {}), body);
  const tabs = () => findAll(body, (node) => node.getAttribute?.('role') === 'tab');
  const names = tabs().map(textOf);
  assert.deepEqual(names.slice(-1), [`${names.length} Toy`]);
  tabs().at(-1).dispatch('click');
  assert.equal(page.mode.value, 'toy');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(tabs().map((tab) => tab.getAttribute('aria-selected')).slice(-2), ['false', 'true']);
  for (const panel of ['Toy outliner', 'Toy inspector', 'Toy dock']) assert.ok(textOf(body).includes(panel), panel);
  page.render(null, body);
});

test('its commands are listed, and its keys work only while it is active', () => {
  const listed = () => page.listedGroups().find((group) => group.title === 'Toy').commands;
  page.mode.value = 'toy';
  assert.deepEqual(listed().map((one) => one.title), ['Press the toy']);
  assert.equal(listed()[0].enabled(), true);
  page.runKey('y');
  assert.equal(page.pressed.value, 1);
  page.runKey('1');
  assert.equal(page.mode.value, page.modes[0].name);
  assert.equal(listed()[0].enabled(), false);
  page.runKey('y');
  assert.equal(page.pressed.value, 1);
  page.runKey(String(page.modes.length));
  assert.equal(page.mode.value, 'toy');
});

test('a document that was in it is in it again after a reload', () => {
  const stored = new Map();
  globalThis.sessionStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  page.document_.value = info;
  page.mode.value = 'toy';
  page.keepOfDocument()();
  page.mode.value = 'pose';
  page.restoreOfDocument();
  assert.equal(page.mode.value, 'toy');
});

test('it is entered and left, and tests see its hooks', () => {
  const { enter, testHooks } = page.currentMode();
  const leave = enter();
  assert.equal(testHooks.toyEntered(), 1);
  leave();
  assert.equal(testHooks.toyEntered(), 0);
});
