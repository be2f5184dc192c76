// Sections of panels, which fold; what the user folded or unfolded is kept per mode.
import { signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Icon } from './icon_button';
import { remember, remembered } from './settings';

const kept = 'sinew-folded';

/** The name of the mode whose panels these are. */
export const PanelScope = createContext('');

/** "mode/section" of what is not as it is at first: folded, or open where it is folded at first. */
const changed = signal<ReadonlySet<string>>(read());

function read(): Set<string> {
  try {
    const list = JSON.parse(remembered(kept) ?? '[]') as unknown;
    return new Set(Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : []);
  } catch {
    // Damaged content counts as nothing stored.
    return new Set();
  }
}

function setChanged(name: string, on: boolean): void {
  const next = new Set(changed.peek());
  if (on) next.add(name);
  else next.delete(name);
  changed.value = next;
  remember(kept, JSON.stringify([...next]));
}

/** Unfolds "mode/section", which is open at first. */
export const unfold = (name: string) => setChanged(name, false);

export interface SectionProps {
  /** Unique in its mode. */
  name: string;
  title: ComponentChildren;
  /** The name of the heading, where `title` is not a text. */
  label?: string;
  /** The title is a name of the file, shown as it is. */
  asIs?: boolean;
  /** For what is rarely needed; it opens by a click. */
  foldedAtFirst?: boolean;
  /** What it shows is being computed. */
  busy?: boolean;
  /** Beside the title, also while it is folded. */
  actions?: ComponentChildren;
  test?: string;
  class?: string;
  onPointerLeave?: () => void;
  children: ComponentChildren;
}

export function Section({ name, title, label, asIs, foldedAtFirst, busy, actions, test, class: more, onPointerLeave, children }: SectionProps) {
  const id = `${useContext(PanelScope)}/${name}`;
  const open = changed.value.has(id) === (foldedAtFirst === true);
  return (
    <section class={`section ${more ?? ''}`} aria-busy={busy} onPointerLeave={onPointerLeave}>
      <div class="section-head">
        <h2 class={asIs === true ? 'as-is' : ''} data-test={test}>
          <button type="button" class="fold" aria-expanded={open} aria-label={label} title={label} onClick={() => setChanged(id, !changed.peek().has(id))}>
            <Icon name={open ? 'chevronDown' : 'chevronRight'} size={14} />
            <span class="fold-title">{title}</span>
          </button>
        </h2>
        {actions}
      </div>
      {open && children}
    </section>
  );
}
