// The page's codec against the same golden bytes as tests/studio/codec_test.cpp, and the made files against the schema.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { loadModule, web } from '../scripts/load_module.mjs';

test('the made files are what the schema says', () => {
  execFileSync('node', [join(web, 'scripts/make_protocol.mjs'), '--check']);
});

test('the page sends every command of the schema, and no other', () => {
  const schema = JSON.parse(readFileSync(join(web, '../apps/studio/protocol.json'), 'utf8'));
  const sources = readdirSync(join(web, 'src'), { recursive: true }).filter((name) => /\.tsx?$/.test(name) && !name.includes('protocol/commands'));
  const sent = new Set(sources.flatMap((name) => [...readFileSync(join(web, 'src', name), 'utf8').matchAll(/\bcommand\('([\w.]+)'/g)].map((call) => call[1])));
  const forTests = ['describe'];
  assert.deepEqual([...sent, ...forTests].sort(), schema.commands.map((one) => one.name).sort());
});

test('a drag has the golden bytes', async () => {
  const { encode } = await loadModule('src/protocol/codec.ts');
  const { DragMoveCode, writeDragMove } = await loadModule('src/protocol/messages.ts');
  const bytes = new Uint8Array(
    encode(DragMoveCode, 3, 2, writeDragMove, {
      drag: 7,
      target: Float32Array.of(1, -2, 0.5),
    }),
  );
  // prettier-ignore
  assert.deepEqual([...bytes], [
    0x11, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 16, 0, 0, 0,
    7, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f,
  ]);
});

test('messages come back as they were', async () => {
  const { Reader, encode } = await loadModule('src/protocol/codec.ts');
  const { FrameCode, readServerMessage, writeFrame } = await loadModule('src/protocol/messages.ts');
  const frame = {
    view: 0, views: 1, palette: Float32Array.from({ length: 12 }, (_, i) => i), targets: Uint32Array.of(1, 7), targetWeights: Float32Array.of(0.5, -2), moved: Uint32Array.of(3), offsets: Float32Array.of(1, -1, 0.25),
  };
  const bytes = encode(FrameCode, 1, 1, writeFrame, frame);
  const reader = new Reader(bytes);
  assert.equal(reader.header().code, FrameCode);
  assert.deepEqual(readServerMessage(FrameCode, reader).body, frame);
  assert.ok(reader.atEnd);
  assert.throws(() => readServerMessage(FrameCode, new Reader(bytes.slice(0, 40), 16)));
});

test('a message of any length is written, wherever the buffer ends', async () => {
  const { Reader, Writer, encode, headerBytes } = await loadModule('src/protocol/codec.ts');
  const { WeightDragBeginCode, readWeightDragBegin, writeWeightDragBegin } = await loadModule('src/protocol/messages.ts');
  for (const count of [40, 60, 61, 62, 63, 64, 65, 1000, 50000]) {
    const body = {
      drag: 1, view: 0, lead: 5, radius: 0.5, throughSpace: 0, curve: 0,
      vertices: Uint32Array.from({ length: count }, (_, i) => 3 * i), pinnedViews: Uint32Array.of(), alpha: 0.5, sparse: 0, negativeWeights: 0,
      addedJoints: Uint32Array.of(9), maxInfluences: 4, presentOnly: 0,
    };
    const bytes = encode(WeightDragBeginCode, 1, 1, writeWeightDragBegin, body);
    assert.equal(new DataView(bytes).getUint32(12, true), bytes.byteLength - headerBytes);
    assert.deepEqual(readWeightDragBegin(new Reader(bytes, headerBytes)), body);
  }
  // Each kind of value as the one that needs the larger buffer.
  const kinds = { u32: [7, 4], f32: [0.5, 4] };
  for (const [kind, [value, size]] of Object.entries(kinds)) {
    const writer = new Writer();
    writer.u8s(new Uint8Array(256), 256);
    writer[kind](value);
    const bytes = writer.finish();
    assert.equal(bytes.byteLength, 256 + size);
    assert.equal(new Reader(bytes, 256)[kind](), value);
  }
});

test('what a newer message replaces is as the schema has it', async () => {
  const { DragEndCode, DragMoveCode, PoseSetCode, newestKey } = await loadModule('src/protocol/messages.ts');
  assert.equal(newestKey(DragMoveCode, { drag: 7 }), 7);
  assert.equal(newestKey(DragEndCode, { drag: 7 }), undefined);
  assert.equal(newestKey(PoseSetCode, { view: 2, live: 1 }), 2);
  assert.equal(newestKey(PoseSetCode, { view: 2, live: 0 }), undefined);
});

test('palettes of views are put together', async () => {
  const { Palettes } = await loadModule('src/protocol/palettes.ts');
  const palettes = new Palettes();
  const frame = (view, views, value) => ({ view, views, palette: new Float32Array(12).fill(value) });
  assert.ok(palettes.take(frame(0, 1, 1)));
  assert.ok(!palettes.take(frame(0, 1, 1)), 'nothing changed');
  assert.ok(palettes.take(frame(1, 2, 2)));
  assert.deepEqual([palettes.values[0], palettes.values[12], palettes.views, palettes.matricesPerView], [1, 2, 2, 1]);
  assert.ok(palettes.take(frame(0, 3, 1)), 'a view that is not told yet looks like this one');
  assert.deepEqual([palettes.values[0], palettes.values[12], palettes.values[24]], [1, 2, 1]);
  assert.ok(palettes.take({ view: 0, views: 1, palette: new Float32Array(24).fill(5) }));
  assert.deepEqual([palettes.values.length, palettes.matricesPerView], [24, 2]);
});
