// The skin with three.js lighting: positions and normals come from the deformer's textures, colours from what is shown.
import { Color, type DataTexture, DoubleSide, type Material, MeshBasicMaterial, MeshStandardMaterial, type Texture, Vector3 } from 'three';
import { categoryColours } from './colours';
import { fetchChunk } from './deformer';
import { textureWidth } from './textures';

/** What the colours show. */
export const Shown = { Plain: 0, OneWeight: 1, AllWeights: 2, Scalars: 3, Groups: 4 } as const;
export type Shown = (typeof Shown)[keyof typeof Shown];

export interface SkinUniforms {
  positions: { value: Texture | null };
  normals: { value: Texture | null };
  /** See PlacedMesh. */
  source: { value: DataTexture | null };
  influences: { value: DataTexture | null };
  scalars: { value: DataTexture | null };
  labels: { value: DataTexture | null };
  width: { value: number };
  perVertex: { value: number };
  shown: { value: number };
  binding: { value: number };
  /** The ends of the scale of the scalars. */
  scalarFrom: { value: number };
  scalarRange: { value: number };
  palette: { value: Vector3[] };
  bindingColour: { value: DataTexture | null };
  /** Soft selection, per vertex: distance in radii, and falloff. */
  soft: { value: DataTexture | null };
  softShown: { value: boolean };
}

const vertexChunk = `
precision highp sampler2D;
precision highp usampler2D;
uniform sampler2D positions;
uniform sampler2D normals;
uniform sampler2D influences;
uniform sampler2D scalars;
uniform sampler2D labels;
uniform sampler2D bindingColour;
uniform sampler2D soft;
uniform bool softShown;
#ifdef INSTANCES
uniform usampler2D source;
#endif
uniform int width;
uniform int perVertex;
uniform int shown;
uniform int binding;
uniform float scalarFrom;
uniform float scalarRange;
uniform vec3 palette[${categoryColours.length}];
varying vec3 dataColour;
varying float dataShare;
varying vec2 softData;
${fetchChunk}
// The vertex of a first instance that has its weights.
int sourceOf(int v) {
#ifdef INSTANCES
  return int(texelFetch(source, place(v, width), 0).x);
#else
  return v;
#endif
}
vec3 weightRamp(float w) {
  vec3 low = vec3(0.07, 0.11, 0.42);
  vec3 middle = vec3(0.05, 0.55, 0.53);
  vec3 high = vec3(0.95, 0.87, 0.22);
  return w < 0.5 ? mix(low, middle, 2.0 * w) : mix(middle, high, 2.0 * w - 1.0);
}
// Lighter is larger for any colour vision, and no part looks like the plain skin; linear values of #3b0f70, #ab337c,
// #f8765c and #fcfdbf.
vec3 errorRamp(float t) {
  vec3 a = vec3(0.0437, 0.0048, 0.162);
  vec3 b = vec3(0.407, 0.0331, 0.202);
  vec3 c = vec3(0.939, 0.181, 0.107);
  vec3 d = vec3(0.973, 0.982, 0.521);
  return t < 0.33 ? mix(a, b, t / 0.33) : t < 0.67 ? mix(b, c, (t - 0.33) / 0.34) : mix(c, d, (t - 0.67) / 0.33);
}
// Invalid: negative weights, or no weight at all.
const vec3 alert = vec3(0.75, 0.0, 0.35);
void findColour(int v) {
  softData = softShown ? texelFetch(soft, place(v, width), 0).xy : vec2(2.0, 0.0);
  dataShare = shown == 0 ? 0.0 : 1.0;
  dataColour = vec3(0.5);
  if (shown == 1 || shown == 2) {
    float weight = 0.0;
    float least = 0.0;
    float total = 0.0;
    vec3 sum = vec3(0.0);
    for (int k = 0; k < perVertex; ++k) {
      vec2 influence = texelFetch(influences, place(v * perVertex + k, ${textureWidth}), 0).xy;
      if (influence.y == 0.0) break;
      if (int(influence.x) == binding) weight += influence.y;
      least = min(least, influence.y);
      total += influence.y;
      int c = int(texelFetch(bindingColour, place(int(influence.x), ${textureWidth}), 0).x);
      sum += influence.y * palette[c];
    }
    if (shown == 2) dataColour = total <= 0.0 || least < 0.0 ? alert : sum;
    else if (total <= 0.0 || weight < 0.0) dataColour = alert;
    else if (weight == 0.0) dataColour = vec3(0.45);
    else if (weight >= 1.0) dataColour = vec3(1.0);
    else dataColour = weightRamp(weight);
  } else if (shown == 3) {
    float value = texelFetch(scalars, place(v, width), 0).x;
    dataColour = errorRamp(clamp((value - scalarFrom) / max(scalarRange - scalarFrom, 1e-12), 0.0, 1.0));
  } else if (shown == 4) {
    dataColour = palette[int(texelFetch(labels, place(v, width), 0).x) % ${categoryColours.length}];
  }
}
`;

/** The material of a skin without one, lit or not. */
export function makeClay(flat: boolean): Material {
  const colour = new Color('#b9b3ab');
  return flat ? new MeshBasicMaterial({ color: colour, side: DoubleSide }) : new MeshStandardMaterial({ color: colour, roughness: 0.62, metalness: 0, side: DoubleSide });
}

/** Makes a material of three draw the deformed skin. `defines`: see instanceDefines. */
export function dressMaterial<Kind extends Material>(material: Kind, uniforms: SkinUniforms, defines: Record<string, string>): Kind {
  material.defines = { ...material.defines, ...defines };
  // Edges are drawn on it.
  material.polygonOffset = true;
  material.polygonOffsetFactor = 1;
  material.polygonOffsetUnits = 1;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    // Normals come from a texture; three.js shades a geometry without the attribute flat.
    if (!('flatShading' in material && material.flatShading === true)) for (const part of ['vertexShader', 'fragmentShader'] as const) shader[part] = `#undef FLAT_SHADED\n${shader[part]}`;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${vertexChunk}`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = texelFetch(normals, place(gl_VertexID, width), 0).xyz;')
      .replace('#include <begin_vertex>', 'vec3 transformed = texelFetch(positions, place(gl_VertexID, width), 0).xyz;\nfindColour(sourceOf(gl_VertexID));');
    // Data colours are three quarters unlit, so that shading does not change them much.
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 dataColour;\nvarying float dataShare;\nvarying vec2 softData;\nuniform bool softShown;')
      .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb = mix(diffuseColor.rgb, dataColour, dataShare);')
      .replace(
        '#include <opaque_fragment>',
        `#ifdef EXPOSURE
  // Light base colours are toned down, so that their form stays visible; others are as they were.
  outgoingLight *= mix(1.0, 0.66, smoothstep(0.35, 0.9, max(max(diffuseColor.r, diffuseColor.g), diffuseColor.b)));
#endif
outgoingLight = mix(outgoingLight, dataColour, 0.75 * dataShare);
if (softShown) {
  const vec3 selection = vec3(0.78, 0.02, 0.33);
  float fromEdge = abs(softData.x - 1.0) / max(fwidth(softData.x), 1e-6);
  outgoingLight = mix(outgoingLight, selection, 0.7 * softData.y);
  outgoingLight = mix(outgoingLight, vec3(1.0), 1.0 - smoothstep(0.6, 1.6, fromEdge));
}
#ifdef EXPOSURE
  outgoingLight *= EXPOSURE;
#endif
#include <opaque_fragment>`,
      );
  };
  return material;
}

export function newSkinUniforms(): SkinUniforms {
  return {
    positions: { value: null },
    normals: { value: null },
    source: { value: null },
    influences: { value: null },
    scalars: { value: null },
    labels: { value: null },
    width: { value: 1 },
    perVertex: { value: 4 },
    shown: { value: Shown.Plain },
    binding: { value: 0 },
    scalarFrom: { value: 0 },
    scalarRange: { value: 1 },
    palette: {
      value: categoryColours.map((hex) => {
        const colour = new Color(hex);
        return new Vector3(colour.r, colour.g, colour.b);
      }),
    },
    bindingColour: { value: null },
    soft: { value: null },
    softShown: { value: false },
  };
}
