// The state of the mode Fit: what the server knows (examples, the result, the triage), and what is shown of it.
import { computed, signal } from '@preact/signals';
import { command, connection, onEvent, showFault, stage } from '../../client';
import { flatPose, samePose } from '../../gestures/pose_joints';
import { ArrayKind, BlobArrays } from '../../protocol/blob';
import { CommandFault } from '../../protocol/connection';
import type { ExampleInfo, FitExample, FitField, FitInfo, FitResult } from '../../protocol/document';
import { activeView, document_, job, keptOfDocument, morphWeights, notice, onNewDocument, perDocument, poses, selectedVertices } from '../../store';
import { numberOf } from '../../ui/typed_number';
import { type Range, scaleOf } from './histogram';

export const info = perDocument<FitInfo | undefined>(undefined);
/** Those of the document. */
export const examples = computed<ExampleInfo[]>(() => document_.value?.examples?.examples ?? []);
export const result = computed<FitResult | undefined>(() => info.value?.result);

/** Lower by less than this share: nothing is gained. */
const least = 0.01;
export const gainsNothing = ({ before, after }: FitResult) => after.rms > (1 - least) * before.rms;

/** The options of the library, asked for once. */
export const fields = signal<FitField[]>([]);
export const weights = signal(true);
/** Texts by the names of the options. */
export const options = signal<Record<string, string>>({});

export type Side = 'before' | 'wipe' | 'after';
export const side = signal<Side>('wipe');
/** Where the divider is, as a share of the width of a view. */
export const divider = signal(0.5);
export const heatMap = signal(true);
export type Tab = 'errors' | 'triage' | 'budget';
export const tab = signal<Tab>('errors');
export const worstFirst = signal(true);
/** Errors are shown in percent of the diagonal of the rest shape. */
export const percent = (error: number) => (100 * error) / (result.value?.diagonal ?? 1);

/** The ends of the colour scale, moved by hand; undefined: those of the result. In percent. */
export const movedRange = perDocument<Range | undefined>(undefined);
/** Of all examples, before and after: the same scale everywhere. */
export const fullScale = computed<Range>(() => {
  const shown = result.value;
  return shown === undefined ? { from: 0, to: 1 } : scaleOf(shown.examples.map((one) => ({ before: percent(one.before.p95), after: percent(one.after.p95) })));
});
export const range = computed<Range>(() => movedRange.value ?? fullScale.value);

/** The example that was gone to, in which view, and the pose that it has there. */
interface Visit {
  example: number;
  view: number;
  pose: number[];
}
/** Kept over a reload: the pose is that of the example as long as it is the same. */
export const visit = keptOfDocument('fit example', perDocument<Visit | undefined>(undefined), isVisit);

function isVisit(value: unknown): boolean {
  const { example, view, pose } = (value ?? {}) as Partial<Visit>;
  return Number.isInteger(example) && examples.peek()[example as number] !== undefined && Number.isInteger(view) && Array.isArray(pose);
}

/** The example whose pose is shown; undefined: another pose, which has no error. */
export const shownExample = computed<number | undefined>(() => {
  const at = visit.value;
  if (at === undefined || activeView.value !== at.view) return undefined;
  return samePose(flatPose(poses.value[at.view], morphWeights.value[at.view]), at.pose) ? at.example : undefined;
});

/** Of all vertices at an example, in percent. */
export interface VertexErrors {
  example: number;
  number: number;
  before: Float32Array;
  after: Float32Array;
}
export const errors = perDocument<VertexErrors | undefined>(undefined);
/** Those that belong to what is shown. */
export const shownErrors = computed(() => {
  const list = errors.value;
  return list !== undefined && list.example === shownExample.value && list.number === result.value?.number ? list : undefined;
});
/** The side of which selections and the worst vertex are taken. */
export const shownSide = computed<'before' | 'after'>(() => (side.value === 'before' ? 'before' : 'after'));

let newestLoad = 0;
onNewDocument(() => (newestLoad += 1));

export async function loadErrors(example: number): Promise<void> {
  const mine = ++newestLoad;
  const shown = result.peek();
  if (shown === undefined || (errors.peek()?.example === example && errors.peek()?.number === shown.number)) return;
  const answer = await command('fit.errors', { example });
  if (answer === undefined) return;
  const blob = await connection.blob(answer.blob).catch(showFault);
  // Meanwhile another example may be shown, or another result.
  if (blob === undefined || mine !== newestLoad || result.peek()?.number !== shown.number) return;
  const arrays = new BlobArrays(blob);
  const inPercent = (list: Float32Array) => list.map((value) => percent(value));
  errors.value = { example, number: shown.number, before: inPercent(arrays.f32(ArrayKind.ErrorsBefore)), after: inPercent(arrays.f32(ArrayKind.ErrorsAfter)) };
}

export async function goTo(example: number): Promise<void> {
  const view = activeView.peek();
  if ((await command('examples.goto', { view, example })) === undefined) return;
  visit.value = { example, view, pose: flatPose(poses.peek()[view], morphWeights.peek()[view]) };
  await loadErrors(example);
}

export interface Row {
  example: number;
  name: string;
  shape: string;
  errors?: FitExample;
}
/** The examples in the order of the list. */
export const rows = computed<Row[]>(() => {
  const shown = result.value;
  const all = examples.value.map(({ name, shape }, example) => ({ example, name, shape, errors: shown?.examples[example] }));
  if (!worstFirst.value || shown === undefined) return all;
  return all.sort((a, b) => (b.errors?.[shownSide.value].rms ?? 0) - (a.errors?.[shownSide.value].rms ?? 0));
});

/** To the next example of the list, or the one before. */
export function step(by: number): void {
  const list = rows.value;
  if (list.length === 0) return;
  const at = list.findIndex((row) => row.example === visit.value?.example);
  const to = at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length;
  void goTo(list[to].example);
}

/** The result that was shown at an example; poses that are chosen later stay. */
export const presented = perDocument<number | undefined>(undefined);

function adopt(next: FitInfo): void {
  const other = next.result?.number !== info.peek()?.result?.number;
  info.value = next;
  if (!other) return;
  errors.value = undefined;
  movedRange.value = undefined;
}

/** Keep or Discard was pressed and is not answered yet. */
let leaving = false;

/** In every mode: edits there can drop the preview. */
onEvent((event) => {
  if (event.event !== 'fit') return;
  const dropped = info.peek()?.result !== undefined && event.result === undefined;
  adopt(event);
  if (dropped && !leaving) notice.value = 'The preview was dropped: the skin or the examples were changed.';
});

async function leave(ask: () => Promise<unknown>): Promise<boolean> {
  leaving = true;
  const answer = await ask();
  leaving = false;
  return answer !== undefined;
}

/** Asks for the state again, for example after another document was opened. */
export async function refresh(): Promise<void> {
  if (document_.peek()?.open !== true) return;
  const number = document_.peek()?.number;
  const next = await command('fit.state');
  if (next === undefined || document_.peek()?.number !== number) return;
  // It is not new: after a reload it was shown already.
  presented.value = next.result?.number;
  adopt(next);
}

export const running = computed(() => job.value !== undefined && (jobs.has(job.value.id) || job.value.kind?.startsWith('fit') === true));
const jobs = new Set<number>();

/** Starts a job, unless what was typed for it is refused. */
async function start(what: string, ask: () => Promise<{ job: number } | undefined>): Promise<void> {
  try {
    const answer = await ask();
    if (answer === undefined) return;
    jobs.add(answer.job);
    job.value = { id: answer.job, what, fraction: 0, stage: '', seconds: 0 };
  } catch (fault) {
    showFault(fault);
  }
}

/** What was typed for `name`. Throws a CommandFault unless it is a number, or with `whole` a whole one. */
function typed(name: string, text: string, whole: boolean): number {
  const value = numberOf(text);
  if (value === undefined || (whole && !Number.isInteger(value))) throw new CommandFault('bad-input', `${name} is "${text.trim()}"; it must be a ${whole ? 'whole number' : 'number'}`, '');
  return value;
}

function optionOf(name: string, otherwise: number, whole = true): number {
  const text = options.peek()[name] ?? '';
  return text.trim() === '' ? otherwise : typed(name, text, whole);
}

/** Those that the document offers: an examples file beside it, or the sculpts of a sample. */
export const openOffered = () => start('Opening examples', () => command('examples.open'));

export const run = () =>
  start('Fitting the skin', () => {
    const chosen = options.peek();
    return command('fit.start', {
      weights: weights.peek(),
      helpers: weights.peek() ? chosen.helpers : 'none',
      maxHelpers: optionOf('max-helpers', -1),
      rest: chosen.rest === 'true',
      maxInfluences: optionOf('max-influences', 4),
      smooth: optionOf('smooth', 0, false),
      prior: chosen.prior,
    });
  });

export const explain = () => start('Explaining the error', () => command('fit.explain', { maxInfluences: optionOf('max-influences', 4) }));

/** Texts of the budget's fields; empty: not limited. */
export const budget = signal({ influences: '4', helpers: '4', morphs: '8', kilobytes: '' });
export const learn = () =>
  start('Learning within the budget', () => {
    const limits = Object.entries(budget.peek()).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, typed(name, text, name !== 'kilobytes')]]));
    return command('fit.learn', Object.fromEntries(limits));
  });

export function cancel(): void {
  if (job.peek() !== undefined) void command('job.cancel', { job: job.peek()?.id ?? 0 });
}

export async function keep(): Promise<void> {
  if (await leave(() => command('fit.keep'))) notice.value = 'The result replaced the skin. Undo restores the one before.';
}

export async function discard(): Promise<void> {
  await leave(() => command('fit.discard'));
}

/** The example with the largest error before the fit: there the two skins differ most. */
export function worstExample(): number | undefined {
  const examples = result.peek()?.examples ?? [];
  let worst: number | undefined;
  examples.forEach((one, k) => {
    if (worst === undefined || one.before.rms > examples[worst].before.rms) worst = k;
  });
  return worst;
}

/** Selects the vertex with the largest error of the shown side, and looks at it. */
export async function worstVertex(): Promise<void> {
  const example = shownExample.peek() ?? worstExample();
  if (example === undefined) return;
  if (shownExample.peek() === undefined) {
    await goTo(example);
    // Until it is drawn, the vertex is where it was.
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  const vertex = result.peek()?.examples[example]?.[shownSide.peek()].vertex ?? -1;
  if (vertex < 0 || stage === undefined) return;
  selectedVertices.value = [vertex];
  stage.moves.framePoint(stage.position(vertex, activeView.peek()), 0.15 * (document_.peek()?.diagonal ?? 1));
}
