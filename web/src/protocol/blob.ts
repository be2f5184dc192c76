// Bulk data in the format of apps/studio/document/blob.h.

export { ArrayKind } from './messages';

export class BlobArrays {
  private readonly floats = new Map<number, Float32Array>();
  private readonly whole = new Map<number, Uint32Array>();

  constructor(buffer: ArrayBuffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < 12 || view.getUint32(0, true) !== 0x31424b53) throw new Error('not a blob: the magic number is missing');
    const count = view.getUint32(8, true);
    for (let i = 0; i < count; ++i) {
      const at = 12 + 32 * i;
      const kind = view.getUint32(at, true);
      const type = view.getUint32(at + 4, true);
      const offset = Number(view.getBigUint64(at + 8, true));
      const length = Number(view.getBigUint64(at + 16, true)) / 4;
      if (type === 1) this.floats.set(kind, new Float32Array(buffer, offset, length));
      else this.whole.set(kind, new Uint32Array(buffer, offset, length));
    }
  }

  f32(kind: number): Float32Array {
    return this.floats.get(kind) ?? new Float32Array(0);
  }
  u32(kind: number): Uint32Array {
    return this.whole.get(kind) ?? new Uint32Array(0);
  }
}
