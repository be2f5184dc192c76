// A converted file deforms as its input does, at five times of each clip: as the specification reads both files
// (gltf.mjs), and as the command plays both.
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clipPose, clips, filePose, posedPoints, readDocument, restPose } from './gltf.mjs';
import { writeMade } from './made.mjs';
import {
  Report, commandPoints, dataFiles, diagonal, fiveTimes, largestDistance, makeSamples, parseArguments, sinew, temporaryFolder,
} from './support.mjs';

// In diagonals of the rest shape.
const kTolerance = 1e-6;

const { command, source } = parseArguments();
const report = new Report();
const folder = temporaryFolder();

/** Poses to compare: [label for the command, function from a document to its pose]. */
function posesOf(file, poseFiles) {
  const document = readDocument(file);
  const poses = [['rest', restPose]];
  for (const clip of clips(document)) {
    for (const time of fiveTimes(clip)) {
      poses.push([`${clip.name ?? clip.index}@${time}`, (other) => clipPose(other, clip.index, time)]);
    }
  }
  for (const path of poseFiles) poses.push([path, (other) => filePose(other, path)]);
  return poses;
}

function compareConverted(file, poseFiles = []) {
  const name = basename(file, '.glb');
  const document = readDocument(file);
  if (!document.json.skins) return;
  const size = diagonal(posedPoints(document, restPose(document)));
  const out = join(folder, 'converted', name);
  mkdirSync(out, { recursive: true });
  const converted = [join(out, 'direct.glb'), join(out, 'text.gltf')].map((path) => {
    sinew(command, 'convert', file, '-o', path);
    return { path, document: readDocument(path), label: `${name}.glb to ${path.endsWith('.glb') ? '.glb' : '.gltf'}` };
  });
  for (const [label, pose] of posesOf(file, poseFiles)) {
    const exact = posedPoints(document, pose(document));
    const played = commandPoints(command, file, label, folder);
    for (const other of converted) {
      const read = largestDistance(posedPoints(other.document, pose(other.document)), exact) / size;
      report.measure(`${other.label}, by the specification`, label, read, kTolerance);
      const playedAgain = largestDistance(commandPoints(command, other.path, label, folder), played) / size;
      report.measure(`${other.label}, by the command`, label, playedAgain, kTolerance);
    }
  }
}

if (source === 'data') {
  for (const file of dataFiles()) compareConverted(file);
} else {
  for (const influences of [4, 8]) {
    const file = join(folder, `made-${influences}.glb`);
    writeMade(file, influences);
    compareConverted(file);
  }
  for (const { file, folder: sampleFolder } of makeSamples(command, folder)) {
    const poses = readDocument(file).json.skins ? readdirSync(join(sampleFolder, 'poses')) : [];
    compareConverted(file, poses.filter((pose) => pose.endsWith('.json')).sort().slice(0, 2)
      .map((pose) => join(sampleFolder, 'poses', pose)));
  }
}
report.finish();
