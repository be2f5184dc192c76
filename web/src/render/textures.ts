// Lists of numbers as textures.
import { DataTexture, FloatType, NearestFilter, RedFormat, RGBAFormat, RGFormat, RGIntegerFormat, UnsignedIntType, type WebGLRenderer } from 'three';

/** Of textures that hold lists: within what every WebGL2 allows. */
export const textureWidth = 2048;

const floatFormats = { 1: RedFormat, 2: RGFormat, 4: RGBAFormat } as const;

/** A texel per item. Three numbers per item take four channels. */
export function floatTexture(values: Float32Array, perItem: 1 | 2 | 3 | 4, width: number): DataTexture {
  const channels = perItem === 3 ? 4 : perItem;
  const items = values.length / perItem;
  const height = Math.max(1, Math.ceil(items / width));
  const data = new Float32Array(width * height * channels);
  if (channels === perItem) {
    data.set(values);
  } else {
    for (let i = 0; i < items; ++i) for (let c = 0; c < perItem; ++c) data[channels * i + c] = values[perItem * i + c];
  }
  const texture = new DataTexture(data, width, height, floatFormats[channels as 1 | 2 | 4], FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

export function uintTexture(values: Uint32Array, perItem: 2, width: number): DataTexture {
  const height = Math.max(1, Math.ceil(values.length / perItem / width));
  const data = new Uint32Array(width * height * perItem);
  data.set(values);
  const texture = new DataTexture(data, width, height, RGIntegerFormat, UnsignedIntType);
  texture.internalFormat = 'RG32UI';
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Weights with a fixed number of places per vertex, so that an edit rewrites only the rows that it touches. */
export class Influences {
  texture: DataTexture;
  perVertex: number;
  private dirty: { first: number; last: number } | undefined;

  constructor(
    private readonly start: Uint32Array,
    private readonly bindings: Uint32Array,
    private readonly weights: Float32Array,
  ) {
    let most = 1;
    for (let v = 0; v + 1 < start.length; ++v) most = Math.max(most, start[v + 1] - start[v]);
    // Room for a few more than the file has, since edits may add joints.
    this.perVertex = 4 * Math.ceil((most + 2) / 4);
    this.texture = this.build((v, write) => {
      for (let i = this.start[v]; i < this.start[v + 1]; ++i) write(this.bindings[i], this.weights[i]);
    });
  }

  private get count(): number {
    return this.start.length - 1;
  }

  private build(each: (v: number, write: (binding: number, weight: number) => void) => void): DataTexture {
    const values = new Float32Array(2 * this.count * this.perVertex);
    for (let v = 0; v < this.count; ++v) {
      let at = 2 * v * this.perVertex;
      each(v, (binding, weight) => {
        values[at++] = binding;
        values[at++] = weight;
      });
    }
    return floatTexture(values, 2, textureWidth);
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

  /** Columns as a Weights message has them. */
  update(vertices: Uint32Array, counts: Uint32Array, bindings: Uint32Array, weights: Float32Array): void {
    let most = 0;
    for (const count of counts) most = Math.max(most, count);
    if (most > this.perVertex) this.grow(most);
    let from = 0;
    for (let i = 0; i < vertices.length; ++i) {
      const first = vertices[i] * this.perVertex;
      for (let k = 0; k < this.perVertex; ++k) {
        const at = 2 * (first + k);
        this.data[at] = k < counts[i] ? bindings[from + k] : 0;
        this.data[at + 1] = k < counts[i] ? weights[from + k] : 0;
      }
      from += counts[i];
      const last = first + this.perVertex - 1;
      this.dirty = {
        first: Math.min(this.dirty?.first ?? first, first),
        last: Math.max(this.dirty?.last ?? last, last),
      };
    }
  }

  private grow(most: number): void {
    const old = Array.from({ length: this.count }, (_, v) => this.column(v));
    this.texture.dispose();
    this.perVertex = 4 * Math.ceil((most + 2) / 4);
    this.texture = this.build((v, write) => {
      for (const one of old[v]) write(one.binding, one.weight);
    });
  }

  /** Sends what changed to the GPU: whole rows of the texture. */
  flush(renderer: WebGLRenderer): void {
    if (this.dirty === undefined) return;
    const firstRow = Math.floor(this.dirty.first / textureWidth);
    const rows = Math.floor(this.dirty.last / textureWidth) - firstRow + 1;
    this.dirty = undefined;
    const properties = renderer.properties.get(this.texture) as { __webglTexture?: WebGLTexture };
    if (properties.__webglTexture === undefined) {
      this.texture.needsUpdate = true;
      return;
    }
    const gl = renderer.getContext() as WebGL2RenderingContext;
    renderer.state.bindTexture(gl.TEXTURE_2D, properties.__webglTexture);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    const from = 2 * firstRow * textureWidth;
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, firstRow, textureWidth, rows, gl.RG, gl.FLOAT, this.data.subarray(from, from + 2 * rows * textureWidth));
    renderer.state.unbindTexture();
  }

  dispose(): void {
    this.texture.dispose();
  }
}
