// Deforms on the GPU, into textures: one pass writes the position of every vertex, a second one gathers its normal from
// the adjacent faces. Drawing and picking fetch from them by gl_VertexID.
import {
  type DataTexture,
  FloatType,
  GLSL3,
  HalfFloatType,
  Mesh,
  NearestFilter,
  OrthographicCamera,
  PlaneGeometry,
  RawShaderMaterial,
  RGBAFormat,
  Scene,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import type { Frame } from '../protocol/messages';
import { MorphedRest, MorphTargets } from './morphed_rest';
import { placeInstances, type PlacedMesh } from './placed_mesh';
import { floatTexture, Influences, pairTexture, roomFor, textureWidth } from './textures';
import { ViewOffsets } from './view_offsets';

const passVertex = `
precision highp float;
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }
`;

/** Shared by all shaders: the texel of an item in a texture that holds a list. */
export const fetchChunk = `
ivec2 place(int i, int width) { return ivec2(i % width, i / width); }
`;

const deformFragment = `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
// Of the first instances, or with morph targets of all.
uniform sampler2D rest;
uniform bool morphed;
// Added after skinning.
uniform sampler2D offsets;
uniform bool offset;
#ifdef INSTANCES
uniform usampler2D source;
#endif
uniform sampler2D influences;
uniform sampler2D palette;
uniform int width;
uniform int count;
uniform int perVertex;
uniform int firstMatrix;
out vec4 moved;
${fetchChunk}
void main() {
  int own = int(gl_FragCoord.y) * width + int(gl_FragCoord.x);
  moved = vec4(0.0);
  if (own >= count) return;
  int v = own;
  int matrix = 0;
#ifdef INSTANCES
  uvec2 from = texelFetch(source, place(own, width), 0).xy;
  v = int(from.x);
  matrix = int(from.y);
#endif
  vec4 p = vec4(texelFetch(rest, place(morphed ? own : v, width), 0).xyz, 1.0);
  vec3 sum = vec3(0.0);
  for (int k = 0; k < perVertex; ++k) {
    vec2 influence = texelFetch(influences, place(v * perVertex + k, ${textureWidth}), 0).xy;
    if (influence.y == 0.0) break;
    int row = firstMatrix + 3 * (matrix + int(influence.x));
    sum += influence.y * vec3(dot(texelFetch(palette, place(row, ${textureWidth}), 0), p),
                              dot(texelFetch(palette, place(row + 1, ${textureWidth}), 0), p),
                              dot(texelFetch(palette, place(row + 2, ${textureWidth}), 0), p));
  }
  if (offset) sum += texelFetch(offsets, place(own, width), 0).xyz;
  moved = vec4(sum, 1.0);
}
`;

const normalFragment = `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform sampler2D positions;
uniform usampler2D ringStart;
uniform usampler2D ring;
uniform int width;
uniform int count;
out vec4 normal;
${fetchChunk}
void main() {
  int v = int(gl_FragCoord.y) * width + int(gl_FragCoord.x);
  normal = vec4(0.0);
  if (v >= count) return;
  vec3 p = texelFetch(positions, place(v, width), 0).xyz;
  uvec2 range = texelFetch(ringStart, place(v, width), 0).xy;
  vec3 sum = vec3(0.0);
  for (uint i = range.x; i < range.y; ++i) {
    uvec2 pair = texelFetch(ring, place(int(i), ${textureWidth}), 0).xy;
    vec3 a = texelFetch(positions, place(int(pair.x), width), 0).xyz - p;
    vec3 b = texelFetch(positions, place(int(pair.y), width), 0).xyz - p;
    sum += cross(a, b);
  }
  float size = length(sum);
  normal = vec4(size > 0.0 ? sum / size : vec3(0.0, 0.0, 1.0), 0.0);
}
`;

/** The faces around every welded point, as pairs of the other two corners: a range of the list of pairs per vertex, both
 *  padded to whole texture rows. */
function rings(triangles: Uint32Array, pointOfVertex: Uint32Array, count: number, width: number): { range: Uint32Array; pairs: Uint32Array } {
  // Without a weld map every vertex is a point of its own.
  const welded = pointOfVertex.length === count;
  const corners = triangles.length;
  const points = welded ? new Uint32Array(corners) : triangles;
  if (welded) for (let i = 0; i < corners; ++i) points[i] = pointOfVertex[triangles[i]];
  const at = new Uint32Array(count + 1);
  for (let i = 0; i < corners; ++i) at[points[i] + 1] += 1;
  for (let p = 0; p < count; ++p) at[p + 1] += at[p];
  const range = new Uint32Array(2 * roomFor(count, width));
  for (let v = 0; v < count; ++v) {
    const p = welded ? pointOfVertex[v] : v;
    range[2 * v] = at[p];
    range[2 * v + 1] = at[p + 1];
  }
  const pairs = new Uint32Array(2 * roomFor(corners, textureWidth));
  for (let t = 0; t < corners; t += 3) {
    for (let c = 0; c < 3; ++c) {
      const slot = 2 * at[points[t + c]]++;
      pairs[slot] = triangles[t + (c === 2 ? 0 : c + 1)];
      pairs[slot + 1] = triangles[t + (c === 0 ? 2 : c - 1)];
    }
  }
  return { range, pairs };
}

/** In a list of `length` numbers. */
function padded(values: Uint32Array, length: number): Uint32Array {
  const list = new Uint32Array(length);
  list.set(values);
  return list;
}

function target(width: number, height: number, half: boolean): WebGLRenderTarget {
  return new WebGLRenderTarget(width, height, {
    format: RGBAFormat,
    type: half ? HalfFloatType : FloatType,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: false,
  });
}

export interface DeformedView {
  positions: WebGLRenderTarget;
  normals: WebGLRenderTarget;
}

/** The number of what is deformed apart from the views. */
const apartView = 8;

/** Defined in shaders that follow further instances to their source. */
export const instanceDefines = (placed: PlacedMesh): Record<string, string> => (placed.source === undefined ? {} : { INSTANCES: '' });

export class Deformer {
  readonly width: number;
  readonly height: number;
  readonly views: DeformedView[] = [];
  readonly rest: DataTexture;
  /** See PlacedMesh. */
  readonly source: DataTexture | undefined;
  /** Per view; none before some morph target has a weight there. */
  private readonly morphed: (MorphedRest | undefined)[] = [];
  /** Per view; none before some vertex is displaced there. */
  private readonly offsets: (ViewOffsets | undefined)[] = [];
  private apart: DeformedView | undefined;
  private readonly ringStart: DataTexture;
  private readonly ring: DataTexture;
  private palette: DataTexture | undefined;
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly quad: Mesh;
  private readonly deform: RawShaderMaterial;
  private readonly gather: RawShaderMaterial;
  passes = 0;
  /** Number of texels of morphed rest points that were uploaded after the first upload. */
  sentTexels = 0;

  constructor(
    rest: Float32Array,
    readonly placed: PlacedMesh,
    readonly influences: Influences,
    private readonly morphs: MorphTargets | undefined,
  ) {
    const { count, triangles, normalPoints } = placed;
    this.width = Math.min(textureWidth, Math.max(1, Math.ceil(Math.sqrt(count))));
    this.height = Math.max(1, Math.ceil(count / this.width));
    this.rest = floatTexture(rest, 3, this.width);
    const { range, pairs } = rings(triangles, normalPoints, count, this.width);
    if (placed.source !== undefined) this.source = pairTexture(padded(placed.source, 2 * roomFor(count, this.width)), this.width);
    this.ringStart = pairTexture(range, this.width);
    this.ring = pairTexture(pairs, textureWidth);
    const common = { width: { value: this.width }, count: { value: count } };
    const material = (fragmentShader: string, uniforms: Record<string, { value: unknown }>) =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader: passVertex,
        fragmentShader,
        uniforms: { ...common, ...uniforms },
        defines: instanceDefines(placed),
        depthTest: false,
        depthWrite: false,
      });
    this.deform = material(deformFragment, {
      rest: { value: this.rest },
      morphed: { value: false },
      offsets: { value: null },
      offset: { value: false },
      source: { value: this.source },
      influences: { value: influences.texture },
      palette: { value: null },
      perVertex: { value: influences.perVertex },
      firstMatrix: { value: 0 },
    });
    this.gather = material(normalFragment, {
      positions: { value: null },
      ringStart: { value: this.ringStart },
      ring: { value: this.ring },
    });
    this.quad = new Mesh(new PlaneGeometry(2, 2), this.deform);
    this.quad.frustumCulled = false;
    this.scene.add(this.quad);
  }

  /** Palettes of all views, as rows of 3 x 4 matrices. */
  setPalettes(palettes: Float32Array, views: number): void {
    const texels = palettes.length / 4;
    const room = Math.ceil(texels / textureWidth) * textureWidth * 4;
    if (this.palette === undefined || (this.palette.image.data as Float32Array).length < room) {
      this.palette?.dispose();
      this.palette = floatTexture(palettes, 4, textureWidth);
    } else {
      (this.palette.image.data as Float32Array).set(palettes);
      this.palette.needsUpdate = true;
    }
    while (this.views.length < views) this.views.push(this.newView());
  }

  private newView(): DeformedView {
    return { positions: target(this.width, this.height, false), normals: target(this.width, this.height, true) };
  }

  /** The weights of morph targets in a view, as Frame has them. False if nothing changed. */
  setTargets(view: number, targets: Uint32Array, weights: Float32Array): boolean {
    if (this.morphs === undefined) return false;
    if (this.morphed[view] === undefined && targets.length === 0) return false;
    this.morphed[view] ??= new MorphedRest(this.rest.image.data as Float32Array, this.morphs, this.placed, this.width);
    return this.morphed[view].set(targets, weights);
  }

  /** Displacements after skinning in a view, of the first instances; `all`: other vertices have none. False if nothing changed. */
  setOffsets(view: number, vertices: Uint32Array, offsets: Float32Array, all: boolean): boolean {
    if (this.offsets[view] === undefined && vertices.length === 0) return false;
    const those = (this.offsets[view] ??= new ViewOffsets(this.placed.count, this.width));
    if (all) return those.set(vertices, offsets);
    those.update(vertices, offsets);
    return true;
  }

  run(renderer: WebGLRenderer, controls: number, views: number): void {
    if (this.palette === undefined) return;
    for (let view = 0; view < views; ++view) this.pass(renderer, view, this.views[view], this.palette, 3 * controls * view);
  }

  /** Deforms as a frame says, without changing a view; valid until the next call. */
  runApart(renderer: WebGLRenderer, frame: Frame): DeformedView {
    this.apart ??= this.newView();
    this.influences.flush(renderer);
    this.setTargets(apartView, frame.targets, frame.targetWeights);
    this.setOffsets(apartView, frame.moved, frame.offsets, true);
    const palette = floatTexture(frame.palette, 4, textureWidth);
    this.pass(renderer, apartView, this.apart, palette, 0);
    palette.dispose();
    return this.apart;
  }

  /** Frees what runApart needs. */
  dropApart(): void {
    this.morphed[apartView]?.dispose();
    this.offsets[apartView]?.dispose();
    this.morphed[apartView] = this.offsets[apartView] = undefined;
    this.apart?.positions.dispose();
    this.apart?.normals.dispose();
    this.apart = undefined;
  }

  private pass(renderer: WebGLRenderer, view: number, into: DeformedView, palette: DataTexture, firstMatrix: number): void {
    const before = renderer.getRenderTarget();
    const morphed = this.morphed[view];
    this.sentTexels += morphed?.flush(renderer) ?? 0;
    this.deform.uniforms.morphed.value = morphed?.active === true;
    this.deform.uniforms.rest.value = morphed?.active === true ? morphed.texture : this.rest;
    const offsets = this.offsets[view];
    offsets?.flush(renderer);
    this.deform.uniforms.offset.value = offsets?.active === true;
    this.deform.uniforms.offsets.value = offsets?.texture ?? null;
    this.deform.uniforms.palette.value = palette;
    this.deform.uniforms.influences.value = this.influences.texture;
    this.deform.uniforms.perVertex.value = this.influences.perVertex;
    this.deform.uniforms.firstMatrix.value = firstMatrix;
    this.quad.material = this.deform;
    renderer.setRenderTarget(into.positions);
    renderer.render(this.scene, this.camera);
    this.gather.uniforms.positions.value = into.positions.texture;
    this.quad.material = this.gather;
    renderer.setRenderTarget(into.normals);
    renderer.render(this.scene, this.camera);
    this.passes += 2;
    renderer.setRenderTarget(before);
  }

  /** Positions of all vertices of a view, further instances after the first ones, read back from the GPU; for tests. */
  readPositions(renderer: WebGLRenderer, view: number): Float32Array {
    const texels = new Float32Array(this.width * this.height * 4);
    renderer.readRenderTargetPixels(this.views[view].positions, 0, 0, this.width, this.height, texels);
    return texels;
  }

  dispose(): void {
    this.dropApart();
    for (const view of this.views) {
      view.positions.dispose();
      view.normals.dispose();
    }
    for (const texture of [this.rest, this.source, this.ringStart, this.ring, this.palette]) texture?.dispose();
    for (const morphed of this.morphed) morphed?.dispose();
    for (const offsets of this.offsets) offsets?.dispose();
    this.influences.dispose();
    this.quad.geometry.dispose();
    this.deform.dispose();
    this.gather.dispose();
  }
}

/** Of a document, or of a skin that is compared with it. */
export function deformerOf(mesh: ArrayBuffer, weights: ArrayBuffer, morphs: ArrayBuffer | undefined): Deformer {
  const arrays = new BlobArrays(mesh);
  const columns = new BlobArrays(weights);
  const rest = arrays.f32(ArrayKind.Rest);
  const influences = new Influences(columns.u32(ArrayKind.InfluenceStart), columns.u32(ArrayKind.Bindings), columns.f32(ArrayKind.Weights));
  const placed = placeInstances(rest.length / 3, arrays.u32(ArrayKind.Triangles), arrays.u32(ArrayKind.PointOfVertex), arrays.u32(ArrayKind.Instances), arrays.u32(ArrayKind.NormalPoints));
  return new Deformer(rest, placed, influences, morphs === undefined ? undefined : new MorphTargets(morphs));
}
