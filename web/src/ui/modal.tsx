// A modal dialog: the browser's own, with its focus trap and Esc.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Modal({ label, wide, onClose, children }: { label: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
    return () => box.current?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class={wide === true ? 'wide' : ''}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
