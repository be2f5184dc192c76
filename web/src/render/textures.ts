// Lists of numbers in textures.
import { DataTexture, FloatType, NearestFilter, RedFormat, RGBAFormat, RGFormat, RGIntegerFormat, UnsignedIntType, type WebGLRenderer } from 'three';

/** Width of textures that hold lists, within the guaranteed limit of WebGL 2. */
export const textureWidth = 2048;

const floatFormats = { 1: RedFormat, 2: RGFormat, 4: RGBAFormat } as const;

/** One texel per item; items of three numbers use four channels. */
export function floatTexture(values: Float32Array, perItem: 1 | 2 | 3 | 4, width: number): DataTexture {
  const channels = perItem === 3 ? 4 : perItem;
  const data = new Float32Array(roomFor(values.length / perItem, width) * channels);
  if (channels === perItem) {
    data.set(values);
  } else {
    for (let from = 0, to = 0; from < values.length; from += 3, to += 4) {
      data[to] = values[from];
      data[to + 1] = values[from + 1];
      data[to + 2] = values[from + 2];
    }
  }
  return textureOfFloats(data, channels as 1 | 2 | 4, width);
}

/** Number of texels in the whole rows that hold `count` items. */
export function roomFor(items: number, width: number): number {
  return width * Math.max(1, Math.ceil(items / width));
}

/** From numbers that already fill whole rows. */
export function textureOfFloats(data: Float32Array, channels: 1 | 2 | 4, width: number): DataTexture {
  const texture = new DataTexture(data, width, data.length / channels / width, floatFormats[channels], FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** From pairs that already fill whole rows. */
export function pairTexture(data: Uint32Array, width: number): DataTexture {
  const texture = new DataTexture(data, width, data.length / 2 / width, RGIntegerFormat, UnsignedIntType);
  texture.internalFormat = 'RG32UI';
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** The changed texels of a row. */
interface Span {
  first: number;
  last: number;
}

/** The changed texels of a list in a texture, as one range for each row: only these are uploaded. */
export class ChangedTexels {
  private readonly rows = new Map<number, Span>();

  constructor(private readonly width: number) {}

  /** From one item to another. */
  touch(first: number, last: number): void {
    for (let row = Math.floor(first / this.width); row * this.width <= last; ++row) {
      const from = Math.max(0, first - row * this.width);
      const to = Math.min(this.width - 1, last - row * this.width);
      const span = this.rows.get(row);
      if (span === undefined) {
        this.rows.set(row, { first: from, last: to });
      } else {
        span.first = Math.min(span.first, from);
        span.last = Math.max(span.last, to);
      }
    }
  }

  clear(): void {
    this.rows.clear();
  }

  /** Uploads them to a texture of two or four channels; returns their number. A texture that was never uploaded is later
   *  uploaded whole. */
  flush(renderer: WebGLRenderer, texture: DataTexture): number {
    if (this.rows.size === 0) return 0;
    const spans = [...this.rows].sort(([a], [b]) => a - b);
    this.rows.clear();
    const properties = renderer.properties.get(texture) as { __webglTexture?: WebGLTexture };
    if (properties.__webglTexture === undefined) {
      texture.needsUpdate = true;
      return 0;
    }
    const gl = renderer.getContext() as WebGL2RenderingContext;
    renderer.state.bindTexture(gl.TEXTURE_2D, properties.__webglTexture);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    const data = texture.image.data as Float32Array;
    const [channels, format] = texture.format === RGFormat ? [2, gl.RG] : [4, gl.RGBA];
    let sent = 0;
    const send = (column: number, row: number, columns: number, rows: number) => {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, column, row, columns, rows, format, gl.FLOAT, data, channels * (row * this.width + column));
      sent += columns * rows;
    };
    // Consecutive rows that changed mostly are uploaded as one block: a call costs as much as many texels.
    const full = ({ first, last }: Span) => last - first + 1 >= this.width / 2;
    for (let i = 0; i < spans.length; ) {
      let end = i + 1;
      while (end < spans.length && full(spans[i][1]) && full(spans[end][1]) && spans[end][0] === spans[end - 1][0] + 1) ++end;
      const [row, span] = spans[i];
      if (end > i + 1) send(0, row, this.width, end - i);
      else send(span.first, row, span.last - span.first + 1, 1);
      i = end;
    }
    renderer.state.unbindTexture();
    return sent;
  }
}

/** Weights with a fixed number of slots per vertex, so that an edit rewrites only the texels it touches. */
export class Influences {
  texture: DataTexture;
  perVertex: number;
  private readonly count: number;
  private readonly changed = new ChangedTexels(textureWidth);
  /** Number of texels uploaded after the first upload. */
  sentTexels = 0;

  constructor(start: Uint32Array, bindings: Uint32Array, weights: Float32Array) {
    this.count = Math.max(0, start.length - 1);
    let most = 1;
    for (let v = 0; v < this.count; ++v) most = Math.max(most, start[v + 1] - start[v]);
    this.perVertex = placesFor(most);
    const data = new Float32Array(2 * roomFor(this.count * this.perVertex, textureWidth));
    for (let v = 0; v < this.count; ++v) {
      let at = 2 * v * this.perVertex;
      for (let i = start[v]; i < start[v + 1]; ++i) {
        data[at++] = bindings[i];
        data[at++] = weights[i];
      }
    }
    this.texture = textureOfFloats(data, 2, textureWidth);
  }

  private get data(): Float32Array {
    return this.texture.image.data as Float32Array;
  }

  column(v: number): { binding: number; weight: number }[] {
    const column = [];
    for (let k = 0; k < this.perVertex; ++k) {
      const at = 2 * (v * this.perVertex + k);
      if (this.data[at + 1] === 0) break;
      column.push({ binding: this.data[at], weight: this.data[at + 1] });
    }
    return column;
  }

  /** The weight of one influence; 0 if it does not affect the vertex. */
  weightOf(v: number, binding: number): number {
    for (let at = 2 * v * this.perVertex, end = at + 2 * this.perVertex; at < end && this.data[at + 1] !== 0; at += 2)
      if (this.data[at] === binding) return this.data[at + 1];
    return 0;
  }

  /** Applies columns in the layout of a Weights message. */
  update(vertices: Uint32Array, counts: Uint32Array, bindings: Uint32Array, weights: Float32Array): void {
    let most = 0;
    for (let i = 0; i < counts.length; ++i) most = Math.max(most, counts[i]);
    if (most > this.perVertex) this.grow(most);
    const data = this.data;
    let from = 0;
    for (let i = 0; i < vertices.length; ++i) {
      const first = vertices[i] * this.perVertex;
      for (let k = 0; k < this.perVertex; ++k) {
        const at = 2 * (first + k);
        data[at] = k < counts[i] ? bindings[from + k] : 0;
        data[at + 1] = k < counts[i] ? weights[from + k] : 0;
      }
      from += counts[i];
      this.changed.touch(first, first + this.perVertex - 1);
    }
  }

  private grow(most: number): void {
    const perVertex = placesFor(most);
    const data = new Float32Array(2 * roomFor(this.count * perVertex, textureWidth));
    const old = this.data;
    for (let v = 0; v < this.count; ++v) data.set(old.subarray(2 * v * this.perVertex, 2 * (v + 1) * this.perVertex), 2 * v * perVertex);
    this.texture.dispose();
    this.perVertex = perVertex;
    this.texture = textureOfFloats(data, 2, textureWidth);
    this.changed.clear();
  }

  /** Uploads the changed range of each row. */
  flush(renderer: WebGLRenderer): void {
    this.sentTexels += this.changed.flush(renderer, this.texture);
  }

  dispose(): void {
    this.texture.dispose();
  }
}

/** Slots per vertex, with some room because edits may add influences. */
function placesFor(most: number): number {
  return 4 * Math.ceil((most + 2) / 4);
}
