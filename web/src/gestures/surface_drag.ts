// A drag on the surface: press on a vertex, drag in the plane of the screen, release. At most one event is in flight, and
// the release carries the final target.
import { Plane, Vector3 } from 'three';
import { connection, loseGesture } from '../client';
import { DragEndCode, DragMoveCode, writeDragEnd, writeDragMove } from '../protocol/messages';
import type { Stage } from '../render/stage';
import { activeView, notice } from '../store';
import { listenToGesture } from './gesture_listeners';

export interface Grab {
  /** What is dragged, in the page's space. */
  place: Vector3;
  /** Sends the message that begins the drag. */
  begin: (drag: number) => void;
}

export interface SurfaceDragOptions {
  /** What is under the pointer; if undefined, the camera moves. */
  grab: (x: number, y: number, view: number, event: PointerEvent) => Grab | undefined;
  onStart?: (grab: Grab, view: number) => void;
  /** The target under the pointer, in the page's space. */
  onMove?: (target: Vector3) => void;
  onEnd?: (kept: boolean) => void;
  /** Press and release at the same point with nothing grabbed: the camera did not move. */
  click?: (x: number, y: number, view: number, event: PointerEvent) => void;
}

/** Pixels that the pointer may move during a click; more for touch. */
const clickReach = (event: PointerEvent) => (event.pointerType === 'touch' ? 12 : 4);

/** Pixels of movement that do not start a drag. */
const tremble = 1.5;

/** Returns a function that stops listening. */
export function installSurfaceDrag(stage: Stage, options: SurfaceDragOptions): () => void {
  const canvas = stage.canvas;
  let pressed: { x: number; y: number } | undefined;
  let current: { drag: number; pointer: number; plane: Plane; view: number; hit: Vector3; last: Vector3; start: { x: number; y: number }; moved: boolean } | undefined;

  const at = (event: PointerEvent) => {
    const r = canvas.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top };
  };

  /** Moves the target as far as the pointer moved; a tenth of that with Shift. */
  const targetOf = (event: PointerEvent): Vector3 | undefined => {
    if (current === undefined || event.pointerId !== current.pointer) return undefined;
    const { x, y } = at(event);
    const hit = stage.ray(x, y, current.view).intersectPlane(current.plane, new Vector3());
    if (hit === null) return undefined;
    current.last.addScaledVector(hit.clone().sub(current.hit), event.shiftKey ? 0.1 : 1);
    current.hit = hit;
    return current.last;
  };

  const finish = (kept: boolean) => {
    current = undefined;
    stage.controls.enabled = true;
    options.onEnd?.(kept);
  };
  const end = (commit: boolean) => {
    if (current === undefined) return;
    connection.dropPending(DragMoveCode);
    const target = Float32Array.from(current.last.toArray());
    // A click is not a step of undo.
    connection.send(DragEndCode, writeDragEnd, { drag: current.drag, commit: commit && current.moved ? 1 : 0, target });
    finish(commit);
  };
  const lose = () => {
    if (current?.moved === true) loseGesture();
    finish(false);
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey || current !== undefined) return;
    const { x, y } = at(event);
    const view = stage.viewAt(x, y);
    activeView.value = view;
    const grab = options.grab(x, y, view, event);
    pressed = grab === undefined ? { x, y } : undefined;
    if (grab === undefined) return;
    event.stopPropagation();
    stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    const normal = stage.cameraOf(view).getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, grab.place);
    const hit = stage.ray(x, y, view).intersectPlane(plane, new Vector3()) ?? grab.place.clone();
    current = { drag: connection.nextDrag(), pointer: event.pointerId, plane, view, hit, last: grab.place.clone(), start: { x, y }, moved: false };
    notice.value = '';
    grab.begin(current.drag);
    options.onStart?.(grab, view);
  };

  const move = (event: PointerEvent) => {
    if (current !== undefined && !current.moved) {
      const p = at(event);
      current.moved = event.pointerId === current.pointer && Math.hypot(p.x - current.start.x, p.y - current.start.y) > tremble;
      if (!current.moved) return;
    }
    const target = targetOf(event);
    if (target === undefined || current === undefined) return;
    options.onMove?.(target);
    // Browsers merge several moves into one event while the page is busy.
    connection.counters.coalesced += Math.max(0, event.getCoalescedEvents().length - 1);
    connection.send(DragMoveCode, writeDragMove, { drag: current.drag, target: Float32Array.from(target.toArray()) });
  };

  const up = (event: PointerEvent) => {
    const { x, y } = at(event);
    if (pressed !== undefined && event.button === 0 && Math.hypot(x - pressed.x, y - pressed.y) <= clickReach(event))
      options.click?.(x, y, stage.viewAt(x, y), event);
    pressed = undefined;
    if (current === undefined || event.pointerId !== current.pointer) return;
    move(event);
    end(true);
  };

  const menu = (event: MouseEvent) => {
    if (current === undefined) return;
    event.preventDefault();
    end(false);
  };
  const stop = listenToGesture(canvas, { down, move, up, active: () => current !== undefined, cancel: () => end(false), lose });
  canvas.addEventListener('contextmenu', menu);
  return () => {
    stop();
    canvas.removeEventListener('contextmenu', menu);
  };
}
