// What `psd` writes, in programs that know nothing of Sinew: the validator finds nothing, three.js plays the baked
// animation as the specification says (gltf.mjs), and shows the sculpts with the error that the command reports.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clipPose, clips, posedPoints, readDocument, restPose } from './gltf.mjs';
import { loadInThree, threePoints } from './player.mjs';
import {
  Report, commandPoints, diagonal, fiveTimes, largestDistance, load, parseArguments, readObj, sinew, temporaryFolder,
} from './support.mjs';

// In diagonals of the rest shape.
const kTolerance = 1e-5;

const { command } = parseArguments();
const { default: validator } = await load('gltf-validator');
const report = new Report();
const folder = temporaryFolder();

/** For each vertex of the file the vertex of the sculpts' rest mesh at the same place. */
function vertexMap(restOfFile, restOfSculpts, size) {
  const map = [];
  for (let v = 0; v < restOfFile.length; v += 3) {
    let nearest = Infinity;
    for (let w = 0; w < restOfSculpts.length; w += 3) {
      const distance = Math.hypot(
        restOfFile[v] - restOfSculpts[w], restOfFile[v + 1] - restOfSculpts[w + 1],
        restOfFile[v + 2] - restOfSculpts[w + 2]);
      if (distance < nearest) {
        nearest = distance;
        map[v / 3] = w / 3;
      }
    }
    if (!(nearest < 1e-6 * size)) throw new Error(`vertex ${v / 3} has no partner in the sculpts: ${nearest}`);
  }
  return map;
}

/** The sum of squared distances of the file's vertices to those of a sculpt. */
function squares(points, sculpt, map) {
  return map.reduce((sum, w, v) => {
    const offsets = [0, 1, 2].map((k) => points[3 * v + k] - sculpt[3 * w + k]);
    return sum + offsets.reduce((part, offset) => part + offset * offset, 0);
  }, 0);
}

async function checkValid(file) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: basename(file), maxIssues: 0 });
  const faults = issues.messages.filter(({ severity }) => severity < 2);
  const what = faults.slice(0, 3).map(({ code, pointer, message }) => `${code} at ${pointer}: ${message}`).join('; ');
  report.check(`${basename(file)}: the validator finds no error and no warning`, what, faults.length === 0);
}

/** Every clip at five times, in three.js and by the specification. */
function compareClips(name, document, loaded, size) {
  for (const clip of clips(document)) {
    for (const time of fiveTimes(clip)) {
      const exact = posedPoints(document, clipPose(document, clip.index, time));
      const theirs = threePoints(loaded, clip.index, time);
      const label = `${clip.name ?? clip.index}@${time}`;
      report.measure(`${name}: three.js against the specification`, label, largestDistance(theirs, exact) / size, kTolerance);
    }
  }
}

/** The clip `examples` shows the sculpts, with the error that the command reported. */
function compareExamples(name, document, loaded, sampleFolder, exported, size) {
  const { rest, examples } = JSON.parse(readFileSync(join(sampleFolder, 'examples.json'), 'utf8'));
  const clip = clips(document).find((each) => each.name === 'examples');
  report.check(`${name}: has a clip of its examples`, 'no clip', clip !== undefined && clip.last === examples.length);
  const map = vertexMap(posedPoints(document, restPose(document)), readObj(join(sampleFolder, rest)), size);
  let sum = 0;
  examples.forEach(({ mesh }, k) => {
    sum += squares(threePoints(loaded, clip.index, k + 1), readObj(join(sampleFolder, mesh)), map);
  });
  const rms = Math.sqrt(sum / (map.length * examples.length));
  report.measure(`${name}: error in three.js against the reported one`, 'rms', Math.abs(rms - exported.error.rms) / size, kTolerance);
  report.measure(`${name}: error in three.js`, 'rms', rms / size, 1e-4);
  const beforeSum = examples.reduce((part, { mesh }) =>
    part + squares(posedPoints(document, restPose(document)), readObj(join(sampleFolder, mesh)), map), 0);
  report.check(`${name}: the examples are not at rest`, 'nothing moves', Math.sqrt(beforeSum / (map.length * examples.length)) > 0.01 * size);
}

/** Between the examples the file plays what the model plays, up to the error that the command reported. */
function compareModel(name, file, document, exported) {
  const clip = clips(document)[0];
  for (const time of fiveTimes(clip)) {
    const model = commandPoints(command, file, `${clip.name ?? clip.index}@${time}`, folder);
    const played = posedPoints(document, clipPose(document, clip.index, time));
    report.measure(`${name}: the file against the model`, `@${time}`, largestDistance(played, model), 2 * exported.model.max);
  }
}

for (const { name, options, flags } of [
  { name: 'arm', options: ['--exact'], flags: [] },
  { name: 'limb', options: ['--vertices', '1500'], flags: [] },
  { name: 'limb', options: ['--vertices', '1500'], flags: ['--morphs', 'svd', '--quantize-morphs'] },
]) {
  const sampleFolder = join(folder, name);
  sinew(command, 'sample', name, ...options, '-o', sampleFolder);
  const file = join(folder, `${name} learned.glb`);
  const input = join(sampleFolder, `${name}.glb`);
  const { exported } = JSON.parse(
    sinew(command, 'psd', input, '--examples', join(sampleFolder, 'examples.json'), '-o', file, '--json', '-q', ...flags));
  report.check(`${name}: is written`, 'no file', existsSync(file));
  await checkValid(file);
  const document = readDocument(file);
  const { json } = document;
  const quantized = flags.includes('--quantize-morphs');
  report.check(`${name}: 16 bits only on request`, json.extensionsRequired ?? 'none',
    (json.extensionsRequired ?? []).includes('KHR_mesh_quantization') === quantized);
  const size = diagonal(posedPoints(document, restPose(document)));
  const loaded = await loadInThree(file);
  compareClips(name, document, loaded, size);
  compareExamples(name, document, loaded, sampleFolder, exported, size);
  compareModel(name, file, document, exported);
  // Learning again replaces: the file has as many morph targets as before.
  const again = join(folder, `${name} again.glb`);
  sinew(command, 'psd', file, '--examples', join(sampleFolder, 'examples.json'), '-o', again, '-q', ...flags);
  const counts = [file, again].map((path) => {
    const { json } = readDocument(path);
    return [json.meshes[0].primitives[0].targets.length, json.animations.length, json.bufferViews.length].join(' ');
  });
  report.check(`${name}: learning again replaces`, counts.join(' against '), counts[0] === counts[1]);
  await checkValid(again);
}
report.finish();
