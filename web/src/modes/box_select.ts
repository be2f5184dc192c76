// A box drawn on the viewport selects the vertices that are seen in it.
import type { Stage } from '../render/stage';
import { listenToGesture } from './gesture_listeners';

/** `active` tells whether the tool is in use. Returns how to stop listening. */
export function installBoxSelect(stage: Stage, active: () => boolean, select: (vertices: number[], add: boolean) => void): () => void {
  const canvas = stage.canvas;
  let start: { x: number; y: number; view: number } | undefined;
  const frame = document.createElement('div');
  frame.className = 'select-box';
  frame.style.cssText = 'position:absolute;border:1px solid var(--accent);background:color-mix(in srgb, var(--accent) 15%, transparent);pointer-events:none;z-index:3';

  const at = (event: PointerEvent) => {
    const r = canvas.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top };
  };
  /** Within the view in which it began. */
  const boxTo = (event: PointerEvent) => {
    const r = stage.rectangle(start?.view ?? 0);
    const clampX = (x: number) => Math.min(Math.max(x, r.x), r.x + r.width);
    const clampY = (y: number) => Math.min(Math.max(y, r.y), r.y + r.height);
    const p = at(event);
    const [x0, x1] = [clampX(start?.x ?? 0), clampX(p.x)].sort((a, b) => a - b);
    const [y0, y1] = [clampY(start?.y ?? 0), clampY(p.y)].sort((a, b) => a - b);
    return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || !active()) return;
    event.stopPropagation();
    const p = at(event);
    start = { ...p, view: stage.viewAt(p.x, p.y) };
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
    const view = start.view;
    stop();
    select(stage.pickBox(view, box.x, box.y, box.width, box.height), event.shiftKey);
  };
  const cancel = () => {
    if (start !== undefined) stop();
  };
  return listenToGesture(canvas, { down, move, up, active: () => start !== undefined, cancel });
}
