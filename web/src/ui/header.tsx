import { useState } from 'preact/hooks';
import { command } from '../client';
import { modes } from '../modes/modes';
import { document_, isOpen, mode, numbers, theme } from '../store';
import { dialog } from './dialogs';
import { saveNow } from './files';
import { HistoryList } from './history_list';
import { toggleTheme } from './theme';

export function Header() {
  const [history, setHistory] = useState(false);
  return (
    <header class="header">
      <h1 class="brand">Sinew Studio</h1>
      <nav role="tablist" aria-label="Modes">
        {modes.map((one, i) => (
          <button
            key={one.name}
            role="tab"
            aria-selected={mode.value === one.name}
            title={`${one.title} (${i + 1})`}
            onClick={() => (mode.value = one.name)}
          >
            {i + 1} {one.title}
          </button>
        ))}
      </nav>
      <span class="spacer" />
      <button title="Open (Ctrl O)" onClick={() => (dialog.value = 'open')}>
        Open
      </button>
      {isOpen.value && (
        <>
          <span class="muted title" title={document_.value?.path}>
            {document_.value?.title}
            {document_.value?.saved === false ? ' •' : ''}
          </span>
          <button title="Save (Ctrl S)" onClick={() => void saveNow()}>
            Save
          </button>
          <button disabled={numbers.value.undo === 0} title="Undo (Ctrl Z)" onClick={() => void command('undo')}>
            Undo
          </button>
          <button disabled={numbers.value.redo === 0} title="Redo (Ctrl Shift Z)" onClick={() => void command('redo')}>
            Redo
          </button>
          <div class="anchor">
            <button aria-expanded={history} title="All steps" onClick={() => setHistory(!history)}>
              History
            </button>
            {history && <HistoryList close={() => setHistory(false)} />}
          </div>
        </>
      )}
      <button title="Commands (Ctrl K)" onClick={() => (dialog.value = 'palette')}>
        Ctrl K
      </button>
      <button title="Shortcuts (?)" aria-label="Shortcuts" onClick={() => (dialog.value = 'shortcuts')}>
        ?
      </button>
      <button
        title="Dark or light"
        aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={toggleTheme}
      >
        {theme.value === 'dark' ? '☾' : '☀'}
      </button>
    </header>
  );
}
