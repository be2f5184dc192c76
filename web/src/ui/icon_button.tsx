// Icons, and buttons that show one: with a name for screen readers and a tooltip with the shortcut.
import { type ComponentChildren, h } from 'preact';
import { type IconName, icons } from './icons';
import { tipOf } from './tooltip';

/** Decoration: what it means is said by the name of its button, or by the text beside it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
      {icons[name].map(([tag, attributes], i) => h(tag, { ...attributes, key: i }))}
    </svg>
  );
}

export interface IconButtonProps {
  icon: IconName;
  /** The name; the tooltip shows it with `keys`. */
  label: string;
  /** What the tooltip says instead of the name. */
  tip?: string;
  /** The shortcut, as it is shown: "Ctrl Z". */
  keys?: string;
  pressed?: boolean;
  /** Of a button that opens something. */
  expanded?: boolean;
  disabled?: boolean;
  class?: string;
  /** Text beside the icon. */
  children?: ComponentChildren;
  onClick: (event: MouseEvent) => unknown;
}

export function IconButton({ icon, label, tip, keys, pressed, expanded, disabled, class: name, children, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`${children === undefined ? 'icon-button' : 'icon-text'} ${name ?? ''}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
      {...tipOf(tip ?? label, keys)}
      onClick={(event) => void onClick(event)}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}
