// A module of the page for tests under node.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export const web = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `entry` as seen from the folder of the page. */
export async function loadModule(entry) {
  const result = await build({
    root: web,
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'node18', minify: false, lib: { entry: join(web, entry), formats: ['es'], fileName: 'bundle' } },
  });
  return import(`data:text/javascript;base64,${Buffer.from(result[0].output[0].code).toString('base64')}`);
}
