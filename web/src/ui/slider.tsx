// The slider of the page. It fills from 0, or from its start if 0 is not within its range. Esc cancels a drag, a
// double-click resets; periodic values can be stepped beyond the ends of the slider.
import { useRef } from 'preact/hooks';
import { barSpan } from './bar';
import { type HelpTopic, helpTexts } from './help';
import type { NumberChange } from './number_field';
import { SliderGesture } from './slider_gesture';
import { tipOf } from './tooltip';

export interface SliderProps {
  value: number;
  min: number;
  max: number;
  step: number;
  change: (value: number, how: NumberChange) => void;
  id?: string;
  class?: string;
  label?: string;
  valueText?: string;
  /** Of periodic values: 360 for degrees. */
  period?: number;
  /** The value that a double-click restores. */
  reset?: number;
  help?: HelpTopic;
  /** Where the fill starts; default: 0, if it is within the range. */
  origin?: number;
}

/** The filled part of the track, as shares of the way that the thumb moves: from the origin to the value. */
export function sliderFill(value: number, min: number, max: number, origin = 0): { zero: number; from: number; to: number } {
  const zero = Math.min(max, Math.max(min, origin));
  const { start, length } = barSpan(value - zero, min - zero, max - zero);
  return { zero: (zero - min) / (max - min), from: start / 100, to: (start + length) / 100 };
}

const arrows: Record<string, number | undefined> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

export function Slider({ value, min, max, step, change, id, class: name, label, valueText, period, reset, help, origin = 0 }: SliderProps) {
  const kept = useRef<{ gesture: SliderGesture; byKey: boolean } | undefined>(undefined);
  const one = (kept.current ??= { gesture: new SliderGesture(period), byKey: false });
  const { gesture } = one;
  const tell = (event: Event, how: NumberChange) => {
    const field = event.currentTarget as HTMLInputElement;
    const next = how === 'live' ? gesture.move(Number(field.value), value) : gesture.end(Number(field.value), value);
    if (next === undefined) field.value = String(gesture.thumbAt(value));
    else change(next, how);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      const start = gesture.cancel();
      if (start === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      (event.currentTarget as HTMLInputElement).value = String(gesture.thumbAt(start));
      change(start, 'back');
      return;
    }
    one.byKey = true;
    gesture.press();
    const sign = period === undefined || event.ctrlKey || event.metaKey || event.altKey ? undefined : arrows[event.key];
    if (sign === undefined) return;
    event.preventDefault();
    change(value + sign * step * (event.shiftKey ? 10 : 1), 'step');
  };
  const thumb = gesture.thumbAt(value);
  const fill = sliderFill(thumb, min, max, origin);
  return (
    <input
      id={id}
      class={`slider ${min < origin && origin < max ? 'signed ' : ''}${name ?? ''}`}
      style={{ '--zero': fill.zero, '--from': fill.from, '--to': fill.to }}
      {...(help === undefined ? {} : { ...tipOf(helpTexts[help]), 'aria-description': helpTexts[help] })}
      type="range"
      aria-label={label}
      aria-valuetext={valueText}
      min={min}
      max={max}
      step={step}
      value={thumb}
      onPointerDown={() => {
        one.byKey = false;
        gesture.press();
      }}
      onKeyDown={key}
      onInput={(event) => tell(event, 'live')}
      onChange={(event) => tell(event, one.byKey ? 'step' : 'done')}
      onDblClick={() => {
        gesture.press();
        if (reset !== undefined && reset !== value) change(reset, 'done');
      }}
    />
  );
}
