// The mode Correct: examples of how the skin should look at poses, and a model that is learned while they change.
import { computed, effect } from '@preact/signals';
import { command, connection, onEvent, onMessage } from '../../client';
import { installRadiusGesture, limitedShare, sceneUnits } from '../../gestures/radius_gesture';
import { listen } from '../../gestures/gesture_listeners';
import { installHover } from '../../gestures/surface_hover';
import { ActivationsCode, WeightsCode } from '../../protocol/messages';
import { BrushRing } from '../../render/brush_ring';
import type { Stage } from '../../render/stage';
import { activeView, document_, documentNumber, errorCard, letterKeys, link, viewCount } from '../../store';
import { followExamplePictures } from '../../ui/example_pictures';
import { capital } from '../../ui/labels';
import type { Mode, StudioCommand } from '../mode';
import './correct.css';
import { Dock } from './dock';
import { Inspector, keepModel } from './inspector';
import { choosing, goTo, Outliner, saveExample } from './outliner';
import { along, from, nudgeAlong, to } from './scrub';
import { ShownLabels } from './shown_labels';
import { installSculpt } from './sculpt';
import { activation, activations, brushShare, exampleHere, examples, fields, info, learned, learning, options, relearn, compare, compared, endCompared, restoreCompared, shown, shownIn, showsPlain, tool, tools, usable } from './state';

/** Tells the server what each view shows, also after it was restarted. */
function followShown(): () => void {
  const key = computed(() => JSON.stringify([link.value, usable.value, document_.value?.number, Array.from({ length: viewCount.value }, (_, view) => shownIn(view))]));
  return effect(() => {
    const [state, can, , shows] = JSON.parse(key.value) as [string, boolean, number, string[]];
    if (state === 'open' && can) connection.command('correct.show', { shows }).catch(() => {});
  });
}

/** What the model depends on besides weights. */
function followExamples(): () => void {
  // Of everything that the document tells, strokes of a sculpt change nothing here.
  const key = computed(() => {
    const { examples: list = [], drivers = [] } = info.value ?? {};
    const { blobs, number } = document_.value ?? {};
    return JSON.stringify([usable.value, list, drivers, options.value, blobs?.mesh, blobs?.morphs, number, link.value]);
  });
  return effect(() => {
    void key.value;
    if (usable.peek() && link.peek() === 'open') relearn();
  });
}

/** T shows plain skin while it is held. */
function holdPlain(): () => void {
  const free = (event: KeyboardEvent) => letterKeys.value && !event.ctrlKey && !event.metaKey && !event.altKey && !(event.target instanceof HTMLInputElement && event.target.type !== 'range') && !(event.target instanceof HTMLSelectElement);
  const down = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 't' && usable.peek() && free(event)) showsPlain.value = true;
  };
  const up = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 't') showsPlain.value = false;
  };
  const blur = () => (showsPlain.value = false);
  return listen(window, { keydown: down, keyup: up, blur });
}

function askFields(): void {
  if (fields.peek().length > 0) return;
  connection
    .command('correct.fields')
    .then((answer) => (fields.value = answer.fields))
    // Not connected: asked again after the greeting.
    .catch(() => {});
}

function enter(stage: Stage): () => void {
  const ring = new BrushRing(stage);
  let number: number | undefined;
  askFields();
  const stops = [
    onMessage(({ code, body }) => {
      if (code === ActivationsCode) activations.value = new Map(activations.value).set(body.view, body);
      // Drags of weights are other modes'; their steps change what is learned.
      if (code === WeightsCode && body.drag === 0) relearn();
    }),
    onEvent((event) => {
      if (event.event === 'hello') askFields();
      if (event.event === 'hello' || (event.event === 'document' && documentNumber.peek() !== number)) restoreCompared();
      number = documentNumber.peek();
      if (event.event === 'views') endCompared(event.count);
      if (event.event === 'learned') {
        learned.value = event;
        learning.value = undefined;
      }
      if (event.event === 'job' && event.job === learning.value) {
        learning.value = undefined;
        if (event.fault !== '' && !event.cancelled) errorCard.value = { text: event.fault, hint: '' };
      }
      if (event.event === 'examplesOpened' && event.warnings.length > 0)
        errorCard.value = { text: `Notes on the examples of ${event.source}:`, hint: '', notes: [...event.warnings, ...event.notes], calm: true };
    }),
    followShown(),
    followExamples(),
    followExamplePictures(stage, () => Array.from({ length: viewCount.peek() }, (_, view) => shownIn(view))),
    holdPlain(),
    installRadiusGesture(stage, { active: () => usable.value, get: () => brushShare.value, set: (share) => (brushShare.value = limitedShare(share)), tap: () => {} }),
    effect(() => {
      ring.resize(sceneUnits(brushShare.value));
    }),
    installSculpt(stage),
    installHover(stage, {
      wanted: () => usable.value,
      found: (point) => {
        if (point?.place !== undefined) ring.show(point.view, point.place, point.normal, sceneUnits(brushShare.value));
        else ring.hide();
      },
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    ring.dispose();
    showsPlain.value = false;
    choosing.value = undefined;
    if (compared.peek()) void compare(false);
    // Other modes show the document as it is.
    if (document_.value?.open === true) connection.command('correct.show', { shows: [] }).catch(() => {});
  };
}

/** Goes to the next or previous example of the list. */
function step(by: number): void {
  const count = examples.value.length;
  if (count === 0) return;
  const here = exampleHere.value;
  goTo(here === undefined ? (by > 0 ? 0 : count - 1) : (here + by + count) % count);
}

const some = () => usable.value && examples.value.length > 0;
const commands: StudioCommand[] = [
  { title: 'Next example', key: '.', enabled: some, run: () => step(1) },
  { title: 'Previous example', key: ',', enabled: some, run: () => step(-1) },
  { title: 'Scrub forwards', key: 'Shift+Period', keyLabel: 'Shift .', enabled: some, run: () => nudgeAlong(0.05) },
  { title: 'Scrub backwards', key: 'Shift+Comma', keyLabel: 'Shift ,', enabled: some, run: () => nudgeAlong(-0.05) },
  ...tools.map((one, i): StudioCommand => ({ title: `Tool: ${capital(one.name)}`, enabled: () => usable.value, run: () => (tool.value = i) })),
  { title: 'Show plain skin (hold)', keyLabel: 'T', enabled: () => usable.value, run: () => (shown.value = shown.value === 'plain' ? 'result' : 'plain') },
  { title: 'Compare side by side', enabled: () => usable.value, run: () => void compare(!compared.value) },
  { title: 'Save as example', key: 'Enter', enabled: () => usable.value, run: saveExample },
  { title: 'Keep model', enabled: some, run: () => void keepModel() },
  { title: 'Discard sculpt', enabled: () => info.value?.sculpt !== undefined, run: () => void command('correct.dropSculpt') },
  { title: 'Go to rest', enabled: () => usable.value, run: () => void command('pose.reset', { view: activeView.value }) },
];

/** What can be done now, for the status bar. */
function hint(): string {
  if (!usable.value) return 'Examples need a character with a skin.';
  if (info.value?.sculpt !== undefined) return 'Sculpt until it looks right, then press Enter to save it as an example.';
  return examples.value.length === 0 ? 'Pose the character, drag on the skin to sculpt it, and press Enter.' : 'Drag on the skin to sculpt it at this pose; , and . go through the examples.';
}

export const correctMode: Mode = {
  name: 'correct',
  title: 'Correct',
  icon: 'correct',
  hint,
  Outliner,
  Inspector,
  Dock,
  Overlay: ShownLabels,
  commands,
  enter,
  testHooks: {
    correct: () => {
      const here = activation.value;
      return { learned: learned.value, learning: learning.value !== undefined, weights: Array.from(here?.weights ?? []), example: exampleHere.value, sculpted: here?.sculpted === 1, from: from.value, to: to.value, along: along.value };
    },
  },
};
