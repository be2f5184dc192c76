// The state of the mode Export: the options, what the server says about them, and the file that was written last.
import { effect, signal, untracked } from '@preact/signals';
import { command, connection, onEvent, showFault } from '../../client';
import type { Answer } from '../../protocol/commands';
import { CommandFault } from '../../protocol/connection';
import type { ExportTrade } from '../../protocol/document';
import type { ExportPlanEvent, ExportWrittenEvent } from '../../protocol/events';
import { document_, job, keptOfDocument, notice, onNewDocument, perDocument } from '../../store';
import { percentText, threeDigits } from '../../ui/labels';
import { type ExportOptions, firstOptions } from './presets';

const isOptions = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(firstOptions).every((name) => name in value);

export const options = keptOfDocument('export', perDocument<ExportOptions>(firstOptions), isOptions);
export const content = perDocument<Answer<'export.content'> | undefined>(undefined);
/** Of the options as they are; undefined while they are computed. */
export const plan = perDocument<ExportPlanEvent | undefined>(undefined);
export const planFault = perDocument('');
export const written = perDocument<ExportWrittenEvent | undefined>(undefined);
/** The document has changed since the file was written. */
export const stale = perDocument(false);
/** Rows of all plans, by method and number. */
export const trade = perDocument<Map<string, ExportTrade>>(new Map());
/** The dialog that asks for the name of the file. */
export const choosing = perDocument(false);
/** The limit whose vertices are coloured. */
export const colouredLimit = perDocument<number | undefined>(undefined);

/** Increases with every change of the document that a plan does not know. */
const staleWhileActive = signal(0);

let planning = 0;
let writing = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
onNewDocument(() => {
  planning = writing = 0;
  clearTimeout(timer);
});

export function setOptions(change: Partial<ExportOptions>): void {
  options.value = { ...options.value, ...change };
}

/** Whether a document is open that this mode exports. */
export const exportable = () => document_.value?.open === true && document_.value.reduced === undefined;

let plannedFor = '';

async function askPlan(): Promise<void> {
  plan.value = undefined;
  planFault.value = '';
  try {
    await askContent();
    plannedFor = JSON.stringify(options.peek());
    const answer = await connection.command('export.plan', options.peek());
    planning = answer.job;
    job.value = { id: answer.job, what: 'Preparing the file in memory', fraction: 0, stage: '', seconds: 0 };
  } catch (fault) {
    planFault.value = fault instanceof CommandFault ? fault.message : String(fault);
  }
}

/** Computes the plan once the options have not changed for a moment. */
export function planSoon(): void {
  clearTimeout(timer);
  plan.value = undefined;
  timer = setTimeout(() => void askPlan(), 200);
}

/** While the mode is active: the plan follows the options. Returns a function that stops it. */
export function followOptions(): () => void {
  const stop = effect(() => {
    void options.value;
    void staleWhileActive.value;
    if (exportable() && !(plan.peek() !== undefined && plannedFor === JSON.stringify(options.value))) untracked(planSoon);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

export async function askContent(): Promise<void> {
  content.value = await command('export.content');
}

onEvent((event) => {
  if (event.event === 'exportPlan' && event.job === planning) {
    plan.value = event;
    trade.value = new Map([...trade.value, ...event.trade.map((row) => [`${row.method} ${row.morphs}`, row] as const)]);
  } else if (event.event === 'exportWritten' && event.job === writing) {
    written.value = event;
    stale.value = false;
    notice.value = `Exported ${event.path}.`;
  } else if (event.event === 'exportStale') {
    plan.value = undefined;
    trade.value = new Map();
    colouredLimit.value = undefined;
    stale.value = true;
    // The mode may be active, after an undo.
    staleWhileActive.value += 1;
  } else if (event.event === 'hello') {
    // A restarted studio knows no plan, and no file: it is loaded again, or forgotten.
    plan.value = undefined;
    staleWhileActive.value += 1;
    const file = written.peek();
    if (file !== undefined) written.value = { ...file };
  } else if (event.event === 'job' && event.what === 'exportPlan' && event.job === planning) {
    planFault.value = event.cancelled ? 'Cancelled.' : event.fault;
  }
});

/** Asks before replacing a file. Returns the error, or undefined once it is being written. */
export async function write(path: string, replace: boolean): Promise<CommandFault | undefined> {
  try {
    const answer = await connection.command('export.write', { path, replace });
    writing = answer.job;
    job.value = { id: answer.job, what: `Exporting ${answer.path.replace(/^.*[/\\]/, '')}`, fraction: 0, stage: '', seconds: 0 };
    return undefined;
  } catch (fault) {
    if (fault instanceof CommandFault) return fault;
    showFault(fault);
    return undefined;
  }
}

/** "0.00123 (0.0136 %)" */
export function distance(value: number): string {
  const diagonal = document_.value?.diagonal ?? 1;
  const percent = (100 * value) / diagonal;
  if (percent < 1e-7) return '0';
  return `${threeDigits(value)} (${percentText(percent)})`;
}
