// Options of an export, and presets for programs: each says why, and what was tried with the program itself.
import type { Args } from '../../protocol/commands';

export type ExportOptions = Required<NonNullable<Args<'export.plan'>[0]>>;

export const firstOptions: ExportOptions = {
  extension: '.glb',
  influences: 0,
  weights: 'f32',
  fps: 30,
  skin: true,
  helpers: true,
  correctives: true,
  method: 'auto',
  morphs: 0,
  quantize: false,
  normals: true,
  withoutClips: [],
  poses: true,
  examples: false,
};

export interface Preset {
  name: string;
  sets: Partial<ExportOptions>;
  why: string;
  tried: string;
}

export const presets: Preset[] = [
  {
    name: 'three.js',
    sets: { extension: '.glb', influences: 4, weights: 'f32', fps: 30, method: 'auto', quantize: false, normals: true },
    why: 'GLTFLoader reads 4 influences per vertex and uses morph weights of any size as they are.',
    tried: 'Tried: exported files are loaded and played in three.js by the tests.',
  },
  {
    name: 'Unreal',
    sets: { extension: '.glb', influences: 8, weights: 'u16', fps: 30, method: 'knots', quantize: false, normals: true },
    why: 'Skeletal meshes take up to 8 influences per vertex by default; a shape per pose keeps morph weights near 0 to 1, as sliders expect.',
    tried: 'Not tried: no file was imported into Unreal.',
  },
  {
    name: 'Unity',
    sets: { extension: '.glb', influences: 4, weights: 'u16', fps: 30, method: 'knots', quantize: false, normals: true },
    why: 'Its usual quality settings skin with up to 4 bones per vertex; a shape per pose keeps blend shape weights near 0 to 1, as sliders expect.',
    tried: 'Not tried: no file was imported into Unity.',
  },
  {
    name: 'Godot',
    sets: { extension: '.glb', influences: 8, weights: 'u16', fps: 30, method: 'knots', quantize: false, normals: true },
    why: 'Its meshes hold 4 or 8 influences per vertex; a shape per pose keeps blend shape weights near 0 to 1, as sliders expect.',
    tried: 'Not tried: no file was imported into Godot.',
  },
  {
    name: 'Blender',
    sets: { extension: '.glb', influences: 0, weights: 'f32', fps: 24, method: 'knots', quantize: false, normals: false },
    why: 'Vertex groups have no limit; a shape per pose keeps shape keys near 0 to 1, as sliders expect; it computes normals itself.',
    tried: 'Not tried: no file was imported into Blender.',
  },
];

/** The preset that the options agree with. */
export const presetOf = (options: ExportOptions): Preset | undefined =>
  presets.find(({ sets }) => Object.entries(sets).every(([name, value]) => options[name as keyof ExportOptions] === value));
