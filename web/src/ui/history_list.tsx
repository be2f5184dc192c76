// Every step by its name; a click goes there.
import { useEffect, useState } from 'preact/hooks';
import { command } from '../client';
import { numbers } from '../store';

export function HistoryList({ close }: { close: () => void }) {
  const [names, setNames] = useState<string[]>([]);
  const { undo, redo } = numbers.value;
  useEffect(() => {
    void command<{ names: string[] }>('history.list').then((answer) => setNames(answer?.names ?? []));
  }, [undo, redo]);
  const rows = ['As opened', ...names];
  // The oldest steps may be forgotten: the list ends where the last one is.
  return (
    <div
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <ol class="list" aria-label="History">
        {rows.map((name, depth) => (
          <li key={depth}>
            <button aria-current={depth === undo ? 'step' : undefined} class={depth > undo ? 'muted' : ''} onClick={() => void command('history.jump', { depth })}>
              {name}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
