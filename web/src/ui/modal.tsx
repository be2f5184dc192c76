// A modal dialog, the browser's own with its focus trap and Esc, and which dialog is open.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export type DialogName = 'palette' | 'shortcuts' | 'open' | 'saveAs' | 'bind' | 'preferences';
export const dialog = signal<DialogName | undefined>(undefined);

/** Whether any modal dialog is open, also one of a mode. */
export const isModal = () => dialog.value !== undefined || document.querySelector('dialog[open]') !== null;

export function Modal({ label, wide, onClose, children }: { label: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  // The close event comes late: another dialog may be open by then.
  const mine = useRef(dialog.peek());
  const close = () => {
    if (dialog.peek() === mine.current) onClose();
  };
  useEffect(() => {
    box.current?.showModal();
    return () => box.current?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class={wide === true ? 'wide' : ''}
      aria-label={label}
      onClose={close}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
