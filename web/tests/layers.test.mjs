// The folders of the page: who may import whom, and how large a file may be.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import test from 'node:test';
import { web } from '../scripts/load_module.mjs';

const most = 450;
const least = 25;
/** The entry, and the table of modes. */
const short = ['main.tsx', 'modes/modes.ts'];
/** As long as the protocol: made by scripts/make_protocol.mjs. */
const generated = ['protocol/commands.ts', 'protocol/messages.ts'];

/** What the files of a layer import besides their own layer. A file at the top of src is a layer of its own. */
const layers = {
  protocol: [],
  'store.ts': ['protocol'],
  render: ['protocol'],
  'client.ts': ['protocol', 'render', 'store.ts'],
  gestures: ['protocol', 'render', 'store.ts', 'client.ts'],
  'modes/mode.ts': ['render', 'ui'],
  // A mode: its own folder and what is shared, never another mode.
  'modes/*': ['protocol', 'render', 'store.ts', 'client.ts', 'gestures', 'ui', 'modes/mode.ts'],
  'modes/modes.ts': ['store.ts', 'modes/mode.ts', 'modes/*'],
  ui: ['protocol', 'render', 'store.ts', 'client.ts', 'gestures', 'modes/mode.ts', 'modes/modes.ts', 'test_hooks.ts'],
  'test_hooks.ts': ['protocol', 'render', 'store.ts', 'modes/modes.ts'],
  'main.tsx': ['ui'],
};

const modeOf = (path) => /^modes\/([^/]+)\//.exec(path)?.[1];
const layerOf = (path) => (modeOf(path) !== undefined ? 'modes/*' : layers[path] !== undefined ? path : path.split('/')[0]);

/** The imports of a file: what it names, the file where it exists, and whether only types come from it. */
function importsOf(files, path) {
  const found = files.get(path).matchAll(/(?:(import|export) (type )?[^;']*from |import\s*\(?\s*)'(\.[^']*)'/g);
  return [...found].flatMap(([, , type, to]) => {
    const base = normalize(join(dirname(path), to));
    const target = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find((one) => files.has(one));
    return to.endsWith('.css') ? [] : [{ to, target, type: type !== undefined }];
  });
}

/** `files`: texts by their paths below src. Returns a sentence per fault. */
function faultsOf(files) {
  const faults = [];
  for (const [path, text] of files) {
    for (const { to, target } of importsOf(files, path)) {
      if (target === undefined) {
        faults.push(`${path} imports ${to}, which does not exist`);
        continue;
      }
      const [mine, other] = [layerOf(path), layerOf(target)];
      const mode = modeOf(target);
      if (mode !== undefined && mode !== modeOf(path) && !/\/index\.tsx?$/.test(target)) faults.push(`${path} imports ${target}: outside of modes/${mode} only its index is visible`);
      else if (mine === other ? mode !== modeOf(path) : layers[mine]?.includes(other) !== true) faults.push(`${path} imports ${target}: ${mine} may not import ${other}`);
    }
    const lines = text.split('\n').length - 1;
    if (lines > most && !generated.includes(path)) faults.push(`${path} has ${lines} lines, more than ${most}`);
    if (lines < least && !short.includes(path)) faults.push(`${path} has ${lines} lines, fewer than ${least}`);
  }
  return faults;
}

function sources(folder = '', found = new Map()) {
  for (const entry of readdirSync(join(web, 'src', folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sources(path, found);
    else if (/\.tsx?$/.test(entry.name)) found.set(path, readFileSync(join(web, 'src', path), 'utf8'));
  }
  return found;
}

const files = sources();

test('every file imports only what its layer may', () => {
  assert.ok(files.size > 50, `${files.size} files`);
  assert.deepEqual(faultsOf(files), []);
});

test('no file imports itself by way of others, except for types', () => {
  const done = new Set();
  const visit = (path, trail) => {
    assert.ok(!trail.includes(path), [...trail, path].join(' > '));
    if (done.has(path)) return;
    for (const { target, type } of importsOf(files, path)) if (!type) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of files.keys()) visit(path, []);
});

test('a planted import, a splinter and a long file are found', () => {
  const body = '\n'.repeat(30);
  const planted = {
    'ui/planted.ts': [`import { tool } from '../modes/weights/settings';${body}`, /only its index is visible/],
    'gestures/planted.ts': [`import { modes } from '../modes/modes';${body}`, /gestures may not import modes\/modes.ts/],
    'render/planted.ts': [`import { document_ } from '../store';${body}`, /render may not import store.ts/],
    'protocol/planted.ts': [`export * from '../render/stage';${body}`, /protocol may not import render/],
    'modes/pose/planted.ts': [`import { weightsMode } from '../weights';${body}`, /modes\/\* may not import modes\/\*/],
    'modes/handles/planted.ts': [`const late = import('../pose/timeline');${body}`, /only its index is visible/],
    'ui/splinter.ts': ['export const one = 1;\n', /fewer than 25/],
    'ui/long.ts': ['\n'.repeat(451), /more than 450/],
    'ui/missing.ts': [`import { one } from './nowhere';${body}`, /does not exist/],
  };
  for (const [path, [text, expected]] of Object.entries(planted)) {
    const faults = faultsOf(new Map([...files, [path, text]]));
    assert.equal(faults.length, 1, `${path}: ${faults}`);
    assert.match(faults[0], expected);
    assert.ok(faults[0].startsWith(path));
  }
});
