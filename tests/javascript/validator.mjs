// The Khronos validator on what `convert` writes: no error, and no warning that was not in the input. Each file goes to
// .glb, to .gltf, and from that .gltf back to .glb.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeMade } from './made.mjs';
import { Report, dataFiles, load, makeSamples, parseArguments, sinew, temporaryFolder } from './support.mjs';

const kError = 0;
const kWarning = 1;

const { command, source } = parseArguments();
const { default: validator } = await load('gltf-validator');

const report = new Report();
const folder = temporaryFolder();

/** The validator's messages of a file. */
async function messages(path) {
  const result = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: basename(path),
    maxIssues: 0,
    externalResourceFunction: (uri) =>
      Promise.resolve(new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri))))),
  });
  if (result.issues.truncated) throw new Error(`${path}: the validator stopped before its end`);
  return result.issues.messages;
}

/** How often each code occurs among the messages of one severity. */
function tally(list, severity) {
  const counts = new Map();
  for (const { code } of list.filter((message) => message.severity === severity)) {
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

const text = (list, severity) =>
  list.filter((message) => message.severity === severity).slice(0, 3)
    .map(({ code, pointer, message }) => `${code} at ${pointer}: ${message}`).join('; ');

/** The file itself, which must have no error, and where it is our own no warning either. */
async function checkInput(file, ownFile) {
  const list = await messages(file);
  const name = basename(file);
  report.check(`${name}: input has no error`, text(list, kError), tally(list, kError).size === 0);
  if (ownFile) report.check(`${name}: input has no warning`, text(list, kWarning), tally(list, kWarning).size === 0);
  return tally(list, kWarning);
}

async function checkOutput(file, name, how, warningsBefore) {
  const list = await messages(file);
  report.check(`${name}: no error when converted`, `${how}: ${text(list, kError)}`, tally(list, kError).size === 0);
  const fresh = [...tally(list, kWarning)].filter(([code, count]) => count > (warningsBefore.get(code) ?? 0));
  const what = fresh.map(([code, count]) => `${count} x ${code}, ${warningsBefore.get(code) ?? 0} before`).join('; ');
  report.check(`${name}: no new warning when converted`, `${how}: ${what}: ${text(list, kWarning)}`, fresh.length === 0);
}

async function checkConversions(file, ownFile) {
  const name = basename(file, '.glb');
  const out = join(folder, 'converted', name);
  mkdirSync(out, { recursive: true });
  const warnings = await checkInput(file, ownFile);
  const steps = [
    [file, join(out, 'direct.glb'), 'to .glb'],
    [file, join(out, 'text.gltf'), 'to .gltf'],
    [join(out, 'text.gltf'), join(out, 'back.glb'), 'to .gltf and back'],
  ];
  for (const [from, to, how] of steps) {
    sinew(command, 'convert', from, '-o', to);
    await checkOutput(to, `${name}.glb`, how, warnings);
  }
}

/** The validator must see a fault where there is one, or all of the above says nothing. */
async function checkTheCheck() {
  const file = join(folder, 'broken.glb');
  writeMade(file, 4);
  const bytes = readFileSync(file);
  const place = bytes.indexOf('"VEC3"');
  bytes.write('"VEC2"', place);
  writeFileSync(file, bytes);
  const list = await messages(file);
  report.check('the validator refuses a broken file', 'it found no error', tally(list, kError).size > 0);
}

if (source === 'data') {
  for (const file of dataFiles()) await checkConversions(file, false);
} else {
  await checkTheCheck();
  for (const influences of [4, 8]) {
    const file = join(folder, `made-${influences}.glb`);
    writeMade(file, influences);
    await checkConversions(file, false);
  }
  for (const { file } of makeSamples(command, folder)) await checkConversions(file, true);
}
report.finish();
