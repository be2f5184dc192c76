// Handle markers: a square is pinned, a diamond is free, a filled diamond is dragged; a line connects the target, a ring,
// with the position that the vertex reached. Shapes distinguish them without colours.
import { BufferAttribute, BufferGeometry, CanvasTexture, Group, Mesh, Points, PointsMaterial, Vector3 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { DocumentInfo } from '../../protocol/document';
import type { ModelFrame } from './state';

type Shape = 'pinned' | 'free' | 'dragged' | 'wanted';

const pixels = 64;
const sizes: Record<Shape, number> = { pinned: 16, free: 18, dragged: 22, wanted: 14 };
const fills: Record<Shape, string> = { pinned: '#E69F00', free: '#4c9aff', dragged: '#ffffff', wanted: '#ff6b5e' };

/** Drawn once, with a dark rim, so that it is visible on any skin and in both themes. */
function markTexture(shape: Shape, selected: boolean): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = pixels;
  const pen = canvas.getContext('2d');
  if (pen !== null) {
    const half = pixels / 2;
    pen.translate(half, half);
    if (shape === 'wanted') {
      for (const [width, colour] of [[16, '#14171c'], [9, fills.wanted]] as const) {
        pen.lineWidth = width;
        pen.strokeStyle = colour;
        pen.beginPath();
        pen.arc(0, 0, 20, 0, 2 * Math.PI);
        pen.stroke();
      }
      return new CanvasTexture(canvas);
    }
    if (shape !== 'pinned') pen.rotate(Math.PI / 4);
    const outline = (size: number, colour: string, width: number) => {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.strokeRect(-size / 2, -size / 2, size, size);
    };
    const size = shape === 'pinned' ? 40 : 34;
    pen.fillStyle = shape === 'free' ? '#14171c' : fills[shape];
    pen.fillRect(-size / 2, -size / 2, size, size);
    outline(size, '#14171c', 14);
    outline(size, selected ? '#ffffff' : fills[shape], 7);
    pen.fillStyle = shape === 'free' ? (selected ? '#ffffff' : fills.free) : '#14171c';
    if (shape !== 'free') pen.fillRect(-7, -7, 14, 14);
    else pen.fillRect(-4, -4, 8, 8);
  }
  return new CanvasTexture(canvas);
}

const textures = new Map<string, CanvasTexture>();
function textureOf(shape: Shape, selected: boolean): CanvasTexture {
  const name = `${shape}${selected}`;
  let texture = textures.get(name);
  if (texture === undefined) {
    texture = markTexture(shape, selected);
    textures.set(name, texture);
  }
  return texture;
}

function dot(place: Vector3, shape: Shape, selected: boolean): Points {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(place.toArray()), 3));
  const material = new PointsMaterial({
    map: textureOf(shape, selected),
    size: sizes[shape] + (selected ? 4 : 0),
    sizeAttenuation: false,
    transparent: true,
    depthTest: false,
    depthWrite: false,
  });
  return new Points(geometry, material);
}

export interface MarkedState {
  info: DocumentInfo;
  frame: ModelFrame | undefined;
  selected: number | undefined;
  dragged: { handle: number; target: Vector3 } | undefined;
}

/** The target of each handle and the position it reached, in the page's space. */
export function handlePlaces(state: MarkedState): { wanted: Vector3; reached: Vector3 }[] {
  const centre = new Vector3(...state.info.centre);
  return state.info.handles.map((handle, h) => {
    const wanted = state.dragged?.handle === h ? state.dragged.target.clone() : new Vector3(...handle.target).sub(centre);
    const reached = state.frame?.reached;
    return { wanted, reached: reached !== undefined && reached.length >= 3 * h + 3 ? new Vector3().fromArray(reached, 3 * h) : wanted.clone() };
  });
}

export function drawMarks(state: MarkedState): Group {
  const group = new Group();
  const visible = 1e-3 * state.info.diagonal;
  handlePlaces(state).forEach(({ wanted, reached }, h) => {
    if (wanted.distanceTo(reached) > visible) {
      const ends = new LineGeometry().setPositions([...wanted.toArray(), ...reached.toArray()]);
      group.add(new Line2(ends, new LineMaterial({ color: fills.wanted, linewidth: 2.5, depthTest: false })));
      group.add(dot(wanted, 'wanted', false));
    }
    const shape = state.dragged?.handle === h ? 'dragged' : state.info.handles[h].pinned ? 'pinned' : 'free';
    group.add(dot(reached, shape, state.selected === h));
  });
  for (const child of group.children) {
    child.renderOrder = 10;
    child.frustumCulled = false;
  }
  return group;
}

/** Frees the GPU resources of markers or dots; the textures of markers are shared and kept. */
export function disposeMarks(group: Group): void {
  for (const child of group.children) {
    if (!(child instanceof Points || child instanceof Mesh)) continue;
    (child.geometry as BufferGeometry).dispose();
    (child.material as PointsMaterial | LineMaterial).dispose();
  }
}
