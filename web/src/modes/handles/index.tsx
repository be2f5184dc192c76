// The mode Handles: learn a reduced model from example meshes, then pose it by dragging a few vertices of its skin.
import { effect, untracked } from '@preact/signals';
import { Group } from 'three';
import { command, connection, onMessage } from '../../client';
import { installSurfaceDrag } from '../../gestures/surface_drag';
import { installVertexHover } from '../../gestures/surface_hover';
import { AnswerCode, FrameCode, HandleDragBeginCode, HandlesCode, writeHandleDragBegin } from '../../protocol/messages';
import { Shown } from '../../render/skin_material';
import type { Overlay, Stage } from '../../render/stage';
import { document_ } from '../../store';
import type { MenuItem, MenuPlace, Mode, StudioCommand } from '../mode';
import { type ControlGroups, controlGroups, posedProxies, proxyDots } from './groups';
import { disposeMarks, drawMarks, handlePlaces } from './marks';
import { Inspector, Outliner, Overlay as HoverLine } from './panels';
import { dragged, groupColours, hasModel, hovered, hoveredGroup, justPlaced, lastFrame, lastSolve, place, placing, remove, selectedHandle, showBlend, showGroups, showProxies, togglePin } from './state';
import { addKey, Dock, exportKeys, jumpToKey, keepMoment, stepTime, togglePlay } from './timeline';

/** Groups of the shown mesh, computed once per mesh. */
let known: { mesh: string; groups: ControlGroups } | undefined;
let applied: object | null = null;

async function findGroups(stage: Stage, mesh: string, count: number): Promise<void> {
  const groups = controlGroups(await connection.blob(mesh), count);
  if (document_.peek()?.blobs.mesh !== mesh) return;
  known = { mesh, groups };
  applyGroups(stage);
}

/** Sets the colours on the stage, whose mesh may be loaded later and starts without colours. */
function applyGroups(stage: Stage): void {
  if (known === undefined || known.mesh !== document_.peek()?.blobs?.mesh || known.groups.labels.length !== stage.vertexCount) return;
  if (stage.uniforms.labels.value === applied) return;
  stage.setLabels(known.groups.labels);
  stage.setBindingColours(known.groups.colours);
  applied = stage.uniforms.labels.value;
  groupColours.value = known.groups.colours;
}

function shownNow(): [Shown, number] {
  if (!hasModel.value) return [Shown.Plain, 0];
  if (hoveredGroup.value !== undefined) return [Shown.OneWeight, hoveredGroup.value];
  if (showBlend.value) return [Shown.AllWeights, 0];
  return [showGroups.value ? Shown.Groups : Shown.Plain, 0];
}

/** The handle with the nearest marker, within a distance that is larger for touch; -1: none. */
function handleAt(stage: Stage, x: number, y: number, view: number, touch: boolean): number {
  const info = document_.peek();
  if (info?.reduced === undefined) return -1;
  const marks = handlePlaces({ info, frame: lastFrame.peek(), selected: undefined, dragged: undefined });
  let best = -1;
  let least = touch ? 24 : 14;
  marks.forEach(({ reached }, h) => {
    const p = stage.project(reached, view);
    const distance = Math.hypot(p.x - x, p.y - y);
    if (distance < least) [best, least] = [h, distance];
  });
  return best;
}

function enter(stage: Stage): () => void {
  let overlay: (Overlay & { object: Group }) | undefined;
  const clear = () => {
    if (overlay === undefined) return;
    stage.removeOverlay(overlay);
    for (const child of overlay.object.children) if (child instanceof Group) disposeMarks(child);
    disposeMarks(overlay.object);
    overlay = undefined;
  };
  const redraw = () => {
    clear();
    const info = document_.value;
    if (info?.reduced === undefined) return;
    const object = drawMarks({ info, frame: lastFrame.value, selected: selectedHandle.value, dragged: dragged.value });
    if (showProxies.value && known !== undefined && known.mesh === info.blobs.mesh) object.add(proxyDots(posedProxies(known.groups, lastFrame.value)));
    overlay = { object };
    stage.overlays.add(overlay);
    stage.draw();
  };
  const stops = [
    effect(() => stage.setShown(...shownNow())),
    effect(() => {
      const mesh = document_.value?.blobs?.mesh;
      const count = document_.value?.reduced?.controls;
      if (mesh !== undefined && count !== undefined && known?.mesh !== mesh) untracked(() => void findGroups(stage, mesh, count));
    }),
    effect(() => {
      void groupColours.value;
      redraw();
    }),
    // Undo may remove the selected handle.
    effect(() => {
      if (selectedHandle.value !== undefined && document_.value?.handles[selectedHandle.value] === undefined) selectedHandle.value = undefined;
    }),
    onMessage((message) => {
      if (message.code === FrameCode) {
        applyGroups(stage);
        lastFrame.value = { ...lastFrame.value, palettes: stage.palettes.values };
      } else if (message.code === HandlesCode) {
        lastFrame.value = { ...lastFrame.value, ...message.body };
      } else if (message.code === AnswerCode && message.body.iterations > 0) {
        lastSolve.value = { iterations: message.body.iterations, milliseconds: message.body.solveMs };
      }
    }),
    installVertexHover(stage, hovered, ({ buttons }) => buttons === 0 && hasModel.value),
    installSurfaceDrag(stage, {
      grab: (x, y, view, event) => {
        hovered.value = undefined;
        const near = handleAt(stage, x, y, view, event.pointerType === 'touch');
        const info = document_.value;
        if (near < 0 || info === undefined) return undefined;
        void keepMoment();
        selectedHandle.value = near;
        const marks = handlePlaces({ info, frame: lastFrame.value, selected: undefined, dragged: undefined });
        return { place: marks[near].reached, begin: (drag) => connection.send(HandleDragBeginCode, writeHandleDragBegin, { drag, handle: near }) };
      },
      onMove: (target) => {
        if (selectedHandle.value !== undefined) dragged.value = { handle: selectedHandle.value, target: target.clone() };
      },
      onEnd: () => (dragged.value = undefined),
      // A press that moves is a camera gesture: only a click places a handle.
      click: (x, y) => {
        if (!hasModel.value || !placing.value) return;
        const picked = stage.pick(x, y);
        if (picked !== undefined) void keepMoment().then(() => place(picked.vertex));
      },
    }),
  ];
  // Another mode may have set other colours.
  applied = null;
  applyGroups(stage);
  // The shown frame arrived before the mode was entered.
  void connection.command('frame').catch(() => {});
  const twice = (event: MouseEvent) => {
    const r = stage.canvas.getBoundingClientRect();
    const x = event.clientX - r.left;
    const near = handleAt(stage, x, event.clientY - r.top, stage.viewAt(x, event.clientY - r.top), false);
    if (near >= 0 && !justPlaced(near)) remove(near);
  };
  stage.canvas.addEventListener('dblclick', twice);
  return () => {
    void keepMoment();
    stage.canvas.removeEventListener('dblclick', twice);
    for (const stop of stops) stop();
    clear();
    hoveredGroup.value = undefined;
    stage.setShown(Shown.Plain);
  };
}

const here = () => hasModel.value;
const onHandle = () => here() && selectedHandle.value !== undefined;
const withHandle = (run: (handle: number) => void) => () => {
  if (selectedHandle.value !== undefined) run(selectedHandle.value);
};
const commands: StudioCommand[] = [
  { title: 'Toggle handle placement', key: 'h', enabled: here, run: () => void (placing.value = !placing.value) },
  { title: 'Pin or unpin handle', key: 'p', enabled: onHandle, run: withHandle(togglePin) },
  { title: 'Unpin all handles', key: 'u', enabled: here, run: () => command('handles.unpin') },
  { title: 'Remove handle', key: 'Delete', enabled: onHandle, run: withHandle(remove) },
  { title: 'Toggle control groups', key: 'g', enabled: here, run: () => void (showGroups.value = !showGroups.value) },
  { title: 'Toggle proxies', enabled: here, run: () => void (showProxies.value = !showProxies.value) },
  { title: 'Toggle blend weights', enabled: here, run: () => void (showBlend.value = !showBlend.value) },
  { title: 'Add key', key: 'k', enabled: here, run: addKey },
  { title: 'Play or stop', key: 'Space', enabled: here, run: togglePlay },
  { title: 'Previous frame', key: 'ArrowLeft', enabled: here, run: () => stepTime(-1) },
  { title: 'Next frame', key: 'ArrowRight', enabled: here, run: () => stepTime(1) },
  { title: 'Previous key', key: ',', enabled: here, run: () => jumpToKey(-1) },
  { title: 'Next key', key: '.', enabled: here, run: () => jumpToKey(1) },
  { title: 'Export animation', enabled: here, run: () => exportKeys() },
];

/** Items of the context menu. */
function menu({ vertex }: MenuPlace): MenuItem[] {
  if (!hasModel.value || vertex === undefined) return [];
  const handle = document_.value?.handles.findIndex((one) => one.vertex === vertex) ?? -1;
  if (handle < 0) return [{ title: 'Place handle here', run: () => place(vertex) }];
  return [
    { title: document_.value?.handles[handle].pinned === true ? 'Unpin handle' : 'Pin handle', run: () => togglePin(handle) },
    { title: 'Remove handle', run: () => remove(handle) },
  ];
}

/** What can be done now, for the status bar. */
function hint(): string {
  if (!hasModel.value) return 'Learn a model from the example meshes first.';
  if ((document_.value?.handles.length ?? 0) === 0) return 'Click the skin to place a handle.';
  return selectedHandle.value === undefined ? 'Drag a handle to pose the shape.' : 'Drag the handle. P pins it, K adds a key, Delete removes it.';
}

export const handlesMode: Mode = {
  name: 'handles',
  title: 'Handles',
  icon: 'handles',
  hint,
  selection: () => (selectedHandle.value === undefined ? '' : `Handle ${selectedHandle.value + 1}`),
  Outliner,
  Inspector,
  Dock,
  Overlay: HoverLine,
  commands,
  menu,
  ownsDoubleClick: true,
  enter,
};
