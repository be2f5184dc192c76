// A brush stroke: vertices under the pointer are sent to the server, none is dropped, and the whole stroke is one step of
// undo. A stroke may leave the surface or the canvas and return.
import { connection, loseGesture } from '../client';
import { DragEndCode, StrokeCode, writeDragEnd, writeStroke } from '../protocol/messages';
import type { Stage } from '../render/stage';
import { pickLayers } from '../render/surface_probe';
import { activeView, notice } from '../store';
import { listen, listenToGesture } from './gesture_listeners';

/** Most picks per frame: each one is a small draw. */
const mostPerFrame = 6;

/** Most samples per message, the limit of the server. */
const mostSamples = 1024;

export interface BrushStroke {
  /** In scene units. */
  radius: number;
  /** Whether hidden vertices are brushed too. */
  through: boolean;
  /** Sends the message that begins the stroke, in the view and at the vertex where it was pressed. */
  begin: (drag: number, view: number, vertex: number) => void;
}

/** `brush` returns the stroke of a press, or undefined while another tool is active. Returns a function that stops listening. */
export function installBrush(stage: Stage, brush: (event: PointerEvent) => BrushStroke | undefined, onEnd: () => void = () => {}): () => void {
  const canvas = stage.canvas;
  let current: { drag: number; pointer: number; view: number; last: { x: number; y: number }; through: number | undefined } | undefined;
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

  const stop = () => {
    path = [];
    current = undefined;
    stage.controls.enabled = true;
    onEnd();
  };
  const end = (commit: boolean) => {
    if (current === undefined) return;
    if (commit) flush(Number.MAX_SAFE_INTEGER);
    connection.send(DragEndCode, writeDragEnd, { drag: current.drag, commit: commit ? 1 : 0, target: new Float32Array(3) });
    stop();
  };
  const lose = () => {
    loseGesture();
    stop();
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || current !== undefined) return;
    const stroke = brush(event);
    if (stroke === undefined) return;
    const place = at(event);
    const picked = stage.pick(place.x, place.y, stroke.through);
    if (picked === undefined) return;
    event.stopPropagation();
    stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    activeView.value = picked.view;
    // Surfaces nearer than half the brush count as one: the brush covers both.
    current = { drag: connection.nextDrag(), pointer: event.pointerId, view: picked.view, last: place, through: stroke.through ? 0.5 * stroke.radius : undefined };
    notice.value = '';
    stroke.begin(current.drag, picked.view, picked.vertex);
    path.push(place);
    ask();
  };
  const move = (event: PointerEvent) => {
    if (current === undefined || event.pointerId !== current.pointer) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const place = at(one);
      // Nearer samples would change nothing.
      if (Math.hypot(place.x - current.last.x, place.y - current.last.y) < 4) continue;
      current.last = place;
      path.push(place);
    }
    ask();
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId === current?.pointer) end(true);
  };
  const menu = (event: MouseEvent) => {
    if (current === undefined) return;
    event.preventDefault();
    end(false);
  };
  const stops = [listenToGesture(canvas, { down, move, up, active: () => current !== undefined, cancel: () => end(false), lose }), listen(canvas, { contextmenu: menu })];
  return () => stops.forEach((stop) => stop());
}
