// An outline drawn on the viewport selects the vertices in it.
import type { Stage } from '../render/stage';
import { pickRegion } from '../render/surface_probe';
import { type AreaSelect, within } from './box_select';
import { listenToGesture } from './gesture_listeners';

interface Place {
  x: number;
  y: number;
}

/** Counts crossings of a ray to the right with the sides of the polygon. */
export function insidePolygon(polygon: readonly Place[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [a, b] = [polygon[i], polygon[j]];
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

/** Least distance between two points of the outline, in pixels. */
const spacing = 3;

/** Returns a function that stops listening. */
export function installLasso(stage: Stage, area: AreaSelect): () => void {
  const canvas = stage.canvas;
  let view = 0;
  let path: Place[] = [];
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  drawing.setAttribute('class', 'lasso');
  drawing.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polygon');
  drawing.append(line);

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || !area.active()) return;
    event.stopPropagation();
    const c = canvas.getBoundingClientRect();
    view = stage.viewAt(event.clientX - c.left, event.clientY - c.top);
    path = [within(stage, view, event)];
    stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    line.setAttribute('points', '');
    canvas.parentElement?.append(drawing);
  };
  const move = (event: PointerEvent) => {
    if (path.length === 0) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const p = within(stage, view, one);
      const last = path[path.length - 1];
      if (Math.hypot(p.x - last.x, p.y - last.y) >= spacing) path.push(p);
    }
    line.setAttribute('points', path.map((p) => `${p.x},${p.y}`).join(' '));
  };
  const stop = () => {
    path = [];
    drawing.remove();
    stage.controls.enabled = true;
  };
  const up = (event: PointerEvent) => {
    if (path.length === 0) return;
    const polygon = path;
    stop();
    const [xs, ys] = [polygon.map((p) => p.x), polygon.map((p) => p.y)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    const box = { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
    area.select(
      pickRegion(stage, view, box, area.through(), (px, py) => insidePolygon(polygon, px, py)),
      event,
    );
  };
  return listenToGesture(canvas, { down, move, up, active: () => path.length > 0, cancel: stop });
}
