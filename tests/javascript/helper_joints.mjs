// What `fit` writes, in programs that know nothing of Sinew: the validator finds nothing, and at every baked key three.js
// shows what the rules of SINEW_helper_joints say, computed here from their description (docs/formats.md).
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clipPose, clips, multiplyQuaternions, posedPoints, readAccessor, readDocument, restPose, slerp } from './gltf.mjs';
import { loadInThree, threePoints } from './player.mjs';
import {
  Report, commandPoints, diagonal, fiveTimes, largestDistance, load, parseArguments, sinew, temporaryFolder,
} from './support.mjs';

// In diagonals of the rest shape.
const kTolerance = 1e-5;
const kBlock = 'SINEW_helper_joints';
const kConstraint = 'VRMC_node_constraint';

const { command } = parseArguments();
const { default: validator } = await load('gltf-validator');
const report = new Report();
const folder = temporaryFolder();

const conjugate = ([x, y, z, w]) => [-x, -y, -z, w];
const rotated = (q, v) => multiplyQuaternions(multiplyQuaternions(q, [...v, 0]), conjugate(q)).slice(0, 3);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const share = (turn, s) => slerp([0, 0, 0, 1], turn, s);

/** turn = swing * twist about an axis. */
function swingTwist(turn, axis) {
  const along = dot(turn.slice(0, 3), axis);
  const length = Math.hypot(along, turn[3]);
  const twist = length < 1e-12 ? [0, 0, 0, 1] : [...axis.map((value) => (value * along) / length), turn[3] / length];
  return { swing: multiplyQuaternions(turn, conjugate(twist)), twist };
}

/** The local transform that a rule gives where its source is posed as in `pose`. */
function ruled(document, pose, rule) {
  const rest = restPose(document);
  const [own, from, now] = [rest[rule.joint], rest[rule.source], pose[rule.source]];
  if (rule.kind === 'bulge') {
    const cosine = dot(rotated(from.rotation, rule.direction), rotated(now.rotation, rule.direction));
    const [x, y, z] = own.scale;
    return { ...own, scale: [x * (1 + (rule.gain * (1 - cosine)) / 2), y, z] };
  }
  const turn = multiplyQuaternions(conjugate(from.rotation), now.rotation);
  let taken = share(turn, rule.share);
  if (rule.kind !== 'half') {
    const { swing, twist } = swingTwist(turn, rule.direction);
    taken = rule.kind === 'bend' ? share(swing, rule.share) : multiplyQuaternions(swing, share(twist, rule.share));
  }
  return {
    ...own,
    rotation: multiplyQuaternions(own.rotation, taken),
    translation: own.translation.map((value, i) => value + now.translation[i] - from.translation[i]),
  };
}

/** A clip's pose in which the rules win over the keys. */
function ruledPose(document, clip, time) {
  const pose = clipPose(document, clip, time);
  for (const rule of document.json.extensions[kBlock].rules) pose[rule.joint] = ruled(document, pose, rule);
  return pose;
}

async function checkValid(file) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: basename(file), maxIssues: 0 });
  const faults = issues.messages.filter(({ severity }) => severity < 2);
  const what = faults.slice(0, 3).map(({ code, pointer, message }) => `${code} at ${pointer}: ${message}`).join('; ');
  report.check(`${basename(file)}: the validator finds no error and no warning`, what, faults.length === 0);
}

/** All key times of the channels that move helper joints. */
function bakedTimes(document, clip) {
  const { channels, samplers } = document.json.animations[clip];
  const helpers = new Set(document.json.extensions[kBlock].rules.map(({ joint }) => joint));
  const times = new Set();
  for (const { sampler, target } of channels) {
    if (helpers.has(target.node)) readAccessor(document, samplers[sampler].input).forEach((time) => times.add(time));
  }
  return [...times].sort((a, b) => a - b);
}

function comparePlayed(name, file, document, loaded, size) {
  for (const clip of clips(document)) {
    const times = bakedTimes(document, clip.index);
    report.check(`${name}: clips have keys of helper joints`, `${clip.name} has none`, times.length > 1);
    // Long clips: some twenty keys all over.
    const step = Math.ceil(times.length / 20);
    for (const time of times.filter((_, k) => k % step === 0 || k === times.length - 1)) {
      const wanted = posedPoints(document, ruledPose(document, clip.index, time));
      const theirs = threePoints(loaded, clip.index, time);
      report.measure(`${name}: three.js against the rules at baked keys`, `${clip.name}@${time}`, largestDistance(theirs, wanted) / size, kTolerance);
    }
    for (const time of fiveTimes(clip)) {
      const ours = commandPoints(command, file, `${clip.name ?? clip.index}@${time}`, folder);
      const wanted = posedPoints(document, ruledPose(document, clip.index, time));
      report.measure(`${name}: the command against the rules`, `${clip.name}@${time}`, largestDistance(ours, wanted) / size, kTolerance);
      const theirs = threePoints(loaded, clip.index, time);
      report.measure(`${name}: three.js against the rules anywhere`, `${clip.name}@${time}`, largestDistance(theirs, wanted) / size, 2e-4);
    }
  }
}

/** Half rules are rotation constraints, which say the same by their own specification. */
function checkConstraints(name, { json }) {
  for (const rule of json.extensions[kBlock].rules) {
    const constraint = json.nodes[rule.joint].extensions?.[kConstraint];
    const wanted = rule.kind === 'half'
      ? JSON.stringify({ specVersion: '1.0', constraint: { rotation: { source: rule.source, weight: rule.share } } })
      : undefined;
    report.check(`${name}: half rules are node constraints`, rule.name, JSON.stringify(constraint) === wanted);
    report.check(`${name}: rules name their nodes`, rule.name,
      json.nodes[rule.joint].name === rule.name && json.nodes[rule.source].name === rule.sourceName);
  }
}

/** Weights as whole numbers sum to the largest exactly. */
function checkWeights(name, { json, buffers }, whole) {
  for (const { attributes } of json.meshes[0].primitives) {
    const { bufferView, count, componentType, normalized } = json.accessors[attributes.WEIGHTS_0];
    report.check(`${name}: weights are normalised whole numbers`, componentType, normalized === true && componentType === (whole === 255 ? 5121 : 5123));
    const { byteOffset = 0, buffer } = json.bufferViews[bufferView];
    for (let v = 0; v < count; ++v) {
      const numbers = [0, 1, 2, 3].map((k) => whole === 255
        ? buffers[buffer].readUInt8(byteOffset + 4 * v + k) : buffers[buffer].readUInt16LE(byteOffset + 8 * v + 2 * k));
      report.check(`${name}: weights sum to ${whole}`, `vertex ${v}`, numbers.reduce((sum, n) => sum + n, 0) === whole);
    }
  }
}

/** The block of a file after `convert` and after `psd`: as it was. */
async function checkKept(name, file, examples) {
  const block = JSON.stringify(readDocument(file).json.extensions[kBlock]);
  const steps = [
    ['converted.gltf', (out) => sinew(command, 'convert', file, '-o', out)],
    ['learned.glb', (out) => sinew(command, 'psd', file, '--examples', examples, '-o', out, '-q')],
  ];
  for (const [suffix, run] of steps) {
    const out = join(folder, `${name} ${suffix}`);
    run(out);
    const { json } = readDocument(out);
    report.check(`${name}: rules stay`, suffix, JSON.stringify(json.extensions[kBlock]) === block);
    if (suffix.endsWith('.glb')) await checkValid(out);
  }
}

for (const { name, sample, fit, whole, kept } of [
  { name: 'arm', sample: ['--vertices', '1000'], fit: ['--quantize', 'u8'], whole: 255, kept: true },
  { name: 'limb', sample: ['--vertices', '1200'], fit: ['--rest', '--quantize', 'u16'], whole: 65535, kept: true },
  { name: 'biped', sample: ['--vertices', '1500'], fit: [] },
]) {
  const sampleFolder = join(folder, name);
  sinew(command, 'sample', name, ...sample, '-o', sampleFolder);
  const examples = join(sampleFolder, 'examples.json');
  const input = join(sampleFolder, `${name}.glb`);
  const file = join(folder, `${name} fitted.glb`);
  sinew(command, 'fit', input, '--examples', examples, '--helpers', 'all', ...fit, '-o', file, '-q');
  await checkValid(file);
  const document = readDocument(file);
  const rules = document.json.extensions?.[kBlock]?.rules ?? [];
  report.check(`${name}: has rules`, 'none', rules.length > 0);
  if (rules.length === 0) continue;
  const size = diagonal(posedPoints(document, restPose(document)));
  comparePlayed(name, file, document, await loadInThree(file), size);
  checkConstraints(name, document);
  if (whole) checkWeights(name, document, whole);
  if (kept) await checkKept(name, file, examples);
}
report.finish();
