// The undo history: a click goes to a step. It closes as menus do: by Esc, or a press elsewhere.
import { useEffect, useRef, useState } from 'preact/hooks';
import { command } from '../client';
import { jump } from '../gestures/undo';
import { documentNumber, numbers } from '../store';
import { IconButton } from './icon_button';
import { useCloses, walkMenu } from './menu_button';

function HistoryList() {
  const [names, setNames] = useState<string[]>([]);
  const { undo, redo } = numbers.value;
  const number = documentNumber.value;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void command('history.list').then((answer) => setNames(answer?.names ?? []));
  }, [undo, redo, number]);
  const listed = names.length > 0;
  useEffect(() => {
    box.current?.querySelector<HTMLButtonElement>('[aria-current]')?.focus();
  }, [listed]);
  const rows = ['As opened', ...names];
  // The oldest steps may have been dropped by the server.
  return (
    <div class="menu" ref={box} onKeyDown={walkMenu}>
      <ol class="list" aria-label="History">
        {rows.map((name, depth) => (
          <li key={depth}>
            <button aria-current={depth === undo ? 'step' : undefined} title={name} class={depth > undo ? 'muted' : ''} onClick={() => void jump(depth)}>
              {name}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function HistoryButton({ disabled }: { disabled: boolean }) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  const shown = open && !disabled;
  useCloses(
    anchor,
    (byKey) => {
      setOpen(false);
      if (byKey) anchor.current?.querySelector('button')?.focus();
    },
    shown,
  );
  return (
    <div class="anchor" ref={anchor}>
      <IconButton icon="history" label="History" tip="Undo history" expanded={shown} disabled={disabled} onClick={() => setOpen(!open)} />
      {shown && <HistoryList />}
    </div>
  );
}
