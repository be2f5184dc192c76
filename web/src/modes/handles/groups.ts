// Control groups on the skin: a colour for each, different from its neighbours, and the posed proxies of the model.
import { BufferAttribute, BufferGeometry, CanvasTexture, Points, PointsMaterial } from 'three';
import { ArrayKind, BlobArrays } from '../../protocol/blob';
import { colourGroups } from '../../render/colours';
import type { ModelFrame } from './state';

const none = 0xffffffff;

export interface ControlGroups {
  /** Per group: an index into categoryColours. */
  colours: Uint8Array;
  /** Per vertex: an index into categoryColours. */
  labels: Float32Array;
  proxies: Float32Array;
  /** Controls x proxies. */
  proxyWeights: Float32Array;
}

/** From the mesh blob, which has a label per triangle. */
export function controlGroups(mesh: ArrayBuffer, groups: number): ControlGroups {
  const arrays = new BlobArrays(mesh);
  const ofTriangle = arrays.u32(ArrayKind.Labels);
  const triangles = arrays.u32(ArrayKind.Triangles);
  const count = arrays.f32(ArrayKind.Rest).length / 3;
  const ofVertex = new Uint32Array(count).fill(none);
  // Groups touch where triangles share a point, including across seams.
  const points = arrays.u32(ArrayKind.PointOfVertex);
  const ofPoint = new Map<number, Set<number>>();
  for (let t = 0; t < ofTriangle.length; ++t) {
    for (let c = 3 * t; c < 3 * t + 3; ++c) {
      if (ofVertex[triangles[c]] === none) ofVertex[triangles[c]] = ofTriangle[t];
      const point = points[triangles[c]] ?? triangles[c];
      const here = ofPoint.get(point);
      if (here === undefined) ofPoint.set(point, new Set([ofTriangle[t]]));
      else here.add(ofTriangle[t]);
    }
  }
  const pairs: [number, number][] = [];
  for (const here of ofPoint.values()) if (here.size > 1) for (const a of here) for (const b of here) if (a < b) pairs.push([a, b]);
  const colours = colourGroups(groups, pairs);
  const labels = new Float32Array(count);
  for (let v = 0; v < count; ++v) if (ofVertex[v] !== none) labels[v] = colours[ofVertex[v]];
  // Copies, so that the blob can be freed.
  return { colours, labels, proxies: arrays.f32(ArrayKind.Proxies).slice(), proxyWeights: arrays.f32(ArrayKind.ProxyWeights).slice() };
}

/** The proxies, skinned by the controls of a frame. */
export function posedProxies(groups: ControlGroups, frame: ModelFrame | undefined): Float32Array {
  const { proxies, proxyWeights } = groups;
  const p = frame?.palettes;
  if (p === undefined) return proxies.slice();
  const count = proxies.length / 3;
  const controls = count === 0 ? 0 : proxyWeights.length / count;
  const places = new Float32Array(proxies.length);
  for (let j = 0; j < count; ++j) {
    for (let i = 0; i < controls; ++i) {
      const weight = proxyWeights[controls * j + i];
      if (weight === 0) continue;
      for (let r = 0; r < 3; ++r) {
        const m = 12 * i + 4 * r;
        places[3 * j + r] += weight * (p[m] * proxies[3 * j] + p[m + 1] * proxies[3 * j + 1] + p[m + 2] * proxies[3 * j + 2] + p[m + 3]);
      }
    }
  }
  return places;
}

let dotTexture: CanvasTexture | undefined;

/** White with a dark rim: visible on every colour. */
function dotPicture(): CanvasTexture {
  if (dotTexture !== undefined) return dotTexture;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext('2d');
  for (const [radius, colour] of [[15, '#14171c'], [10, '#ffffff']] as const) {
    if (pen === null) break;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(16, 16, radius, 0, 2 * Math.PI);
    pen.fill();
  }
  dotTexture = new CanvasTexture(canvas);
  return dotTexture;
}

export function proxyDots(places: Float32Array): Points {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  const dots = new Points(geometry, new PointsMaterial({ map: dotPicture(), size: 7, sizeAttenuation: false, transparent: true, depthTest: false, depthWrite: false }));
  dots.frustumCulled = false;
  dots.renderOrder = 9;
  return dots;
}
