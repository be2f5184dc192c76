// Picking: the visible vertex under the pointer, in any pose. A window of a few pixels is drawn magnified: first the surface
// for its depth, then every vertex as a point with its index. The depth is stored too, for the position of brushes.
import {
  type BufferGeometry,
  GLSL3,
  Mesh,
  NearestFilter,
  type PerspectiveCamera,
  type OrthographicCamera,
  Points,
  RawShaderMaterial,
  RGIntegerFormat,
  Scene,
  type Texture,
  UnsignedIntType,
  Vector4,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { fetchChunk } from './deformer';

const reach = 12;
const window_ = 2 * reach + 1;
const magnified = 8;
const size = window_ * magnified;
const mostBoxPixels = 2048;

const vertexShader = (bias: number, points: boolean) => `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D positions;
uniform int width;
uniform mat4 viewProjection;
uniform vec4 depthRow;
flat out uint id;
out float depth;
${fetchChunk}
void main() {
  id = uint(gl_VertexID + 1);
  vec3 p = texelFetch(positions, place(gl_VertexID, width), 0).xyz;
  gl_Position = viewProjection * vec4(p, 1.0);
  depth = dot(depthRow, vec4(p, 1.0));
  gl_Position.z -= ${bias.toExponential()} * gl_Position.w;
  ${points ? 'gl_PointSize = 1.0;' : ''}
}
`;

const fragmentShader = (write: string) => `
precision highp float;
precision highp int;
flat in uint id;
in float depth;
layout(location = 0) out uvec2 picked;
void main() { picked = ${write}; }
`;

export interface Picked {
  vertex: number;
  /** Distance from the pointer, and its components, in CSS pixels. */
  distance: number;
  dx: number;
  dy: number;
}

/** A window around the pointer: the index of the vertex plus 1, and the depth of the visible surface, per texel. */
export class PickWindow {
  constructor(
    private readonly pixels: Uint32Array,
    /** Top left corner of the window, in CSS pixels of the view. */
    readonly left: number,
    readonly top: number,
  ) {}

  nearest(): Picked | undefined {
    return nearest(this.pixels);
  }

  /** Depth at an offset in CSS pixels from the centre; undefined off the surface. */
  depthAt(dx: number, dy: number): number | undefined {
    const column = Math.floor((reach + 0.5 + dx) * magnified);
    const row = Math.floor((reach + 0.5 - dy) * magnified);
    if (column < 0 || row < 0 || column >= size || row >= size) return undefined;
    const bits = this.pixels[2 * (row * size + column) + 1];
    return bits === 0 ? undefined : new Float32Array(Uint32Array.of(bits).buffer)[0];
  }

  /** One vertex per layer of the surface; layers are at least `gap` apart in depth. */
  layers(gap: number): number[] {
    const found = new Map<number, { vertex: number; distance: number; depth: number }>();
    const depths = new Float32Array(this.pixels.buffer);
    const middle = size / 2 - 0.5;
    for (let i = 0; i < size * size; ++i) {
      const id = this.pixels[2 * i];
      if (id === 0) continue;
      const distance = Math.hypot((i % size) - middle, Math.floor(i / size) - middle) / magnified;
      if (distance <= reach && distance < (found.get(id)?.distance ?? Infinity)) found.set(id, { vertex: id - 1, distance, depth: depths[2 * i + 1] });
    }
    const taken: { vertex: number; depth: number }[] = [];
    for (const one of [...found.values()].sort((a, b) => a.distance - b.distance)) {
      if (taken.every((other) => Math.abs(other.depth - one.depth) > gap)) taken.push(one);
    }
    return taken.map((one) => one.vertex);
  }
}

type AnyCamera = PerspectiveCamera | OrthographicCamera;

export class Picker {
  private readonly target = pickTarget(size, size);
  private readonly scene = new Scene();
  private readonly surface: Mesh;
  private readonly dots: Points;
  private readonly materials: RawShaderMaterial[];

  constructor(surface: BufferGeometry, vertices: BufferGeometry, width: number) {
    const material = (points: boolean) =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader: vertexShader(points ? 2e-5 : 0, points),
        fragmentShader: fragmentShader(points ? 'uvec2(id, floatBitsToUint(depth))' : 'uvec2(0u, floatBitsToUint(depth))'),
        uniforms: { positions: { value: null }, width: { value: width }, viewProjection: { value: null }, depthRow: { value: new Vector4() } },
        side: 2,
      });
    this.materials = [material(false), material(true)];
    this.surface = new Mesh(surface, this.materials[0]);
    this.dots = new Points(vertices, this.materials[1]);
    this.surface.renderOrder = 0;
    this.dots.renderOrder = 1;
    for (const object of [this.surface, this.dots]) {
      object.frustumCulled = false;
      this.scene.add(object);
    }
  }

  /** x and y in CSS pixels of a view of `width` x `height`. With `through`, also hidden vertices. */
  pick(renderer: WebGLRenderer, camera: AnyCamera, positions: Texture, x: number, y: number, width: number, height: number, through = false): Picked | undefined {
    return this.window(renderer, camera, positions, x, y, width, height, through).nearest();
  }

  window(renderer: WebGLRenderer, camera: AnyCamera, positions: Texture, x: number, y: number, width: number, height: number, through = false): PickWindow {
    const [left, top] = this.aim(renderer, camera, positions, x, y, width, height, through);
    return new PickWindow(readPixels(renderer, this.target), left, top);
  }

  /** The same without waiting for the GPU, for hovering. */
  async windowSoon(renderer: WebGLRenderer, camera: AnyCamera, positions: Texture, x: number, y: number, width: number, height: number): Promise<PickWindow> {
    const [left, top] = this.aim(renderer, camera, positions, x, y, width, height, false);
    const pixels = new Uint32Array(2 * size * size);
    await renderer.readRenderTargetPixelsAsync(this.target, 0, 0, size, size, pixels);
    return new PickWindow(pixels, left, top);
  }

  private aim(renderer: WebGLRenderer, camera: AnyCamera, positions: Texture, x: number, y: number, width: number, height: number, through: boolean): [number, number] {
    const [left, top] = [Math.round(x) - reach, Math.round(y) - reach];
    this.render(renderer, camera, this.target, positions, { x: left, y: top, width: window_, height: window_ }, width, height, through);
    return [left, top];
  }

  /**
   * All visible vertices in a box of CSS pixels, or in the part of it that is `inside`. If several vertices share a pixel,
   * one of them.
   */
  region(
    renderer: WebGLRenderer,
    camera: AnyCamera,
    positions: Texture,
    box: { x: number; y: number; width: number; height: number },
    width: number,
    height: number,
    inside: (x: number, y: number) => boolean = () => true,
  ): number[] {
    const scale = Math.max(1, Math.min(magnified, Math.floor(mostBoxPixels / Math.max(box.width, box.height))));
    const target = pickTarget(Math.max(1, Math.round(box.width * scale)), Math.max(1, Math.round(box.height * scale)));
    this.render(renderer, camera, target, positions, box, width, height, false);
    const pixels = readPixels(renderer, target);
    const found = new Set<number>();
    for (let i = 0; i < target.width * target.height; ++i) {
      const id = pixels[2 * i];
      if (id === 0 || found.has(id - 1)) continue;
      const x = box.x + (((i % target.width) + 0.5) * box.width) / target.width;
      const y = box.y + box.height - ((Math.floor(i / target.width) + 0.5) * box.height) / target.height;
      if (inside(x, y)) found.add(id - 1);
    }
    target.dispose();
    return [...found].sort((a, b) => a - b);
  }

  private render(
    renderer: WebGLRenderer,
    camera: AnyCamera,
    target: WebGLRenderTarget,
    positions: Texture,
    box: { x: number; y: number; width: number; height: number },
    width: number,
    height: number,
    through: boolean,
  ): void {
    const old = camera.view?.enabled === true ? { ...camera.view } : null;
    camera.setViewOffset(width, height, box.x, box.y, box.width, box.height);
    camera.updateMatrixWorld();
    const viewProjection = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    if (old === null) camera.clearViewOffset();
    else camera.setViewOffset(old.fullWidth, old.fullHeight, old.offsetX, old.offsetY, old.width, old.height);
    for (const material of this.materials) {
      material.uniforms.positions.value = positions;
      material.uniforms.viewProjection.value = viewProjection;
      depthRow(camera, material.uniforms.depthRow.value as Vector4);
    }
    this.surface.visible = !through;
    const before = renderer.getRenderTarget();
    const autoClear = renderer.autoClear;
    renderer.setRenderTarget(target);
    renderer.autoClear = false;
    const gl = renderer.getContext() as WebGL2RenderingContext;
    gl.clearBufferuiv(gl.COLOR, 0, new Uint32Array(4));
    renderer.clearDepth();
    renderer.render(this.scene, camera);
    renderer.autoClear = autoClear;
    renderer.setRenderTarget(before);
  }

  dispose(): void {
    this.target.dispose();
    for (const material of this.materials) material.dispose();
  }
}

/** The product of a position with this row is its depth along the view. */
export function depthRow(camera: AnyCamera, row = new Vector4()): Vector4 {
  const m = camera.matrixWorldInverse.elements;
  return row.set(-m[2], -m[6], -m[10], -m[14]);
}

function pickTarget(width: number, height: number): WebGLRenderTarget {
  return new WebGLRenderTarget(width, height, {
    format: RGIntegerFormat,
    type: UnsignedIntType,
    internalFormat: 'RG32UI',
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: true,
  });
}

function readPixels(renderer: WebGLRenderer, target: WebGLRenderTarget): Uint32Array {
  const pixels = new Uint32Array(2 * target.width * target.height);
  renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, pixels);
  return pixels;
}

function nearest(pixels: Uint32Array): Picked | undefined {
  let best: Picked | undefined;
  const middle = size / 2 - 0.5;
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const id = pixels[2 * (row * size + column)];
      if (id === 0) continue;
      const distance = Math.hypot(column - middle, row - middle) / magnified;
      if (distance <= reach && (best === undefined || distance < best.distance)) best = { vertex: id - 1, distance, dx: (column - middle) / magnified, dy: (middle - row) / magnified };
    }
  }
  return best;
}
