// Kills the studio at random moments, in the middle of drags and saves. After a restart the document must be the last
// committed state with its complete history, and the saved file the complete old or new one.
//   node kill.mjs SINEW PAGE [ROUNDS] [SEED]
// Environment: SINEW_KILL_ROUNDS, and SINEW_KILL_VERTICES for a character that takes longer to save.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, RawPage } from './raw_page.mjs';
import { StudioProcess } from './studio_process.mjs';

const [sinew, pageFolder, roundsText = process.env.SINEW_KILL_ROUNDS ?? '4', seedText = String(Date.now() % 100000)] = process.argv.slice(2);
const vertices = Number(process.env.SINEW_KILL_VERTICES ?? 3000);

let seed = Number(seedText);
const random = () => {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Studio extends StudioProcess {
  constructor(root, what) {
    super({ sinew, pageFolder, what, root, files: join(root, 'files') });
  }

  async start() {
    this.port = undefined;
    await super.start();
    this.page = new RawPage(this);
    await this.page.open();
  }

  /** Blobs are named by a content hash, so equal names mean equal weights. */
  async state() {
    const { weightsName, history, views, savedPoses, saved } = await super.state();
    return { weightsName, history, views, savedPoses, saved };
  }
}

function sameState(found, wanted) {
  assert.deepEqual({ ...found, saved: undefined }, { ...wanted, saved: undefined }, 'the last committed state');
}

/** Bent, because at rest all joints give the same position. */
async function bend(studio) {
  const forearm = (await studio.state()).views[0].joints.slice(10, 20);
  const angle = 0.5 + random();
  studio.page.binary('PoseSet', { joints: [1], rotations: [0, 0, Math.sin(angle), Math.cos(angle)], translations: forearm.slice(0, 3), scales: forearm.slice(7) });
}

/** A complete drag, or one without release. Resolves when its end is answered; `step` is called when it becomes a step. */
function drag(studio, number, ends, depth, step = () => {}) {
  const { page } = studio;
  return new Promise((resolve) => {
    let end = Infinity;
    page.onBinary = (bytes) => {
      const message = decode(bytes);
      if (message.name === 'History' && message.values.depth > depth) step();
      if (message.ack >= end) resolve();
    };
    page.binary('WeightDragBegin', { drag: number, view: 0, lead: Math.floor(random() * vertices * 0.9), radius: 0.3 });
    const moves = 1 + Math.floor(random() * 20);
    for (let i = 0; i < moves; ++i) page.binary('DragMove', { drag: number, target: [random(), random(), random()] });
    if (ends) end = page.binary('DragEnd', { drag: number, commit: 1, target: [0.1, 0.2 + 0.3 * random(), 0.1] });
  });
}

async function killInADrag(studio, round, lasts) {
  await bend(studio);
  const before = await studio.state();
  const ends = random() < 0.6;
  let told = false;
  void drag(studio, round + 1, ends, before.history.depth, () => (told = true));
  await wait(lasts * random());
  await studio.kill();
  const heard = told;
  await studio.start();
  const after = await studio.state();
  if (after.history.depth > before.history.depth) {
    assert.ok(ends && after.history.depth === before.history.depth + 1, 'one step at most');
    assert.notEqual(after.weightsName, before.weightsName, 'the step of the drag exists, with its weights');
    return heard ? 'in a drag: after the page was notified' : 'in a drag: kept, page not notified';
  }
  assert.ok(!heard, 'an acknowledged step is kept');
  sameState(after, before);
  return ends ? 'in a drag: before it was kept' : 'in a drag: before its end';
}

const temporary = (files) => readdirSync(files).filter((name) => name.endsWith('.tmp'));

async function killInASave(studio, round, lasts) {
  const files = join(studio.root, 'files');
  const path = join(files, 'arm.glb');
  await studio.page.command('weights.set', { vertex: Math.floor(random() * vertices * 0.9), binding: Math.floor(random() * 2), weight: random() });
  if (round % 5 === 0) await studio.page.command('pose.save', { name: `pose ${round}` });
  const wanted = await studio.state();
  const old = readFileSync(path);
  let answered = false;
  const saving = studio.page.command('save').then(
    () => (answered = true),
    () => {},
  );
  await wait(lasts * random());
  await studio.kill();
  const heard = answered;
  await saving;
  const found = readFileSync(path);
  const half = temporary(files);
  for (const name of half) rmSync(join(files, name));
  await studio.start();
  const after = await studio.state();
  sameState(after, wanted);
  await studio.page.command('save');
  const isNew = found.equals(readFileSync(path));
  const isOld = found.equals(old);
  assert.ok(isNew || isOld, 'the file is the old one or the new one');
  // Setting a weight to its current value makes both equal.
  if (isNew !== isOld) assert.equal(after.saved, isNew, 'the studio knows which of the two states it is in');
  assert.ok(!heard || isNew, 'an acknowledged save is on disk');
  if (half.length > 0) return 'in a save: a part was written beside';
  return isNew ? (heard ? 'in a save: after the page was notified' : 'in a save: new, page not notified') : 'in a save: old';
}

/** The duration without a kill, from which the kill times are drawn. */
async function measure(action) {
  let least = Infinity;
  for (let i = 0; i < 3; ++i) {
    const begin = performance.now();
    await action(i);
    least = Math.min(least, performance.now() - begin);
  }
  return 1.3 * least;
}

async function endsOnRequest(studio, signal) {
  await bend(studio);
  const before = await studio.state();
  void drag(studio, 1000, false, before.history.depth);
  await wait(20);
  assert.equal(await studio.kill(signal), 0, `${signal} ends the studio without a fault`);
  await studio.start();
  sameState(await studio.state(), before);
}

const root = mkdtempSync(join(tmpdir(), 'sinew-kill-'));
mkdirSync(join(root, 'files'));
execFileSync(sinew, ['sample', 'arm', '--vertices', String(vertices), '-o', join(root, 'arm')], { stdio: 'ignore' });
copyFileSync(join(root, 'arm', 'arm.glb'), join(root, 'files', 'arm.glb'));
const studio = new Studio(root, 'arm.glb');
let failed = false;
try {
  await studio.start();
  const first = await studio.state();
  await bend(studio);
  const { history } = await studio.state();
  const dragLasts = await measure((i) => drag(studio, 990 + i, true, history.depth));
  const saveLasts = await measure(() => studio.page.command('save'));
  const outcomes = {};
  for (let round = 0; round < Number(roundsText); ++round) {
    for (const [kill, lasts] of [[killInADrag, dragLasts], [killInASave, saveLasts]]) {
      const outcome = await kill(studio, round, lasts);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  }
  await endsOnRequest(studio, 'SIGTERM');
  await endsOnRequest(studio, 'SIGINT');
  // Every step of every run can be undone.
  await studio.page.command('history.jump', { depth: 0 });
  const begin = await studio.state();
  assert.equal(begin.weightsName, first.weightsName, 'with everything undone it equals the opened document');
  assert.ok(begin.history.redo > Number(roundsText), 'the history has the steps of all runs');
  console.log(`ok: ${roundsText} rounds, seed ${seedText}, ${vertices} vertices, a drag ${dragLasts.toFixed(0)} ms, a save ${saveLasts.toFixed(0)} ms`, outcomes);
} catch (error) {
  failed = true;
  console.log(`FAILED with seed ${seedText}\n${error.stack}`);
}
await studio.kill();
rmSync(root, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
