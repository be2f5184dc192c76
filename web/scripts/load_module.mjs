// A module of the page for tests under node.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export const web = join(dirname(fileURLToPath(import.meta.url)), '..');

// What modules of the page read while they load.
globalThis.location ??= { hash: '', host: '', pathname: '' };
globalThis.sessionStorage ??= { getItem: () => null, setItem: () => {} };

/** One module, with what it imports late: a data URL cannot name another one. `entry` as seen from the folder of the page; `change` maps files below it to functions of their source text. */
export async function loadModule(entry, change = {}) {
  const changed = Object.fromEntries(Object.entries(change).map(([path, edit]) => [join(web, path), edit]));
  const plugin = { name: 'change', enforce: 'pre', transform: (code, id) => changed[id]?.(code) };
  const result = await build({
    root: web,
    configFile: false,
    logLevel: 'error',
    plugins: [plugin],
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: { write: false, target: 'node18', minify: false, lib: { entry: join(web, entry), formats: ['es'], fileName: 'bundle' }, rollupOptions: { output: { inlineDynamicImports: true } } },
  });
  return import(`data:text/javascript;base64,${Buffer.from(result[0].output[0].code).toString('base64')}`);
}
