// A button that opens a menu. Arrow keys move in it; Esc, Tab and a press elsewhere close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listen } from '../gestures/gesture_listeners';
import { Icon } from './icon_button';
import type { IconName } from './icons';
import { Name } from './labels';
import { tipOf } from './tooltip';

export interface MenuRow {
  title: string;
  icon?: IconName;
  /** Beside the title. */
  note?: string;
  /** The shortcut, as shown. */
  keys?: string;
  /** Of a menu of choices: the current one. */
  checked?: boolean;
  disabled?: boolean;
  run: () => unknown;
}

export interface MenuGroup {
  title?: string;
  rows: MenuRow[];
}

/** Calls `close` on Esc and on a press outside of `box`. */
export function useCloses(box: { current: HTMLElement | null }, close: (byKey: boolean) => void, active: boolean): void {
  useLayoutEffect(() => {
    if (!active) return undefined;
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close(true);
    };
    const press = (event: PointerEvent) => {
      if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) close(false);
    };
    return listen(window, { keydown: key, pointerdown: press }, { capture: true });
  }, [active]);
}

/** Arrow keys, Home and End move the focus between the buttons of a menu. */
export function walkMenu(event: KeyboardEvent): void {
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
  const at = rows.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to === undefined || rows.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  rows[(to + rows.length) % rows.length].focus();
}

export interface MenuButtonProps {
  label: string;
  keys?: string;
  icon?: IconName;
  class?: string;
  disabled?: boolean;
  /** Evaluated when it opens. */
  groups: () => MenuGroup[];
  children?: ComponentChildren;
}

export function MenuButton({ label, keys, icon, class: name, disabled, groups, children }: MenuButtonProps) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = (byKey: boolean) => {
    setOpen(false);
    if (byKey) anchor.current?.querySelector('button')?.focus();
  };
  useCloses(anchor, close, open);
  useEffect(() => {
    if (!open) return;
    menu.current?.querySelector<HTMLButtonElement>('button:not(:disabled)')?.focus();
    // Menus at the right edge grow to the left.
    const box = menu.current?.getBoundingClientRect();
    if (box !== undefined && box.right > window.innerWidth - 4) menu.current?.classList.add('to-left');
  }, [open]);
  const row = (one: MenuRow, i: number) => (
    <button
      key={i}
      type="button"
      role={one.checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={one.checked}
      tabIndex={-1}
      disabled={one.disabled}
      onClick={() => {
        close(true);
        void one.run();
      }}
    >
      {one.icon !== undefined && <Icon name={one.icon} />}
      <span class="menu-title"><Name text={one.title} /></span>
      {one.note !== undefined && <span class="muted">{one.note}</span>}
      {one.keys !== undefined && <kbd>{one.keys}</kbd>}
    </button>
  );
  return (
    <div class="anchor" ref={anchor}>
      <button type="button" class={`${children === undefined ? 'icon-button' : 'icon-text'} ${name ?? ''}`} aria-haspopup="menu" aria-expanded={open} aria-label={label} disabled={disabled} {...tipOf(label, keys)} onClick={() => setOpen(!open)}>
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {open && (
        <div
          class="popup-menu"
          role="menu"
          aria-label={label}
          ref={menu}
          onKeyDown={(event) => {
            if (event.key === 'Tab') close(true);
            walkMenu(event);
          }}
        >
          {groups().map((group, g) => (
            <div key={group.title ?? g} role="group" aria-label={group.title}>
              {group.title !== undefined && (
                <div class="menu-head" aria-hidden="true">
                  {group.title}
                </div>
              )}
              {group.rows.map(row)}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
