// A page without a browser: a minimal WebSocket, and messages by their schema.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const protocol = JSON.parse(readFileSync(join(top, 'apps/studio/protocol.json'), 'utf8'));
const headerBytes = 16;

export function encode(name, values, seq = 1) {
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
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(message.code, 0);
  header.writeUInt32LE(seq, 4);
  header.writeUInt32LE(body.length, 12);
  return Buffer.concat([header, body]);
}

/** The name of a message, the message that it answers, and its fields. */
export function decode(bytes) {
  const message = protocol.messages.find((one) => one.code === bytes.readUInt32LE(0));
  const values = {};
  let at = headerBytes;
  for (const field of message.fields) {
    if (field.type === 'u8') {
      const length = bytes.readUInt32LE(at);
      values[field.name] = bytes.subarray(at + 4, at + 4 + length).toString();
      at += 4 + ((length + 3) & ~3);
      continue;
    }
    const one = () => (field.type === 'f32' ? bytes.readFloatLE((at += 4) - 4) : bytes.readUInt32LE((at += 4) - 4));
    if (field.count === undefined) values[field.name] = one();
    else values[field.name] = Array.from({ length: field.count === '*' ? bytes.readUInt32LE((at += 4) - 4) : field.count }, one);
  }
  return { name: message.name, ack: bytes.readUInt32LE(8), values };
}

export class RawPage {
  constructor(studio) {
    this.studio = studio;
    this.answers = new Map();
    this.nextId = 1;
    this.seq = 0;
    this.bytes = Buffer.alloc(0);
    this.received = 0;
    /** Called with the bytes of every binary message. */
    this.onBinary = () => {};
    this.onEvent = () => {};
  }

  /** Resolves with the answer to hello. */
  open() {
    const { port, token } = this.studio;
    return new Promise((resolve, reject) => {
      this.socket = connect(port, '127.0.0.1');
      this.socket.setNoDelay(true);
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
        this.received += chunk.length;
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
      const opcode = this.bytes[0] & 0xf;
      this.bytes = this.bytes.subarray(from + length);
      if (opcode === 1) this.takeText(JSON.parse(body.toString()));
      else if (opcode === 2) this.onBinary(body);
    }
  }

  takeText(text) {
    if (text.event !== undefined) this.onEvent(text);
    const waiting = this.answers.get(text.id);
    if (waiting === undefined) return;
    this.answers.delete(text.id);
    if (text.ok) waiting.done(text.result);
    else waiting.fail(new Error(text.text));
  }

  send(opcode, body) {
    const head = body.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | body.length]) : Buffer.from([0x80 | opcode, 0xfe, body.length >> 8, body.length & 255]);
    this.socket.write(Buffer.concat([head, Buffer.alloc(4), body]));
  }

  /** Returns its number, which the reply contains. */
  binary(name, values) {
    this.send(2, encode(name, values, ++this.seq));
    return this.seq;
  }

  /** Sends, and resolves with the first matching reply to it. */
  ask(name, values, reply, isWanted = () => true) {
    return new Promise((resolve) => {
      const seq = this.binary(name, values);
      this.onBinary = (bytes) => {
        const message = decode(bytes);
        if (message.name === reply && message.ack >= seq && isWanted(message.values)) resolve({ ...message, bytes: bytes.length });
      };
    });
  }

  command(cmd, args = {}) {
    const id = this.nextId++;
    return new Promise((done, fail) => {
      this.answers.set(id, { done, fail });
      this.send(1, Buffer.from(JSON.stringify({ id, cmd, args })));
    });
  }
}
