// Compiled, never run: calls that protocol.json does not allow are errors, and those that it allows are none.
import { command } from '../../src/client';

export async function calls(): Promise<void> {
  await command('undo');
  await command('pose.reset', { joint: 1 });
  const key = await command('pose.key', { view: 0, time: 0.5 });
  const clip: number | undefined = key?.clip;
  await command('pose.clip', { clip: clip ?? 0, time: 1 });
  // @ts-expect-error there is no such command
  await command('pose.forget');
  // @ts-expect-error a required field is missing
  await command('pose.clip', { clip: 0 });
  // @ts-expect-error a field that the command does not have
  await command('pose.reset', { jiont: 1 });
  // @ts-expect-error a field of another type
  await command('pose.reset', { joint: 'upper' });
  // @ts-expect-error a word that is not listed
  await command('weights.mirror', { axis: 'w' });
  // @ts-expect-error the answer has no such field
  key?.frame;
}
