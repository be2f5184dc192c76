// The undo history: a click goes to a step. Esc or a press elsewhere closes the list.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { command } from '../client';
import { listen } from '../gestures/gesture_listeners';
import { jump } from '../gestures/undo';
import { documentNumber, numbers } from '../store';

export function HistoryList({ close }: { close: () => void }) {
  const [names, setNames] = useState<string[]>([]);
  const { undo, redo } = numbers.value;
  const number = documentNumber.value;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void command<{ names: string[] }>('history.list').then((answer) => setNames(answer?.names ?? []));
  }, [undo, redo, number]);
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      close();
    };
    const press = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.parentElement?.contains(event.target) !== true) close();
    };
    return listen(window, { keydown: key, pointerdown: press }, { capture: true });
  }, []);
  const rows = ['As opened', ...names];
  // The oldest steps may have been dropped by the server.
  return (
    <div class="menu" ref={box}>
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
