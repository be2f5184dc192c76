// The materials of a file: three's own loader reads them from a .glb that has nothing else, one mesh for each part.
import { BufferAttribute, type BufferGeometry, DoubleSide, FrontSide, type Material, type Mesh, MeshBasicMaterial, type MeshPhysicalMaterial, type MeshStandardMaterial, type Texture } from 'three';
import type { Part, Piece } from './pieces';

/** Vertex attributes that materials read, with their sizes. */
const attributeSizes: Record<string, number> = { uv: 2, uv1: 2, uv2: 2, uv3: 2, color: 4 };

/** How much the surroundings light a material, beside the lights of the view. */
const surroundings = 0.45;
/** So that white stays below the brightest white in both lights together. */
const exposure = '0.68';

export interface FileMaterials {
  /** Per part: lit, and with its own colours only. */
  lit: Material[];
  unlit: Material[];
  /** For all vertices. */
  attributes: Map<string, BufferAttribute>;
  dispose: () => void;
}

function isStandard(material: Material): material is MeshStandardMaterial {
  return 'isMeshStandardMaterial' in material;
}

/** Both sides are drawn: an instance that is a mirror image has its triangles turned over. */
function showBothSides(material: Material): void {
  if (material.side === FrontSide) material.forceSinglePass = true;
  material.side = DoubleSide;
}

/** Ready for the view. Without normals in the file every face is flat. */
function litOf(source: Material, smooth: boolean): Material {
  const material = source.clone();
  showBothSides(material);
  if (!isStandard(material)) return material;
  material.flatShading = !smooth;
  material.envMapIntensity = surroundings;
  material.defines = { ...material.defines, EXPOSURE: exposure };
  const glass = material as MeshPhysicalMaterial;
  if ((glass.transmission ?? 0) > 0) {
    // Drawn with plain transparency: refraction would need a pass of its own in every view.
    glass.opacity = Math.min(glass.opacity, 1 - 0.7 * glass.transmission);
    glass.transmission = 0;
    glass.transparent = true;
  }
  return material;
}

function unlitOf(source: Material): Material {
  const from = source as MeshStandardMaterial;
  const material = new MeshBasicMaterial({
    color: from.color,
    map: from.map ?? null,
    vertexColors: from.vertexColors,
    opacity: from.opacity,
    transparent: from.transparent,
    alphaTest: from.alphaTest,
    depthWrite: from.depthWrite,
    side: from.side,
  });
  showBothSides(material);
  return material;
}

/** The attribute `name` of all vertices: that of each part in every one of its instances. */
function gather(name: string, geometries: BufferGeometry[], pieces: Piece[], count: number): BufferAttribute | undefined {
  if (!geometries.some((geometry) => geometry.hasAttribute(name))) return undefined;
  const size = attributeSizes[name];
  const values = new Float32Array(size * count).fill(name === 'color' ? 1 : 0);
  for (const piece of pieces) {
    const from = geometries[piece.part].getAttribute(name) as BufferAttribute | undefined;
    if (from === undefined) continue;
    for (let v = 0; v < piece.vertices; ++v) for (let k = 0; k < Math.min(size, from.itemSize); ++k) values[size * (piece.firstVertex + v) + k] = from.getComponent(v, k);
  }
  return new BufferAttribute(values, size);
}

function texturesOf(material: Material): Texture[] {
  return Object.values(material).filter((value): value is Texture => typeof value === 'object' && value !== null && 'isTexture' in value);
}

/** Throws if the parts are not those of the document. `vertexCount`: with all instances. */
export async function loadMaterials(glb: ArrayBuffer, parts: Part[], pieces: Piece[], vertexCount: number): Promise<FileMaterials> {
  const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
  const { parser } = await new GLTFLoader().parseAsync(glb, '');
  const meshes = (await Promise.all(parts.map((_, p) => parser.getDependency('mesh', p)))) as Mesh[];
  const geometries = meshes.map((mesh) => mesh.geometry);
  parts.forEach((part, p) => {
    if (meshes[p]?.userData.vertices !== part.vertices) throw new Error('The materials of the file do not fit its mesh.');
  });
  const known = new Map<string, [Material, Material]>();
  const made = meshes.map((mesh) => {
    const source = mesh.material as Material;
    const smooth = mesh.userData.smooth === true;
    const key = `${source.uuid} ${smooth}`;
    const pair = known.get(key) ?? [litOf(source, smooth), unlitOf(source)];
    known.set(key, pair);
    return pair;
  });
  const attributes = new Map<string, BufferAttribute>();
  for (const name of Object.keys(attributeSizes)) {
    const gathered = gather(name, geometries, pieces, vertexCount);
    if (gathered !== undefined) attributes.set(name, gathered);
  }
  const dispose = () => {
    for (const pair of known.values()) {
      for (const material of pair) {
        for (const texture of texturesOf(material)) texture.dispose();
        material.dispose();
      }
    }
  };
  return { lit: made.map(([lit]) => lit), unlit: made.map(([, unlit]) => unlit), attributes, dispose };
}
