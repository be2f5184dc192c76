// How the server draws examples: a view is posed as each of them for a moment, as in a gesture that is taken back. The page
// does not see it: what arrives meanwhile is kept back, and the newest of it is delivered at the end. Whatever else is sent
// ends it first, so that no gesture or edit ever starts from the pose of an example.
import type { Connection, StudioEvent } from './connection';
import { ActivationsCode, type Frame, FrameCode, type ServerMessage } from './messages';

/** What belongs to the pose of a view, by what it replaces; undefined: anything else. */
function keyOf(arrived: ServerMessage | StudioEvent): string | undefined {
  if ('event' in arrived) return arrived.event === 'pose' ? `pose ${arrived.view}` : undefined;
  return arrived.code === FrameCode || arrived.code === ActivationsCode ? `${arrived.code} ${arrived.body.view}` : undefined;
}

/**
 * The frames of examples, by their numbers; fewer if something else was sent meanwhile. `shows`: what the views show, in the
 * words of correct.show. The connection must be idle, and no gesture in progress. Rejects if the server refuses.
 */
export async function readExampleFrames(connection: Connection, examples: number[], shows: string[]): Promise<Map<number, Frame>> {
  const found = new Map<number, Frame>();
  const kept = new Map<string, () => void>();
  const now: { own: boolean; ended: Promise<unknown> | undefined; frame: Frame | undefined } = { own: false, ended: undefined, frame: undefined };
  const over = () => now.ended !== undefined;
  const newest = () => now.frame;
  const end = () => {
    if (now.own || over()) return;
    connection.beforeSend = undefined;
    now.ended = Promise.allSettled([connection.command('correct.show', { shows }), connection.command('pose.takeBack')]);
  };
  const ask = (example: number) => {
    now.frame = undefined;
    now.own = true;
    const answer = connection.command('correct.scrub', { view: 0, from: example, to: example, t: 0, live: true });
    now.own = false;
    return answer;
  };
  connection.divert = (arrived) => {
    const key = keyOf(arrived);
    if (key === undefined) return false;
    kept.set(key, () => ('event' in arrived ? connection.onEvent(arrived) : connection.onMessage(arrived)));
    if (!('event' in arrived) && arrived.code === FrameCode && arrived.body.view === 0) now.frame = arrived.body;
    return true;
  };
  // A page that is left must not leave the pose of an example behind.
  window.addEventListener('pagehide', end);
  try {
    const shown = connection.command('correct.show', { shows: ['target', 'target', 'target', 'target'] });
    connection.beforeSend = end;
    await shown;
    for (const example of examples) {
      if (over()) break;
      await ask(example);
      const frame = newest();
      if (!over() && frame !== undefined) found.set(example, frame);
    }
  } finally {
    end();
    await now.ended;
    window.removeEventListener('pagehide', end);
    connection.divert = undefined;
    for (const deliver of kept.values()) deliver();
  }
  return found;
}
