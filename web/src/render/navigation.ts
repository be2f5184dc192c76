// Orbit, pan and zoom: two schemes of mouse buttons, arrow keys, double-clicks. Touch is handled by the camera controls:
// one finger orbits, two pan and zoom.
import CameraControls from 'camera-controls';
import type { Stage } from './stage';

export type NavigationHabit = 'default' | 'blender';

export interface NavigationOptions {
  habit: () => NavigationHabit;
  /** Whether a double-click on the skin sets the point that the view orbits. */
  centres: () => boolean;
}

const { NONE, ROTATE, TRUCK, DOLLY } = CameraControls.ACTION;

interface Modifiers {
  altKey: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
}

/** The camera action of each button, if no gesture takes the press. */
export function buttonsOf(habit: NavigationHabit, { altKey, shiftKey, ctrlKey }: Modifiers): { left: number; middle: number; right: number } {
  if (altKey) return { left: ROTATE, middle: TRUCK, right: DOLLY };
  if (habit === 'blender') return { left: NONE, middle: shiftKey ? TRUCK : ctrlKey ? DOLLY : ROTATE, right: NONE };
  return { left: ROTATE, middle: TRUCK, right: TRUCK };
}

const turnStep = Math.PI / 24;
const nearStep = 1.15;

/** Gives the controls the rectangle of the view under the pointer, so that each view zooms to the pointer. */
function aimAtViews(stage: Stage): (event: MouseEvent) => void {
  let view = 0;
  const controls = stage.controls as unknown as { _getClientRect: (target: { x: number; y: number; width: number; height: number }) => unknown };
  controls._getClientRect = (target) => {
    const box = stage.canvas.getBoundingClientRect();
    const r = stage.rectangle(view);
    return Object.assign(target, { x: box.left + r.x, y: box.top + r.y, width: r.width, height: r.height });
  };
  return (event) => {
    const box = stage.canvas.getBoundingClientRect();
    view = stage.viewAt(event.clientX - box.left, event.clientY - box.top);
  };
}

/** Returns a function that stops it. */
export function installNavigation(stage: Stage, options: NavigationOptions): () => void {
  const { canvas, controls } = stage;
  const aim = aimAtViews(stage);
  const down = (event: PointerEvent) => {
    aim(event);
    Object.assign(controls.mouseButtons, buttonsOf(options.habit(), event));
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 3 * turnStep : turnStep;
    const turns: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (turns[event.key] !== undefined) stage.moves.turn(...turns[event.key]);
    else if (event.key === '+' || event.key === '=') stage.moves.approach(nearStep);
    else if (event.key === '-') stage.moves.approach(1 / nearStep);
    else return;
    event.preventDefault();
  };
  const twice = (event: MouseEvent) => {
    if (!options.centres()) return;
    const box = canvas.getBoundingClientRect();
    const picked = stage.pick(event.clientX - box.left, event.clientY - box.top);
    if (picked !== undefined) stage.moves.centreOn(stage.position(picked.vertex, picked.view));
  };
  // The studio has its own context menu.
  const menu = (event: Event) => event.preventDefault();
  const listeners: [string, (event: never) => void, AddEventListenerOptions][] = [
    ['pointerdown', down, { capture: true }],
    ['wheel', aim, { capture: true, passive: true }],
    ['keydown', key, {}],
    ['dblclick', twice, {}],
    ['contextmenu', menu, {}],
  ];
  for (const [type, call, how] of listeners) canvas.addEventListener(type, call as EventListener, how);
  return () => {
    for (const [type, call, how] of listeners) canvas.removeEventListener(type, call as EventListener, how);
  };
}
