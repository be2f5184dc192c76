// A box drawn on the viewport selects the vertices in it.
import type { Stage } from '../render/stage';
import { pickRegion, type Region } from '../render/surface_probe';
import { listenToGesture } from './gesture_listeners';

export interface AreaSelect {
  /** Whether the tool is in use. */
  active: () => boolean;
  /** Whether hidden vertices are selected too. */
  through: () => boolean;
  select: (vertices: number[], event: PointerEvent) => void;
}

/** The position of the pointer on the canvas, clamped to a view. */
export function within(stage: Stage, view: number, event: PointerEvent): { x: number; y: number } {
  const c = stage.canvas.getBoundingClientRect();
  const r = stage.rectangle(view);
  const clamp = (x: number, least: number, most: number) => Math.min(Math.max(x, least), most);
  return { x: clamp(event.clientX - c.left, r.x, r.x + r.width), y: clamp(event.clientY - c.top, r.y, r.y + r.height) };
}

/** Returns a function that stops listening. */
export function installBoxSelect(stage: Stage, area: AreaSelect): () => void {
  const canvas = stage.canvas;
  let start: { x: number; y: number; view: number } | undefined;
  const frame = document.createElement('div');
  frame.className = 'select-box';

  const boxTo = (event: PointerEvent): Region => {
    const { x, y, view } = start ?? { x: 0, y: 0, view: 0 };
    const p = within(stage, view, event);
    return { x: Math.min(x, p.x), y: Math.min(y, p.y), width: Math.abs(x - p.x), height: Math.abs(y - p.y) };
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || !area.active()) return;
    event.stopPropagation();
    const c = canvas.getBoundingClientRect();
    const view = stage.viewAt(event.clientX - c.left, event.clientY - c.top);
    start = { ...within(stage, view, event), view };
    stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    canvas.parentElement?.append(frame);
    move(event);
  };
  const move = (event: PointerEvent) => {
    if (start === undefined) return;
    const box = boxTo(event);
    Object.assign(frame.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });
  };
  const stop = () => {
    start = undefined;
    frame.remove();
    stage.controls.enabled = true;
  };
  const up = (event: PointerEvent) => {
    if (start === undefined) return;
    const box = boxTo(event);
    const { view } = start;
    stop();
    area.select(pickRegion(stage, view, box, area.through()), event);
  };
  const cancel = () => {
    if (start !== undefined) stop();
  };
  return listenToGesture(canvas, { down, move, up, active: () => start !== undefined, cancel });
}
