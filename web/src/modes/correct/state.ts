// The state of the mode Correct: what is learned, what the views show, and the settings of its tools.
import { computed, signal } from '@preact/signals';
import { command, runQuietly } from '../../client';
import type { OptionField } from '../../protocol/document';
import type { LearnedEvent } from '../../protocol/events';
import { type Activations, SculptTool } from '../../protocol/messages';
import { categoryColours } from '../../render/colours';
import { activeView, document_, keptOfDocument, onNewDocument, perDocument, viewCount } from '../../store';

export const info = computed(() => document_.value?.examples);
export const examples = computed(() => info.value?.examples ?? []);
export const usable = computed(() => document_.value?.skinned === true && document_.value.reduced === undefined);

/** The latest result of learning; stays until the next one. */
export const learned = perDocument<LearnedEvent | undefined>(undefined);
/** The job that learns. */
export const learning = perDocument<number | undefined>(undefined);
/** By view, at its current pose. */
export const activations = perDocument<ReadonlyMap<number, Activations>>(new Map());
export const activation = computed(() => activations.value.get(activeView.value));

/** How much an example counts at the current pose; undefined if it is not in the model. */
export function weightOf(name: string): number | undefined {
  const at = learned.value?.names.indexOf(name) ?? -1;
  return at < 0 ? undefined : activation.value?.weights[at];
}
/** The number of the example at the current pose. */
export const exampleHere = computed(() => {
  const at = activation.value?.example ?? 0;
  return at === 0 ? undefined : at - 1;
});

/** Of an example in lists and plots, by its number in the model. */
export const colourOf = (k: number) => (k === 0 ? 'var(--secondary)' : categoryColours[(k - 1) % categoryColours.length]);

// Options.
export const fields = signal<OptionField[]>([]);
const isTexts = (value: unknown) => typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
/** Options that are not at their default, by name. */
export const options = keptOfDocument('correct', perDocument<Record<string, string>>({}), isTexts);
export const optionArgs = () => ({ names: Object.keys(options.peek()), values: Object.values(options.peek()) });

export function setOption(field: OptionField, value: string): void {
  const { [field.name]: _, ...others } = options.value;
  options.value = value === field.value ? others : { ...others, [field.name]: value };
}

/** Several changes at once are learned once. */
const pause = 120;
let timer: ReturnType<typeof setTimeout> | undefined;
onNewDocument(() => clearTimeout(timer));

export function relearn(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void start(), pause);
}

async function start(): Promise<void> {
  if (!usable.peek()) return;
  const answer = await command('correct.learn', optionArgs());
  if (answer === undefined) return;
  if (answer.job === 0) {
    learned.value = undefined;
  } else {
    runQuietly(answer.job);
    learning.value = answer.job;
  }
}

// What the views show.
export type Show = 'plain' | 'result' | 'target';
export const shows: { name: Show; title: string; help: string }[] = [
  { name: 'plain', title: 'Plain skin', help: 'Skinning without corrections (hold T)' },
  { name: 'result', title: 'Result', help: 'The sculpt in progress, or the learned model' },
  { name: 'target', title: 'Target', help: 'The example at this pose' },
];
export const shown = perDocument<Show>('result');
/** How many views there were before plain skin, result and target were shown side by side; 0: they are not. */
const viewsBefore = keptOfDocument('compared', perDocument(0), (value) => Number.isInteger(value));
export const compared = computed(() => viewsBefore.value > 0);
const comparedViews = shows.length;

/** Plain skin, result and target side by side, in one pose; or as many views as before. */
export async function compare(on: boolean, views = viewsBefore.peek()): Promise<void> {
  const before = viewCount.peek();
  if (on === compared.peek()) return;
  if (!on) viewsBefore.value = 0;
  const done = (await command('correct.compare', { on })) !== undefined;
  if (on && done) viewsBefore.value = before;
  if (!on && done && views !== viewCount.peek()) await command('views', { count: views });
}

/** After a greeting, or for another document: the server knows nothing of the comparison. */
export function restoreCompared(): void {
  if (!compared.peek()) return;
  if (viewCount.peek() === comparedViews) void command('correct.compare', { on: true });
  else viewsBefore.value = 0;
}

/** Another number of views was chosen: they have poses of their own again. */
export function endCompared(count: number): void {
  if (compared.peek() && count !== comparedViews) void compare(false, count);
}

export const shownIn = (view: number): Show => (showsPlain.value ? 'plain' : compared.value ? shows[view % shows.length].name : shown.value);
/** T is held. */
export const showsPlain = signal(false);

// Sculpting.
export interface Tool {
  name: string;
  code: number;
  /** The default strength. */
  strength: number;
  help: string;
}
export const tools: Tool[] = [
  { name: 'grab', code: SculptTool.Grab, strength: 1, help: 'Move the skin with the pointer' },
  { name: 'smooth', code: SculptTool.Smooth, strength: 0.5, help: 'Smooth the skin (Shift)' },
  { name: 'inflate', code: SculptTool.Inflate, strength: 0.5, help: 'Move along the normals; Ctrl deflates' },
  { name: 'flatten', code: SculptTool.Flatten, strength: 0.5, help: 'Move towards a plane; Ctrl adds contrast' },
  { name: 'pinch', code: SculptTool.Pinch, strength: 0.5, help: 'Pull together; Ctrl pushes apart' },
  { name: 'erase', code: SculptTool.Erase, strength: 0.5, help: 'Back to plain skin' },
];
export const tool = keptOfDocument('sculpt tool', signal(0), (value) => tools[value as number] !== undefined);
export const strengths = signal(tools.map((one) => one.strength));
export const brushShare = signal(0.06);
export const mirrorBrush = signal(false);
