// The header: modes, document, undo, panels, help. Its parts keep their places when texts change.
import { open } from '../client';
import { redo, undo } from '../gestures/undo';
import { mode, modes } from '../modes/modes';
import { document_, isOpen, numbers, type PanelName, panels, theme } from '../store';
import { saveNow } from './files';
import { HistoryButton } from './history_list';
import { Icon, IconButton } from './icon_button';
import type { IconName } from './icons';
import { modifier } from './labels';
import { MenuButton } from './menu_button';
import { dialog } from './modal';
import { openGroups } from './open_menu';
import { toggleTheme } from './settings';
import { tipOf } from './tooltip';
import { startTour } from './tour';

const edges: { panel: PanelName; label: string; keys: string; icon: IconName }[] = [
  { panel: 'left', label: 'Left panel', keys: '[', icon: 'panelLeft' },
  { panel: 'dock', label: 'Dock', keys: '\\', icon: 'panelBottom' },
  { panel: 'right', label: 'Right panel', keys: ']', icon: 'panelRight' },
];

function PanelButtons() {
  return (
    <div class="row tight" role="group" aria-label="Panels">
      {edges.map(({ panel, ...one }) => (
        <IconButton key={panel} class="quiet" {...one} disabled={!isOpen.value} pressed={panels.value[panel]} onClick={() => (panels.value = { ...panels.value, [panel]: !panels.value[panel] })} />
      ))}
    </div>
  );
}

/** Arrow keys move between tabs. */
function walk(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const next = tabs[(tabs.indexOf(document.activeElement as HTMLButtonElement) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

function Tabs() {
  return (
    <nav role="tablist" aria-label="Modes" onKeyDown={walk}>
      {modes.map((one, i) => (
        <button
          key={one.name}
          role="tab"
          class="tab"
          tabIndex={mode.value === one.name ? 0 : -1}
          aria-selected={mode.value === one.name}
          {...tipOf(one.title, String(i + 1))}
          onClick={() => (mode.value = one.name)}
        >
          {one.icon !== undefined && <Icon name={one.icon} />}
          <span class="tab-number">{i + 1}</span> <span class="tab-title">{one.title}</span>
        </button>
      ))}
    </nav>
  );
}

/** The name of the document; a menu if models were learned from a character. */
function DocumentName() {
  const info = document_.value;
  if (info?.open !== true) return null;
  const beside = info.beside ?? [];
  const dot = (
    <span class={`unsaved${info.saved ? '' : ' shown'}`} aria-hidden="true">
      ●
    </span>
  );
  if (beside.length < 2)
    return (
      <>
        <span class="muted title" title={info.path || info.title}>
          {info.title}
        </span>
        {dot}
      </>
    );
  const current = beside.find((one) => one.current)?.what;
  const choose = (event: { currentTarget: HTMLSelectElement }) => {
    const wanted = event.currentTarget.value;
    // The open document, until another is: opening may be cancelled.
    event.currentTarget.value = current ?? '';
    void open(wanted);
  };
  return (
    <>
      <select class="title" aria-label="Document" title={`${info.title}: the character, or a model learned from it`} value={current} onChange={choose}>
        {beside.map((one) => (
          <option key={one.what} value={one.what}>
            {one.title}
          </option>
        ))}
      </select>
      {dot}
    </>
  );
}

export function Header() {
  const shown = isOpen.value;
  return (
    <header class="header">
      <h1 class="brand">Sinew Studio</h1>
      <Tabs />
      <div class="document-name">
        <DocumentName />
      </div>
      <div class="row tight" role="group" aria-label="File">
        <MenuButton icon="folderOpen" label="Open" groups={openGroups}>
          <span class="wide-only">Open</span>
        </MenuButton>
        <IconButton icon="save" label="Save" keys={`${modifier} S`} disabled={!shown} onClick={saveNow} />
      </div>
      <div class="row tight" role="group" aria-label="Undo and redo">
        <IconButton icon="undo" label="Undo" keys={`${modifier} Z`} disabled={!shown || numbers.value.undo === 0} onClick={undo} />
        <IconButton icon="redo" label="Redo" keys={`${modifier} Shift Z`} disabled={!shown || numbers.value.redo === 0} onClick={redo} />
        <HistoryButton disabled={!shown} />
      </div>
      <PanelButtons />
      <div class="row tight" role="group" aria-label="Page">
        <IconButton icon="search" label="Commands" keys={`${modifier} K`} onClick={() => (dialog.value = 'palette')} />
        <MenuButton
          icon="help"
          label="Help"
          groups={() => [
            {
              rows: [
                { title: 'Shortcuts', icon: 'keyboard', keys: '?', run: () => (dialog.value = 'shortcuts') },
                { title: 'Tour', icon: 'tour', note: '2 minutes', run: startTour },
                { title: 'Preferences', icon: 'settings', keys: `${modifier} ,`, run: () => (dialog.value = 'preferences') },
              ],
            },
          ]}
        />
        <IconButton icon={theme.value === 'dark' ? 'dark' : 'light'} label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'} tip="Switch between dark and light" onClick={toggleTheme} />
      </div>
    </header>
  );
}
