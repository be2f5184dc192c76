// What the tests share: the command, temporary folders, skipping, and a summary that can fail.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

// ctest's SKIP_RETURN_CODE (CMakeLists.txt).
const kSkipped = 77;

/** Ends the test as skipped; the reason is what ./test shows. */
export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(kSkipped);
}

/** Imports a package of package.json; skips where `npm ci` was not run. */
export async function load(name) {
  try {
    return await import(name);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return skip(`the npm package of ${name} is not installed: run ./test, or npm ci in tests/javascript`);
  }
}

/** `node TEST.mjs COMMAND data|samples`. */
export function parseArguments() {
  const [command, source] = process.argv.slice(2);
  if (!command || !['data', 'samples'].includes(source)) {
    console.error(`usage: node ${basename(process.argv[1])} PATH_OF_SINEW data|samples`);
    process.exit(1);
  }
  return { command, source };
}

/** The glTF files of the example data; skips where there are none. */
export function dataFiles() {
  const data = process.env.SINEW_DATA_DIR;
  const folder = data ? join(data, 'gltf') : '';
  if (!folder || !existsSync(folder)) {
    return skip('needs the example data: set SINEW_DATA_DIR to the folder that holds gltf/Fox.glb');
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.glb')).sort().map((name) => join(folder, name));
  if (files.length === 0) throw new Error(`${folder} holds no .glb`);
  return files;
}

/** A folder that is removed when the test ends; its name has a space, as users' folders do. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sinew test '));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command and gives its stdout; throws with its own words where it fails. */
export function sinew(command, ...parameters) {
  try {
    return execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    throw new Error(`sinew ${parameters.join(' ')}: exit ${error.status}: ${error.stderr}`, { cause: error });
  }
}

/** Writes every built-in character, small; gives [{name, file, folder}]. */
export function makeSamples(command, folder, vertices = 1500) {
  const { samples } = JSON.parse(sinew(command, 'sample', '--list', '--json'));
  if (!samples?.length) throw new Error('sinew sample --list names no sample');
  return samples.map(({ name }) => {
    const out = join(folder, name);
    sinew(command, 'sample', name, '--vertices', String(vertices), '-o', out);
    return { name, file: join(out, `${name}.glb`), folder: out };
  });
}

/** The vertices of an OBJ, flat. */
export function readObj(path) {
  const points = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (!line.startsWith('v ')) continue;
    const [, x, y, z] = line.trim().split(/\s+/);
    points.push(Number(x), Number(y), Number(z));
  }
  return Float64Array.from(points);
}

/** The points that the command writes for a character's file in a pose. */
export function commandPoints(command, file, pose, folder) {
  const out = join(folder, 'posed.obj');
  sinew(command, 'deform', file, '--pose', pose, '-o', out);
  return readObj(out);
}

/** The largest distance between two lists of points; throws where they cannot be compared. */
export function largestDistance(a, b) {
  if (a.length !== b.length) throw new Error(`${a.length / 3} points against ${b.length / 3}`);
  if (a.length === 0) throw new Error('no points to compare');
  let largest = 0;
  for (let i = 0; i < a.length; i += 3) {
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    // A NaN must not pass as "not larger".
    if (!(distance <= largest)) largest = distance;
    if (Number.isNaN(largest)) return largest;
  }
  return largest;
}

/** The diagonal of the bounding box. */
export function diagonal(points) {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  points.forEach((value, i) => {
    least[i % 3] = Math.min(least[i % 3], value);
    most[i % 3] = Math.max(most[i % 3], value);
  });
  return Math.hypot(most[0] - least[0], most[1] - least[1], most[2] - least[2]);
}

/** Five times of a clip, its ends among them, the others at no key in particular. */
export function fiveTimes({ first, last }) {
  return [0, 0.21, 0.5, 0.77, 1].map((fraction) => first + fraction * (last - first));
}

/** Collects measurements; `finish` prints each group's worst and fails the test where one is beyond its limit. */
export class Report {
  groups = new Map();
  failures = [];

  /** `value` must be at most `limit`; NaN fails. */
  measure(group, what, value, limit) {
    const seen = this.groups.get(group) ?? { count: 0, worst: 0, limit };
    seen.count += 1;
    if (!(value <= seen.worst)) seen.worst = value;
    this.groups.set(group, seen);
    if (!(value <= limit)) this.failures.push(`${group}: ${what}: ${value} is more than ${limit}`);
  }

  /** A statement that must hold. */
  check(group, what, holds) {
    this.measure(group, what, holds ? 0 : Infinity, 0);
  }

  finish() {
    if (this.groups.size === 0) this.failures.push('nothing was measured');
    for (const [group, { count, worst, limit }] of this.groups) {
      const detail = limit === 0 ? '' : `, worst ${worst.toExponential(2)} of ${limit.toExponential(0)} allowed`;
      console.log(`${group}: ${count} checks${detail}`);
    }
    for (const failure of this.failures.slice(0, 40)) console.log(`FAILED ${failure}`);
    if (this.failures.length > 40) console.log(`... and ${this.failures.length - 40} more`);
    process.exitCode = this.failures.length === 0 ? 0 : 1;
  }
}
