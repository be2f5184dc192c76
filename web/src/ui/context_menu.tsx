// The context menu of what is under the pointer, opened by right-click, long press or the menu key.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Vector3 } from 'three';
import { stage } from '../client';
import { listen } from '../gestures/gesture_listeners';
import { jointOfSkin, pickedPosition } from '../gestures/joints';
import type { MenuItem, MenuPlace } from '../modes/mode';
import { currentMode } from '../modes/modes';
import { activeView, document_, isOpen, perDocument, selectedJoint } from '../store';
import { jointMenu } from './joint_menu';
import { countText, Name } from './labels';
import { hiddenParts, hideParts, isolateParts, showAllParts } from './view_settings';

const menu = perDocument<{ x: number; y: number; title: string; items: MenuItem[] } | undefined>(undefined);

const longPress = 550;
/** Pixels that the pointer may move during a click. */
const reach = { mouse: 4, pen: 6, touch: 12 } as const;

function close(): void {
  if (menu.value === undefined) return;
  menu.value = undefined;
  stage?.canvas.focus({ preventScroll: true });
}

function itemsFor(place: MenuPlace): { title: string; items: MenuItem[] } {
  const joints = document_.peek()?.joints ?? [];
  const items: MenuItem[] = [];
  const joint = place.joint ?? (place.vertex === undefined || stage === undefined ? undefined : jointOfSkin(stage, place.vertex));
  const hasJoints = document_.peek()?.reduced === undefined && joint !== undefined && joints[joint] !== undefined;
  if (hasJoints && place.joint === undefined) items.push({ title: `Select ${joints[joint].name || `joint ${joint}`}`, run: () => (selectedJoint.value = joint) });
  if (hasJoints && place.joint !== undefined) items.push(...jointMenu(joint, place.view));
  items.push(...(currentMode().menu?.(place) ?? []));
  const { vertex } = place;
  if (vertex !== undefined) {
    const at = () => stage?.position(vertex, place.view) ?? new Vector3();
    const part = stage?.surface?.partOf(vertex) ?? 0;
    const parts = document_.peek()?.parts ?? [];
    if (parts.length > 1) {
      const name = parts[part]?.name || `part ${part}`;
      items.push({ title: `Hide ${name}`, run: () => hideParts([part]) }, { title: `Isolate ${name}`, run: () => isolateParts([part]) });
    }
    items.push({ title: 'Orbit around this point', run: () => stage?.moves.centreOn(at()) });
  }
  if (hiddenParts.peek().length > 0) items.push({ title: 'Show all parts', run: showAllParts });
  items.push({ title: 'Frame all', run: () => stage?.moves.frameAll() });
  const title = place.joint !== undefined ? joints[place.joint].name || `joint ${place.joint}` : vertex !== undefined ? `Vertex ${countText(vertex)}` : 'View';
  return { title, items };
}

function openAt(clientX: number, clientY: number): void {
  if (stage === undefined || !isOpen.peek()) return;
  const box = stage.canvas.getBoundingClientRect();
  const [x, y] = [clientX - box.left, clientY - box.top];
  const view = stage.viewAt(x, y);
  const joint = currentMode().jointAt?.(x, y, view);
  const picked = joint === undefined ? stage.pick(x, y) : undefined;
  menu.value = { x, y, ...itemsFor({ view, joint, vertex: picked?.vertex }) };
}

/** By keyboard: the menu of the picked joint. */
function openByKey(): void {
  const joint = selectedJoint.peek();
  const place = pickedPosition();
  const view = activeView.peek();
  if (stage === undefined || !isOpen.peek()) return;
  const at = place === undefined ? { x: stage.size.width / 2, y: stage.size.height / 2 } : stage.project(place, view);
  menu.value = { x: at.x, y: at.y, ...itemsFor({ view, joint: place === undefined ? undefined : joint }) };
}

/** Returns a function that stops it. */
export function installContextMenu(canvas: HTMLCanvasElement): () => void {
  let pressed: { x: number; y: number; pointer: string; timer: number } | undefined;
  const forget = () => {
    window.clearTimeout(pressed?.timer);
    pressed = undefined;
  };
  const down = (event: PointerEvent) => {
    menu.value = undefined;
    forget();
    const touch = event.pointerType === 'touch' && event.isPrimary;
    const right = event.button === 2 && event.buttons === 2 && !event.altKey;
    if (!touch && !right) return;
    const { clientX: x, clientY: y } = event;
    const press = { x, y, pointer: event.pointerType, timer: 0 };
    // Move events are delivered per frame: if frames are slow, wait for some before taking it as a long press.
    const hold = (frames: number) => {
      if (pressed !== press) return;
      if (frames > 0) {
        requestAnimationFrame(() => hold(frames - 1));
        return;
      }
      // Cancel the gesture that the press has started.
      canvas.dispatchEvent(new PointerEvent('pointercancel', { pointerId: event.pointerId, pointerType: 'touch', isPrimary: true }));
      pressed = undefined;
      openAt(x, y);
    };
    if (touch) press.timer = window.setTimeout(() => hold(3), longPress);
    pressed = press;
  };
  const move = (event: PointerEvent) => {
    const most = reach[(pressed?.pointer ?? 'mouse') as keyof typeof reach] ?? reach.mouse;
    if (pressed !== undefined && (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > most || !event.isPrimary)) forget();
  };
  const up = (event: PointerEvent) => {
    const one = pressed;
    forget();
    if (one !== undefined && event.button === 2) openAt(one.x, one.y);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return;
    event.preventDefault();
    openByKey();
  };
  // A second finger cancels the long press.
  const stops = [listen(canvas, { pointerdown: down, pointermove: move, pointerup: up }, { capture: true }), listen(canvas, { pointercancel: forget, keydown: key })];
  return () => {
    forget();
    for (const stop of stops) stop();
  };
}

export function ContextMenu() {
  const box = useRef<HTMLDivElement>(null);
  const shown = menu.value;
  useLayoutEffect(() => {
    if (shown !== undefined) box.current?.querySelector('button')?.focus();
  }, [shown]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) menu.value = undefined;
    };
    window.addEventListener('pointerdown', outside, { capture: true });
    return () => window.removeEventListener('pointerdown', outside, { capture: true });
  }, []);
  if (shown === undefined || stage === undefined) return null;
  const key = (event: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) buttons[(to + buttons.length) % buttons.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { width, height } = stage.size;
  const left = Math.max(4, Math.min(shown.x, width - 230));
  const top = Math.max(4, Math.min(shown.y, height - 34 * (shown.items.length + 1)));
  return (
    <div class="context-menu" role="menu" aria-label={`Context menu: ${shown.title}`} ref={box} style={{ left: `${left}px`, top: `${top}px` }} onKeyDown={key} onContextMenu={(event) => event.preventDefault()}>
      <div class="muted" role="presentation" title={shown.title}>
        <Name text={shown.title} />
      </div>
      {shown.items.map((item) => (
        <button
          key={item.title}
          role="menuitem"
          title={item.title}
          tabIndex={-1}
          onClick={() => {
            close();
            item.run();
          }}
        >
          {item.title}
        </button>
      ))}
    </div>
  );
}
