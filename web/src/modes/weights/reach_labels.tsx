// Labels of a vertex' reach over the viewport: one per corner, the target, the distance out of reach, and a line about the
// vertex under the pointer. They are DOM elements, so that they work with screen readers, clicks and keys.
import { effect, signal } from '@preact/signals';
import { Vector3 } from 'three';
import type { Reach } from '../../protocol/messages';
import { categoryColours } from '../../render/colours';
import type { Stage } from '../../render/stage';
import { document_, perDocument, viewCount } from '../../store';
import { countText, Name, shortName } from '../../ui/labels';
import { assignAll } from './drag';
import { columns, handTarget, hovered, isOffered, jointColours, jointName, lengthText, pins, reaches, tool } from './settings';

interface Label {
  key: string;
  x: number;
  y: number;
}
interface CornerLabel extends Label {
  joint: number;
  /** Near, without weight. */
  offered: boolean;
  vertex: number;
  /** The corner itself, unless it is at the vertex. */
  dot: { x: number; y: number } | undefined;
}
interface Labels {
  corners: CornerLabel[];
  target: Label | undefined;
  distance: (Label & { text: string }) | undefined;
  pins: Label[];
  hover: (Label & { width: number; marker: { x: number; y: number }; text: string }) | undefined;
}

const none: Labels = { corners: [], target: undefined, distance: undefined, pins: [], hover: undefined };
const labels = signal<Labels>(none);
/** Labels do not take pointer events while the skin is dragged. */
export const dragging = perDocument(false);

const labelHeight = 26;
const margin = 4;
/** Pixels around the vertex without labels, so that it can be grabbed again. */
const clear = 30;
const widthOf = (text: string) => Math.min(160, 34 + 7 * text.length);

/** Beside their corners and away from the vertex, inside the view, stacked where they would overlap. */
function cornersOf(stage: Stage, reach: Reach): CornerLabel[] {
  const r = stage.rectangle(reach.view);
  const vertex = stage.project(new Vector3().fromArray(reach.position), reach.view);
  const places = [...reach.joints].map((_, i) => new Vector3().fromArray(reach.corners, 3 * i));
  const same = 1e-4 * (document_.value?.diagonal ?? 1);
  const corners = [...reach.joints]
    .map((joint, i) => ({ joint, offered: isOffered(reach, i), ...stage.project(places[i], reach.view) }))
    // A near joint adds nothing where another one puts the vertex at the same position.
    .filter(({ offered }, i) => !offered || places.slice(0, i).every((other) => other.distanceTo(places[i]) > same));
  const placed: CornerLabel[] = [];
  for (const { joint, offered, x, y } of corners.sort((a, b) => a.y - b.y || a.joint - b.joint)) {
    const width = widthOf(jointName(joint));
    const beside = Math.abs(y - vertex.y) < clear;
    const right = x >= vertex.x - 1;
    const wanted = right ? (beside ? Math.max(x + 12, vertex.x + clear) : x + 12) : (beside ? Math.min(x - 12, vertex.x - clear) : x - 12) - width;
    const left = Math.min(Math.max(wanted, r.x + margin), r.x + r.width - width - margin);
    let top = Math.min(Math.max(y - labelHeight / 2, r.y + margin), r.y + r.height - labelHeight - margin);
    for (const other of placed) {
      const apart = left >= other.x + widthOf(jointName(other.joint)) || other.x >= left + width;
      if (!apart && Math.abs(other.y - top) < labelHeight) top = other.y + labelHeight;
    }
    const dot = Math.hypot(x - vertex.x, y - vertex.y) > 16 ? { x, y } : undefined;
    placed.push({ key: String(joint), joint, offered, vertex: reach.vertex, x: left, y: top, dot });
  }
  return placed;
}

/** "upper_arm 0.41", the largest first. */
function weightWords(stage: Stage, vertex: number): string {
  const info = document_.value;
  const column = [...(stage.deformer?.influences.column(vertex) ?? [])].sort((a, b) => b.weight - a.weight);
  return column
    .filter((one) => Math.abs(one.weight) >= 0.005)
    .slice(0, 3)
    .map((one) => `${shortName(jointName(info?.bindings[one.binding] ?? -1), 24)} ${one.weight.toFixed(2)}`)
    .join(' · ');
}

/** At the bottom of the view, or at its top if the pointer is near the bottom. */
function hoverLabel(stage: Stage, under: NonNullable<typeof hovered.value>): Labels['hover'] {
  const r = stage.rectangle(under.view);
  const marker = stage.project(new Vector3(...under.place), under.view);
  const low = marker.y > r.y + r.height - 120;
  const text = `Vertex ${countText(under.vertex)} · ${weightWords(stage, under.vertex)}`;
  return { key: 'hover', x: r.x + 8, y: low ? r.y + 36 : r.y + r.height - 30, width: r.width - 16, marker, text };
}

function labelsNow(stage: Stage): Labels {
  // For other tools labels would block presses.
  const list = tool.value === 'drag' ? [...reaches.value.values()].filter((reach) => reach.view < viewCount.value) : [];
  const diagonal = document_.value?.diagonal ?? 1;
  const lead = list.find((reach) => reach.leads === 1);
  const at = (place: ArrayLike<number>, view: number) => stage.project(new Vector3().fromArray(place), view);
  const found: Labels = { ...none, corners: lead === undefined ? [] : cornersOf(stage, lead) };
  found.pins = list.filter((reach) => reach.leads === 0 && pins.value.includes(reach.view)).map((reach) => ({ key: `pin-${reach.view}`, ...at(reach.target, reach.view) }));
  if (lead !== undefined) {
    const hand = handTarget.value;
    const wanted = hand?.view === lead.view ? hand.place : lead.target;
    if (hand !== undefined || lead.distance > 1e-6 * diagonal) found.target = { key: 'target', ...at(wanted, lead.view) };
    if (lead.distance > 1e-6 * diagonal) {
      const [a, b] = [at(lead.position, lead.view), at(lead.target, lead.view)];
      found.distance = { key: 'distance', x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, text: lengthText(lead.distance) };
    }
  }
  const under = hovered.value;
  if (under !== undefined && under.vertex < stage.vertexCount && !dragging.value) found.hover = hoverLabel(stage, under);
  return found;
}

/** Updates labels with the camera, the drag and the pointer. Returns a function that stops it. */
export function installReachLabels(stage: Stage): () => void {
  let last = '';
  const update = () => {
    const next = labelsNow(stage);
    const text = JSON.stringify(next, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value));
    if (text === last) return;
    last = text;
    labels.value = next;
  };
  stage.beforeDraw.push(update);
  const stop = effect(() => {
    void reaches.value;
    void handTarget.value;
    void hovered.value;
    void dragging.value;
    void pins.value;
    void tool.value;
    void columns.value;
    stage.draw();
  });
  return () => {
    stop();
    stage.beforeDraw.splice(stage.beforeDraw.indexOf(update), 1);
    labels.value = none;
  };
}

/** Pixels that the pointer may move during a click. */
const clickReach = 4;
let pressed: { x: number; y: number } | undefined;

/** A press that moves is not a click, even if it ends on the same label: it was meant for the skin below. */
export function clickOnly(run: () => void) {
  return {
    onPointerDown: (event: { clientX: number; clientY: number }) => {
      pressed = { x: event.clientX, y: event.clientY };
    },
    // Clicks by key have no press.
    onClick: (event: { clientX: number; clientY: number; detail: number }) => {
      if (event.detail > 0 && pressed !== undefined && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > clickReach) return;
      run();
    },
  };
}

export function ReachLabels() {
  const { corners, target, distance, pins: held, hover } = labels.value;
  return (
    <>
      {!dragging.value && corners.map((one) => one.dot !== undefined && <div key={one.key} class="corner-dot" title={`All weight to ${jointName(one.joint)}`} style={{ left: `${one.dot.x}px`, top: `${one.dot.y}px` }} {...clickOnly(() => assignAll(one.vertex, one.joint))} />)}
      {corners.length > 0 && (
        <div role="group" aria-label="Corners of the reach">
          {corners.map((one) => (
            <button
              key={one.key}
              class={one.offered ? 'corner offered' : 'corner'}
              style={{ left: `${one.x}px`, top: `${one.y}px`, pointerEvents: dragging.value ? 'none' : 'auto' }}
              title={one.offered ? `All weight to ${jointName(one.joint)} (near, without weight yet)` : `All weight to ${jointName(one.joint)}`}
              aria-label={`All weight to ${jointName(one.joint)}`}
              {...clickOnly(() => assignAll(one.vertex, one.joint))}
            >
              <span class="swatch" style={{ background: categoryColours[jointColours.value[one.joint] ?? 7] }} />
              <Name text={jointName(one.joint)} />
            </button>
          ))}
        </div>
      )}
      {held.map((one) => (
        <div key={one.key} class="reach-pin" title="Pinned here" style={{ left: `${one.x}px`, top: `${one.y}px` }} />
      ))}
      {target !== undefined && <div class="reach-target" data-test="reach-target" style={{ left: `${target.x}px`, top: `${target.y}px` }} />}
      {distance !== undefined && (
        <div class="label reach-distance" data-test="reach-distance" style={{ left: `${distance.x}px`, top: `${distance.y}px` }}>
          {distance.text}
        </div>
      )}
      {hover !== undefined && (
        <>
          <div class="hover-mark" style={{ left: `${hover.marker.x}px`, top: `${hover.marker.y}px` }} />
          <div class="label hover-line" data-test="hover" title={hover.text} style={{ left: `${hover.x}px`, top: `${hover.y}px`, maxWidth: `${hover.width}px` }}>
            {hover.text}
          </div>
        </>
      )}
    </>
  );
}

/** For tests: the reaches as received. */
export const shownReaches = () => [...reaches.value.values()].map((reach) => ({ ...reach, target: [...reach.target], position: [...reach.position], corners: [...reach.corners], joints: [...reach.joints], edges: [...reach.edges], triangles: [...reach.triangles], suggested: [...reach.suggested], offered: [...reach.offered] }));
