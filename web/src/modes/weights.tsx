// The mode Weights: drag the skin, and the weights follow; the reachable set is drawn in every visible pose.
import { computed, effect, signal } from '@preact/signals';
import { BufferAttribute, BufferGeometry, Points, PointsMaterial } from 'three';
import { command, connection, onMessage, stage as liveStage } from '../client';
import { DragBeginCode, DragEndCode, DragTool, FrameCode, type Reach, ReachCode, WeightsCode, writeDragBegin, writeDragEnd } from '../protocol/messages';
import { categoryColours, colourGroups } from '../render/colours';
import { ReachOverlay } from '../render/reach_overlay';
import { Shown } from '../render/skin_material';
import type { Overlay, Stage } from '../render/stage';
import { activeView, document_, mode, selectedVertices, viewCount } from '../store';
import type { StudioCommand } from '../ui/commands';
import { installBoxSelect } from './box_select';
import type { Mode } from './modes';
import { installPaint, operations } from './paint_stroke';
import { installSurfaceDrag } from './surface_drag';
import { brushShare, cap, columns, mirror, normalise, operation, prune, SelectionPanel, shownBinding, smooth, strengths, tool, ToolPanel, WeightTable } from './weight_tools';

const softOn = signal(false);
const softShare = signal(0.05);
const pins = signal<number[]>([]);
const reaches = signal<Map<number, Reach>>(new Map());
/** Where the pointer was last seen over the canvas. */
let pointer: { x: number; y: number } | undefined;
let nextAgain = 1 << 24;

/** The last drag once more, with a joint that it lacked. */
function dragAgainWith(joint: number, reach: Reach): void {
  const drag = nextAgain++;
  const lead = reach.vertex;
  connection.send(DragBeginCode, writeDragBegin, {
    drag,
    tool: DragTool.Weights,
    view: reach.view,
    lead,
    softRadius: softOn.value ? softShare.value * (document_.value?.diagonal ?? 1) : 0,
    falloff: 0,
    curve: 0,
    target: reach.target,
    vertices: Uint32Array.from([lead, ...selectedVertices.value.filter((v) => v !== lead)]),
    pins: Uint32Array.from(pins.value.filter((pin) => pin !== reach.view)),
    alpha: 1,
    secondStage: 0,
    negative: 0,
    added: Uint32Array.from([joint]),
    most: cap.value,
    operation: 0,
    binding: 0,
    strength: 0,
    mirror: 0,
  });
  connection.send(DragEndCode, writeDragEnd, { drag, commit: 1, target: reach.target });
}

/** Joints in colours in which parents and children differ. */
export const jointColours = computed(() => {
  const joints = document_.value?.joints ?? [];
  return colourGroups(
    joints.length,
    joints.flatMap((joint, j): [number, number][] => (joint.parent >= 0 ? [[j, joint.parent]] : [])),
  );
});

const bindingColours = computed(() => Uint8Array.from((document_.value?.bindings ?? []).map((joint) => jointColours.value[joint] ?? 7)));

function Swatch({ joint }: { joint: number }) {
  return <span class="swatch" style={{ background: categoryColours[jointColours.value[joint] ?? 7] }} />;
}

function Outliner() {
  const info = document_.value;
  if (info === undefined) return null;
  const locked = new Set(info.locks);
  const toggle = (name: string) => {
    const next = locked.has(name) ? info.locks.filter((one) => one !== name) : [...info.locks, name];
    void command('weights.locks', { joints: next });
  };
  return (
    <div class="section">
      <h2>Influences</h2>
      <ul class="list" role="listbox" aria-label="Influences">
        <li>
          <button role="option" aria-selected={shownBinding.value === undefined} onClick={() => (shownBinding.value = undefined)}>
            all, by colour
          </button>
        </li>
        {info.bindings.map((joint, binding) => (
          <li key={binding} class="row">
            <button role="option" aria-selected={shownBinding.value === binding} onClick={() => (shownBinding.value = binding)}>
              <Swatch joint={joint} />
              {info.joints[joint].name}
            </button>
            <button
              style={{ width: 'auto' }}
              aria-pressed={locked.has(info.joints[joint].name)}
              aria-label={`Lock ${info.joints[joint].name}`}
              onClick={() => toggle(info.joints[joint].name)}
            >
              lock
            </button>
          </li>
        ))}
      </ul>
      <p class="muted">grey = exactly 0, white = exactly 1</p>
    </div>
  );
}

/** Weights of the picked vertex, live while it is dragged. */
function Inspector() {
  const info = document_.value;
  const vertex = selectedVertices.value[0];
  // Read so that the table follows a drag.
  void columns.value;
  if (info === undefined) return null;
  const column = vertex === undefined ? [] : (liveStage?.deformer?.influences.column(vertex) ?? []);
  const sum = column.reduce((total, one) => total + one.weight, 0);
  const set = (binding: number, text: string) => {
    const weight = Number(text);
    if (Number.isFinite(weight)) void command('weights.set', { vertex, binding, weight });
  };
  return (
    <>
      <ToolPanel />
      <SelectionPanel />
      <div class="section">
        <h2>{vertex === undefined ? 'No vertex' : `Vertex ${vertex.toLocaleString('en')}`}</h2>
        {vertex === undefined ? (
          <p class="muted">Press on the skin and drag it.</p>
        ) : (
          <table aria-label="Weights of the vertex">
            <tbody>
              {column.map((one) => (
                <tr key={one.binding}>
                  <td>
                    <Swatch joint={info.bindings[one.binding]} />
                    {info.joints[info.bindings[one.binding]].name}
                  </td>
                  <td>
                    <input
                      aria-label={`Weight of ${info.joints[info.bindings[one.binding]].name}`}
                      style={{ width: '80px' }}
                      value={one.weight.toFixed(4)}
                      onChange={(event) => set(one.binding, event.currentTarget.value)}
                    />
                  </td>
                </tr>
              ))}
              <tr>
                <td>sum</td>
                <td data-test="weight-sum">{sum.toFixed(4)}</td>
              </tr>
            </tbody>
          </table>
        )}
      </div>
      <div class="section">
        <h2>Reach</h2>
        {[...reaches.value.values()].map((reach) => (
          <div class="row spread" key={reach.view} data-test={`reach-${reach.view}`}>
            <span>pose {'ABCD'[reach.view]}</span>
            <span>{reach.view === activeView.value ? `out of reach ${reach.distance.toPrecision(3)}` : `moved ${reach.distance.toPrecision(3)}`}</span>
          </div>
        ))}
        {[...reaches.value.values()].flatMap((reach) =>
          [...reach.suggested].map((joint) => (
            <button key={joint} data-test="suggestion" onClick={() => dragAgainWith(joint, reach)}>
              add {info.joints[joint].name}: {reach.suggestedDistance.toPrecision(2)} out of reach
            </button>
          )),
        )}
      </div>
      <div class="section">
        <h2>Soft selection</h2>
        <div class="row">
          <button aria-pressed={softOn.value} title="Soft selection (B)" onClick={() => (softOn.value = !softOn.value)}>
            soft
          </button>
          <input
            type="range"
            aria-label="Radius of the soft selection"
            min={0.005}
            max={0.3}
            step={0.005}
            value={softShare.value}
            onInput={(event) => (softShare.value = Number(event.currentTarget.value))}
          />
          <span>{(softShare.value * info.diagonal).toPrecision(3)}</span>
        </div>
      </div>
      <div class="section">
        <h2>Poses</h2>
        <div class="row">
          {[1, 2, 3, 4].map((count) => (
            <button key={count} aria-pressed={viewCount.value === count} aria-label={`${count} poses side by side`} onClick={() => void command('views', { count })}>
              {count}
            </button>
          ))}
        </div>
        {Array.from({ length: viewCount.value }, (_, view) => (
          <label class="row" key={view}>
            <input
              type="checkbox"
              checked={pins.value.includes(view)}
              onChange={() => (pins.value = pins.value.includes(view) ? pins.value.filter((one) => one !== view) : [...pins.value, view])}
            />
            keep it in pose {'ABCD'[view]}
          </label>
        ))}
      </div>
    </>
  );
}

/** The selected vertices as dots. */
function drawSelection(stage: Stage): Overlay | undefined {
  const info = document_.value;
  const vertices = selectedVertices.value.filter((v) => v < (info?.vertices ?? 0));
  const { deformer } = stage;
  if (vertices.length === 0 || deformer?.views[activeView.value] === undefined) return undefined;
  // Of a few each is read by itself, of many the whole texture.
  const texels = vertices.length > 16 ? deformer.readPositions(stage.renderer, activeView.value) : undefined;
  const placeOf = (v: number) => (texels === undefined ? stage.position(v, activeView.value).toArray() : Array.from(texels.slice(4 * v, 4 * v + 3)));
  const geometry = new BufferGeometry();
  const places = Float32Array.from(vertices.flatMap(placeOf));
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  const object = new Points(geometry, new PointsMaterial({ size: 4, sizeAttenuation: false, color: '#e0218a', depthTest: false }));
  object.renderOrder = 9;
  return { object, view: activeView.value };
}

/** The influence that moves the vertex under the pointer most. */
function sampleInfluence(): void {
  const picked = pointer === undefined ? undefined : liveStage?.pick(pointer.x, pointer.y);
  const column = picked === undefined ? undefined : liveStage?.deformer?.influences.column(picked.vertex);
  if (column === undefined || column.length === 0) return;
  shownBinding.value = column.reduce((a, b) => (b.weight > a.weight ? b : a)).binding;
}

function toggleLock(): void {
  const info = document_.value;
  if (info === undefined || shownBinding.value === undefined) return;
  const name = info.joints[info.bindings[shownBinding.value]].name;
  void command('weights.locks', { joints: info.locks.includes(name) ? info.locks.filter((one) => one !== name) : [...info.locks, name] });
}

function brushOf(event: PointerEvent) {
  if (tool.value !== 'paint') return undefined;
  const index = event.shiftKey ? operations.findIndex((one) => one.name === 'smooth') : operation.value;
  const { name, code } = operations[index];
  if (shownBinding.value === undefined && name !== 'smooth' && name !== 'sharpen') return undefined;
  const strength = strengths.value[index];
  // Ctrl takes away: of a weight to add its negative, of one to set its complement.
  const signed = !event.ctrlKey ? strength : name === 'add' ? -strength : name === 'replace' ? 1 - strength : strength;
  return { operation: code, binding: shownBinding.value ?? 0, strength: signed, radius: brushShare.value * (document_.value?.diagonal ?? 1), most: cap.value, mirror: false };
}

function enter(stage: Stage): () => void {
  const overlay = new ReachOverlay(stage);
  let dots: Overlay | undefined;
  const redraw = () => {
    if (dots !== undefined) stage.removeOverlay(dots);
    dots = drawSelection(stage);
    if (dots !== undefined) stage.overlays.add(dots);
    stage.draw();
  };
  let asked = false;
  const redrawSoon = () => {
    if (asked || selectedVertices.value.length === 0) return;
    asked = true;
    // After the frame that deforms.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        asked = false;
        redraw();
      }),
    );
  };
  const stops = [
    effect(() => stage.setBindingColours(bindingColours.value)),
    effect(() => stage.setShown(shownBinding.value === undefined ? Shown.AllWeights : Shown.OneWeight, shownBinding.value ?? 0)),
    effect(() => {
      void selectedVertices.value;
      void activeView.value;
      redraw();
    }),
    onMessage((message) => {
      if (message.code === ReachCode) {
        overlay.show(message.body, jointColours.value, document_.value?.diagonal ?? 1);
        reaches.value = new Map(reaches.value).set(message.body.view, message.body);
      }
      if (message.code === WeightsCode) columns.value += 1;
      if (message.code === FrameCode) redrawSoon();
    }),
    installPaint(stage, brushOf, () => {}),
    installBoxSelect(
      stage,
      () => tool.value === 'box',
      (vertices, add) => (selectedVertices.value = add ? [...new Set([...selectedVertices.value, ...vertices])] : vertices),
    ),
    installSurfaceDrag(stage, {
      grab: (x, y, view, event) => {
        if (tool.value !== 'drag') return undefined;
        const picked = stage.pick(x, y);
        if (picked === undefined) return undefined;
        if (event.shiftKey) {
          if (!selectedVertices.value.includes(picked.vertex)) selectedVertices.value = [...selectedVertices.value, picked.vertex];
          return undefined;
        }
        if (event.ctrlKey) {
          const has = selectedVertices.value.includes(picked.vertex);
          selectedVertices.value = has ? selectedVertices.value.filter((v) => v !== picked.vertex) : [...selectedVertices.value, picked.vertex];
          return undefined;
        }
        const vertices = selectedVertices.value.includes(picked.vertex) ? selectedVertices.value : [picked.vertex];
        selectedVertices.value = [picked.vertex, ...vertices.filter((v) => v !== picked.vertex)];
        reaches.value = new Map();
        return {
          lead: picked.vertex,
          place: stage.position(picked.vertex, view),
          tool: DragTool.Weights,
          softRadius: softOn.value ? softShare.value * (document_.value?.diagonal ?? 1) : 0,
          vertices,
          pins: pins.value.filter((pin) => pin !== view),
          most: cap.value,
        };
      },
      onEnd: (kept) => {
        if (!kept) overlay.clear();
      },
    }),
  ];
  const follow = (event: PointerEvent) => {
    const r = stage.canvas.getBoundingClientRect();
    pointer = { x: event.clientX - r.left, y: event.clientY - r.top };
  };
  stage.canvas.addEventListener('pointermove', follow);
  return () => {
    for (const stop of stops) stop();
    stage.canvas.removeEventListener('pointermove', follow);
    if (dots !== undefined) stage.removeOverlay(dots);
    overlay.clear();
    stage.setShown(Shown.Plain);
  };
}

const here = () => mode.value === 'weights' && document_.value?.skinned === true;
const commands: StudioCommand[] = [
  { title: 'Tool: drag the skin', key: 'q', enabled: here, run: () => void (tool.value = 'drag') },
  { title: 'Tool: box selection', key: 'w', enabled: here, run: () => void (tool.value = 'box') },
  { title: 'Tool: paint weights', key: 'e', enabled: here, run: () => void (tool.value = 'paint') },
  { title: 'Soft selection', key: 'b', enabled: here, run: () => void (softOn.value = !softOn.value) },
  { title: 'Take the influence under the pointer', key: 's', enabled: here, run: sampleInfluence },
  { title: 'Lock or unlock the influence', key: 'l', enabled: here, run: toggleLock },
  { title: 'Select nothing', key: 'Shift+a', enabled: here, run: () => void (selectedVertices.value = []) },
  { title: 'Normalise weights', enabled: here, run: normalise },
  { title: 'Prune weights', enabled: here, run: prune },
  { title: 'Smooth weights', enabled: here, run: smooth },
  { title: 'Mirror weights', key: 'm', enabled: here, run: () => mirror('above') },
];

export const weightsMode: Mode = { name: 'weights', title: 'Weights', Outliner, Inspector, Dock: WeightTable, enter, commands };
