// Undo, redo and the history while a clip plays.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { addPlayback, connection, jump, redo, undo } = await loadModule('tests/entries/undo.ts');

test('undo takes back what plays; redo and the history stop it first', async () => {
  const done = [];
  connection.command = async (name) => void done.push(name);
  let plays = true;
  addPlayback(async () => {
    if (plays) done.push('stop');
    const played = plays;
    plays = false;
    return played;
  });
  const after = async (run) => {
    done.length = 0;
    await run();
    return [...done];
  };
  assert.deepEqual(await after(undo), ['stop']);
  assert.deepEqual(await after(undo), ['undo']);
  plays = true;
  assert.deepEqual(await after(redo), ['stop', 'redo']);
  plays = true;
  assert.deepEqual(await after(() => jump(3)), ['stop', 'history.jump']);
});
