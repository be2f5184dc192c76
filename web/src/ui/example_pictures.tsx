// Small pictures of the examples for lists: each is drawn once at its pose, from the stage's mesh, while the page is idle.
import { effect, signal } from '@preact/signals';
import { connection } from '../client';
import { listen } from '../gestures/gesture_listeners';
import { readExampleFrames } from '../protocol/example_frames';
import { ExamplePainter } from '../render/example_painter';
import type { Stage } from '../render/stage';
import { document_, job, link, meshLoads, perDocument } from '../store';

/** Addresses by keyOf. */
const pictures = perDocument<ReadonlyMap<string, string>>(new Map());
/** What could not be drawn is not asked for again. */
const failed = perDocument<ReadonlySet<string>>(new Set());
const working = signal(false);

/** The shape of an example changes with its points, the mesh with its triangles. */
const keyOf = (shape: string) => `${shape} ${document_.value?.blobs?.mesh}`;

/** The server is asked for this many at a time. */
const batch = 4;
/** Something else may be sent meanwhile: then it asks again, this often. */
const tries = 20;
/** In milliseconds: after an input, and after a key that may still be held. */
const pauses = { input: 120, key: 700 };

/** Decoration: the name of the example is beside it. */
export function ExamplePicture({ shape }: { shape: string }) {
  const address = pictures.value.get(keyOf(shape));
  return address === undefined ? <span class="example-picture" aria-hidden="true" /> : <img class="example-picture" alt="" draggable={false} src={address} />;
}

/** Pictures are being drawn, or will be as soon as nothing is pressed. */
export const drawsExamples = () => working.value;

/** What the user does: pictures wait for a moment without input. */
function watchInput(): { calm: () => boolean; held: () => boolean; stop: () => void } {
  const pressed = new Set<number>();
  let last = 0;
  let keys = 0;
  const down = (event: PointerEvent) => {
    pressed.add(event.pointerId);
    last = performance.now();
  };
  const up = (event: PointerEvent) => {
    pressed.delete(event.pointerId);
    last = performance.now();
  };
  const keydown = () => (keys = performance.now());
  const keyup = () => {
    keys = 0;
    last = performance.now();
  };
  const blur = () => pressed.clear();
  const stop = listen(window, { pointerdown: down, pointerup: up, pointercancel: up, keydown, keyup, wheel: keyup, blur }, { capture: true, passive: true });
  const held = () => pressed.size > 0;
  const calm = () => !held() && performance.now() - last > pauses.input && performance.now() - keys > pauses.key;
  return { calm, held, stop };
}

function missing(): { example: number; key: string }[] {
  const info = document_.value;
  if (info?.open !== true || !info.skinned || info.reduced !== undefined || link.value !== 'open' || meshLoads.value === 0) return [];
  return info.examples.examples.map(({ shape }, example) => ({ example, key: keyOf(shape) })).filter(({ key }) => !pictures.value.has(key) && !failed.value.has(key));
}

/** Those of shapes that are no longer listed are dropped. */
function addPicture(key: string, address: string): void {
  const listed = new Set(document_.value?.examples?.examples.map(({ shape }) => keyOf(shape)));
  pictures.value = new Map([...pictures.value].filter(([one]) => listed.has(one))).set(key, address);
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Draws what is missing, now and later. `shows`: what the views show. Returns a function that stops it. */
export function followExamplePictures(stage: Stage, shows: () => string[]): () => void {
  const input = watchInput();
  const painter = new ExamplePainter(stage);
  let live = true;
  let running = false;
  const asked = new Map<string, number>();
  /** Until a job ends, nothing is looked at. */
  const wanted = () => live && job.value === undefined && missing().length > 0;

  const giveUp = (key: string) => (failed.value = new Set(failed.value).add(key));

  const drawSome = async (some: { example: number; key: string }[]) => {
    const { deformer } = stage;
    const frames = await readExampleFrames(connection, some.map(({ example }) => example), shows());
    for (const { example, key } of some) {
      const frame = frames.get(example);
      if (frame === undefined) continue;
      do await nextFrame();
      while (live && input.held());
      // Frames fit the mesh and the skin that they were made for.
      if (!live || stage.deformer !== deformer) return;
      const address = await painter.paint(frame);
      if (address === undefined) giveUp(key);
      else {
        asked.delete(key);
        addPicture(key, address);
      }
    }
  };

  const run = async () => {
    running = true;
    while (wanted()) {
      working.value = !input.held();
      await nextFrame();
      if (!wanted() || !input.calm() || !connection.idle) continue;
      const some = missing().slice(0, batch);
      for (const { key } of some) asked.set(key, (asked.get(key) ?? 0) + 1);
      try {
        await drawSome(some);
      } catch {
        if (link.peek() === 'open') for (const { key } of some) giveUp(key);
      }
      for (const { key } of missing()) if ((asked.get(key) ?? 0) >= tries) giveUp(key);
    }
    painter.forget();
    working.value = false;
    running = false;
  };

  const stop = effect(() => {
    if (wanted() && !running) void run();
  });
  return () => {
    live = false;
    stop();
    input.stop();
    painter.dispose();
  };
}
