// Kills the studio at random moments, in the middle of drags and of saves. After a restart the document must be the last
// committed state, and the saved file the old or the new one, whole.
//   node kill.mjs SINEW PAGE [ROUNDS] [SEED]
// Rounds may also come by the environment, SINEW_KILL_ROUNDS.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StudioProcess } from './studio_process.mjs';

const [sinew, pageFolder, roundsText = process.env.SINEW_KILL_ROUNDS ?? '4', seedText = String(Date.now() % 100000)] = process.argv.slice(2);
const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const protocol = JSON.parse(readFileSync(join(top, 'apps/studio/protocol.json'), 'utf8'));

let seed = Number(seedText);
const random = () => {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function encode(name, values) {
  const message = protocol.messages.find((one) => one.name === name);
  const words = [];
  const number = (type, value) => {
    const word = Buffer.alloc(4);
    if (type === 'f32') word.writeFloatLE(value);
    else word.writeUInt32LE(value);
    words.push(word);
  };
  for (const field of message.fields) {
    const value = values[field.name] ?? (field.count === undefined ? 0 : field.count === '*' ? [] : Array(field.count).fill(0));
    if (field.count === '*') number('u32', value.length);
    for (const one of [value].flat()) number(field.type, one);
  }
  const body = Buffer.concat(words);
  const header = Buffer.alloc(16);
  header.writeUInt16LE(message.code, 0);
  header.writeUInt32LE(1, 4);
  header.writeUInt32LE(body.length, 12);
  return Buffer.concat([header, body]);
}

/** As much of a WebSocket as is needed here. */
class Page {
  constructor(studio) {
    this.studio = studio;
    this.answers = new Map();
    this.nextId = 1;
    this.bytes = Buffer.alloc(0);
  }

  open() {
    const { port, token } = this.studio;
    return new Promise((resolve, reject) => {
      this.socket = connect(port, '127.0.0.1');
      this.socket.on('error', () => {});
      this.socket.on('close', () => {
        for (const { fail } of this.answers.values()) fail(new Error('gone'));
        this.answers.clear();
      });
      this.socket.write(
        `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
      this.socket.on('data', (chunk) => {
        this.bytes = Buffer.concat([this.bytes, chunk]);
        if (!this.greeted) {
          const end = this.bytes.indexOf('\r\n\r\n');
          if (end < 0) return;
          this.bytes = this.bytes.subarray(end + 4);
          this.greeted = true;
          this.command('hello', { token, protocol: protocol.version }).then(resolve, reject);
        }
        this.take();
      });
    });
  }

  take() {
    for (;;) {
      if (this.bytes.length < 2) return;
      const short = this.bytes[1] & 0x7f;
      const from = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (this.bytes.length < from) return;
      const length = short < 126 ? short : short === 126 ? this.bytes.readUInt16BE(2) : Number(this.bytes.readBigUInt64BE(2));
      if (this.bytes.length < from + length) return;
      const body = this.bytes.subarray(from, from + length);
      const text = (this.bytes[0] & 0xf) === 1 ? JSON.parse(body.toString()) : undefined;
      this.bytes = this.bytes.subarray(from + length);
      const waiting = this.answers.get(text?.id);
      if (waiting === undefined) continue;
      this.answers.delete(text.id);
      if (text.ok) waiting.done(text.result);
      else waiting.fail(new Error(text.text));
    }
  }

  send(opcode, body) {
    const head = body.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | body.length]) : Buffer.from([0x80 | opcode, 0xfe, body.length >> 8, body.length & 255]);
    this.socket.write(Buffer.concat([head, Buffer.alloc(4), body]));
  }

  binary(name, values) {
    this.send(2, encode(name, values));
  }

  command(cmd, args = {}) {
    const id = this.nextId++;
    return new Promise((done, fail) => {
      this.answers.set(id, { done, fail });
      this.send(1, Buffer.from(JSON.stringify({ id, cmd, args })));
    });
  }
}

class Studio extends StudioProcess {
  constructor(root, what) {
    super({ sinew, pageFolder, what, root, files: join(root, 'files') });
  }

  async start() {
    this.port = undefined;
    await super.start();
    this.page = new Page(this);
    await this.page.open();
  }

  async state() {
    const { weightsName, history, views, saved } = await super.state();
    const blob = await this.fetch(`/blob/${weightsName}`);
    return { weights: arraysOf(Buffer.from(await blob.arrayBuffer())), depth: history.depth, views, saved };
  }
}

/** Offsets, joints and weights of a blob of weights, one after the other. */
function arraysOf(blob) {
  const arrays = [];
  for (let i = 0; i < blob.readUInt32LE(8); ++i) {
    const row = 12 + 32 * i;
    const from = Number(blob.readBigUInt64LE(row + 8));
    const bytes = Buffer.from(blob.subarray(from, from + Number(blob.readBigUInt64LE(row + 16))));
    arrays.push(i < 2 ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4) : new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
  }
  return arrays;
}

/** A document that was saved is read from its file again: weights are the same to the precision of files. */
function sameState(found, wanted) {
  if (!found.saved) {
    assert.deepEqual(found, wanted, 'the last committed state');
    return;
  }
  assert.deepEqual(found.weights.slice(0, 2), wanted.weights.slice(0, 2), 'the influences of the last committed state');
  found.weights[2].forEach((weight, i) => assert.ok(Math.abs(weight - wanted.weights[2][i]) < 1e-6, `weight ${weight}, was ${wanted.weights[2][i]}`));
}

async function killInADrag(studio, round) {
  const { page } = studio;
  // Bent: at rest all joints put a vertex at the same place.
  const forearm = (await studio.state()).views[0].joints.slice(10, 20);
  const angle = 0.5 + random();
  page.binary('PoseSet', { joints: [1], rotations: [0, 0, Math.sin(angle), Math.cos(angle)], translations: forearm.slice(0, 3), scales: forearm.slice(7) });
  const before = await studio.state();
  page.binary('DragBegin', { drag: round + 1, tool: 0, view: 0, lead: Math.floor(random() * 1000), softRadius: 0.3 });
  const moves = Math.floor(random() * 20);
  for (let i = 0; i < moves; ++i) page.binary('DragMove', { drag: round + 1, target: [random(), random(), random()] });
  const ended = random() < 0.5;
  if (ended) page.binary('DragEnd', { drag: round + 1, commit: 1, target: [0.1, 0.2 + 0.3 * random(), 0.1] });
  await wait(25 * random() ** 2);
  await studio.kill();
  await studio.start();
  const after = await studio.state();
  if (ended && after.depth === before.depth + 1) {
    assert.notDeepEqual(after.weights, before.weights, 'the step of the drag is there, and so are its weights');
    return 'the drag was kept';
  }
  sameState(after, before);
  return 'the drag was not kept';
}

async function killInASave(studio) {
  const files = join(studio.root, 'files');
  const path = join(files, 'arm.glb');
  const vertex = Math.floor(random() * 1000);
  await studio.page.command('weights.set', { vertex, binding: Math.floor(random() * 2), weight: random() });
  const wanted = await studio.state();
  const old = existsSync(path) ? readFileSync(path) : undefined;
  const saving = studio.page.command('save', { path: 'arm.glb', replace: true }).then(
    () => true,
    () => false,
  );
  await wait(12 * random() ** 2);
  await studio.kill();
  const answered = await saving;
  const found = existsSync(path) ? readFileSync(path) : undefined;
  await studio.start();
  sameState(await studio.state(), wanted);
  await studio.page.command('save', { path: 'again.glb', replace: true });
  const again = readFileSync(join(files, 'again.glb'));
  // Saved under another name, so that arm.glb alone would not tell: a step more, and the journal is what counts.
  await studio.page.command('weights.set', { vertex: 0, binding: 0, weight: random() });
  const isNew = found !== undefined && found.equals(again);
  const isOld = found === undefined ? old === undefined : old !== undefined && found.equals(old);
  assert.ok(isNew || isOld, 'the file is the old one or the new one');
  assert.ok(!answered || isNew, 'a save that was answered is on disk');
  return isNew ? 'the file is the new one' : 'the file is the old one';
}

const root = mkdtempSync(join(tmpdir(), 'sinew-kill-'));
mkdirSync(join(root, 'files'));
let studio = new Studio(root, 'sample:arm');
let failed = false;
try {
  await studio.start();
  await studio.page.command('save', { path: 'arm.glb', replace: true });
  await studio.kill();
  studio = new Studio(root, 'arm.glb');
  await studio.start();
  const outcomes = {};
  for (let round = 0; round < Number(roundsText); ++round) {
    for (const kill of [killInADrag, killInASave]) {
      const outcome = await kill(studio, round);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  }
  console.log(`ok: ${roundsText} rounds, seed ${seedText}`, outcomes);
} catch (error) {
  failed = true;
  console.log(`FAILED with seed ${seedText}\n${error.stack}`);
}
await studio.kill();
rmSync(root, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
