// Event listeners of gestures. One gesture on the canvas is press, move, release; Escape cancels it.
import { effect, untracked } from '@preact/signals';
import { link } from '../store';

/** Adds listeners by type, in this order. Returns a function that removes them. */
export function listen(target: EventTarget, listeners: Record<string, (event: never) => void>, options: AddEventListenerOptions = {}): () => void {
  const list = Object.entries(listeners) as [string, EventListener][];
  for (const [type, call] of list) target.addEventListener(type, call, options);
  return () => {
    for (const [type, call] of list) target.removeEventListener(type, call, options);
  };
}

/** Calls `run` whenever the connection is lost or made. Returns a function that stops it. */
export function onNewLink(run: () => void): () => void {
  let before = link.peek();
  return effect(() => {
    if (link.value === before) return;
    before = link.value;
    untracked(run);
  });
}

export interface GestureListeners {
  down: (event: PointerEvent) => void;
  move: (event: PointerEvent) => void;
  up: (event: PointerEvent) => void;
  /** Whether a gesture is in progress; Escape is handled only then. */
  active: () => boolean;
  cancel: () => void;
  /** Of a gesture that sends messages: a new connection knows nothing of what was begun before. */
  lose?: () => void;
}

/** Returns a function that stops listening and cancels a gesture in progress. */
export function listenToGesture(canvas: HTMLCanvasElement, gesture: GestureListeners): () => void {
  const { down, move, up, cancel } = gesture;
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !gesture.active()) return;
    event.preventDefault();
    cancel();
  };
  const stops = [
    // Before the listeners of the camera.
    listen(canvas, { pointerdown: down }, { capture: true }),
    listen(canvas, { pointermove: move, pointerup: up, pointercancel: cancel }),
    listen(window, { keydown: key }),
    onNewLink(() => gesture.active() && gesture.lose?.()),
  ];
  return () => {
    cancel();
    for (const stop of stops) stop();
  };
}
