// The mode Handles: learn a reduced model from example meshes, then pose it by dragging a few vertices of its skin.
import { computed, effect, signal } from '@preact/signals';
import { BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, Points, PointsMaterial, Vector3 } from 'three';
import { command, connection, onMessage } from '../client';
import { ArrayKind, BlobArrays } from '../protocol/blob';
import { DragTool, type Frame, FrameCode } from '../protocol/messages';
import { colourGroups } from '../render/colours';
import { Shown } from '../render/skin_material';
import type { Overlay, Stage } from '../render/stage';
import { document_, job, mode, notice, numbers } from '../store';
import type { StudioCommand } from '../ui/commands';
import type { Mode } from './modes';
import { installSurfaceDrag } from './surface_drag';

const selectedHandle = signal<number | undefined>(undefined);
const showGroups = signal(true);
const controlCount = signal('auto');
const lastFrame = signal<Frame | undefined>(undefined);
const time = signal(0);
const playing = signal(false);
const shownTime = signal(0);
const exportPath = signal('');
const hasModel = computed(() => document_.value?.reduced !== undefined);

async function learn(): Promise<void> {
  const controls = controlCount.value === 'auto' ? 0 : Number(controlCount.value) || 0;
  const answer = await command<{ job: number }>('handles.learn', { controls });
  if (answer !== undefined) job.value = { id: answer.job, what: 'Learning', fraction: 0, stage: '', seconds: 0 };
}

function Outliner() {
  const info = document_.value;
  if (info === undefined) return null;
  if (!hasModel.value) {
    return (
      <div class="section">
        <h2>Model</h2>
        <p>Learn a model from the example meshes, then pose it by dragging its skin.</p>
        <div class="row">
          <label for="controls">controls</label>
          <input id="controls" style={{ width: '70px' }} value={controlCount.value} onChange={(event) => (controlCount.value = event.currentTarget.value)} />
          <button class="primary" onClick={() => void learn()}>
            Learn
          </button>
        </div>
      </div>
    );
  }
  return (
    <>
      <div class="section">
        <h2>Handles</h2>
        <ul class="list" role="listbox" aria-label="Handles">
          {info.handles.map((handle, h) => (
            <li class="row" key={h}>
              <button role="option" aria-selected={selectedHandle.value === h} onClick={() => (selectedHandle.value = h)}>
                {handle.pinned ? '▣' : '◇'} {h + 1} · vertex {handle.vertex}
              </button>
              <button style={{ width: 'auto' }} aria-pressed={handle.pinned} aria-label={`Pin handle ${h + 1}`} onClick={() => void command('handles.pin', { handle: h, pinned: !handle.pinned })}>
                pin
              </button>
              <button style={{ width: 'auto' }} aria-label={`Remove handle ${h + 1}`} onClick={() => void command('handles.remove', { handle: h })}>
                ✕
              </button>
            </li>
          ))}
        </ul>
        {info.handles.length === 0 && <p class="muted">Click the skin to place a handle, then drag it.</p>}
        <button onClick={() => void command('handles.reset')}>Back to the rest</button>
      </div>
      <div class="section">
        <h2>Show</h2>
        <button aria-pressed={showGroups.value} onClick={() => (showGroups.value = !showGroups.value)}>
          control groups
        </button>
      </div>
    </>
  );
}

function Inspector() {
  const model = document_.value?.reduced;
  const frame = lastFrame.value;
  if (model === undefined) return <div class="section muted">No model yet.</div>;
  const residual = frame === undefined ? 0 : Math.max(0, ...frame.residuals);
  return (
    <>
      <div class="section">
        <h2>Solve</h2>
        <div class="row spread"><span>controls</span><span>{model.controls}</span></div>
        <div class="row spread"><span>proxies</span><span>{model.proxies}</span></div>
        <div class="row spread"><span>iterations</span><span>{numbers.value.iterations}</span></div>
        <div class="row spread"><span>solve</span><span>{numbers.value.solveMs.toFixed(2)} ms</span></div>
        <div class="row spread"><span>residual</span><span data-test="residual">{residual.toPrecision(3)}</span></div>
      </div>
      <div class="section">
        <h2>Blend of examples</h2>
        {model.examples.map((name, e) => {
          const weight = frame?.activations[e] ?? 0;
          return (
            <div class="row" key={name}>
              <span style={{ width: '90px' }}>{name}</span>
              <div class="progress" style={{ flex: 1 }}>
                <div style={{ width: `${100 * Math.min(1, Math.abs(weight))}%`, background: weight < 0 ? 'var(--warn)' : 'var(--accent)' }} />
              </div>
              <span>{weight.toFixed(2)}</span>
            </div>
          );
        })}
      </div>
    </>
  );
}

function Dock() {
  const keys = document_.value?.keys ?? [];
  if (!hasModel.value) return null;
  return (
    <div class="section row" style={{ flexWrap: 'wrap' }}>
      <label for="key-time">time</label>
      <input id="key-time" type="number" min={0} step={0.1} style={{ width: '80px' }} value={time.value} onChange={(event) => (time.value = Number(event.currentTarget.value))} />
      <button title="Key (K)" onClick={() => void addKey()}>
        Key
      </button>
      {keys.map((key, k) => (
        <span key={k}>
          <button aria-label={`Go to the key at ${key.time.toFixed(2)} s`} onClick={() => void command('handles.goto', { key: k })}>
            {key.time.toFixed(2)} s
          </button>
          <button aria-label={`Remove the key at ${key.time.toFixed(2)} s`} onClick={() => void command('handles.unkey', { key: k })}>
            ✕
          </button>
        </span>
      ))}
      {keys.length > 1 && (
        <button aria-pressed={playing.value} onClick={() => (playing.value ? stopPlaying() : void play())}>
          {playing.value ? 'Stop' : 'Play'}
        </button>
      )}
      {playing.value && <span data-test="shown-time">{shownTime.value.toFixed(2)} s</span>}
      {keys.length > 0 && (
        <>
          <input aria-label="File to export to" placeholder="name.glb" value={exportPath.value} onChange={(event) => (exportPath.value = event.currentTarget.value)} />
          <button onClick={() => void exportKeys()}>Export animation</button>
        </>
      )}
    </div>
  );
}

/** Handles as dots, and a line from where each is to where it should be. */
function drawHandles(frame: Frame | undefined): Group {
  const info = document_.value;
  const group = new Group();
  if (info === undefined || info.handles.length === 0) return group;
  const centre = new Vector3(...info.centre);
  const places = new Float32Array(3 * info.handles.length);
  const shades = new Float32Array(3 * info.handles.length);
  info.handles.forEach((handle, h) => {
    const target = new Vector3(...handle.target).sub(centre);
    const reached = frame !== undefined && frame.reached.length >= 3 * h + 3 ? new Vector3().fromArray(frame.reached, 3 * h) : target;
    reached.toArray(places, 3 * h);
    new Color(selectedHandle.value === h ? '#ffffff' : handle.pinned ? '#E69F00' : '#4c9aff').toArray(shades, 3 * h);
    // While a handle is dragged only the server knows its target: the residual tells whether it is met.
    if (reached.distanceTo(target) > 1e-5 * info.diagonal && (frame?.residuals[h] ?? 0) > 1e-5 * info.diagonal)
      group.add(new Line(new BufferGeometry().setFromPoints([reached, target]), new LineBasicMaterial({ color: '#ff6b5e', depthTest: false })));
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  geometry.setAttribute('color', new BufferAttribute(shades, 3));
  group.add(new Points(geometry, new PointsMaterial({ size: 11, sizeAttenuation: false, vertexColors: true, depthTest: false })));
  for (const child of group.children) child.renderOrder = 10;
  return group;
}

/** Colours of control groups, so that neighbours differ, from the labels of the triangles. */
async function colourControls(stage: Stage): Promise<void> {
  const info = document_.value;
  if (info?.reduced === undefined) return;
  const arrays = new BlobArrays(await connection.blob(info.blobs.mesh));
  const labels = arrays.u32(ArrayKind.Labels);
  const triangles = arrays.u32(ArrayKind.Triangles);
  const ofVertex = new Map<number, number>();
  const touching: [number, number][] = [];
  labels.forEach((label, t) => {
    for (let c = 0; c < 3; ++c) {
      const v = triangles[3 * t + c];
      const other = ofVertex.get(v);
      if (other !== undefined && other !== label) touching.push([label, other]);
      else ofVertex.set(v, label);
    }
  });
  const colours = colourGroups(info.reduced.controls, touching);
  const values = new Float32Array(info.vertices);
  for (const [v, label] of ofVertex) values[v] = colours[label];
  stage.setLabels(values);
}

function handleAt(stage: Stage, x: number, y: number, view: number): number {
  return (document_.value?.handles ?? []).findIndex((handle) => {
    const p = stage.project(stage.position(handle.vertex, view), view);
    return Math.hypot(p.x - x, p.y - y) < 14;
  });
}

let placed: { handle: number | undefined; at: number } | undefined;
const justPlaced = (handle: number) => placed?.handle === handle && performance.now() - placed.at < 600;

function remove(handle: number): void {
  selectedHandle.value = undefined;
  void command('handles.remove', { handle });
}

function togglePin(handle: number): void {
  const info = document_.value?.handles[handle];
  if (info !== undefined) void command('handles.pin', { handle, pinned: !info.pinned });
}

async function unpinAll(): Promise<void> {
  for (const [handle, info] of (document_.value?.handles ?? []).entries()) if (info.pinned) await command('handles.pin', { handle, pinned: false });
}

async function addKey(): Promise<void> {
  stopPlaying();
  await command('handles.key', { time: time.value });
  time.value = Math.round((time.value + 0.5) * 100) / 100;
}

/** Plays the keys from the first to the last, again and again. The server says what each time looks like. */
async function play(): Promise<void> {
  const keys = document_.value?.keys ?? [];
  if (keys.length === 0) return;
  playing.value = true;
  const [first, last] = [keys[0].time, keys[keys.length - 1].time];
  const began = performance.now();
  while (playing.value) {
    const passed = (performance.now() - began) / 1000;
    shownTime.value = first + (last > first ? passed % (last - first) : 0);
    if ((await command('handles.show', { time: shownTime.value })) === undefined) break;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  playing.value = false;
}

function stopPlaying(): void {
  if (!playing.value) return;
  playing.value = false;
  void command('frame');
}

async function exportKeys(): Promise<void> {
  stopPlaying();
  const title = (document_.value?.title ?? 'model').replace(/\.[^.]*$/, '');
  const path = exportPath.value || `${title}_keys.glb`;
  const answer = await command<{ path: string; deviation: number }>('handles.export', { path });
  if (answer !== undefined) notice.value = `Wrote ${answer.path}; read again it deviates by ${answer.deviation.toExponential(1)} of the size`;
}

function enter(stage: Stage): () => void {
  let overlay: Overlay | undefined;
  const redraw = () => {
    if (overlay !== undefined) stage.removeOverlay(overlay);
    overlay = { object: drawHandles(lastFrame.value) };
    stage.overlays.add(overlay);
    stage.draw();
  };
  const stops = [
    effect(() => {
      stage.setShown(hasModel.value && showGroups.value ? Shown.Groups : Shown.Plain);
      void colourControls(stage);
    }),
    effect(() => {
      void document_.value?.handles;
      void selectedHandle.value;
      void lastFrame.value;
      redraw();
    }),
    onMessage((message) => {
      if (message.code === FrameCode && message.body.reached.length > 0) lastFrame.value = message.body;
      else if (message.code === FrameCode) lastFrame.value = undefined;
    }),
    installSurfaceDrag(stage, {
      grab: (x, y, view) => {
        const info = document_.value;
        if (info?.reduced === undefined) return undefined;
        const near = handleAt(stage, x, y, view);
        if (near >= 0) {
          stopPlaying();
          selectedHandle.value = near;
          return { lead: near, place: stage.position(info.handles[near].vertex, view), tool: DragTool.Handle };
        }
        return undefined;
      },
      // A press that moves is for the camera: only a click places a handle.
      click: (x, y) => {
        if (document_.value?.reduced === undefined) return;
        const picked = stage.pick(x, y);
        if (picked !== undefined) void command<{ handle: number }>('handles.place', { vertex: picked.vertex }).then((answer) => {
            selectedHandle.value = answer?.handle;
            placed = { handle: answer?.handle, at: performance.now() };
          });
      },
    }),
  ];
  const twice = (event: MouseEvent) => {
    const r = stage.canvas.getBoundingClientRect();
    const x = event.clientX - r.left;
    const near = handleAt(stage, x, event.clientY - r.top, stage.viewAt(x, event.clientY - r.top));
    // The first of the two clicks may have placed it.
    if (near >= 0 && !justPlaced(near)) remove(near);
  };
  stage.canvas.addEventListener('dblclick', twice);
  return () => {
    stopPlaying();
    stage.canvas.removeEventListener('dblclick', twice);
    for (const stop of stops) stop();
    if (overlay !== undefined) stage.removeOverlay(overlay);
    stage.setShown(Shown.Plain);
  };
}

const here = () => mode.value === 'handles' && hasModel.value;
const onHandle = () => here() && selectedHandle.value !== undefined;
const withHandle = (run: (handle: number) => void) => () => {
  if (selectedHandle.value !== undefined) run(selectedHandle.value);
};
const commands: StudioCommand[] = [
  { title: 'Pin or unpin the handle', key: 'p', enabled: onHandle, run: withHandle(togglePin) },
  { title: 'Unpin all handles', key: 'u', enabled: here, run: unpinAll },
  { title: 'Remove the handle', key: 'Delete', enabled: onHandle, run: withHandle(remove) },
  { title: 'Key this pose', key: 'k', enabled: here, run: addKey },
  { title: 'Play or stop the keys', key: 'Space', enabled: here, run: () => (playing.value ? stopPlaying() : void play()) },
  { title: 'Export the animation', enabled: here, run: exportKeys },
];

export const handlesMode: Mode = { name: 'handles', title: 'Handles', Outliner, Inspector, Dock, enter, commands };
