// The panels of the mode Handles: learning, lists of handles and groups, the selected handle, the solve.
import { command, stage } from '../../client';
import type { DocumentInfo, HandleInfo } from '../../protocol/document';
import { categoryColours } from '../../render/colours';
import { document_, job, perDocument } from '../../store';
import { countText } from '../../ui/labels';
import { Slider } from '../../ui/slider';
import { numberOf } from '../../ui/typed_number';
import { dragged, groupColours, groupName, hasModel, hovered, hoveredGroup, lastFrame, lastSolve, learn, place, placing, remove, selectedHandle, showBlend, showGroups, showProxies, togglePin } from './state';

const controlCount = perDocument('auto');
const typedVertex = perDocument('');

/** Shown until the document has a reduced model. */
function Learning() {
  return (
    <div class="section">
      <h2>Model</h2>
      <p>Learn a model from the example meshes, then pose it by dragging its skin.</p>
      <div class="row">
        <label for="controls">Controls</label>
        <input id="controls" style={{ width: '70px' }} value={controlCount.value} onChange={(event) => (controlCount.value = event.currentTarget.value)} />
        <button class="primary" disabled={job.value !== undefined} onClick={() => void learn(Math.max(0, Math.round(Number(controlCount.value) || 0)))}>
          Learn
        </button>
      </div>
      <p class="muted">Number of controls, or auto.</p>
      {document_.value?.skinned === true && <p class="muted">The character is not changed; the model opens as a separate document.</p>}
    </div>
  );
}

function Handles({ info }: { info: DocumentInfo }) {
  const placeTyped = (event: Event) => {
    event.preventDefault();
    const vertex = Number(typedVertex.value);
    typedVertex.value = '';
    if (Number.isInteger(vertex) && vertex >= 0) void place(vertex);
  };
  return (
    <div class="section">
      <h2>Handles</h2>
      <div class="row">
        <button aria-pressed={placing.value} title="Click the skin to place a handle (H)" onClick={() => (placing.value = !placing.value)}>
          Place handle
        </button>
        <form class="row grow" onSubmit={placeTyped}>
          <input class="grow" aria-label="Vertex of the new handle" placeholder="Vertex" inputMode="numeric" value={typedVertex.value} onInput={(event) => (typedVertex.value = event.currentTarget.value)} />
          <button type="submit" aria-label="Place a handle at this vertex">
            +
          </button>
        </form>
      </div>
      {info.handles.length > 0 && (
        <ul class="list" aria-label="Handles">
          {info.handles.map((handle, h) => (
            <li class="row" key={handle.vertex}>
              <button class="grow" aria-pressed={selectedHandle.value === h} onClick={() => (selectedHandle.value = h)}>
                <span aria-hidden="true">{handle.pinned ? '▣' : '◇'}</span> {h + 1} · vertex {countText(handle.vertex)}
              </button>
              <button class="slim" aria-pressed={handle.pinned} aria-label={`Pin handle ${h + 1}`} title="Pin or unpin (P)" onClick={() => togglePin(h)}>
                Pin
              </button>
              <button class="slim" aria-label={`Remove handle ${h + 1}`} title="Remove (Delete)" onClick={() => remove(h)}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {info.handles.length === 0 && <p class="muted">Click the skin to place a handle, then drag it.</p>}
      <div class="row">
        <button disabled={!info.handles.some((handle) => handle.pinned)} title="Unpin all (U)" onClick={() => void command('handles.unpin')}>
          Unpin all
        </button>
        <button onClick={() => void command('handles.reset')}>Reset to rest</button>
      </div>
    </div>
  );
}

function Groups({ info }: { info: DocumentInfo }) {
  const count = info.reduced?.controls ?? 0;
  const hover = (group: number | undefined) => () => (hoveredGroup.value = group);
  return (
    <>
      <div class="section">
        <h2>Show</h2>
        <div class="row">
          <button aria-pressed={showGroups.value && !showBlend.value} title="Colour each triangle by its control" onClick={() => ((showGroups.value = showBlend.value || !showGroups.value), (showBlend.value = false))}>
            Groups
          </button>
          <button aria-pressed={showBlend.value} aria-label="Blend weights" title="Colour by blend weights" onClick={() => (showBlend.value = !showBlend.value)}>
            Blend
          </button>
          <button aria-pressed={showProxies.value} title="Points at which the solver compares shapes" onClick={() => (showProxies.value = !showProxies.value)}>
            Proxies
          </button>
        </div>
      </div>
      <div class="section" onPointerLeave={hover(undefined)}>
        <h2>Groups ({countText(count)})</h2>
        <ul class="list group-list" aria-label="Control groups">
          {Array.from({ length: count }, (_, g) => (
            <li key={g}>
              <button title="Show the weights of this control" onPointerEnter={hover(g)} onFocus={hover(g)} onBlur={hover(undefined)} aria-label={`Show the weights of group ${groupName(g)}`}>
                <span class="swatch" style={{ background: categoryColours[groupColours.value[g] ?? 7] }} />
                {groupName(g)}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

export function Outliner() {
  const info = document_.value;
  if (info === undefined) return null;
  if (!hasModel.value) return <Learning />;
  return (
    <>
      <Handles info={info} />
      <Groups info={info} />
    </>
  );
}

const exact = (value: number, diagonal: number) => (Math.abs(value) < 1e-7 * diagonal ? '0' : String(Number(value.toPrecision(5))));

/** Values that are negligible compared with the size are shown as 0. */
const distanceOf = (value: number, diagonal: number) => (value < 1e-6 * diagonal ? '0' : value.toPrecision(3));

/** A strength of 0 is exact; otherwise the handle is a spring, and the slider shows the logarithm of its strength. */
const toSlider = (strength: number) => (strength === 0 ? 3 : Math.log10(strength));
const fromSlider = (value: number) => (value >= 3 ? 0 : 10 ** value);

function Picked({ info, handle, h }: { info: DocumentInfo; handle: HandleInfo; h: number }) {
  const move = (axis: number, field: HTMLInputElement) => {
    const value = numberOf(field.value);
    if (value === undefined || Math.abs(value - handle.target[axis]) < 1e-7 * info.diagonal) {
      field.value = exact(handle.target[axis], info.diagonal);
      return;
    }
    const target: [number, number, number] = [...handle.target];
    target[axis] = value;
    void command('handles.move', { handle: h, target });
  };
  const groups = stage?.deformer?.influences.column(handle.vertex) ?? [];
  const residual = lastFrame.value?.residuals?.[h] ?? 0;
  return (
    <div class="section">
      <h2>
        Handle {h + 1} · vertex {countText(handle.vertex)}
      </h2>
      <div class="row" role="group" aria-label="Handle position">
        {(['X', 'Y', 'Z'] as const).map((axis, i) => (
          <input key={axis} class="grow" aria-label={`Handle ${axis}`} title={axis} value={exact(handle.target[i], info.diagonal)} onChange={(event) => move(i, event.currentTarget)} />
        ))}
      </div>
      <div class="row">
        <label for="strength">Strength</label>
        <Slider
          id="strength"
          class="grow"
          min={-1}
          max={3}
          step={0.05}
          value={toSlider(handle.strength)}
          valueText={handle.strength === 0 ? 'exact' : handle.strength.toPrecision(2)}
          change={(value, how) => (how === 'done' || how === 'step') && void command('handles.strength', { handle: h, strength: fromSlider(value) })}
        />
        <span data-test="strength">{handle.strength === 0 ? 'exact' : handle.strength.toPrecision(2)}</span>
      </div>
      <div class="row spread">
        <span>Groups</span>
        <span>
          {groups.map((one) => (
            <span key={one.binding} class="group-share">
              <span class="swatch" style={{ background: categoryColours[groupColours.value[one.binding] ?? 7] }} />
              {groupName(one.binding)} {one.weight.toFixed(2)}
            </span>
          ))}
        </span>
      </div>
      <div class="row spread">
        <span>Distance to target</span>
        <span data-test="handle-residual">{distanceOf(residual, info.diagonal)}</span>
      </div>
      <div class="row">
        <button aria-pressed={handle.pinned} onClick={() => togglePin(h)}>
          {handle.pinned ? 'Unpin' : 'Pin'}
        </button>
        <button onClick={() => remove(h)}>Remove</button>
      </div>
    </div>
  );
}

/** A line about the vertex under the pointer; hidden during drags. */
export function Overlay() {
  const under = hovered.value;
  if (under === undefined || dragged.value !== undefined || !hasModel.value) return null;
  const groups = stage?.deformer?.influences.column(under.vertex) ?? [];
  return (
    <>
      <div class="hover-mark" style={{ left: `${under.x}px`, top: `${under.y}px` }} />
      <div class="label" data-test="hover" style={{ left: '8px', bottom: '8px' }}>
        Vertex {countText(under.vertex)} · {groups.map((one) => `group ${groupName(one.binding)} ${one.weight.toFixed(2)}`).join(' · ')}
      </div>
    </>
  );
}

export function Inspector() {
  const info = document_.value;
  const model = info?.reduced;
  const frame = lastFrame.value;
  if (info === undefined || model === undefined) return <div class="section muted">No model yet.</div>;
  const h = selectedHandle.value;
  const handle = h === undefined ? undefined : info.handles[h];
  const residual = Math.max(0, ...(frame?.residuals ?? []));
  return (
    <>
      {h !== undefined && handle !== undefined && <Picked info={info} handle={handle} h={h} />}
      {handle === undefined && (
        <div class="section">
          <h2>No handle selected</h2>
          <p class="muted">{placing.value ? 'Click the skin to place one.' : 'Select one in the list or on the skin.'}</p>
        </div>
      )}
      <div class="section">
        <h2>Solve</h2>
        <div class="row spread"><span>Controls</span><span>{countText(model.controls)}</span></div>
        <div class="row spread"><span>Degrees of freedom</span><span>{countText(12 * model.controls)}</span></div>
        <div class="row spread"><span>Proxies</span><span>{countText(model.proxies)}</span></div>
        <div class="row spread"><span>Iterations</span><span data-test="iterations">{lastSolve.value.iterations}</span></div>
        <div class="row spread"><span>Solve time</span><span>{lastSolve.value.milliseconds.toFixed(2)} ms</span></div>
        <div class="row spread"><span>Residual</span><span data-test="residual">{distanceOf(residual, info.diagonal)}</span></div>
      </div>
      <div class="section">
        <h2>Blend of examples</h2>
        {model.examples.map((name, e) => {
          const weight = frame?.activations?.[e] ?? 0;
          return (
            <div class="row bar-row" key={name}>
              <span class="title" title={name}>{name}</span>
              <div class="progress grow">
                <div style={{ width: `${100 * Math.min(1, Math.abs(weight))}%`, background: weight < 0 ? 'var(--warn)' : 'var(--accent)' }} />
              </div>
              <span data-test="activation">{(Math.abs(weight) < 0.005 ? 0 : weight).toFixed(2)}</span>
            </div>
          );
        })}
      </div>
    </>
  );
}
