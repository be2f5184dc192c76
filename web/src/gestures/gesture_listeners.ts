// The events of one gesture on the canvas: press, move, release; Escape cancels it.

export interface GestureListeners {
  down: (event: PointerEvent) => void;
  move: (event: PointerEvent) => void;
  up: (event: PointerEvent) => void;
  /** Whether a gesture is in progress; Escape is handled only then. */
  active: () => boolean;
  cancel: () => void;
}

/** Returns a function that stops listening and cancels a gesture in progress. */
export function listenToGesture(canvas: HTMLCanvasElement, gesture: GestureListeners): () => void {
  const { down, move, up } = gesture;
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !gesture.active()) return;
    event.preventDefault();
    gesture.cancel();
  };
  // Before the listeners of the camera.
  canvas.addEventListener('pointerdown', down, { capture: true });
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', gesture.cancel);
  window.addEventListener('keydown', key);
  return () => {
    gesture.cancel();
    canvas.removeEventListener('pointerdown', down, { capture: true });
    canvas.removeEventListener('pointermove', move);
    canvas.removeEventListener('pointerup', up);
    canvas.removeEventListener('pointercancel', gesture.cancel);
    window.removeEventListener('keydown', key);
  };
}
