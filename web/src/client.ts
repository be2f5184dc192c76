// Connects the socket, the store and the stage: applies what the server sends, and sends commands and poses.
import { batch, signal } from '@preact/signals';
import type { Answer, Args, CommandName } from './protocol/commands';
import { CommandFault, Connection, type StudioEvent } from './protocol/connection';
import type { DocumentInfo, JobInfo, Transform, Unfinished } from './protocol/document';
import type { JobEvent } from './protocol/events';
import { AnswerCode, type DragEnd, DragEndCode, type Followers, FollowersCode, FrameCode, HistoryCode, type PoseSet, PoseSetCode, ProgressCode, SculptedCode, type ServerMessage, WeightsCode, writePoseSet } from './protocol/messages';
import type { Part } from './render/pieces';
import type { Stage } from './render/stage';
import { activeView, beginDocument, document_, documentNumber, errorCard, job, keptOfDocument, link, linkAttempt, meshLoads, morphWeights, notice, numbers, perDocument, poses, restoreOfDocument, testHooks, typedAngles, viewCount } from './store';

/** The token is in the fragment of the address, which is never sent, and is kept for reloads of the tab. */
function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return given ?? sessionStorage.getItem('token') ?? '';
}

/** The address of a restarted studio, opened in this tab, differs only in the fragment: the page is not reloaded. */
function followAddress(): void {
  window.addEventListener('hashchange', () => {
    if (new URLSearchParams(location.hash.slice(1)).has('token')) connection.renew(takeToken());
  });
}

export const connection = new Connection(takeToken());
export let stage: Stage | undefined;

/** Unsaved steps of an opened document, which can be continued. */
export const offer = signal<Unfinished | undefined>(undefined);

/** Jobs in the background: only their mode shows them. */
const quietJobs = new Set<number>();
export function runQuietly(number: number): void {
  quietJobs.add(number);
  // Its first progress may arrive before its number.
  if (job.peek()?.id === number) job.value = undefined;
}

type Listener = (message: ServerMessage) => void;
const listeners = new Set<Listener>();
const eventListeners = new Set<(event: StudioEvent) => void>();

/** For messages that belong to a mode (Reach, Frame's handles). Returns a function that stops it. */
export function onMessage(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export function onEvent(listener: (event: StudioEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/** Edits, and jobs that the user starts. */
const actions = /^(undo|redo|history\.jump|bind|pose\.(?!clip|takeBack)|weights\.(?!reach|soft)|handles\.(?!show|example)|examples\.|correct\.keep|fit\.(start|learn|explain|keep|discard))/;

/** A command whose failure is shown to the user. An action clears the message of the one before. */
export async function command<Name extends CommandName>(cmd: Name, ...args: Args<Name>): Promise<Answer<Name> | undefined> {
  if (actions.test(cmd)) notice.value = '';
  try {
    return await connection.command(cmd, ...args);
  } catch (fault) {
    showFault(fault);
    return undefined;
  }
}

export function showFault(fault: unknown): void {
  if (fault instanceof CommandFault) errorCard.value = { text: fault.message, hint: fault.hint };
  else errorCard.value = { text: String(fault), hint: '' };
}

/** Warnings about storage; the document stays usable. */
function showWarnings(texts: string[]): void {
  if (texts.length > 0) errorCard.value = { text: texts.join(' '), hint: '' };
}

/** Edits that were not sent, and edits that may have arrived: those are compared with the steps after reconnecting. */
let lost = { unsent: 0, uncertain: 0, depth: 0 };

function countUncertain(): void {
  lost = { ...lost, uncertain: lost.uncertain + 1, depth: numbers.peek().undo };
}

/** A gesture ended with the connection: the server may have kept its edit, or knows nothing of what the page has shown. */
export function loseGesture(): void {
  countUncertain();
  // The mesh is loaded again, with the weights of the server.
  if (loaded !== undefined) loaded = { ...loaded, weights: '' };
}

/** Counts an edit that did not reach the server, or may not have. */
function countLost(code: number, body: unknown, sent: boolean): void {
  const edit = (code === PoseSetCode && (body as PoseSet).live === 0) || (code === DragEndCode && (body as DragEnd).commit === 1);
  if (!edit) return;
  if (sent) {
    countUncertain();
    return;
  }
  lost.unsent += 1;
  notice.value = 'Not connected to the studio; this edit was not applied.';
}

/** After reconnecting, once the server's state is shown. */
function reportLost(depth: number): void {
  const count = lost.unsent + Math.max(0, lost.uncertain - Math.max(0, depth - lost.depth));
  lost = { unsent: 0, uncertain: 0, depth: 0 };
  if (count > 0) notice.value = `${count} ${count === 1 ? 'edit was' : 'edits were'} lost while the studio was disconnected.`;
}

/** The notes that were shown for this document, so that a reload does not repeat them. */
const shownProblems = keptOfDocument('problems', perDocument(''), (value) => typeof value === 'string');

let loaded: DocumentInfo['blobs'] | undefined;
/** The document, by documentNumber, to which the camera was fitted. */
let framed = 0;

/** Whether `info` is a different document. After a greeting numbers cannot be compared: a restarted server counts from 1. */
function isAnother(info: DocumentInfo, greeting: boolean): boolean {
  const shown = document_.peek();
  if (shown?.open !== true || !info.open) return shown?.open !== info.open;
  return greeting ? shown.path !== info.path || shown.title !== info.title || shown.vertices !== info.vertices : shown.number !== info.number;
}

/** Applies a document from the server; mesh and weights are fetched only if their content changed. */
async function adoptDocument(info: DocumentInfo, greeting: boolean): Promise<void> {
  const another = isAnother(info, greeting);
  batch(() => {
    if (another) beginDocument();
    document_.value = info;
    if (!info.open) return;
    typedAngles.value = info.views.map((_, view) => anglesOf(info.angles?.[view]));
    poses.value = info.views;
    morphWeights.value = info.morphWeights;
    if (another) restoreOfDocument();
  });
  if (!info.open) return;
  const problems = info.problems.join('\n');
  if (another && problems !== '' && problems !== shownProblems.value) errorCard.value = { text: `Notes on reading ${info.title}:`, hint: '', notes: info.problems, calm: true };
  shownProblems.value = problems;
  viewCount.value = info.views.length;
  if (activeView.value >= info.views.length) activeView.value = 0;
  numbers.value = { ...numbers.value, undo: info.history.depth, redo: info.history.redo };
  if (stage === undefined) return;
  if (loaded?.mesh === info.blobs.mesh && loaded.weights === info.blobs.weights && loaded.morphs === info.blobs.morphs) return;
  const number = documentNumber.peek();
  loaded = { ...info.blobs };
  try {
    const { mesh: meshName, weights: weightsName, morphs: morphsName } = info.blobs;
    const [mesh, weights, morphs] = await Promise.all([connection.blob(meshName), connection.blob(weightsName), morphsName === '' ? undefined : connection.blob(morphsName)]);
    stage.setMesh(mesh, weights, morphs, partsOfDocument(info), info.diagonal, framed === number);
    framed = number;
    meshLoads.value += 1;
    await connection.command('frame');
  } catch (fault) {
    loaded = undefined;
    showFault(fault);
  }
}

function partsOfDocument(info: DocumentInfo): Part[] {
  return info.parts.map(({ firstVertex, vertices }) => ({ firstVertex, vertices }));
}

/** Sent as 32-bit floats: rounding restores the typed digits. */
function anglesOf(list: [number, number, number, number][] = []): Map<number, [number, number, number]> {
  return new Map(list.map(([joint, ...xyz]) => [joint, xyz.map((angle) => Number(angle.toPrecision(7))) as [number, number, number]]));
}

/** From a flat list: translation, rotation, scale. */
function transformOf(numbers: number[], at: number): Transform {
  return {
    translation: numbers.slice(at, at + 3) as Transform['translation'],
    rotation: numbers.slice(at + 3, at + 7) as Transform['rotation'],
    scale: numbers.slice(at + 7, at + 10) as Transform['scale'],
  };
}

/** Offers to skip the rejected meshes of a folder and open the rest. */
function showJobFault({ fault, hint = '', opened = '', skipped = [], refused = [], verdicts = [] }: JobEvent): void {
  const run = () => void open(opened, 'ask', [...skipped, ...refused]);
  const fits = verdicts.some((row) => row.ok);
  errorCard.value = {
    text: fault,
    hint,
    rows: verdicts,
    actions: refused.length > 0 && fits ? [{ label: skipLabel(refused.length), run }] : undefined,
  };
}

export const skipLabel = (count: number) => (count === 1 ? 'Skip it' : `Skip these ${count}`);

/** Jobs that run while the page is loaded. Those without a title are in the background. */
function adoptJobs(jobs: JobInfo[]): void {
  for (const one of jobs) if (one.title === '') quietJobs.add(one.job);
  const shown = jobs.filter((one) => one.title !== '').at(-1);
  job.value = shown && { id: shown.job, what: shown.title, kind: shown.what, fraction: shown.fraction, seconds: shown.seconds, stage: shown.stage };
}

function receiveEvent(event: StudioEvent): void {
  switch (event.event) {
    case 'hello':
      testHooks.value = event.testHooks;
      adoptJobs(event.jobs);
      // Opened by the command line, which cannot ask. A page that already shows the document continues without asking.
      if (event.resumed !== undefined && document_.value === undefined) offer.value = event.resumed;
      showWarnings(event.warnings);
      void adoptDocument(event.document, true);
      reportLost(event.document.history?.depth ?? 0);
      break;
    case 'warning':
      showWarnings([event.text]);
      break;
    case 'document':
      void adoptDocument(event, false);
      break;
    case 'views':
      viewCount.value = event.count;
      if (activeView.value >= viewCount.value) activeView.value = 0;
      break;
    case 'pose': {
      viewCount.value = event.count;
      const view = event.view;
      const { joints, morphs } = event.pose;
      const pose = Array.from({ length: joints.length / 10 }, (_, j) => transformOf(joints, 10 * j));
      const list = poses.value.slice(0, viewCount.value);
      list[view] = pose;
      for (let v = 0; v < viewCount.value; ++v) list[v] ??= pose;
      const angles = typedAngles.value.slice(0, viewCount.value);
      angles[view] = anglesOf(event.angles);
      for (let v = 0; v < viewCount.value; ++v) angles[v] ??= angles[view];
      batch(() => {
        typedAngles.value = angles;
        poses.value = list;
        morphWeights.value = list.map((_, v) => (v === view ? morphs : (morphWeights.value[v] ?? morphs)));
      });
      break;
    }
    case 'job':
      // A restarted studio uses numbers again: a job that is shown is not one of those in the background.
      if (quietJobs.delete(event.job) && job.value?.id !== event.job) break;
      // Another job may have started meanwhile.
      if (job.value?.id === event.job) job.value = undefined;
      if (event.fault !== '' && !event.cancelled) showJobFault(event);
      // A plan of an export is replaced by a newer one.
      if (event.cancelled && event.what !== 'exportPlan') notice.value = 'Cancelled.';
      if (['learn', 'keep', 'examples'].includes(event.what) && event.fault === '') notice.value = event.sentence ?? '';
      break;
    case 'error':
      errorCard.value = { text: event.text, hint: event.hint };
      break;
    case 'takenOver':
      link.value = 'takenOver';
      break;
    case 'refused':
      link.value = 'refused';
      break;
    case 'saved':
      notice.value = `Saved ${event.path}`;
      if (document_.value !== undefined) document_.value = { ...document_.value, saved: true, path: event.path, title: event.title, beside: event.beside };
      break;
    default:
  }
  for (const listener of eventListeners) listener(event);
}

/** Joints that the server posed along with those of a gesture. */
function adoptFollowers(body: Followers): void {
  const numbers = (list: Float32Array, size: number, i: number) => Array.from(list.subarray(size * i, size * (i + 1)));
  const moved = new Map(
    Array.from(body.joints, (joint, i) => [joint, transformOf([...numbers(body.translations, 3, i), ...numbers(body.rotations, 4, i), ...numbers(body.scales, 3, i)], 0)] as const),
  );
  poses.value = poses.value.map((pose, view) => (view === body.view ? pose.map((local, j) => moved.get(j) ?? local) : pose));
}

function receiveMessage(message: ServerMessage): void {
  switch (message.code) {
    case FrameCode:
      stage?.applyFrame(message.body);
      break;
    case AnswerCode:
      numbers.value = {
        ...numbers.value,
        solveMs: message.body.solveMs,
        iterations: message.body.iterations,
        draft: message.body.draft !== 0,
        dropped: numbers.value.dropped + message.body.coalesced,
      };
      break;
    case WeightsCode:
      stage?.applyWeights(message.body);
      break;
    case HistoryCode:
      // Also sent after opening and saving, when nothing changed.
      if (message.body.depth === numbers.value.undo && message.body.redo === numbers.value.redo) break;
      numbers.value = { ...numbers.value, undo: message.body.depth, redo: message.body.redo };
      if (document_.value?.open === true) document_.value = { ...document_.value, saved: false };
      break;
    case FollowersCode:
      adoptFollowers(message.body);
      break;
    case SculptedCode:
      stage?.applySculpted(message.body);
      break;
    case ProgressCode:
      if (quietJobs.has(message.body.job)) break;
      job.value = {
        ...(job.value?.id === message.body.job ? job.value : { id: message.body.job, what: 'Working' }),
        fraction: message.body.fraction,
        seconds: message.body.seconds,
        stage: new TextDecoder().decode(message.body.stage),
      };
      break;
    default:
  }
  for (const listener of listeners) listener(message);
}

export function start(newStage: Stage): void {
  stage = newStage;
  connection.onEvent = receiveEvent;
  connection.onMessage = receiveMessage;
  connection.onState = (state, attempt) => {
    link.value = state;
    linkAttempt.value = attempt;
  };
  connection.onLost = countLost;
  followAddress();
  connection.onRoundTrip = (milliseconds) => {
    numbers.value = { ...numbers.value, roundTripMs: milliseconds };
  };
  connection.connect();
}

/**
 * Sets local transforms of joints in a view. While `live`, newer values replace older ones; the last one of a gesture is a
 * step of undo, with the shown angles of each joint. With `mirror` their partners follow.
 */
export function setJoints(view: number, changes: Map<number, Transform>, live: boolean, angles: [number, number, number][] = [], mirror = false): void {
  const mine = poses.value.map((pose, v) => (v === view ? pose.map((t, j) => changes.get(j) ?? t) : pose));
  // An edit that cannot be sent is not shown.
  if (connection.isOpen) poses.value = mine;
  const list = [...changes.entries()];
  const body = {
    view,
    live: live ? 1 : 0,
    joints: Uint32Array.from(list.map(([j]) => j)),
    rotations: Float32Array.from(list.flatMap(([, t]) => t.rotation)),
    translations: Float32Array.from(list.flatMap(([, t]) => t.translation)),
    scales: Float32Array.from(list.flatMap(([, t]) => t.scale)),
    angles: Float32Array.from(live ? [] : angles.flat()),
    mirror: mirror ? 1 : 0,
  };
  if (!live) {
    notice.value = '';
    connection.dropPending(PoseSetCode);
  }
  connection.send(PoseSetCode, writePoseSet, body);
}

/** Cancels a gesture: the server sends the pose from before. */
export function cancelPose(): Promise<unknown> {
  connection.dropPending(PoseSetCode);
  return command('pose.takeBack');
}

/** Opens a file, a folder (without the meshes in `skip`) or "sample:NAME"; with 'ask', unsaved steps are offered first. */
export async function open(what: string, unfinished: 'ask' | 'continue' | 'discard' = 'ask', skip: string[] = []): Promise<void> {
  errorCard.value = undefined;
  offer.value = undefined;
  const answer = await command('open', { what, unfinished, skip });
  if (answer?.unfinished !== undefined) offer.value = answer.unfinished;
  if (answer?.job !== undefined) job.value = { id: answer.job, what: `Opening ${document_.value?.beside?.find((one) => one.what === what)?.title ?? nameOf(what)}`, fraction: 0, stage: '', seconds: 0 };
}

/** The last part of a path. */
function nameOf(what: string): string {
  return what.replace(/[/\\]+$/, '').replace(/^.*[/:\\]/, '');
}
