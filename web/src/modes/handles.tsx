// The mode Handles: learn a reduced model from example meshes, then pose it by dragging a few vertices of its skin.
import { effect, untracked } from '@preact/signals';
import { Group } from 'three';
import { command, connection, onMessage } from '../client';
import { AnswerCode, DragTool, FrameCode, HandlesCode } from '../protocol/messages';
import { Shown } from '../render/skin_material';
import type { Overlay, Stage } from '../render/stage';
import { document_, mode } from '../store';
import type { StudioCommand } from '../ui/commands';
import type { MenuItem, MenuPlace } from '../ui/context_menu';
import { type ControlGroups, controlGroups, posedProxies, proxyDots } from './handles_groups';
import { disposeMarks, drawMarks, handlePlaces } from './handles_marks';
import { Inspector, Outliner, Overlay as HoverLine } from './handles_panels';
import { dragged, groupColours, hasModel, hovered, hoveredGroup, justPlaced, lastFrame, lastSolve, place, placing, remove, selectedHandle, showBlend, showGroups, showProxies, togglePin } from './handles_state';
import { addKey, Dock, exportKeys, jumpToKey, keepMoment, stepTime, togglePlay } from './handles_timeline';
import type { Mode } from './modes';
import { installSurfaceDrag } from './surface_drag';
import { installHover } from './surface_hover';

/** Groups of the mesh that is shown, found once per mesh. */
let known: { mesh: string; groups: ControlGroups } | undefined;
let applied: object | null = null;

async function findGroups(stage: Stage, mesh: string, count: number): Promise<void> {
  const groups = controlGroups(await connection.blob(mesh), count);
  if (document_.peek()?.blobs.mesh !== mesh) return;
  known = { mesh, groups };
  applyGroups(stage);
}

/** Gives the stage the colours. Its mesh may come later than ours, and begins without any. */
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

/** The handle whose mark is nearest, within reach: fingers are wider than arrows. */
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
    // A step back may leave fewer handles than the picked one.
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
    installHover(stage, {
      wanted: ({ buttons }) => buttons === 0 && hasModel.value,
      found: (point) => {
        const p = point?.vertex === undefined || point.vertexPlace === undefined ? undefined : stage.project(point.vertexPlace, point.view);
        const next = p === undefined || point?.vertex === undefined ? undefined : { vertex: point.vertex, x: p.x, y: p.y };
        if (next?.vertex !== hovered.value?.vertex) hovered.value = next;
      },
    }),
    installSurfaceDrag(stage, {
      grab: (x, y, view, event) => {
        hovered.value = undefined;
        const near = handleAt(stage, x, y, view, event.pointerType === 'touch');
        const info = document_.value;
        if (near < 0 || info === undefined) return undefined;
        void keepMoment();
        selectedHandle.value = near;
        const marks = handlePlaces({ info, frame: lastFrame.value, selected: undefined, dragged: undefined });
        return { lead: near, place: marks[near].reached, tool: DragTool.Handle };
      },
      onMove: (target) => {
        if (selectedHandle.value !== undefined) dragged.value = { handle: selectedHandle.value, target: target.clone() };
      },
      onEnd: () => (dragged.value = undefined),
      // A press that moves is for the camera: only a click places a handle.
      click: (x, y) => {
        if (!hasModel.value || !placing.value) return;
        const picked = stage.pick(x, y);
        if (picked !== undefined) void keepMoment().then(() => place(picked.vertex));
      },
    }),
  ];
  // Another mode may have coloured the controls.
  applied = null;
  applyGroups(stage);
  // The frame that is shown came before the mode did.
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

const here = () => mode.value === 'handles' && hasModel.value;
const onHandle = () => here() && selectedHandle.value !== undefined;
const withHandle = (run: (handle: number) => void) => () => {
  if (selectedHandle.value !== undefined) run(selectedHandle.value);
};
const commands: StudioCommand[] = [
  { title: 'Place handles by clicks, or not', key: 'h', enabled: here, run: () => void (placing.value = !placing.value) },
  { title: 'Pin or unpin the handle', key: 'p', enabled: onHandle, run: withHandle(togglePin) },
  { title: 'Unpin all handles', key: 'u', enabled: here, run: () => command('handles.unpin') },
  { title: 'Remove the handle', key: 'Delete', enabled: onHandle, run: withHandle(remove) },
  { title: 'Show control groups', key: 'g', enabled: here, run: () => void (showGroups.value = !showGroups.value) },
  { title: 'Show proxies', enabled: here, run: () => void (showProxies.value = !showProxies.value) },
  { title: 'Show blend weights', enabled: here, run: () => void (showBlend.value = !showBlend.value) },
  { title: 'Key this pose', key: 'k', enabled: here, run: addKey },
  { title: 'Play or stop the keys', key: 'Space', enabled: here, run: togglePlay },
  { title: 'One frame back', key: 'ArrowLeft', enabled: here, run: () => stepTime(-1) },
  { title: 'One frame on', key: 'ArrowRight', enabled: here, run: () => stepTime(1) },
  { title: 'The key before', key: ',', enabled: here, run: () => jumpToKey(-1) },
  { title: 'The next key', key: '.', enabled: here, run: () => jumpToKey(1) },
  { title: 'Export the animation', enabled: here, run: () => exportKeys() },
];

/** What a right click or a long press offers. */
function menu({ vertex }: MenuPlace): MenuItem[] {
  if (!hasModel.value || vertex === undefined) return [];
  const handle = document_.value?.handles.findIndex((one) => one.vertex === vertex) ?? -1;
  if (handle < 0) return [{ title: 'Place a handle here', run: () => place(vertex) }];
  return [
    { title: document_.value?.handles[handle].pinned === true ? 'Unpin this handle' : 'Pin this handle', run: () => togglePin(handle) },
    { title: 'Remove this handle', run: () => remove(handle) },
  ];
}

export const handlesMode: Mode = { name: 'handles', title: 'Handles', Outliner, Inspector, Dock, Overlay: HoverLine, menu, enter, commands };
