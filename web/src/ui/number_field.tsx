// A number that can be typed ("45/2"), dragged sideways, stepped by arrow keys, and put back by a double-click.
import { useRef } from 'preact/hooks';
import { numberOf } from '../modes/pose_angles';

/**
 * While it moves; at its end; one of several presses of a key, which become one step of undo; or the value from before
 * of a gesture that is taken back.
 */
export type NumberChange = 'live' | 'done' | 'step' | 'back';

export interface NumberFieldProps {
  label: string;
  value: number;
  show: (value: number) => string;
  /** Of an arrow key, and of a pixel. */
  step: number;
  change: (value: number, how: NumberChange) => void;
  /** What a double-click puts back. */
  reset?: number;
  class?: string;
  width?: number;
}

/** Pixels before a press becomes a drag. */
const reach = 3;

export function NumberField({ label, value, show, step, change, reset, class: name, width }: NumberFieldProps) {
  const drag = useRef<{ x: number; start: number; at: number; moved: boolean } | undefined>(undefined);
  const same = (other: number) => Math.abs(other - value) < 1e-9 + 1e-7 * Math.abs(value);
  const down = (event: PointerEvent) => {
    // In a field that is being typed in, dragging selects text.
    if (event.button !== 0 || document.activeElement === event.currentTarget) return;
    drag.current = { x: event.clientX, start: value, at: value, moved: false };
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const one = drag.current;
    if (one === undefined) return;
    if (!one.moved && Math.abs(event.clientX - one.x) < reach) return;
    one.moved = true;
    one.at += step * (event.shiftKey ? 0.1 : 1) * (event.clientX - one.x);
    one.x = event.clientX;
    change(event.ctrlKey ? Math.round(one.at / (10 * step)) * 10 * step : one.at, 'live');
  };
  const up = (event: PointerEvent) => {
    const one = drag.current;
    drag.current = undefined;
    if (one?.moved !== true) return;
    (event.currentTarget as HTMLElement).blur();
    change(event.ctrlKey ? Math.round(one.at / (10 * step)) * 10 * step : one.at, 'done');
  };
  const key = (event: KeyboardEvent) => {
    const field = event.currentTarget as HTMLInputElement;
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (sign !== undefined) {
      event.preventDefault();
      const typed = field.value === show(value) ? value : (numberOf(field.value) ?? value);
      change(typed + sign * step * (event.shiftKey ? 10 : 1), 'step');
    } else if (event.key === 'Escape') {
      const one = drag.current;
      drag.current = undefined;
      if (one?.moved === true) change(one.start, 'back');
      field.value = show(value);
      field.blur();
    }
  };
  return (
    <input
      class={`number ${name ?? ''}`}
      style={width === undefined ? {} : { width: `${width}px` }}
      aria-label={label}
      title="Type, drag sideways, or use the arrow keys; double-click resets"
      value={show(value)}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onKeyDown={key}
      onDblClick={(event) => {
        if (reset === undefined) return;
        event.preventDefault();
        event.currentTarget.blur();
        if (!same(reset)) change(reset, 'done');
      }}
      onChange={(event) => {
        const typed = numberOf(event.currentTarget.value);
        // What was there already is no step.
        if (typed === undefined || event.currentTarget.value === show(value) || same(typed)) event.currentTarget.value = show(value);
        else change(typed, 'done');
      }}
    />
  );
}
