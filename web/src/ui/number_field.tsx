// A number that can be typed ("45/2"), dragged sideways, stepped by arrow keys, and reset by a double-click. Invalid text
// stays in the field with a message until it is corrected or Esc is pressed.
import { useId, useRef, useState } from 'preact/hooks';
import { type TypedNumber, typedNumber } from './typed_number';

/**
 * live: during a gesture; done: at its end; step: one of several key presses, which become one step of undo; back: the
 * value from before a cancelled gesture.
 */
export type NumberChange = 'live' | 'done' | 'step' | 'back';

export interface NumberFieldProps {
  label: string;
  value: number;
  show: (value: number) => string;
  /** Parses typed text. */
  read?: (text: string) => TypedNumber;
  /** Change per arrow key, and per pixel of a drag. */
  step: number;
  change: (value: number, how: NumberChange) => void;
  /** The value that a double-click restores. */
  reset?: number;
  class?: string;
  width?: number;
}

/** Pixels before a press becomes a drag. */
const reach = 3;

export function NumberField({ label, value, show, read = typedNumber, step, change, reset, class: name, width }: NumberFieldProps) {
  const id = useId();
  /** Invalid text, as long as the value is unchanged. */
  const [draft, setDraft] = useState<{ text: string; fault: string; of: number } | undefined>(undefined);
  const typed = draft?.of === value ? draft : undefined;
  const newest = useRef(value);
  newest.current = value;
  const drag = useRef<{ x: number; start: number; at: number; moved: boolean } | undefined>(undefined);
  const same = (other: number) => Math.abs(other - value) < 1e-9 + 1e-7 * Math.abs(value);
  const down = (event: PointerEvent) => {
    // In a focused field dragging selects text.
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
  const cancel = () => {
    const one = drag.current;
    drag.current = undefined;
    if (one?.moved === true) change(one.start, 'back');
  };
  const key = (event: KeyboardEvent) => {
    const field = event.currentTarget as HTMLInputElement;
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (sign !== undefined) {
      event.preventDefault();
      const from = field.value === show(value) ? value : (read(field.value).value ?? value);
      setDraft(undefined);
      change(from + sign * step * (event.shiftKey ? 10 : 1), 'step');
    } else if (event.key === 'Escape') {
      cancel();
      setDraft(undefined);
      field.value = show(value);
      field.blur();
    }
  };
  const take = (field: HTMLInputElement) => {
    const { value: next, fault } = read(field.value);
    // An unchanged value is not a step.
    if (field.value.trim() === '' || field.value === show(value) || (next !== undefined && same(next))) {
      setDraft(undefined);
      field.value = show(value);
    } else if (next === undefined) {
      setDraft({ text: field.value, fault: fault ?? '', of: value });
    } else {
      setDraft(undefined);
      change(next, 'done');
      // If the change was rejected or limited, show the actual value.
      requestAnimationFrame(() => (field.value = show(newest.current)));
    }
  };
  return (
    <>
      <input
        class={`number ${name ?? ''}`}
        style={width === undefined ? {} : { width: `${width}px` }}
        aria-label={label}
        aria-invalid={(typed?.fault ?? '') !== ''}
        aria-describedby={(typed?.fault ?? '') === '' ? undefined : id}
        title="Type, drag sideways or use arrow keys; double-click to reset"
        value={typed?.text ?? show(value)}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={cancel}
        onKeyDown={key}
        onInput={(event) => typed !== undefined && setDraft({ text: event.currentTarget.value, fault: '', of: value })}
        onDblClick={(event) => {
          if (reset === undefined) return;
          event.preventDefault();
          event.currentTarget.blur();
          setDraft(undefined);
          if (!same(reset)) change(reset, 'done');
        }}
        onChange={(event) => take(event.currentTarget)}
      />
      {(typed?.fault ?? '') !== '' && (
        <span class="field-fault" id={id} role="alert">
          {typed?.fault}
        </span>
      )}
    </>
  );
}
