// The skin on the stage: its triangles, with the parts that are hidden left out, its materials, and its edges and vertices
// as overlays. All of them fetch positions from the deformer's textures.
import { BufferAttribute, BufferGeometry, GLSL3, LineSegments, type Material, Mesh, type Object3D, PMREMGenerator, Points, RawShaderMaterial, type Texture, type WebGLRenderer } from 'three';
import { fetchChunk, instanceDefines } from './deformer';
import { type FileMaterials, loadMaterials } from './file_materials';
import { edgesOf, type Part, partsOf, type Piece, piecesOf, trianglesOf, verticesOf } from './pieces';
import type { PlacedMesh } from './placed_mesh';
import { dressMaterial, makeClay, Shown, type SkinUniforms } from './skin_material';

export const shadings = ['materials', 'clay', 'unlit'] as const;
export type Shading = (typeof shadings)[number];

const markVertex = `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D positions;
uniform int width;
uniform float size;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
${fetchChunk}
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(texelFetch(positions, place(gl_VertexID, width), 0).xyz, 1.0);
  gl_PointSize = size;
}
`;

const markFragment = `
precision highp float;
uniform vec4 tint;
out vec4 colour;
void main() { colour = tint; }
`;

function markMaterial({ positions, width }: SkinUniforms, tint: number[], size: number): RawShaderMaterial {
  return new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: markVertex, fragmentShader: markFragment, uniforms: { positions, width, tint: { value: tint }, size: { value: size } }, transparent: true, depthWrite: false });
}

/** Light from all sides for materials that reflect; made when a file first needs it, and again for a new graphics context. */
let room: { renderer: WebGLRenderer; texture: Texture } | undefined;
async function surroundings(renderer: WebGLRenderer): Promise<Texture> {
  if (room?.renderer === renderer) return room.texture;
  const { RoomEnvironment } = await import('three/examples/jsm/environments/RoomEnvironment.js');
  const generator = new PMREMGenerator(renderer);
  const scene = new RoomEnvironment();
  const { texture } = generator.fromScene(scene, 0.04);
  scene.dispose();
  generator.dispose();
  room = { renderer, texture };
  return texture;
}

function lightBy(light: Texture, { lit }: FileMaterials): void {
  for (const material of lit) if ('envMap' in material && 'roughness' in material) material.envMap = light;
}

export class Surface {
  readonly parts: Part[];
  readonly pieces: Piece[];
  /** The visible triangles of all instances, and the visible vertices of the first ones. */
  readonly triangles = new BufferGeometry();
  readonly vertices = new BufferGeometry();
  readonly mesh: Mesh<BufferGeometry, Material | Material[]>;
  shading: Shading = 'clay';
  /** Parts that are neither drawn nor picked. */
  private hidden: ReadonlySet<number> = new Set();
  private shown: Shown = Shown.Plain;
  private file: FileMaterials | undefined;
  private readonly clay: Material;
  private readonly flatClay: Material;
  private readonly defines: Record<string, string>;
  private wire: LineSegments | undefined;
  private dots: Points | undefined;
  private disposed = false;

  constructor(
    private readonly uniforms: SkinUniforms,
    private readonly placed: PlacedMesh,
    private readonly vertexCount: number,
    parts: Part[],
    private readonly pixelRatio: number,
  ) {
    this.parts = partsOf(vertexCount, parts);
    this.pieces = piecesOf(placed, this.parts);
    this.defines = instanceDefines(placed);
    this.clay = this.dress(makeClay(false));
    this.flatClay = this.dress(makeClay(true));
    this.mesh = new Mesh(this.triangles, this.clay);
    this.mesh.frustumCulled = false;
    this.index();
  }

  private dress<Kind extends Material>(material: Kind): Kind {
    return dressMaterial(material, this.uniforms, this.defines);
  }

  private get visible(): Piece[] {
    return this.pieces.filter((piece) => !this.hidden.has(piece.part));
  }

  /** Lists of what is visible. */
  private index(): void {
    const pieces = this.visible;
    this.triangles.dispose();
    this.vertices.dispose();
    this.triangles.setIndex(new BufferAttribute(trianglesOf(this.placed.triangles, pieces), 1));
    this.triangles.clearGroups();
    let at = 0;
    for (const piece of pieces) {
      this.triangles.addGroup(at, piece.corners, piece.part);
      at += piece.corners;
    }
    this.vertices.setIndex(new BufferAttribute(verticesOf(pieces, this.vertexCount), 1));
    if (this.wire !== undefined) this.setWireframe(true);
    if (this.dots !== undefined) this.setDots(true);
  }

  /** False if nothing changes. */
  setHidden(parts: ReadonlySet<number>): boolean {
    if (parts.size === this.hidden.size && [...parts].every((part) => this.hidden.has(part))) return false;
    this.hidden = new Set(parts);
    this.index();
    return true;
  }

  isHidden(vertex: number): boolean {
    if (this.hidden.size === 0) return false;
    return this.hidden.has(this.partOf(vertex));
  }

  /** The part of a vertex of the first instances. */
  partOf(vertex: number): number {
    let low = 0;
    for (let high = this.parts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.parts[middle].firstVertex <= vertex) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Reads the materials of the file. */
  async readMaterials(glb: ArrayBuffer, renderer: WebGLRenderer): Promise<void> {
    const file = await loadMaterials(glb, this.parts, this.pieces, this.placed.count);
    const light = await surroundings(renderer);
    if (this.disposed) return file.dispose();
    for (const material of [...file.lit, ...file.unlit]) this.dress(material);
    lightBy(light, file);
    if (this.file !== undefined) {
      this.file.dispose();
      this.triangles.dispose();
    }
    for (const [name, attribute] of file.attributes) this.triangles.setAttribute(name, attribute);
    this.file = file;
    this.wear();
  }

  /** After the graphics context was lost, and with it the light. */
  async relight(renderer: WebGLRenderer): Promise<void> {
    room = undefined;
    if (this.file === undefined) return;
    const light = await surroundings(renderer);
    if (!this.disposed) lightBy(light, this.file);
  }

  get hasMaterials(): boolean {
    return this.file !== undefined;
  }

  /** Data colours are drawn on clay. */
  show(shading: Shading, shown: Shown): void {
    this.shading = shading;
    this.shown = shown;
    this.wear();
  }

  private wear(): void {
    const ofFile = this.shown === Shown.Plain ? this.file : undefined;
    if (this.shading === 'unlit') this.mesh.material = ofFile?.unlit ?? this.flatClay;
    else this.mesh.material = this.shading === 'materials' && ofFile !== undefined ? ofFile.lit : this.clay;
  }

  private replace(old: LineSegments | Points | undefined, made: LineSegments | Points | undefined): void {
    if (old !== undefined) {
      this.mesh.remove(old as Object3D);
      old.geometry.dispose();
      (old.material as Material).dispose();
    }
    if (made === undefined) return;
    made.frustumCulled = false;
    made.renderOrder = 1;
    this.mesh.add(made as Object3D);
  }

  get wireframe(): boolean {
    return this.wire !== undefined;
  }

  get dotted(): boolean {
    return this.dots !== undefined;
  }

  setWireframe(on: boolean): void {
    let made: LineSegments | undefined;
    if (on) {
      const geometry = new BufferGeometry();
      geometry.setIndex(new BufferAttribute(edgesOf(this.triangles.index?.array as Uint32Array), 1));
      made = new LineSegments(geometry, markMaterial(this.uniforms, [0.03, 0.04, 0.06, 0.55], 1));
    }
    this.replace(this.wire, made);
    this.wire = made;
  }

  setDots(on: boolean): void {
    let made: Points | undefined;
    if (on) {
      const geometry = new BufferGeometry();
      geometry.setIndex(new BufferAttribute(verticesOf(this.visible), 1));
      made = new Points(geometry, markMaterial(this.uniforms, [0.03, 0.04, 0.06, 0.85], 3 * this.pixelRatio));
    }
    this.replace(this.dots, made);
    this.dots = made;
  }

  /** Number of edges and vertices that are drawn as overlays, for tests. */
  get marks(): { edges: number; vertices: number } {
    return { edges: (this.wire?.geometry.index?.count ?? 0) / 2, vertices: this.dots?.geometry.index?.count ?? 0 };
  }

  dispose(): void {
    this.disposed = true;
    this.replace(this.wire, undefined);
    this.replace(this.dots, undefined);
    this.triangles.dispose();
    this.vertices.dispose();
    this.clay.dispose();
    this.flatClay.dispose();
    this.file?.dispose();
  }
}
