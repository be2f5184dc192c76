import { command } from '../client';
import { modes } from '../modes/modes';
import { document_, isOpen, mode, numbers, theme } from '../store';

export function Header() {
  return (
    <header class="header">
      <span class="brand">Sinew Studio</span>
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
      {isOpen.value && (
        <>
          <span class="muted">
            {document_.value?.title}
            {document_.value?.saved === false ? ' •' : ''}
          </span>
          <button disabled={numbers.value.undo === 0} title="Undo (Ctrl Z)" onClick={() => void command('undo')}>
            Undo
          </button>
          <button disabled={numbers.value.redo === 0} title="Redo (Ctrl Shift Z)" onClick={() => void command('redo')}>
            Redo
          </button>
        </>
      )}
      <button
        title="Dark or light"
        aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={() => (theme.value = theme.value === 'dark' ? 'light' : 'dark')}
      >
        {theme.value === 'dark' ? '☾' : '☀'}
      </button>
    </header>
  );
}
