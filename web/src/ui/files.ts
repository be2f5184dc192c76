// Dropping, opening and saving files, with a result for each dropped file; recent files.
import { effect, signal } from '@preact/signals';
import { command, connection, onEvent, open, showFault, skipLabel } from '../client';
import { listen } from '../gestures/gesture_listeners';
import type { Answer } from '../protocol/commands';
import { CommandFault, type StudioEvent } from '../protocol/connection';
import { document_, errorCard, job, notice } from '../store';
import { countVertices, type Dropped, planDrop, type Verdict } from './drop_plan';
import { countText } from './labels';
import { dialog } from './modal';
import { remember, remembered } from './settings';

/** The same drop gets the same name, so that its unsaved work is found again. */
function nameOf(files: Dropped[]): string {
  let hash = 0x811c9dc5;
  for (const one of files) {
    for (const c of `${one.path}|${one.file.size}|${one.file.lastModified};`) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

let current: { what: string; id: string; files: Dropped[]; rows: Verdict[]; skeleton?: string } | undefined;

/** Returns false if it was cancelled or failed. */
async function send(id: string, files: Dropped[]): Promise<boolean> {
  let cancelled = false;
  const bytes = (list: Dropped[]) => list.reduce((sum, one) => sum + one.file.size, 0);
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  const began = performance.now();
  try {
    for (const [i, one] of files.entries()) {
      const sent = bytes(files.slice(0, i));
      job.value = {
        id: 0,
        what: `Uploading ${one.path}`,
        fraction: sent / Math.max(1, bytes(files)),
        stage: `${megabytes(sent)} of ${megabytes(bytes(files))}`,
        seconds: (performance.now() - began) / 1000,
        cancel: () => (cancelled = true),
      };
      await connection.upload(`${id}/${one.path}`, one.file);
      if (cancelled) break;
    }
  } catch (fault) {
    showFault(fault);
    return false;
  } finally {
    job.value = undefined;
  }
  if (cancelled) notice.value = 'Cancelled.';
  return !cancelled;
}

/** An error message if the vertex count of a dropped mesh does not match the open character. */
async function mismatchOf(files: Dropped[], path: string): Promise<string | undefined> {
  const info = document_.peek();
  const mesh = files.find((one) => one.path === path);
  if (info?.open !== true || mesh === undefined || files.length > 1 || !/\.obj$/i.test(path)) return undefined;
  const vertices = countVertices(await mesh.file.text());
  if (vertices === 0 || vertices === info.vertices) return undefined;
  return `${path} has ${countText(vertices)} vertices, ${info.title} has ${countText(info.vertices)}: it is not a shape of this character.`;
}

/** Uploads the files that can be opened, opens them, and reports the result for each file. */
export async function takeFiles(files: Dropped[], emptyFolders: string[] = [], alone = false): Promise<void> {
  if (files.length === 0) {
    const text = emptyFolders.length > 0 ? `The folder ${emptyFolders[0]} is empty.` : 'The drop contains no files.';
    errorCard.value = { text, hint: 'Drop a .glb, .gltf or .fbx file, or a folder of example meshes (.obj, .ply).' };
    return;
  }
  const plan = planDrop(files);
  if (plan.open === undefined) {
    errorCard.value = { text: 'None of these files can be opened.', hint: 'Drop a .glb, .gltf or .fbx file, or a folder of example meshes (.obj, .ply).', rows: plan.rows };
    return;
  }
  errorCard.value = undefined;
  const mismatch = alone ? undefined : await mismatchOf(plan.upload, plan.open);
  if (mismatch !== undefined) {
    errorCard.value = {
      text: mismatch,
      hint: 'Export it again from the same mesh, or open it on its own.',
      rows: plan.rows.map((row) => (row.name === plan.open ? { ...row, ok: false, text: 'skipped: different mesh' } : row)),
      actions: [{ label: 'Open on its own', run: () => void takeFiles(files, emptyFolders, true) }],
    };
    return;
  }
  const id = nameOf(plan.upload);
  if (!(await send(id, plan.upload))) return;
  const what = `upload:${id}/${plan.open}`;
  current = { what, id, files, rows: plan.rows, skeleton: plan.skeleton === undefined ? undefined : `upload:${id}/${plan.skeleton}` };
  await open(what);
}

/** Reports the server's result for a drop, without the name of its upload folder. */
function finish(event: StudioEvent): void {
  if (event.event !== 'job' || event.what !== 'open' || current === undefined || event.opened !== current.what) return;
  const { id, files, rows } = current;
  const said = event.verdicts ?? [];
  for (const row of rows) {
    const verdict = said.find((one) => row.name.endsWith(one.name));
    if (verdict !== undefined && row.ok) Object.assign(row, { ok: verdict.ok, text: verdict.ok ? 'used: vertices match' : verdict.text });
  }
  const fault = event.fault.replace(new RegExp(`\\S*/${id}/`, 'g'), '');
  const refused = event.refused ?? [];
  if (fault !== '' && !event.cancelled) {
    if (refused.length === 0) rows.forEach((row) => Object.assign(row, row.text === 'opened' ? { ok: false, text: 'rejected' } : {}));
    const rest = files.filter((one) => !refused.some((name) => one.path.endsWith(name)));
    errorCard.value = {
      text: fault,
      hint: event.hint || 'Export it again, or drop another file.',
      rows,
      actions: refused.length > 0 && rest.length > 0 ? [{ label: skipLabel(refused.length), run: () => void takeFiles(rest) }] : [],
    };
  } else if (current.skeleton !== undefined) {
    void bind(current.skeleton);
  } else if (rows.some((row) => !row.ok)) {
    errorCard.value = { text: 'Opened, but some files were skipped.', hint: '', rows, calm: true };
  }
}

/** Binds the mesh to the skeleton of another file. */
export async function bind(skeleton: string): Promise<void> {
  const answer = await command('bind', { skeleton });
  if (answer !== undefined) job.value = { id: answer.job, what: 'Binding', fraction: 0, stage: '', seconds: 0 };
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // A reader returns about a hundred entries at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function collect(entry: FileSystemEntry, files: Dropped[], empty: string[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push({ path: entry.fullPath.replace(/^\//, ''), file });
    return;
  }
  const inside = await entriesOf(entry as FileSystemDirectoryEntry);
  if (inside.length === 0) empty.push(entry.name);
  for (const one of inside) if (!one.name.startsWith('.')) await collect(one, files, empty);
}

async function takeDrop(data: DataTransfer): Promise<void> {
  // Both lists are valid only until the first await.
  const entries = [...data.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: Dropped[] = [];
  const empty: string[] = [];
  for (const { entry, file } of entries) {
    if (entry !== null) await collect(entry, files, empty);
    else if (file !== null) files.push({ path: file.name, file });
  }
  await takeFiles(files, empty);
}

export const dragOver = signal(false);

function takeInput(list: FileList | null): void {
  const files = [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  void takeFiles(files.filter((one) => !one.file.name.startsWith('.')));
}

/** Shows the browser's own dialog for files, or for a folder, and uploads what is chosen. */
export function chooseFiles(folder: boolean): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = !folder;
  input.webkitdirectory = folder;
  input.addEventListener('change', () => takeInput(input.files));
  input.click();
}

/** Returns a function that stops it. */
export function installDrop(): () => void {
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    dragOver.value = true;
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) dragOver.value = false;
  };
  const drop = (event: DragEvent) => {
    dragOver.value = false;
    if (event.dataTransfer === null) return;
    event.preventDefault();
    void takeDrop(event.dataTransfer).catch(showFault);
  };
  const stops = [listen(window, { dragover: over, dragleave: leave, drop }), onEvent(finish), onEvent(takeRoot), effect(noteRecent)];
  return () => stops.forEach((stop) => stop());
}

export interface Recent {
  what: string;
  title: string;
  at: number;
}

const kept = 'sinew-recent';
export const root = signal('');

function takeRoot(event: StudioEvent): void {
  if (event.event === 'hello') root.value = event.root;
}

export function recents(): Recent[] {
  try {
    const list = JSON.parse(remembered(kept) ?? '[]') as unknown;
    return Array.isArray(list) ? (list as Recent[]).filter((one) => typeof one?.what === 'string' && typeof one.title === 'string') : [];
  } catch {
    return [];
  }
}

function noteRecent(): void {
  const info = document_.value;
  // Dropped files are gone after a restart, so they are not listed.
  if (info?.open !== true || info.path === '' || root.value === '' || !info.path.startsWith(root.value)) return;
  const others = recents().filter((one) => one.what !== info.path);
  remember(kept, JSON.stringify([{ what: info.path, title: info.title, at: Date.now() }, ...others].slice(0, 8)));
}

/** Saves to the document's file, or asks for one. */
export async function saveNow(): Promise<void> {
  try {
    reportSaved(await connection.command('save'));
  } catch (fault) {
    if (fault instanceof CommandFault && fault.code === 'no-path') dialog.value = 'saveAs';
    else if (fault instanceof CommandFault && fault.code === 'changed') offerToReplace(fault);
    else showFault(fault);
  }
}

/** Another program has changed the file: asks before replacing it. */
function offerToReplace(fault: CommandFault): void {
  const path = document_.value?.path ?? '';
  const run = async () => {
    errorCard.value = undefined;
    const found = await saveTo(path, true);
    if (found !== undefined) showFault(found);
  };
  errorCard.value = {
    text: fault.message,
    hint: fault.hint,
    actions: [
      { label: 'Replace it', run: () => void run() },
      { label: 'Save as…', run: () => ((errorCard.value = undefined), (dialog.value = 'saveAs')) },
    ],
  };
}

/** Returns the error, or undefined on success. */
export async function saveTo(path: string, replace: boolean): Promise<CommandFault | undefined> {
  try {
    reportSaved(await connection.command('save', { path, replace }));
    return undefined;
  } catch (fault) {
    if (fault instanceof CommandFault) return fault;
    throw fault;
  }
}

function reportSaved(answer: Answer<'save'>): void {
  notice.value = `Saved ${answer.path}`;
  if (answer.lost.length > 0)
    errorCard.value = { text: `Saved ${answer.path}. The format cannot store:`, hint: '', calm: true, rows: answer.lost.map((text) => ({ name: '', ok: false, text })) };
}

export const listFolder = (path: string) => command('files', { path });
