// All commands with their keys, for the palette, the sheet of shortcuts, and tinykeys.
import { tinykeys } from 'tinykeys';
import { command, stage } from '../client';
import { listen } from '../gestures/gesture_listeners';
import { redo, undo } from '../gestures/undo';
import type { Mode, StudioCommand } from '../modes/mode';
import { currentMode, mode, modes } from '../modes/modes';
import { activeView, document_, errorCard, isOpen, job, letterKeys, navigation, panels, orthographic, selectedVertices } from '../store';
import { saveNow } from './files';
import { shownKeys, viewsLabel } from './labels';
import { dialog, isModal } from './modal';
import { savePicture, saveTurn } from './pictures';
import { toggleTheme } from './settings';
import { startTour } from './tour';
import { lookFrom, sides } from './view_controls';
import { chosenParts, cycleShading, gridShown, hiddenParts, hideParts, isolateParts, lightTurn, showAllParts, turnLight, verticesShown, wireframe } from './view_settings';

/** Degrees. */
const lightStep = 15;

const viewCommands: StudioCommand[] = [
  { title: 'Next shading (materials, clay, unlit)', key: 'Shift+s', enabled: () => isOpen.value, run: cycleShading },
  { title: 'Toggle wireframe', key: 'Shift+w', enabled: () => isOpen.value, run: () => void (wireframe.value = !wireframe.value) },
  { title: 'Toggle vertices', key: 'Shift+v', enabled: () => isOpen.value, run: () => void (verticesShown.value = !verticesShown.value) },
  { title: 'Toggle ground grid', key: 'Shift+g', enabled: () => isOpen.value, run: () => void (gridShown.value = !gridShown.value) },
  { title: 'Turn the light', key: 'Shift+l', enabled: () => isOpen.value, run: () => turnLight(lightStep) },
  { title: 'Reset the light', enabled: () => isOpen.value && lightTurn.value !== 0, run: () => void (lightTurn.value = 0) },
  { title: 'Hide part', key: 'Shift+h', enabled: () => isOpen.value, run: () => hideParts(chosenParts(stage)) },
  { title: 'Isolate part, or show all again', key: '/', enabled: () => isOpen.value, run: () => isolateParts(chosenParts(stage)) },
  { title: 'Save an image without background', enabled: () => isOpen.value, run: savePicture },
  { title: 'Save a turntable', enabled: () => isOpen.value && job.value === undefined, run: saveTurn },
  { title: 'Show all parts', key: 'Alt+h', enabled: () => isOpen.value && hiddenParts.value.length > 0, run: showAllParts },
];

function togglePanel(which: 'left' | 'right' | 'dock'): void {
  panels.value = { ...panels.value, [which]: !panels.value[which] };
}

function toggleAllPanels(): void {
  const any = panels.value.left || panels.value.right || panels.value.dock;
  panels.value = { left: !any, right: !any, dock: !any };
}

function frameSelection(): void {
  const diagonal = document_.value?.diagonal ?? 1;
  const vertex = selectedVertices.value[0];
  const { selectionCentre } = currentMode();
  const lead = () => (vertex === undefined ? undefined : stage?.position(vertex, activeView.value));
  const place = (selectionCentre ?? lead)();
  if (place === undefined) stage?.moves.frameAll();
  else stage?.moves.framePoint(place, 0.15 * diagonal);
}

const general: StudioCommand[] = [
  { title: 'Undo', key: '$mod+z', inNumbers: true, enabled: () => isOpen.value, run: undo },
  { title: 'Redo', key: '$mod+Shift+z', inNumbers: true, enabled: () => isOpen.value, run: redo },
  { title: 'Save', key: '$mod+s', always: true, enabled: () => isOpen.value, run: saveNow },
  { title: 'Save as', key: '$mod+Shift+s', always: true, enabled: () => isOpen.value, run: () => (dialog.value = 'saveAs') },
  { title: 'Open', key: '$mod+o', always: true, run: () => (dialog.value = 'open') },
  { title: 'Bind to a skeleton', enabled: () => isOpen.value && document_.value?.skinned === false && document_.value.reduced === undefined, run: () => (dialog.value = 'bind') },
  { title: 'Frame selection', key: 'f', enabled: () => isOpen.value, run: frameSelection },
  { title: 'Frame all', key: 'a', enabled: () => isOpen.value, run: () => stage?.moves.frameAll() },
  { title: 'Toggle orthographic view', key: 'o', enabled: () => isOpen.value, run: () => void (orthographic.value = !orthographic.value) },
  ...sides.map((side) => ({ title: `View from the ${side.name}`, enabled: () => isOpen.value, run: () => lookFrom(side.name) })),
  ...viewCommands,
  { title: 'Toggle Blender navigation', run: () => void (navigation.value = navigation.value === 'blender' ? 'default' : 'blender') },
  { title: 'Toggle single-letter shortcuts', run: () => void (letterKeys.value = !letterKeys.value) },
  { title: 'Toggle left panel', key: 'BracketLeft', keyLabel: '[', run: () => togglePanel('left') },
  { title: 'Toggle right panel', key: 'BracketRight', keyLabel: ']', run: () => togglePanel('right') },
  { title: 'Toggle dock', key: 'Backslash', keyLabel: '\\', run: () => togglePanel('dock') },
  { title: 'Toggle all panels', key: 'Backquote', keyLabel: '`', run: toggleAllPanels },
  { title: 'Toggle dark theme', run: toggleTheme },
  ...[1, 2, 3, 4].map((count) => ({
    title: `Show ${viewsLabel(count)}`,
    enabled: () => isOpen.value && document_.value?.reduced === undefined,
    run: () => command('views', { count }),
  })),
  { title: 'Commands', key: '$mod+k', always: true, run: () => (dialog.value = dialog.value === 'palette' ? undefined : 'palette') },
  { title: 'Preferences', key: '$mod+Comma', always: true, run: () => (dialog.value = 'preferences') },
  { title: 'Take the tour', run: startTour },
  { title: 'Shortcuts', key: '[Shift]+(\\?)', keyLabel: '?', run: () => (dialog.value = 'shortcuts') },
  { title: 'Close message or cancel gesture', key: 'Escape', keyLabel: 'Esc', enabled: () => errorCard.value !== undefined, run: () => (errorCard.value = undefined) },
];

/** Commands of a mode are enabled only while it is active. */
function commandsOf({ name, commands = [] }: Mode): StudioCommand[] {
  return commands.map((one) => ({ ...one, enabled: () => mode.value === name && (one.enabled?.() ?? true) }));
}

/** Groups as in the sheet of shortcuts. */
export function commandGroups(): { title: string; commands: StudioCommand[] }[] {
  const switches = modes.map((one, i) => ({ title: `Switch to ${one.title} mode`, key: String(i + 1), run: () => (mode.value = one.name) }));
  return [
    { title: 'General', commands: [...switches, ...general] },
    ...modes.filter((one) => one.commands !== undefined).map((one) => ({ title: one.title, commands: commandsOf(one) })),
  ];
}

/** Without the commands that are not listed. */
export function listedGroups(): { title: string; commands: StudioCommand[] }[] {
  return commandGroups().map((group) => ({ ...group, commands: group.commands.filter((one) => one.shown?.() ?? true) }));
}

export function keyLabel(one: StudioCommand): string {
  if (one.keyLabel !== undefined) return one.keyLabel;
  if (one.key === undefined) return '';
  return shownKeys(one.key);
}

/** Text fields keep all keys; sliders and buttons only those that they use. */
function typesInto(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button', 'file'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || (target instanceof HTMLElement && target.isContentEditable);
}

/** The field with text that is typed and not committed yet. */
let typing: EventTarget | null = null;

/** Returns a function that stops it. */
function followTyping(): () => void {
  const commit = (event: Event) => {
    if (event.target === typing) typing = null;
  };
  const key = (event: KeyboardEvent) => {
    // They commit what was typed, in number fields only.
    if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && event.target instanceof Element && event.target.matches('input.number')) commit(event);
  };
  return listen(window, { input: (event: Event) => (typing = event.target), change: commit, focusout: commit, keydown: key }, { capture: true });
}

/** A choice, or a number field without uncommitted text: undo acts on the document. */
function holdsNoText(target: EventTarget | null): boolean {
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && target !== typing && target.getAttribute('aria-invalid') !== 'true' && target.matches('.number, .weight, .fit-field, [inputmode=numeric]');
}

function usesArrows(target: EventTarget | null): boolean {
  return (target instanceof HTMLInputElement && target.type === 'range') || (target instanceof HTMLElement && target.closest('[role=listbox], [role=toolbar], [role=tablist]') !== null);
}

/** Space presses a button only if the button was focused by keyboard; after a mouse click Space stays free. */
export function spaceIsFree(event: KeyboardEvent): boolean {
  if (isModal() || typesInto(event.target)) return false;
  return !(event.target instanceof HTMLElement && event.target.matches(':is(button, input, a, summary, [role=menuitem], [role=separator]):focus-visible'));
}

/** Enter presses the focused control. */
const takesEnter = (target: EventTarget | null) => target instanceof HTMLElement && target.matches('button, a, summary, select, [role=button], [role=slider], [role=option], [role=tab], [role=menuitem]');

/** Runs the enabled command of a key, if there is one. */
export function runKey(key: string): void {
  const commands = commandGroups().flatMap((group) => group.commands.filter((one) => one.key === key));
  commands.find((one) => one.enabled?.() ?? true)?.run();
}

/** A single character, without Ctrl or Alt. */
const isLetter = (key: string) => key.length === 1 || /^Shift\+.$/.test(key);

/** Returns a function that stops it. */
export function installKeys(): () => void {
  const bindings: Record<string, (event: KeyboardEvent) => void> = {};
  const byKey = new Map<string, StudioCommand[]>();
  for (const group of commandGroups()) {
    // Space is held for posing; pose_hold.ts runs its command on a tap.
    for (const one of group.commands) if (one.key !== undefined && one.key !== 'Space') byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  }
  for (const [key, commands] of byKey) {
    bindings[key] = (event) => {
      if (event.defaultPrevented || (key.includes('Arrow') && usesArrows(event.target)) || (key === 'Enter' && takesEnter(event.target))) return;
      if (!letterKeys.value && isLetter(key)) return;
      const one = commands.find((candidate) => candidate.enabled?.() ?? true);
      const always = commands.some((candidate) => candidate.always === true);
      const taken = typesInto(event.target) && !(commands.some((candidate) => candidate.inNumbers === true) && holdsNoText(event.target));
      if (!always && (taken || isModal())) return;
      if (always) event.preventDefault();
      if (one === undefined) return;
      event.preventDefault();
      one.run();
    };
  }
  const stops = [tinykeys(window, bindings, { ignore: () => false }), followTyping()];
  return () => stops.forEach((stop) => stop());
}
