// Radii of brushes, as shares of the character's diagonal. B + drag, or Ctrl + wheel, changes one; B pressed and released
// without a drag is a tap.
import type { Stage } from '../render/stage';
import { document_, letterKeys } from '../store';
import { listen } from './gesture_listeners';

export const shareLimits = { least: 0.002, most: 0.5 };
export const limitedShare = (share: number) => Math.min(shareLimits.most, Math.max(shareLimits.least, share));
export const sceneUnits = (share: number) => share * (document_.value?.diagonal ?? 1);

export interface RadiusGesture {
  /** Whether a radius can be changed now. */
  active: () => boolean;
  get: () => number;
  set: (radius: number) => void;
  tap: () => void;
}

/** Pixels to the right that grow the radius by a factor of e. */
const growth = 160;
const wheelGrowth = 700;

function typing(event: KeyboardEvent): boolean {
  const { target } = event;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Returns a function that stops listening. */
export function installRadiusGesture(stage: Stage, gesture: RadiusGesture): () => void {
  const canvas = stage.canvas;
  let held: { used: boolean } | undefined;
  let start: { x: number; radius: number } | undefined;

  const keyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'b' || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!letterKeys.value || typing(event) || !gesture.active()) return;
    held = { used: false };
  };
  const keyUp = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'b' || held === undefined) return;
    if (!held.used) gesture.tap();
    held = undefined;
  };
  // On the window, before any other gesture gets the press.
  const down = (event: PointerEvent) => {
    if (held === undefined || event.target !== canvas || event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    held.used = true;
    start = { x: event.clientX, radius: gesture.get() };
    canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (start === undefined) return;
    event.stopPropagation();
    gesture.set(start.radius * Math.exp((event.clientX - start.x) / growth));
  };
  const up = (event: PointerEvent) => {
    if (start === undefined) return;
    event.stopPropagation();
    start = undefined;
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey || !gesture.active()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    gesture.set(gesture.get() * Math.exp(-event.deltaY / wheelGrowth));
  };
  const blur = () => (held = start = undefined);
  const stops = [
    listen(window, { keydown: keyDown, keyup: keyUp, blur }),
    listen(window, { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up }, { capture: true }),
    listen(canvas, { wheel }, { capture: true, passive: false }),
  ];
  return () => stops.forEach((stop) => stop());
}
