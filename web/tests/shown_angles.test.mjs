// The angles that a joint shows: those of its document, as they were asked for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const page = await loadModule('tests/entries/angles.ts');
const { beginDocument, document_, followAngles, fromEuler, keepAngles, poses, showAngles, shownAngles, typedAngles } = page;
const rest = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
const turned = (angles) => ({ ...rest, rotation: fromEuler(angles, rest).map(Math.fround) });
const shown = () => shownAngles(0, 0, poses.value[0][0], rest);

followAngles();

/** As the client does with what the server tells. */
function tell(local, angles) {
  page.batch(() => {
    typedAngles.value = [new Map(angles === undefined ? [] : [[0, angles]])];
    poses.value = [[local]];
  });
}

function open(name, local = rest, angles = undefined) {
  page.batch(() => {
    beginDocument();
    document_.value = { open: true, title: name, path: name, joints: [{ name: 'elbow', parent: -1, rest }] };
    tell(local, angles);
  });
}

test('a joint that is reset shows 0, 0, 0, whatever it showed before', () => {
  open('a');
  for (const typed of [[170, 110, -135], [175, 178, -179], [0, 0, 250], [360, 0, 0], [-350, 2, 1]]) {
    const local = turned(typed);
    showAngles(0, 0, local, rest, typed);
    poses.value = [[local]];
    assert.deepEqual(keepAngles(0, new Map([[0, local]])), [typed]);
    tell(local, typed);
    assert.deepEqual(shown(), typed);
    tell(rest);
    assert.deepEqual(shown(), [0, 0, 0], `after ${typed}`);
    tell(local, typed);
    assert.deepEqual(shown(), typed, 'undone');
  }
});

test('a drag through a full turn goes on counting', () => {
  open('a');
  for (let angle = 0; angle <= 400; angle += 5) {
    poses.value = [[turned([0, 0, angle])]];
    shown().forEach((x, i) => assert.ok(Math.abs(x - [0, 0, angle][i]) < 1e-3, `${shown()} at ${angle}`));
  }
});

test('angles of one file never show in another, and come back with their own', () => {
  const typed = [170, 110, -135];
  open('a', turned(typed), typed);
  assert.deepEqual(shown(), typed);
  open('b', turned(typed));
  shown().forEach((x, i) => assert.ok(Math.abs(x - [-10, 70, 45][i]) < 1e-3, `${shown()}`));
  open('a', turned(typed), typed);
  assert.deepEqual(shown(), typed);
});

test('told angles that are not what the joint does are not shown', () => {
  open('a');
  tell(turned([0, 0, 30]), [0, 0, 250]);
  shown().forEach((x, i) => assert.ok(Math.abs(x - [0, 0, 30][i]) < 1e-3, `${shown()}`));
});

test('modes and toggles are those of the document again after a reload', () => {
  const stored = new Map();
  globalThis.sessionStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  const stop = page.keepOfDocument();
  open('a');
  page.mode.value = 'weights';
  open('b');
  page.restoreOfDocument();
  assert.equal(page.mode.value, 'weights', 'a new one begins as the page is');
  page.mode.value = 'handles';
  document_.value = { ...document_.value, title: 'a', path: 'a' };
  stop();
  // The page is loaded again.
  page.mode.value = 'pose';
  document_.value = { ...document_.value, title: 'b', path: 'b' };
  page.restoreOfDocument();
  assert.equal(page.mode.value, 'handles');
  stored.set('sinew-of:b|b', '{"mode":"nonsense"}');
  page.restoreOfDocument();
  assert.equal(page.mode.value, 'handles');
  stored.set('sinew-of:b|b', 'no json');
  page.restoreOfDocument();
});
