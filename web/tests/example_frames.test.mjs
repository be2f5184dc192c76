// Frames of examples: nobody else sees the poses, and whatever else is sent comes after they were taken back.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const leaving = new Set();
globalThis.window ??= { addEventListener: (_, call) => leaving.add(call), removeEventListener: (_, call) => leaving.delete(call) };
const { readExampleFrames } = await loadModule('src/protocol/example_frames.ts');

const frameCode = 32;
const own = -1;

/** Answers like the server: every pose sends a pose and a frame; `during` runs while a command is under way. */
function fakeConnection(during = () => {}) {
  const one = { sent: [], seen: [], divert: undefined, beforeSend: undefined, onEvent: (event) => one.seen.push(event.event), onMessage: ({ body }) => one.seen.push(body.example) };
  const arrive = (example) => {
    for (const what of [{ event: 'pose', view: 0 }, { code: frameCode, body: { view: 0, example } }]) {
      if (one.divert?.(what) === true) continue;
      if ('event' in what) one.onEvent(what);
      else one.onMessage(what);
    }
  };
  one.command = async (name, args = {}) => {
    one.beforeSend?.();
    one.sent.push(name === 'correct.scrub' ? `${name} ${args.from}` : name === 'correct.show' ? `${name} ${args.shows[0] ?? 'document'}` : name);
    await Promise.resolve();
    during(one, name, args);
    if (name === 'correct.scrub') arrive(args.from);
    if (name === 'pose.takeBack') arrive(own);
    return {};
  };
  return one;
}

test('each example is posed and read; all is taken back, and only the view as it was is seen', async () => {
  const connection = fakeConnection((one) => assert.deepEqual(one.seen, []));
  const frames = await readExampleFrames(connection, [4, 2], ['plain']);
  assert.deepEqual([...frames].map(([example, frame]) => [example, frame.example]), [[4, 4], [2, 2]]);
  assert.deepEqual(connection.sent, ['correct.show target', 'correct.scrub 4', 'correct.scrub 2', 'correct.show plain', 'pose.takeBack']);
  assert.deepEqual(connection.seen, ['pose', own]);
  assert.equal(connection.divert, undefined);
  assert.equal(leaving.size, 0);
});

test('another command ends it first, and what is not sure is left out', async () => {
  const connection = fakeConnection((one, name, args) => name === 'correct.scrub' && args.from === 1 && void one.command('undo'));
  const frames = await readExampleFrames(connection, [0, 1, 2], []);
  assert.deepEqual([...frames.keys()], [0]);
  assert.deepEqual(connection.sent, ['correct.show target', 'correct.scrub 0', 'correct.scrub 1', 'correct.show document', 'pose.takeBack', 'undo']);
  assert.deepEqual(connection.seen, ['pose', own]);
});

test('a page that is left takes the pose back; a refusal is told, and nothing stays diverted', async () => {
  const left = fakeConnection((one, name) => name === 'correct.scrub' && [...leaving].forEach((call) => call()));
  assert.equal((await readExampleFrames(left, [0, 1], [])).size, 0);
  assert.deepEqual(left.sent, ['correct.show target', 'correct.scrub 0', 'correct.show document', 'pose.takeBack']);
  const refusing = fakeConnection((_, name) => {
    if (name === 'correct.scrub') throw new Error('refused');
  });
  await assert.rejects(readExampleFrames(refusing, [0], []), /refused/);
  assert.deepEqual([refusing.divert, refusing.beforeSend, leaving.size], [undefined, undefined, 0]);
});
