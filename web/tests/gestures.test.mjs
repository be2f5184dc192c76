// Gestures and the connection: what was begun on one connection cannot end on another.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

globalThis.window ??= new EventTarget();
const { link, listenToGesture } = await loadModule('tests/entries/gestures.ts');

test('a gesture in progress is lost when the connection ends, and one begun meanwhile when it is back', () => {
  let active = false;
  let lost = 0;
  const lose = () => {
    lost += 1;
    active = false;
  };
  const nothing = () => {};
  link.value = 'open';
  const stop = listenToGesture(new EventTarget(), { down: nothing, move: nothing, up: nothing, active: () => active, cancel: nothing, lose });
  const after = (state, begun) => {
    active = begun;
    lost = 0;
    link.value = state;
    return lost;
  };
  assert.equal(after('reconnecting', true), 1);
  assert.equal(after('open', true), 1);
  assert.equal(after('open', true), 0, 'the connection is the same');
  assert.equal(after('reconnecting', false), 0);
  stop();
  assert.equal(after('open', true), 0);
});
