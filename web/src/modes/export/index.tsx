// The mode Export: what a file will hold and lose before it is written, and what it plays after it was read again.
import { besideView, type Stage } from '../../render/stage';
import type { Mode, StudioCommand } from '../mode';
import { colourLimit, companion, showBeside } from './beside';
import { Dock, Overlay } from './dock';
import { Inspector, Outliner } from './panels';
import { stop, togglePlay } from './playback';
import { askContent, choosing, exportable, followOptions, plan, stale, written } from './state';
import { documentNumber, isOpen, job } from '../../store';
import { effect } from '@preact/signals';

let shownStage: Stage | undefined;

function enter(stage: Stage): () => void {
  shownStage = stage;
  const stops = [
    effect(() => {
      void documentNumber.value;
      if (isOpen.value) void askContent();
    }),
    followOptions(),
    showBeside(stage),
    colourLimit(stage),
  ];
  return () => {
    void stop();
    choosing.value = false;
    for (const one of stops) one();
  };
}

/** There is a file, and the document is still what was written. */
const comparable = () => written.value !== undefined && !stale.value;
const commands: StudioCommand[] = [
  { title: 'Export to a file', key: 'Enter', enabled: () => exportable() && plan.value !== undefined && job.value === undefined, run: () => void (choosing.value = true) },
  { title: 'Play or pause the exported file', key: 'Space', enabled: comparable, run: togglePlay },
];

/** What can be done now, for the status bar. */
function hint(): string {
  if (!exportable()) return 'Export the animation of a model in Handles.';
  if (!comparable()) return 'Choose what goes in, then export. Nothing is written before.';
  return 'Space plays the file beside the document; hover a vertex to see its deviation.';
}

export const exportMode: Mode = {
  name: 'export',
  title: 'Export',
  icon: 'exported',
  hint,
  Outliner,
  Inspector,
  Dock,
  Overlay,
  commands,
  enter,
  testHooks: {
    /** The re-read file as it is drawn: 3 numbers per vertex. */
    besidePositions: () => Array.from(companion.value?.allPositions() ?? []),
    besideRectangle: () => shownStage?.rectangle(besideView),
  },
};
