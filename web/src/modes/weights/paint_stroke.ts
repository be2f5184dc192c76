// A brush stroke: vertices under the pointer are sent to the server, none is dropped, and the whole stroke is one step of
// undo. A stroke may leave the surface or the canvas and return.
import { connection } from '../../client';
import { listenToGesture } from '../../gestures/gesture_listeners';
import { DragEndCode, PaintBeginCode, PaintOperation, StrokeCode, writeDragEnd, writePaintBegin, writeStroke } from '../../protocol/messages';
import type { Stage } from '../../render/stage';
import { pickLayers } from '../../render/surface_probe';
import { activeView } from '../../store';

export interface Brush {
  operation: number;
  binding: number;
  strength: number;
  /** In scene units. */
  radius: number;
  /** Max influences; 0: unlimited. */
  most: number;
  /** Mirror plane; 0: none; see PaintBegin. */
  mirror: number;
  /** Whether hidden vertices are painted too. */
  through: boolean;
}

/** Most picks per frame: each one is a small draw. */
const mostPerFrame = 6;

/** Most samples per message, the limit of the server. */
const mostSamples = 1024;

/** `brush` returns the brush, or undefined while another tool is active. Returns a function that stops listening. */
export function installPaint(stage: Stage, brush: (event: PointerEvent) => Brush | undefined, onEnd: () => void): () => void {
  const canvas = stage.canvas;
  let current: { drag: number; view: number; last: { x: number; y: number }; through: number | undefined } | undefined;
  let path: { x: number; y: number; pressure: number }[] = [];
  let asked = false;

  const at = (event: PointerEvent) => {
    const r = canvas.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top, pressure: event.pointerType === 'pen' ? event.pressure : 1 };
  };

  const flush = (most: number) => {
    if (current === undefined) return;
    const { view, drag, through } = current;
    const vertices: number[] = [];
    const pressures: number[] = [];
    for (const sample of path.splice(0, most)) {
      if (stage.viewAt(sample.x, sample.y) !== view) continue;
      const seen = through === undefined ? stage.pick(sample.x, sample.y)?.vertex : undefined;
      const under = through === undefined ? (seen === undefined ? [] : [seen]) : pickLayers(stage, sample.x, sample.y, through);
      for (const vertex of under) {
        vertices.push(vertex);
        pressures.push(sample.pressure);
      }
    }
    for (let from = 0; from < vertices.length; from += mostSamples) {
      const to = from + mostSamples;
      connection.send(StrokeCode, writeStroke, { drag, vertices: Uint32Array.from(vertices.slice(from, to)), pressures: Float32Array.from(pressures.slice(from, to)) });
    }
    if (path.length > 0) ask();
  };
  const ask = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      flush(mostPerFrame);
    });
  };

  const end = (commit: boolean) => {
    if (current === undefined) return;
    if (commit) flush(Number.MAX_SAFE_INTEGER);
    path = [];
    connection.send(DragEndCode, writeDragEnd, { drag: current.drag, commit: commit ? 1 : 0, target: new Float32Array(3) });
    current = undefined;
    stage.controls.enabled = true;
    onEnd();
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || current !== undefined) return;
    const with_ = brush(event);
    if (with_ === undefined) return;
    const place = at(event);
    const picked = stage.pick(place.x, place.y, with_.through);
    if (picked === undefined) return;
    event.stopPropagation();
    stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    activeView.value = picked.view;
    // Surfaces nearer than half the brush count as one: the brush covers both.
    current = { drag: connection.nextDrag(), view: picked.view, last: place, through: with_.through ? 0.5 * with_.radius : undefined };
    connection.send(PaintBeginCode, writePaintBegin, {
      drag: current.drag,
      view: picked.view,
      radius: with_.radius,
      operation: with_.operation,
      binding: with_.binding,
      strength: with_.strength,
      maxInfluences: with_.most,
      mirror: with_.mirror,
    });
    path.push(place);
    ask();
  };
  const move = (event: PointerEvent) => {
    if (current === undefined) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const place = at(one);
      // Nearer samples would change nothing.
      if (Math.hypot(place.x - current.last.x, place.y - current.last.y) < 4) continue;
      current.last = place;
      path.push(place);
    }
    ask();
  };
  const up = () => end(true);
  return listenToGesture(canvas, { down, move, up, active: () => current !== undefined, cancel: () => end(false) });
}

/** In the order of the buttons; strength: least, most, default. */
export const operations: { name: string; code: number; strength: [number, number, number] }[] = [
  { name: 'add', code: PaintOperation.Add, strength: [0, 1, 0.3] },
  { name: 'replace', code: PaintOperation.Replace, strength: [0, 1, 1] },
  { name: 'smooth', code: PaintOperation.Smooth, strength: [0, 1, 0.8] },
  { name: 'scale', code: PaintOperation.Scale, strength: [0, 2, 0.5] },
  { name: 'sharpen', code: PaintOperation.Sharpen, strength: [0, 1, 0.5] },
];
