// The mode Fit: a better skin from the examples, compared with the character until it is kept or discarded.
import { effect, signal, untracked } from '@preact/signals';
import { command, connection, onEvent, onMessage } from '../../client';
import { installVertexHover } from '../../gestures/surface_hover';
import { FitFrameCode, FrameCode } from '../../protocol/messages';
import { Comparison } from '../../render/comparison';
import { SelectionDots } from '../../render/selection_dots';
import { Shown } from '../../render/skin_material';
import type { Stage } from '../../render/stage';
import { document_, documentNumber, errorCard, job, meshLoads, notice, selectedVertices } from '../../store';
import { followExamplePictures } from '../../ui/example_pictures';
import { pageText } from '../../ui/sentences';
import type { Mode, StudioCommand } from '../mode';
import { Dock } from './dock';
import './fit.css';
import { Inspector } from './inspector';
import { Outliner } from './outliner';
import { hovered, Overlay } from './overlay';
import { cancel, discard, divider, examples, fields, goTo, heatMap, keep, loadErrors, options, presented, range, refresh, result, run, running, shownErrors, shownExample, side, step, worstExample, worstVertex } from './state';

/** The second skin on the stage; undefined: none, or it is still loading. */
const comparison = signal<Comparison | undefined>(undefined);

async function askFields(): Promise<void> {
  if (fields.peek().length > 0) return;
  const answer = await command('fit.fields');
  if (answer === undefined) return;
  fields.value = answer.fields;
  options.value = Object.fromEntries(answer.fields.map((one) => [one.name, one.value]));
}

/** Loads the skin of a result, and keeps its frames up to date. Returns a function that stops it. */
function followResult(stage: Stage): () => void {
  let live = true;
  /** Views whose frame was asked for, and whether it must be asked for again. */
  const asked = new Map<number, boolean>();
  const ask = async (view: number) => {
    if (asked.has(view)) {
      asked.set(view, true);
      return;
    }
    asked.set(view, false);
    await connection.command('fit.show', { view }).catch(() => {});
    const again = asked.get(view) === true;
    asked.delete(view);
    if (again && comparison.peek() !== undefined) void ask(view);
  };
  const clear = () => {
    comparison.peek()?.dispose();
    comparison.value = undefined;
  };
  const load = async (number: number, blobs: { mesh: string; weights: string; morphs: string }) => {
    const [mesh, columns, morphs] = await Promise.all([connection.blob(blobs.mesh), connection.blob(blobs.weights), blobs.morphs === '' ? undefined : connection.blob(blobs.morphs)]);
    if (!live || result.peek()?.number !== number) return;
    clear();
    comparison.value = new Comparison(stage, mesh, columns, morphs);
    for (let view = 0; view < stage.views; ++view) void ask(view);
  };
  let loaded: number | undefined;
  /** Without a connection; it is loaded once the state is read again. */
  const failed = (number: number) => {
    if (loaded !== number) return;
    loaded = undefined;
    clear();
  };
  const stops = [
    effect(() => {
      const shown = result.value;
      // The stage has its mesh.
      if (meshLoads.value === 0 || shown?.number === loaded) return;
      loaded = shown?.number;
      untracked(() => {
        if (shown === undefined) clear();
        else void load(shown.number, shown.blobs).catch(() => failed(shown.number));
      });
    }),
    onMessage((message) => {
      if (message.code === FrameCode && comparison.peek() !== undefined) void ask(message.body.view);
      if (message.code === FitFrameCode) comparison.peek()?.applyFrame(message.body);
    }),
    effect(() => {
      const two = comparison.value;
      if (two !== undefined) two.split = { before: 1, wipe: divider.value, after: 0 }[side.value];
    }),
    effect(() => {
      const two = comparison.value;
      const list = shownErrors.value;
      two?.setScalars(list === undefined ? undefined : { first: list.before, second: list.after });
      stage.setShown(two !== undefined && list !== undefined && heatMap.value ? Shown.Scalars : Shown.Plain);
    }),
    effect(() => comparison.value?.setRange(range.value.from, range.value.to)),
  ];
  return () => {
    live = false;
    for (const stop of stops) stop();
    clear();
  };
}

/** A new result without a shown example: where the skin was worst, before and after differ most. */
function followExample(): () => void {
  return effect(() => {
    const number = result.value?.number;
    if (number === undefined) return;
    untracked(() => {
      const shown = shownExample.peek();
      const wanted = shown ?? (presented.peek() === number ? undefined : worstExample());
      presented.value = number;
      if (wanted !== undefined) void (shown === undefined ? goTo(wanted) : loadErrors(wanted));
    });
  });
}

function enter(stage: Stage): () => void {
  const dots = new SelectionDots(stage);
  void askFields();
  const stops = [
    effect(() => {
      void documentNumber.value;
      untracked(() => void refresh());
    }),
    onEvent((event) => {
      if (event.event === 'hello') {
        void askFields();
        void refresh();
      }
      if (event.event === 'examplesOpened' && event.warnings.length > 0) errorCard.value = { text: `Notes on the examples of ${event.source}:`, hint: '', notes: event.warnings.map(pageText), calm: true };
      if (event.event === 'job' && event.what.startsWith('fit') && event.cancelled)
        notice.value = result.value === undefined ? 'Cancelled. Nothing was kept; the character is unchanged.' : 'Cancelled. Nothing of this run was kept; the earlier result is still shown.';
      if (event.event === 'job' && event.what.startsWith('fit') && event.fault === '') notice.value = (result.value?.warnings.some((warning) => warning.startsWith('cancelled:')) === true ? 'Cancelled. ' : '') + (event.sentence ?? '');
    }),
    followResult(stage),
    followExample(),
    // Its views show the document.
    followExamplePictures(stage, () => []),
    effect(() => dots.show(selectedVertices.value.filter((v) => v < (document_.value?.vertices ?? 0)))),
    installVertexHover(stage, hovered, ({ buttons }) => buttons === 0 && shownErrors.value !== undefined),
  ];
  return () => {
    for (const stop of stops) stop();
    dots.dispose();
    stage.setShown(Shown.Plain);
  };
}

const hasResult = () => result.value !== undefined;
const commands: StudioCommand[] = [
  { title: 'Run fit', key: 'Enter', enabled: () => !running.value && examples.value.length > 0, run },
  { title: 'Cancel fit', key: 'Escape', keyLabel: 'Esc', enabled: () => running.value, run: cancel },
  { title: 'Flip before and after', key: 'c', enabled: hasResult, run: () => void (side.value = side.value === 'before' ? 'after' : 'before') },
  { title: 'Worst vertex', key: 'w', enabled: hasResult, run: worstVertex },
  { title: 'Previous example', key: ',', enabled: () => examples.value.length > 0, run: () => step(-1) },
  { title: 'Next example', key: '.', enabled: () => examples.value.length > 0, run: () => step(1) },
  { title: 'Toggle error heat map', key: 'h', enabled: hasResult, run: () => void (heatMap.value = !heatMap.value) },
  { title: 'Keep result', enabled: () => hasResult() && !running.value, run: keep },
  { title: 'Discard result', enabled: hasResult, run: discard },
];

/** What can be done now, for the status bar. */
function hint(): string {
  if (running.value) return `${job.value?.what ?? 'Working'}. Esc cancels.`;
  if (examples.value.length === 0) return 'Open examples, or sculpt them in Correct mode.';
  return hasResult() ? 'Compare before and after, then keep the result or discard it.' : 'Choose what may change, then press Enter to fit the skin to the examples.';
}

export const fitMode: Mode = {
  name: 'fit',
  title: 'Fit',
  icon: 'fit',
  hint,
  Outliner,
  Inspector,
  Dock,
  Overlay,
  commands,
  enter,
  testHooks: {
    fit: () => ({ result: result.value, shown: shownExample.value, range: range.value, ready: comparison.value !== undefined && shownErrors.value !== undefined, errors: shownErrors.value && { before: Array.from(shownErrors.value.before), after: Array.from(shownErrors.value.after) } }),
    learnedPositions: (view: number) => Array.from(comparison.value?.readPositions(view) ?? []),
  },
};
