// Binary messages in the format of apps/studio/net/codec.h: little endian, every field aligned to 4 bytes, arrays of variable
// length preceded by their length.

export const headerBytes = 16;

export interface Header {
  code: number;
  seq: number;
  /** The last message of the other side that is answered by this one. */
  ack: number;
  bytes: number;
}

export class MalformedMessage extends Error {}

export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly buffer: ArrayBuffer, start = 0) {
    this.view = new DataView(buffer);
    this.at = start;
  }

  private take(bytes: number): number {
    const here = this.at;
    if (bytes < 0 || here + bytes > this.buffer.byteLength) throw new MalformedMessage('a message is shorter than its format');
    this.at = here + bytes;
    return here;
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  f32(): number {
    return this.view.getFloat32(this.take(4), true);
  }
  u8s(count?: number): Uint8Array {
    const n = count ?? this.u32();
    const here = this.take((n + 3) & ~3);
    return new Uint8Array(this.buffer, here, n).slice();
  }
  u32s(count?: number): Uint32Array {
    const n = count ?? this.u32();
    return new Uint32Array(this.buffer.slice(this.take(4 * n), this.at));
  }
  f32s(count?: number): Float32Array {
    const n = count ?? this.u32();
    return new Float32Array(this.buffer.slice(this.take(4 * n), this.at));
  }
  header(): Header {
    return { code: this.u32(), seq: this.u32(), ack: this.u32(), bytes: this.u32() };
  }
  get atEnd(): boolean {
    return this.at === this.buffer.byteLength;
  }
}

export class Writer {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  /** Offset of the next `count` bytes. It may replace `bytes` and `view`: read them only afterwards. */
  private room(count: number): number {
    if (this.at + count > this.bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at + count));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    const here = this.at;
    this.at += count;
    return here;
  }

  u32(value: number): void {
    const here = this.room(4);
    this.view.setUint32(here, value, true);
  }
  f32(value: number): void {
    const here = this.room(4);
    this.view.setFloat32(here, value, true);
  }
  /** With `count` the length is part of the format; without it, the length is written first. */
  u8s(values: Uint8Array, count?: number): void {
    this.length(values.length, count);
    const here = this.room((values.length + 3) & ~3);
    this.bytes.fill(0, here, this.at);
    this.bytes.set(values, here);
  }
  u32s(values: Uint32Array, count?: number): void {
    this.length(values.length, count);
    for (const value of values) this.u32(value);
  }
  f32s(values: Float32Array, count?: number): void {
    this.length(values.length, count);
    for (const value of values) this.f32(value);
  }
  private length(have: number, want?: number): void {
    if (want === undefined) this.u32(have);
    else if (have !== want) throw new MalformedMessage(`the format has ${want} values here, not ${have}`);
  }
  finish(): ArrayBuffer {
    return this.bytes.slice(0, this.at).buffer;
  }
}

/** A whole message: header and body. */
export function encode<M>(code: number, seq: number, ack: number, write: (w: Writer, m: M) => void, body: M): ArrayBuffer {
  const writer = new Writer();
  writer.u32(code);
  writer.u32(seq);
  writer.u32(ack);
  writer.u32(0);
  write(writer, body);
  const buffer = writer.finish();
  new DataView(buffer).setUint32(12, buffer.byteLength - headerBytes, true);
  return buffer;
}
