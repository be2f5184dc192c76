// Which vertex is under the pointer: exactly what is seen, in any pose. A window of a few pixels is drawn magnified, the
// surface first for its depth, then every vertex as a point with its number.
import {
  type BufferGeometry,
  GLSL3,
  type Matrix4,
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
flat out uint id;
${fetchChunk}
void main() {
  id = uint(gl_VertexID + 1);
  vec3 p = texelFetch(positions, place(gl_VertexID, width), 0).xyz;
  gl_Position = viewProjection * vec4(p, 1.0);
  gl_Position.z -= ${bias.toExponential()} * gl_Position.w;
  ${points ? 'gl_PointSize = 1.0;' : ''}
}
`;

const fragmentShader = (write: string) => `
precision highp float;
precision highp int;
flat in uint id;
layout(location = 0) out uvec2 picked;
void main() { picked = ${write}; }
`;

export interface Picked {
  vertex: number;
  /** Distance from the pointer, in CSS pixels. */
  distance: number;
}

export class Picker {
  private readonly target = new WebGLRenderTarget(size, size, {
    format: RGIntegerFormat,
    type: UnsignedIntType,
    internalFormat: 'RG32UI',
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: true,
  });
  private readonly scene = new Scene();
  private readonly surface: Mesh;
  private readonly dots: Points;
  private readonly materials: RawShaderMaterial[];

  constructor(surface: BufferGeometry, vertices: BufferGeometry, width: number) {
    const material = (points: boolean) =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader: vertexShader(points ? 2e-5 : 0, points),
        fragmentShader: fragmentShader(points ? 'uvec2(id, 1u)' : 'uvec2(0u, 1u)'),
        uniforms: { positions: { value: null }, width: { value: width }, viewProjection: { value: null } },
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

  /** x and y in CSS pixels of a view that is `width` x `height`. `through` also finds what is hidden. */
  pick(
    renderer: WebGLRenderer,
    camera: PerspectiveCamera | OrthographicCamera,
    positions: Texture,
    x: number,
    y: number,
    width: number,
    height: number,
    through = false,
  ): Picked | undefined {
    const old = camera.view?.enabled === true ? { ...camera.view } : null;
    camera.setViewOffset(width, height, Math.round(x) - reach, Math.round(y) - reach, window_, window_);
    camera.updateMatrixWorld();
    const viewProjection = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    if (old === null) camera.clearViewOffset();
    else camera.setViewOffset(old.fullWidth, old.fullHeight, old.offsetX, old.offsetY, old.width, old.height);
    return nearest(this.render(renderer, camera, this.target, positions, viewProjection, through));
  }

  /** All vertices that are seen in a box of CSS pixels. Where several share a pixel, one of them. */
  box(
    renderer: WebGLRenderer,
    camera: PerspectiveCamera | OrthographicCamera,
    positions: Texture,
    box: { x: number; y: number; width: number; height: number },
    width: number,
    height: number,
  ): number[] {
    const scale = Math.max(1, Math.min(magnified, Math.floor(mostBoxPixels / Math.max(box.width, box.height))));
    const columns = Math.max(1, Math.round(box.width * scale));
    const rows = Math.max(1, Math.round(box.height * scale));
    camera.setViewOffset(width, height, box.x, box.y, box.width, box.height);
    camera.updateMatrixWorld();
    const viewProjection = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    camera.clearViewOffset();
    const target = new WebGLRenderTarget(columns, rows, {
      format: RGIntegerFormat,
      type: UnsignedIntType,
      internalFormat: 'RG32UI',
      minFilter: NearestFilter,
      magFilter: NearestFilter,
      depthBuffer: true,
    });
    const pixels = this.render(renderer, camera, target, positions, viewProjection, false);
    target.dispose();
    const found = new Set<number>();
    for (let i = 0; i < pixels.length; i += 2) if (pixels[i] !== 0) found.add(pixels[i] - 1);
    return [...found].sort((a, b) => a - b);
  }

  private render(
    renderer: WebGLRenderer,
    camera: PerspectiveCamera | OrthographicCamera,
    target: WebGLRenderTarget,
    positions: Texture,
    viewProjection: Matrix4,
    through: boolean,
  ): Uint32Array {
    for (const material of this.materials) {
      material.uniforms.positions.value = positions;
      material.uniforms.viewProjection.value = viewProjection;
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
    const pixels = new Uint32Array(2 * target.width * target.height);
    renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, pixels);
    renderer.autoClear = autoClear;
    renderer.setRenderTarget(before);
    return pixels;
  }

  dispose(): void {
    this.target.dispose();
    for (const material of this.materials) material.dispose();
  }
}

function nearest(pixels: Uint32Array): Picked | undefined {
  let best: Picked | undefined;
  const middle = size / 2 - 0.5;
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const id = pixels[2 * (row * size + column)];
      if (id === 0) continue;
      const distance = Math.hypot(column - middle, row - middle) / magnified;
      if (distance <= reach && (best === undefined || distance < best.distance)) best = { vertex: id - 1, distance };
    }
  }
  return best;
}
