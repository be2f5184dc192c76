// Posed vertices as three.js shows them (GLTFLoader, AnimationMixer, SkinnedMesh), as the specification says (gltf.mjs,
// in double precision), and as the command writes them: all three must agree at five times of each clip.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clipPose, clips, filePose, posedPoints, readDocument, restPose } from './gltf.mjs';
import { writeMade } from './made.mjs';
import { loadInThree, threePoints } from './player.mjs';
import {
  Report, commandPoints, dataFiles, diagonal, fiveTimes, largestDistance, makeSamples, parseArguments, temporaryFolder,
} from './support.mjs';

// In diagonals of the rest shape. three.js keeps vertices and curves in single precision.
const kTolerance = 1e-5;

const { command, source } = parseArguments();
const report = new Report();
const folder = temporaryFolder();

/** Every clip at five times. `inThree` is left out where three.js cannot play the file. */
async function compareClips(file, { inThree = true } = {}) {
  const name = basename(file);
  const document = readDocument(file);
  const size = diagonal(posedPoints(document, restPose(document)));
  const loaded = inThree ? await loadInThree(file) : undefined;
  report.check(`${name}: has clips`, 'no clip', clips(document).length > 0);
  for (const clip of clips(document)) {
    for (const time of fiveTimes(clip)) {
      const label = `${clip.name ?? clip.index}@${time}`;
      const exact = posedPoints(document, clipPose(document, clip.index, time));
      const ours = commandPoints(command, file, label, folder);
      report.measure(`${name}: command against the specification`, label, largestDistance(ours, exact) / size, kTolerance);
      if (!loaded) continue;
      const theirs = threePoints(loaded, clip.index, time);
      report.measure(`${name}: three.js against the specification`, label, largestDistance(theirs, exact) / size, kTolerance);
      report.measure(`${name}: command against three.js`, label, largestDistance(ours, theirs) / size, kTolerance);
    }
  }
}

/** Built-in characters: the rest pose in all three, and their own pose files in two. */
async function compareSample({ name, file, folder: sampleFolder }) {
  const document = readDocument(file);
  if (!document.json.skins) return;
  const exact = posedPoints(document, restPose(document));
  const size = diagonal(exact);
  const rest = commandPoints(command, file, 'rest', folder);
  const theirs = threePoints(await loadInThree(file));
  report.measure(`${name}: command against the specification`, 'rest', largestDistance(rest, exact) / size, kTolerance);
  report.measure(`${name}: command against three.js`, 'rest', largestDistance(rest, theirs) / size, kTolerance);
  const poses = readdirSync(join(sampleFolder, 'poses')).filter((pose) => pose.endsWith('.json')).sort().slice(0, 4);
  report.check(`${name}: has poses`, 'no pose file', poses.length > 0);
  for (const pose of poses) {
    const path = join(sampleFolder, 'poses', pose);
    const posed = posedPoints(document, filePose(document, path));
    const distance = largestDistance(commandPoints(command, file, path, folder), posed) / size;
    report.measure(`${name}: command against the specification`, pose, distance, kTolerance);
  }
}

if (source === 'data') {
  for (const file of dataFiles()) await compareClips(file);
} else {
  // three.js reads four influences per vertex and no more.
  for (const influences of [4, 8]) {
    const file = join(folder, `made-${influences}.glb`);
    writeMade(file, influences);
    await compareClips(file, { inThree: influences === 4 });
  }
  for (const sample of makeSamples(command, folder)) await compareSample(sample);
}
report.finish();
