// Decides how each file of a drop is used.
import type { ErrorCard } from '../store';

export interface Dropped {
  /** Including its folders within the drop. */
  path: string;
  file: File;
}

export type Verdict = NonNullable<ErrorCard['rows']>[number];

const kinds: { kind: 'character' | 'mesh' | 'companion'; extensions: string[] }[] = [
  { kind: 'character', extensions: ['.glb', '.gltf', '.fbx', '.dae', '.x', '.b3d', '.ms3d', '.md5mesh', '.smd', '.3ds', '.lwo', '.bvh'] },
  { kind: 'mesh', extensions: ['.obj', '.ply', '.off', '.stl'] },
  { kind: 'companion', extensions: ['.bin', '.png', '.jpg', '.jpeg', '.ktx2', '.webp', '.mtl', '.tga'] },
];

function kindOf(path: string): 'character' | 'mesh' | 'companion' | 'other' {
  const name = path.toLowerCase();
  return kinds.find((one) => one.extensions.some((extension) => name.endsWith(extension)))?.kind ?? 'other';
}

export interface DropPlan {
  upload: Dropped[];
  /** Path to open, within the drop; undefined if nothing can be opened. */
  open: string | undefined;
  /** Path of the file whose skeleton the mesh is bound to. */
  skeleton?: string;
  rows: Verdict[];
}

/** Chooses what to upload and open, with a result for each file. */
export function planDrop(files: Dropped[]): DropPlan {
  const of = (kind: string) => files.filter((one) => kindOf(one.path) === kind);
  const characters = of('character');
  const meshes = of('mesh');
  const companions = of('companion');
  const rows: Verdict[] = of('other').map((one) => ({ name: one.path, ok: false, text: 'skipped: not a character or a mesh' }));
  if (characters.length === 1 && meshes.length === 1) {
    rows.push({ name: meshes[0].path, ok: true, text: 'opened' });
    rows.push({ name: characters[0].path, ok: true, text: 'used for its skeleton' });
    companions.forEach((one) => rows.push({ name: one.path, ok: true, text: 'used by both' }));
    return { upload: [...meshes, ...characters, ...companions], open: meshes[0].path, skeleton: characters[0].path, rows };
  }
  if (characters.length > 0) {
    characters.forEach((one, i) => rows.push({ name: one.path, ok: i === 0, text: i === 0 ? 'opened' : 'skipped: open one character at a time' }));
    meshes.forEach((one) => rows.push({ name: one.path, ok: false, text: 'skipped: drop meshes on their own, or one with a skeleton' }));
    companions.forEach((one) => rows.push({ name: one.path, ok: true, text: 'used by the character' }));
    return { upload: [characters[0], ...companions], open: characters[0].path, rows };
  }
  if (meshes.length === 0) {
    companions.forEach((one) => rows.push({ name: one.path, ok: false, text: 'skipped: no file uses it' }));
    return { upload: [], open: undefined, rows };
  }
  if (meshes.length === 1) return { upload: [...meshes, ...companions], open: meshes[0].path, rows: [...rows, { name: meshes[0].path, ok: true, text: 'opened' }] };
  // Examples must be in one folder: that of the first mesh.
  const folder = meshes[0].path.includes('/') ? meshes[0].path.slice(0, meshes[0].path.lastIndexOf('/')) : 'dropped meshes';
  const upload: Dropped[] = [];
  for (const one of meshes) {
    const inside = one.path.includes('/') ? one.path.slice(0, one.path.lastIndexOf('/')) === folder : folder === 'dropped meshes';
    rows.push({ name: one.path, ok: inside, text: inside ? 'used as an example' : 'skipped: open one folder at a time' });
    if (inside) upload.push({ path: `${folder}/${one.path.slice(one.path.lastIndexOf('/') + 1)}`, file: one.file });
  }
  return { upload, open: folder, rows };
}

/** Number of vertices of an OBJ file. */
export function countVertices(text: string): number {
  return text.match(/^v\s/gm)?.length ?? 0;
}
