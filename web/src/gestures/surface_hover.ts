// The surface under a hovering pointer, read from the GPU asynchronously: at most 30 times per second, one at a time.
import type { Signal } from '@preact/signals';
import type { Vector3 } from 'three';
import type { Stage } from '../render/stage';
import { probeSurface, type SurfacePoint } from '../render/surface_probe';

const interval = 33;

export interface Hover {
  /** Whether the hover is needed now. */
  wanted: (event: { buttons: number }) => boolean;
  /** Undefined: the pointer is off the surface, or the hover is not needed. */
  found: (point: SurfacePoint | undefined) => void;
}

/** Returns a function that stops listening. */
export function installHover(stage: Stage, hover: Hover): () => void {
  const canvas = stage.canvas;
  let pointer: { x: number; y: number; buttons: number } | undefined;
  let newest = 0;
  let waiting = false;
  let lastAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = () => {
    if (waiting || timer !== undefined) return;
    timer = setTimeout(run, Math.max(0, interval - (performance.now() - lastAt)));
  };
  const run = () => {
    timer = undefined;
    if (pointer === undefined || !hover.wanted(pointer)) {
      hover.found(undefined);
      return;
    }
    waiting = true;
    lastAt = performance.now();
    const asked = newest;
    probeSurface(stage, pointer.x, pointer.y)
      // The context was lost, or the mesh was replaced.
      .catch(() => undefined)
      .then((point) => {
        waiting = false;
        if (pointer !== undefined && hover.wanted(pointer)) hover.found(point);
        if (newest !== asked) ask();
      });
  };
  const move = (event: PointerEvent) => {
    const r = canvas.getBoundingClientRect();
    pointer = { x: event.clientX - r.left, y: event.clientY - r.top, buttons: event.buttons };
    newest += 1;
    if (!hover.wanted(pointer)) hover.found(undefined);
    else ask();
  };
  const leave = () => {
    pointer = undefined;
    newest += 1;
    hover.found(undefined);
  };
  const names = ['pointermove', 'pointerdown', 'pointerup'] as const;
  for (const name of names) canvas.addEventListener(name, move);
  canvas.addEventListener('pointerleave', leave);
  return () => {
    clearTimeout(timer);
    pointer = undefined;
    for (const name of names) canvas.removeEventListener(name, move);
    canvas.removeEventListener('pointerleave', leave);
    hover.found(undefined);
  };
}

/** The vertex under the pointer, and where it is on the canvas. */
export interface HoveredVertex {
  vertex: number;
  view: number;
  x: number;
  y: number;
}

/** Keeps `hovered`: it follows the camera, and ends when the skin moves. Returns a function that stops it. */
export function installVertexHover(stage: Stage, hovered: Signal<HoveredVertex | undefined>, wanted: Hover['wanted']): () => void {
  let found: { place: Vector3; deforms: number } | undefined;
  const update = () => {
    const mark = hovered.peek();
    if (mark === undefined || found === undefined) return;
    const { x, y } = stage.project(found.place, mark.view);
    if (found.deforms !== stage.counters.deforms) hovered.value = undefined;
    else if (Math.hypot(x - mark.x, y - mark.y) > 0.5) hovered.value = { ...mark, x, y };
  };
  stage.beforeDraw.push(update);
  const stop = installHover(stage, {
    wanted,
    found: (point) => {
      const mark = hovered.peek();
      if (point?.vertex === undefined || point.vertexPlace === undefined) {
        hovered.value = undefined;
      } else if (mark?.vertex !== point.vertex || mark.view !== point.view) {
        const { x, y } = stage.project(point.vertexPlace, point.view);
        found = { place: point.vertexPlace, deforms: stage.counters.deforms };
        hovered.value = { vertex: point.vertex, view: point.view, x, y };
      }
    },
  });
  return () => {
    stop();
    stage.beforeDraw = stage.beforeDraw.filter((one) => one !== update);
  };
}
