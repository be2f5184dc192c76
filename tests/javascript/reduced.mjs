// What `reduce` writes, in programs that know nothing of Sinew: the validator finds nothing, and the clip `sequence` shows
// in three.js at every key what the command shows, as near to the meshes as it said, for affine controls and rigid bones.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadInThree, threePoints } from './player.mjs';
import { Report, commandPoints, diagonal, largestDistance, load, parseArguments, readObj, sinew, temporaryFolder } from './support.mjs';

// In diagonals of the rest shape.
const kTolerance = 1e-5;
const kFramesPerSecond = 24;

const { command } = parseArguments();
const { default: validator } = await load('gltf-validator');
const report = new Report();
const folder = temporaryFolder();

const sample = join(folder, 'quadruped');
sinew(command, 'sample', 'quadruped', '-o', sample, '--vertices', '1500');
const meshes = readdirSync(sample).filter((name) => name.endsWith('.obj') && name !== 'rest.obj').sort().slice(0, 8);
const inputs = meshes.map((name) => join(sample, name));

async function check(name, ...flags) {
  const file = join(folder, `${name}.glb`);
  const answer = JSON.parse(sinew(command, 'reduce', ...inputs, '--rest', join(sample, 'rest.obj'), '-o', file, '--json', ...flags));
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  report.check(`${name}: the validator`, JSON.stringify(issues.messages.slice(0, 3)), issues.numErrors === 0 && issues.numWarnings === 0);
  const loaded = await loadInThree(file);
  const size = diagonal(readObj(join(sample, 'rest.obj')));
  let squares = 0;
  let count = 0;
  inputs.forEach((input, key) => {
    const time = key / kFramesPerSecond;
    const ours = commandPoints(command, file, `sequence@${time}`, folder);
    const theirs = threePoints(loaded, 0, time);
    report.measure(`${name}: command against three.js`, basename(input), largestDistance(ours, theirs) / size, kTolerance);
    const wanted = readObj(input);
    report.check(`${name}: vertices`, `${theirs.length} against ${wanted.length}`, theirs.length === wanted.length);
    wanted.forEach((value, i) => (squares += (value - theirs[i]) ** 2));
    count += wanted.length / 3;
  });
  // What three.js shows is as near to the meshes as the command said.
  const rms = Math.sqrt(squares / count);
  report.check(`${name}: the reported error`, `${rms} against ${answer.fit.rms}`, rms <= 1.01 * answer.fit.rms + 1e-6 * size);
}

await check('affine controls');
await check('rigid bones', '--rigid', '--controls', '16');
report.finish();
