// The mode Weights: dragging the skin solves for its weights; the reachable set is drawn in every visible pose.
import { effect } from '@preact/signals';
import { connection, onEvent, onMessage, stage as liveStage } from '../../client';
import { type AreaSelect, installBoxSelect } from '../../gestures/box_select';
import { listen, onNewLink } from '../../gestures/gesture_listeners';
import { installLasso } from '../../gestures/lasso_select';
import { installRadiusGesture, limitedShare, sceneUnits } from '../../gestures/radius_gesture';
import { installSurfaceDrag } from '../../gestures/surface_drag';
import { installHover } from '../../gestures/surface_hover';
import { HistoryCode, ReachCode, WeightsCode } from '../../protocol/messages';
import { BrushRing } from '../../render/brush_ring';
import { ReachOverlay } from '../../render/reach_overlay';
import { SelectionDots } from '../../render/selection_dots';
import { Shown } from '../../render/skin_material';
import type { Stage } from '../../render/stage';
import type { SurfacePoint } from '../../render/surface_probe';
import { activeView, document_, selectedVertices, viewCount } from '../../store';
import { countText } from '../../ui/labels';
import type { Mode, StudioCommand } from '../mode';
import { beginDrag, endKeyed, keyDragging, loseKeyed } from './drag';
import { focusPad, focusSoon, Inspector } from './inspector';
import { Outliner, toggleLock } from './outliner';
import { installPaint, operations } from './paint_stroke';
import { dragging, installReachLabels, ReachLabels, shownReaches } from './reach_labels';
import { growSelection } from './selection';
import { bindingColours, brushShare, cap, columns, handTarget, heldBack, hovered, jointColours, mirrorAxes, mirrorAxis, mirrorBrush, negative, operation, pins, presentOnly, reaches, shownBinding, softOn, softShare, strengths, tool, volume, xray } from './settings';
import { installSoftPreview } from './soft_preview';
import { mirror, normalise, prune, smooth, WeightTable } from './tools';

/** The last position of the pointer over the canvas. */
let pointer: { x: number; y: number } | undefined;

/** Shows the influence with the largest weight at the vertex under the pointer. */
function sampleInfluence(): void {
  const picked = pointer === undefined ? undefined : liveStage?.pick(pointer.x, pointer.y, xray.value);
  const column = picked === undefined ? undefined : liveStage?.deformer?.influences.column(picked.vertex);
  if (column === undefined || column.length === 0) return;
  shownBinding.value = column.reduce((a, b) => (b.weight > a.weight ? b : a)).binding;
}

function brushOf(event: PointerEvent) {
  if (tool.value !== 'paint') return undefined;
  const index = event.shiftKey ? operations.findIndex((one) => one.name === 'smooth') : operation.value;
  const { name, code } = operations[index];
  if (shownBinding.value === undefined && name !== 'smooth' && name !== 'sharpen') return undefined;
  const strength = strengths.value[index];
  // Ctrl removes: add uses the negative strength, replace the complement.
  const signed = !event.ctrlKey ? strength : name === 'add' ? -strength : name === 'replace' ? 1 - strength : strength;
  heldBack.value = '';
  return { operation: code, binding: shownBinding.value ?? 0, strength: signed, radius: sceneUnits(brushShare.value), most: cap.value, mirror: mirrorBrush.value ? 1 + mirrorAxes.indexOf(mirrorAxis.value) : 0, through: xray.value };
}

/** Shift adds, Ctrl removes, otherwise the selection is replaced. */
function select(vertices: number[], event: PointerEvent): void {
  const old = selectedVertices.value;
  const found = new Set(vertices);
  if (event.shiftKey) selectedVertices.value = [...new Set([...old, ...vertices])];
  else if (event.ctrlKey) selectedVertices.value = old.filter((v) => !found.has(v));
  else selectedVertices.value = vertices;
}

function grab(stage: Stage, x: number, y: number, view: number, event: PointerEvent) {
  if (tool.value !== 'drag') return undefined;
  const picked = stage.pick(x, y);
  if (picked === undefined) return undefined;
  const has = selectedVertices.value.includes(picked.vertex);
  if (event.shiftKey || event.ctrlKey) {
    if (!has) selectedVertices.value = [...selectedVertices.value, picked.vertex];
    else if (event.ctrlKey) selectedVertices.value = selectedVertices.value.filter((v) => v !== picked.vertex);
    return undefined;
  }
  endKeyed(true);
  selectedVertices.value = has ? [picked.vertex, ...selectedVertices.value.filter((v) => v !== picked.vertex)] : [picked.vertex];
  return { place: stage.position(picked.vertex, view), begin: (drag: number) => beginDrag(drag, view, picked.vertex) };
}

/** Requests the reach of the lead vertex when the lead or the document changes. Returns a function that stops it. */
function followLead(): () => void {
  let asked: string | undefined;
  /** The step made by a drag does not request again, so that its target stays visible. */
  let expected = false;
  const ask = () => {
    const info = document_.value;
    const vertex = selectedVertices.value[0];
    const busy = dragging.value || keyDragging();
    if (info?.skinned !== true || vertex === undefined || vertex >= info.vertices) {
      if (!busy) reaches.value = new Map();
      asked = undefined;
      return;
    }
    const radius = softOn.value ? sceneUnits(softShare.value) : 0;
    const asking = { vertex, negative: negative.value, near: !presentOnly.value, radius, volume: volume.value };
    const key = JSON.stringify([asking, info.locks, viewCount.value]);
    if (busy || (key === asked && reaches.peek().size > 0)) {
      asked = key;
      return;
    }
    asked = key;
    reaches.value = new Map();
    connection.command('weights.reach', { ...asking, view: activeView.peek() }).catch(() => {});
  };
  // The next input is not part of the drag.
  const forget = () => {
    if (!keyDragging() && !dragging.value) expected = false;
  };
  let depth: number | undefined;
  const stops = [
    listen(window, { keydown: forget, pointerdown: forget }, { capture: true }),
    effect(ask),
    effect(() => {
      if (dragging.value) expected = true;
    }),
    onMessage(({ code, body }) => {
      if (code !== HistoryCode) return;
      const other = depth !== undefined && body.depth !== depth;
      depth = body.depth;
      if (!other) return;
      if (!expected) {
        asked = undefined;
        ask();
      }
      expected = false;
    }),
    effect(() => {
      if (handTarget.value !== undefined) expected = true;
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function enter(stage: Stage): () => void {
  const overlay = new ReachOverlay(stage);
  const ring = new BrushRing(stage);
  const dots = new SelectionDots(stage);
  const area = (name: 'box' | 'lasso'): AreaSelect => ({ active: () => tool.value === name, through: () => xray.value, select });
  const found = (point: SurfacePoint | undefined) => {
    const busy = dragging.value;
    const { vertex, vertexPlace, view } = point ?? {};
    const next = busy || vertex === undefined || vertexPlace === undefined || view === undefined ? undefined : { vertex, view, place: vertexPlace.toArray() };
    if (next?.vertex !== hovered.value?.vertex || next?.view !== hovered.value?.view) hovered.value = next;
    if (tool.value === 'paint' && point?.place !== undefined) ring.show(point.view, point.place, point.normal, sceneUnits(brushShare.value));
    else ring.hide();
  };
  const radius = () => (tool.value === 'paint' ? brushShare : softShare);
  const stops = [
    effect(() => stage.setBindingColours(bindingColours.value)),
    effect(() => stage.setShown(shownBinding.value === undefined ? Shown.AllWeights : Shown.OneWeight, shownBinding.value ?? 0)),
    effect(() => dots.show(selectedVertices.value.filter((v) => v < (document_.value?.vertices ?? 0)))),
    effect(() => overlay.show(tool.value === 'drag' ? reaches.value : new Map(), jointColours.value, document_.value?.diagonal ?? 1)),
    onMessage((message) => {
      if (message.code === ReachCode) reaches.value = new Map(reaches.value).set(message.body.view, message.body);
      if (message.code === WeightsCode) columns.value += 1;
    }),
    onEvent((event) => {
      if (event.event === 'heldBack') heldBack.value = event.text;
    }),
    // Before the other gestures: while B is held it takes the press.
    installRadiusGesture(stage, {
      active: () => tool.value === 'drag' || tool.value === 'paint',
      get: () => radius().value,
      set: (share) => {
        if (tool.value === 'drag') softOn.value = true;
        radius().value = limitedShare(share);
      },
      tap: () => {
        if (tool.value === 'drag') softOn.value = !softOn.value;
      },
    }),
    effect(() => {
      void brushShare.value;
      ring.resize(sceneUnits(brushShare.value));
    }),
    installPaint(stage, brushOf, () => {}),
    installBoxSelect(stage, area('box')),
    installLasso(stage, area('lasso')),
    installSurfaceDrag(stage, {
      grab: (x, y, view, event) => grab(stage, x, y, view, event),
      onStart: (started, view) => {
        dragging.value = true;
        hovered.value = undefined;
        reaches.value = new Map();
        handTarget.value = { view, place: started.place.toArray() };
      },
      onMove: (place) => {
        if (handTarget.value !== undefined) handTarget.value = { ...handTarget.value, place: place.toArray() };
      },
      onEnd: (kept) => {
        handTarget.value = undefined;
        if (!kept) reaches.value = new Map();
        dragging.value = false;
      },
    }),
    onNewLink(loseKeyed),
    followLead(),
    installHover(stage, { wanted: ({ buttons }) => (buttons === 0 && !dragging.value) || tool.value === 'paint', found }),
    installReachLabels(stage),
    installSoftPreview(stage),
  ];
  const follow = (event: PointerEvent) => {
    const r = stage.canvas.getBoundingClientRect();
    pointer = { x: event.clientX - r.left, y: event.clientY - r.top };
  };
  stops.push(listen(stage.canvas, { pointermove: follow }));
  return () => {
    endKeyed(true);
    for (const stop of stops) stop();
    dots.dispose();
    overlay.clear();
    ring.dispose();
    stage.setShown(Shown.Plain);
  };
}

function togglePin(): void {
  const view = activeView.value;
  pins.value = pins.value.includes(view) ? pins.value.filter((one) => one !== view) : [...pins.value, view];
}

function scaleRadius(factor: number): void {
  const share = tool.value === 'paint' ? brushShare : softShare;
  share.value = limitedShare(factor * share.value);
}

const here = () => document_.value?.skinned === true;
const some = () => here() && selectedVertices.value.length > 0;
const commands: StudioCommand[] = [
  { title: 'Tool: Drag', key: 'q', enabled: here, run: () => void (tool.value = 'drag') },
  { title: 'Tool: Box', key: 'w', enabled: here, run: () => void (tool.value = 'box') },
  { title: 'Tool: Lasso', key: 'r', enabled: here, run: () => void (tool.value = 'lasso') },
  { title: 'Tool: Paint', key: 'e', enabled: here, run: () => void (tool.value = 'paint') },
  { title: 'Toggle X-ray', key: 'x', enabled: here, run: () => void (xray.value = !xray.value) },
  { title: 'Drag with near joints or only present ones', enabled: here, run: () => void (presentOnly.value = !presentOnly.value) },
  { title: 'Toggle soft selection', keyLabel: 'B', enabled: here, run: () => void (softOn.value = !softOn.value) },
  { title: 'Increase radius', keyLabel: 'B + drag right, Ctrl + wheel', enabled: here, run: () => scaleRadius(1.25) },
  { title: 'Decrease radius', keyLabel: 'B + drag left, Ctrl + wheel', enabled: here, run: () => scaleRadius(0.8) },
  { title: 'Nudge vertex with arrow keys', key: 'g', enabled: some, run: focusPad },
  { title: 'Pin vertex in this pose', key: 'p', enabled: here, run: togglePin },
  { title: 'Grow selection', key: '$mod+[Shift]+(\\+|=)', keyLabel: 'Ctrl +', enabled: some, run: () => growSelection(true) },
  { title: 'Shrink selection', key: '$mod+[Shift]+(-|_)', keyLabel: 'Ctrl -', enabled: some, run: () => growSelection(false) },
  { title: 'Select by number', enabled: here, run: () => focusSoon('select-ids') },
  { title: 'Select none', key: 'Shift+a', enabled: here, run: () => void (selectedVertices.value = []) },
  { title: 'Pick influence under the pointer', key: 's', enabled: here, run: sampleInfluence },
  { title: 'Lock or unlock influence', key: 'l', enabled: here, run: () => toggleLock(shownBinding.value) },
  { title: 'Normalise weights', enabled: here, run: normalise },
  { title: 'Prune weights', enabled: here, run: prune },
  { title: 'Smooth weights', enabled: here, run: smooth },
  { title: 'Mirror weights', key: 'm', enabled: here, run: () => mirror('above') },
];

/** What can be done now, for the status bar. */
function hint(): string {
  if (!here()) return 'This mesh has no weights.';
  if (tool.value === 'paint') return shownBinding.value === undefined ? 'Choose an influence in the list, or press S over the skin.' : 'Paint on the skin. Ctrl subtracts, Shift smooths, S picks an influence.';
  if (tool.value !== 'drag') return 'Draw around vertices to select them. Shift adds, Ctrl removes.';
  return selectedVertices.value.length === 0 ? 'Press on the skin to see what it can reach; drag to change its weights.' : 'Drag the vertex to a target. B is soft selection, P pins it in this pose.';
}

export const weightsMode: Mode = {
  name: 'weights',
  title: 'Weights',
  icon: 'weight',
  hint,
  selection: () => (selectedVertices.value.length === 0 ? '' : selectedVertices.value.length === 1 ? `Vertex ${countText(selectedVertices.value[0])}` : `${countText(selectedVertices.value.length)} vertices`),
  Outliner,
  Inspector,
  Dock: WeightTable,
  Overlay: ReachLabels,
  commands,
  enter,
  testHooks: { reaches: shownReaches },
};
