// Many examples in few morph targets: files with 12 and 16 of them in three.js, at poses that were not learned from.
import { join } from 'node:path';
import { Lcg, randomPose, sculpted, writeArm3 } from './arm3.mjs';
import { clips, posedPoints, readDocument, restPose } from './gltf.mjs';
import { loadInThree, threePoints } from './player.mjs';
import { Report, diagonal, parseArguments, sinew, temporaryFolder } from './support.mjs';

const { command } = parseArguments();
const report = new Report();
const folder = temporaryFolder();
const training = new Lcg(8);
const testing = new Lcg(5);
const poses = [...Array(200)].map(() => randomPose(training));
const heldOut = [...Array(40)].map(() => randomPose(testing));
writeArm3(folder, poses, heldOut);

// Percent of the diagonal, rms over all held-out poses.
for (const { targets, most } of [{ targets: 12, most: 0.005 }, { targets: 16, most: 0.0035 }]) {
  const file = join(folder, `${targets}.glb`);
  sinew(command, 'psd', join(folder, 'arm3.glb'), '--examples', join(folder, 'examples.json'), '-o', file, '-q',
    '--morphs', 'svd', '--max-morphs', String(targets), '--morph-error', '1e-7');
  const document = readDocument(file);
  report.check(`${targets} targets: are written`, 'another number', document.json.meshes[0].primitives[0].targets.length === targets);
  const clip = clips(document).find((each) => each.name === 'held out');
  const loaded = await loadInThree(file);
  const size = diagonal(posedPoints(document, restPose(document)));
  let sum = 0;
  let count = 0;
  heldOut.forEach((pose, k) => {
    const truth = sculpted(pose);
    const played = threePoints(loaded, clip.index, k);
    sum += played.reduce((part, value, i) => part + (value - truth[i]) ** 2, 0);
    count += truth.length / 3;
  });
  report.measure(`${targets} targets: held-out error in three.js, percent`, 'rms', (100 * Math.sqrt(sum / count)) / size, most);
}
report.finish();
