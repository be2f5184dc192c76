// The mode Weights: drag the skin, and the weights follow; the reachable set is drawn in every visible pose.
import { computed, effect, signal } from '@preact/signals';
import { command, onMessage, stage as liveStage } from '../client';
import { DragTool, type Reach, ReachCode, WeightsCode } from '../protocol/messages';
import { categoryColours, colourGroups } from '../render/colours';
import { ReachOverlay } from '../render/reach_overlay';
import { Shown } from '../render/skin_material';
import type { Stage } from '../render/stage';
import { activeView, document_, selectedVertices, viewCount } from '../store';
import type { Mode } from './modes';
import { installSurfaceDrag } from './surface_drag';

const softOn = signal(false);
const softShare = signal(0.05);
const shownBinding = signal<number | undefined>(undefined);
const pins = signal<number[]>([]);
const reaches = signal<Map<number, Reach>>(new Map());
const columns = signal(0);

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

function enter(stage: Stage): () => void {
  const overlay = new ReachOverlay(stage);
  const stops = [
    effect(() => stage.setBindingColours(bindingColours.value)),
    effect(() => stage.setShown(shownBinding.value === undefined ? Shown.AllWeights : Shown.OneWeight, shownBinding.value ?? 0)),
    onMessage((message) => {
      if (message.code === ReachCode) {
        overlay.show(message.body, jointColours.value, document_.value?.diagonal ?? 1);
        reaches.value = new Map(reaches.value).set(message.body.view, message.body);
      }
      if (message.code === WeightsCode) columns.value += 1;
    }),
    installSurfaceDrag(stage, {
      grab: (x, y, view, event) => {
        const picked = stage.pick(x, y);
        if (picked === undefined) return undefined;
        if (event.shiftKey) {
          selectedVertices.value = [...selectedVertices.value, picked.vertex];
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
        };
      },
      onEnd: (kept) => {
        if (!kept) overlay.clear();
      },
    }),
  ];
  const key = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === 'b') softOn.value = !softOn.value;
  };
  window.addEventListener('keydown', key);
  return () => {
    for (const stop of stops) stop();
    window.removeEventListener('keydown', key);
    overlay.clear();
    stage.setShown(Shown.Plain);
  };
}

export const weightsMode: Mode = { name: 'weights', title: 'Weights', Outliner, Inspector, enter };
