// Which clip and frame a pose was shown at.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { document_, findPlace, forgetPlaces, morphWeights, poses, rememberPlace } = await loadModule('tests/entries/clip_places.ts');
const pose = (x) => [{ translation: [x, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] }];
const see = (x) => (poses.value = [pose(x)]);
const tell = (names, clips = ['walk', 'keys']) => (document_.value = { open: true, clips: clips.map((name, index) => ({ index, name, seconds: 2 })), history: { names, depth: names.length, redo: 0 } });
const nowhere = { clip: 0, time: 1.9 };

test('a pose is found where it was shown: where the line is, else where it was last', () => {
  tell([]);
  see(1);
  rememberPlace({ clip: 0, time: 0 });
  rememberPlace({ clip: 0, time: 1 });
  see(2);
  assert.equal(findPlace(nowhere), undefined);
  see(1 + 1e-9);
  assert.equal(findPlace(nowhere).time, 1);
  assert.equal(findPlace({ clip: 0, time: 0 }).time, 0);
  see(2);
  rememberPlace({ clip: 0, time: 1 });
  assert.equal(findPlace(nowhere).time, 1);
  see(1);
  assert.equal(findPlace(nowhere).time, 1 - 1, 'another pose is there now');
});

test('places of keys count for the keys that they were seen with', () => {
  see(5);
  tell(['Key at 0.00 s']);
  rememberPlace({ clip: 1, time: 0 });
  assert.equal(findPlace(nowhere).clip, 1);
  assert.equal(findPlace(nowhere, 0), undefined, 'not in the other clip');
  tell(['Key at 0.00 s', 'Key at 0.00 s']);
  assert.equal(findPlace(nowhere), undefined, 'the key was replaced');
  tell(['Key at 0.00 s', 'Pose arm']);
  assert.equal(findPlace(nowhere).clip, 1, 'and is back after an undo');
  tell([], ['walk']);
  assert.equal(findPlace(nowhere), undefined, 'the clip is gone');
  tell(['Key at 0.00 s']);
  forgetPlaces(1);
  assert.equal(findPlace(nowhere), undefined, 'set anew after an undo');
});

test('poses of the same joints differ by the weights of their morph targets', () => {
  tell([]);
  see(7);
  morphWeights.value = [[0, 0.5]];
  rememberPlace({ clip: 0, time: 0.25 });
  morphWeights.value = [[0, 0.75]];
  assert.equal(findPlace(nowhere), undefined);
  morphWeights.value = [[0, 0.5]];
  assert.equal(findPlace(nowhere).time, 0.25);
});
