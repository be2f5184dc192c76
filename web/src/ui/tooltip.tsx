// Tooltips, for eyes: screen readers read names and descriptions. They show what the pointer rests on, and at once what
// the keyboard reaches, in the top layer, so that dialogs do not cover them. Esc hides them.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listen } from '../gestures/gesture_listeners';

const delay = 400;
const margin = 6;

interface Tip {
  text: string;
  keys: string;
  of: DOMRect;
}
const tip = signal<Tip | undefined>(undefined);

/** Attributes of an element with a tooltip; `keys`: its shortcut, as shown. */
export function tipOf(text: string, keys = ''): Record<string, string> {
  return keys === '' ? { 'data-tip': text } : { 'data-tip': text, 'data-keys': keys };
}

const ownerOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null);

/** Returns a function that stops it. */
function installTooltips(): () => void {
  let owner: HTMLElement | null = null;
  let timer = 0;
  const hide = () => {
    window.clearTimeout(timer);
    owner = null;
    tip.value = undefined;
  };
  const show = (one: HTMLElement) => {
    const { tip: text = '', keys = '' } = one.dataset;
    if (text !== '' && one.isConnected) tip.value = { text, keys, of: one.getBoundingClientRect() };
  };
  const over = (event: PointerEvent) => {
    const one = ownerOf(event.target);
    if (one === owner || event.pointerType === 'touch') return;
    hide();
    owner = one;
    if (one !== null) timer = window.setTimeout(() => show(one), delay);
  };
  const focus = (event: FocusEvent) => {
    const one = ownerOf(event.target);
    if (one === null || !(event.target as Element).matches(':focus-visible')) return;
    hide();
    owner = one;
    show(one);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') hide();
  };
  return listen(window, { pointerover: over, focusin: focus, focusout: hide, pointerdown: hide, wheel: hide, blur: hide, keydown: key }, { capture: true, passive: true });
}

export function Tooltip() {
  const box = useRef<HTMLDivElement>(null);
  const shown = tip.value;
  useEffect(() => installTooltips(), []);
  useEffect(() => {
    const one = box.current;
    if (one === null) return;
    if (shown === undefined) {
      one.hidePopover();
      return;
    }
    one.showPopover();
    const { width, height } = one.getBoundingClientRect();
    const below = shown.of.bottom + margin + height <= window.innerHeight;
    const left = Math.min(window.innerWidth - width - margin, Math.max(margin, (shown.of.left + shown.of.right - width) / 2));
    one.style.left = `${left}px`;
    one.style.top = `${below ? shown.of.bottom + margin : Math.max(margin, shown.of.top - margin - height)}px`;
  }, [shown]);
  return (
    <div ref={box} class="tooltip" aria-hidden="true" popover="manual">
      {shown?.text} {(shown?.keys ?? '') !== '' && <kbd>{shown?.keys}</kbd>}
    </div>
  );
}
