// The panels of the mode Handles: learning, lists of handles and groups, the selected handle, the solve.
import { command, stage } from '../../client';
import type { DocumentInfo, HandleInfo } from '../../protocol/document';
import { categoryColours } from '../../render/colours';
import { document_, job, perDocument } from '../../store';
import { Bar } from '../../ui/bar';
import { helpOf, Term } from '../../ui/help';
import { IconButton } from '../../ui/icon_button';
import { countText, threeDigits } from '../../ui/labels';
import { Section } from '../../ui/section';
import { Slider } from '../../ui/slider';
import { numberOf } from '../../ui/typed_number';
import { keepMoment } from './timeline';
import { dragged, groupColours, groupName, hasModel, hovered, hoveredGroup, lastFrame, lastSolve, learn, place, placing, remove, selectedHandle, showBlend, showGroups, showProxies, togglePin } from './state';

const controlCount = perDocument('auto');
const typedVertex = perDocument('');

/** Shown until the document has a reduced model. */
function Learning() {
  return (
    <Section name="model" title="Model">
      <p>Learn a model from the example meshes, then pose it by dragging its skin.</p>
      <div class="row">
        <label for="controls" {...helpOf('controls')}>Controls</label>
        <input id="controls" style={{ width: '70px' }} value={controlCount.value} onChange={(event) => (controlCount.value = event.currentTarget.value)} />
        <button class="primary" disabled={job.value !== undefined} onClick={() => void learn(Math.max(0, Math.round(Number(controlCount.value) || 0)))}>
          Learn
        </button>
      </div>
      <p class="muted">Number of controls, or auto.</p>
      {document_.value?.skinned === true && <p class="muted">The character is not changed; the model opens as a separate document.</p>}
    </Section>
  );
}

function Handles({ info }: { info: DocumentInfo }) {
  const placeTyped = (event: Event) => {
    event.preventDefault();
    const vertex = numberOf(typedVertex.value) ?? -1;
    typedVertex.value = '';
    if (Number.isInteger(vertex) && vertex >= 0) void place(vertex);
  };
  return (
    <Section name="handles" title="Handles">
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
              <IconButton class={`small quiet${handle.pinned ? '' : ' faint'}`} icon={handle.pinned ? 'pin' : 'pinOff'} label={`Pin handle ${h + 1}`} tip={handle.pinned ? 'Unpin' : 'Pin'} keys="P" pressed={handle.pinned} onClick={() => togglePin(h)} />
              <IconButton class="small" icon="trash" label={`Remove handle ${h + 1}`} tip="Remove" keys="Delete" onClick={() => remove(h)} />
            </li>
          ))}
        </ul>
      )}
      {info.handles.length === 0 && <p class="muted">Click the skin to place a handle, then drag it.</p>}
      <div class="row">
        <button disabled={!info.handles.some((handle) => handle.pinned)} title="Unpin all (U)" onClick={() => void command('handles.unpin')}>
          Unpin all
        </button>
        <button title="The rest shape; handles stay on their vertices" onClick={() => void command('handles.reset')}>
          Reset pose
        </button>
      </div>
    </Section>
  );
}

function Groups({ info }: { info: DocumentInfo }) {
  const count = info.reduced?.controls ?? 0;
  const hover = (group: number | undefined) => () => (hoveredGroup.value = group);
  return (
    <>
      <Section name="show" title="Show">
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
      </Section>
      <Section name="groups" title={`Groups (${countText(count)})`} onPointerLeave={hover(undefined)}>
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
      </Section>
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
const distanceOf = (value: number, diagonal: number) => (value < 1e-6 * diagonal ? '0' : threeDigits(value));

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
    <Section name="handle" title={`Handle ${h + 1} · vertex ${countText(handle.vertex)}`}>
      <div class="row" role="group" aria-label="Handle position">
        {(['X', 'Y', 'Z'] as const).map((axis, i) => (
          <input key={axis} class="grow" aria-label={`Handle ${axis}`} title={axis} value={exact(handle.target[i], info.diagonal)} onChange={(event) => move(i, event.currentTarget)} />
        ))}
      </div>
      <div class="row">
        <label for="strength" {...helpOf('handleStrength')}>Strength</label>
        <Slider
          id="strength"
          class="grow"
          min={-1}
          max={3}
          step={0.05}
          origin={-1}
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
        <Term topic="distanceToTarget">Distance to target</Term>
        <span data-test="handle-residual">{distanceOf(residual, info.diagonal)}</span>
      </div>
      <div class="row">
        <button aria-pressed={handle.pinned} onClick={() => togglePin(h)}>
          {handle.pinned ? 'Unpin' : 'Pin'}
        </button>
        <button onClick={() => remove(h)}>Remove</button>
      </div>
    </Section>
  );
}

async function showExample(example: number): Promise<void> {
  await keepMoment();
  await command('handles.example', { example });
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
        <Section name="handle" title="No handle selected">
          <p class="muted">{placing.value ? 'Click the skin to place one.' : 'Select one in the list or on the skin.'}</p>
        </Section>
      )}
      <Section name="solve" title="Solve">
        <div class="row spread"><Term topic="controls">Controls</Term><span>{countText(model.controls)}</span></div>
        <div class="row spread"><Term topic="degreesOfFreedom">Degrees of freedom</Term><span>{countText(12 * model.controls)}</span></div>
        <div class="row spread"><Term topic="proxies">Proxies</Term><span>{countText(model.proxies)}</span></div>
        <div class="row spread"><Term topic="iterations">Iterations</Term><span data-test="iterations">{lastSolve.value.iterations}</span></div>
        <div class="row spread"><Term topic="solveTime">Solve time</Term><span>{lastSolve.value.milliseconds.toFixed(2)} ms</span></div>
        <div class="row spread"><Term topic="residual">Residual</Term><span data-test="residual">{distanceOf(residual, info.diagonal)}</span></div>
      </Section>
      <Section name="blend" title="Examples">
        <p class="muted">Click one to show it as the model reconstructs it. The bars are the blend of the shown shape.</p>
        {model.examples.map((name, e) => {
          const weight = frame?.activations?.[e] ?? 0;
          return (
            <div class="row bar-row" key={name}>
              <button class="example" title={`Show ${name} as the model reconstructs it`} aria-label={`Show example ${name}`} onClick={() => void showExample(e)}>
                {name}
              </button>
              <div class="grow">
                <Bar value={weight} least={-1} />
              </div>
              <span data-test="activation">{(Math.abs(weight) < 0.005 ? 0 : weight).toFixed(2)}</span>
            </div>
          );
        })}
      </Section>
    </>
  );
}
