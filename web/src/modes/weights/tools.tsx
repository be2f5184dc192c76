// Panels of the mode Weights: which tool, the brush, what is done to the selection, and the table of several vertices.
import { signal } from '@preact/signals';
import { command, stage as liveStage } from '../../client';
import { document_, notice, perDocument, selectedVertices } from '../../store';
import { countText, Name } from '../../ui/labels';
import { Slider } from '../../ui/slider';
import { numberOf, typedNumber } from '../../ui/typed_number';
import { operations } from './paint_stroke';
import { growSelection, selectById, selectByWeight } from './selection';
import { brushShare, cap, columns, heldBack, jointName, lengthText, limitedShare, mirrorAxes, mirrorAxis, mirrorBrush, operation, sceneUnits, shareLimits, shownBinding, strengths, tool, type WeightTool, xray } from './settings';

const typedIds = perDocument('');
const leastWeight = signal(0.5);
const tools: WeightTool[] = ['drag', 'box', 'lasso', 'paint'];
const mostRows = 50;

export function ToolPanel() {
  const info = document_.value;
  if (info === undefined) return null;
  const [least, most] = operations[operation.value].strength;
  const brush = tool.value === 'paint';
  const single = operations[operation.value].name !== 'smooth' && operations[operation.value].name !== 'sharpen';
  return (
    <div class="section">
      <h2>Tool</h2>
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => (
          <button key={one} aria-pressed={tool.value === one} onClick={() => (tool.value = one)}>
            {one}
          </button>
        ))}
      </div>
      {tool.value !== 'drag' && (
        <label class="row" title="Through the surface (X)">
          <input type="checkbox" checked={xray.value} onChange={(event) => (xray.value = event.currentTarget.checked)} />
          X-ray: {brush ? 'paint' : 'select'} what is hidden, too
        </label>
      )}
      {(tool.value === 'box' || tool.value === 'lasso') && <p class="muted">Draw {tool.value === 'box' ? 'a box' : 'a line around them'}. Shift adds, Ctrl takes away.</p>}
      {brush && (
        <>
          <div class="row" role="group" aria-label="Brush" style={{ flexWrap: 'wrap', margin: '6px 0' }}>
            {operations.map((one, i) => (
              <button key={one.name} aria-pressed={operation.value === i} onClick={() => (operation.value = i)}>
                {one.name}
              </button>
            ))}
          </div>
          <div class="row">
            <span style={{ width: '60px' }}>strength</span>
            <Slider
              label="Strength of the brush"
              min={least}
              max={most}
              step={0.01}
              value={strengths.value[operation.value]}
              change={(value) => (strengths.value = strengths.value.map((old, i) => (i === operation.value ? value : old)))}
            />
            <span>{strengths.value[operation.value].toFixed(2)}</span>
          </div>
          <div class="row">
            <span style={{ width: '60px' }}>radius</span>
            <Slider label="Radius of the brush" min={shareLimits.least} max={0.3} step={0.001} value={brushShare.value} change={(value) => (brushShare.value = limitedShare(value))} />
            <span data-test="brush-radius">{lengthText(sceneUnits(brushShare.value))}</span>
          </div>
          <label class="row">
            <input type="checkbox" checked={mirrorBrush.value} onChange={(event) => (mirrorBrush.value = event.currentTarget.checked)} />
            Mirror: paint the other side, too
          </label>
          {heldBack.value !== '' && (
            <p role="status" class="warning" data-test="held-back">
              {heldBack.value}
            </p>
          )}
          {single && shownBinding.value === undefined && <p data-test="brush-hint">Choose an influence to paint, or press S over the skin.</p>}
          <p class="muted">Ctrl takes away, Shift smooths, S takes the influence under the pointer. Hold B and drag, or Ctrl and the wheel, for the radius.</p>
        </>
      )}
      <div class="row">
        <label for="cap">max influences</label>
        <input
          id="cap"
          type="number"
          min={0}
          max={16}
          style={{ width: '60px' }}
          value={cap.value}
          onChange={(event) => (cap.value = Math.max(0, Math.min(16, Math.round(Number(event.currentTarget.value)) || 0)))}
        />
        <span class="muted">{cap.value === 0 ? 'unlimited' : ''}</span>
      </div>
    </div>
  );
}

async function apply(cmd: string, args: object = {}): Promise<void> {
  const answer = await command<{ changed: number; warning?: string }>(cmd, { vertices: selectedVertices.value, most: cap.value, ...args });
  if (answer === undefined) return;
  const changed = answer.changed === 0 ? 'Nothing to change.' : `${answer.changed} vertices changed.`;
  notice.value = answer.warning === undefined ? changed : `${changed} ${answer.warning}.`;
}

export const normalise = () => apply('weights.normalise');
export const prune = () => apply('weights.prune', { below: 0.01 });
export const smooth = () => apply('weights.smooth', { amount: 0.5, times: 1 });
export const mirror = (from: 'above' | 'below') => apply('weights.mirror', { from, axis: mirrorAxis.value });

/** What is done to the selection, or to all where nothing is selected. */
export function SelectionPanel() {
  const count = selectedVertices.value.length;
  return (
    <div class="section">
      <h2 data-test="selection">{count === 0 ? 'Selection: all vertices' : `Selection: ${countText(count)}`}</h2>
      <div class="row">
        <label for="select-ids">by number</label>
        <input id="select-ids" class="grow" placeholder="12, 40-60" value={typedIds.value} onInput={(event) => (typedIds.value = event.currentTarget.value)} onKeyDown={(event) => event.key === 'Enter' && selectById(typedIds.value)} />
        <button aria-label="Select by number" onClick={() => selectById(typedIds.value)}>
          select
        </button>
      </div>
      <div class="row">
        <label for="select-weight" class="cut" title={shownBinding.value === undefined ? undefined : jointName(document_.value?.bindings[shownBinding.value] ?? -1)}>{shownBinding.value === undefined ? 'By weight' : <Name text={jointName(document_.value?.bindings[shownBinding.value] ?? -1)} after=" above" />}</label>
        <input id="select-weight" class="weight" value={leastWeight.value} disabled={shownBinding.value === undefined} onChange={(event) => (leastWeight.value = numberOf(event.currentTarget.value) ?? leastWeight.value)} />
        <button disabled={shownBinding.value === undefined} title="Choose an influence first" aria-label="Select by weight" onClick={() => shownBinding.value !== undefined && selectByWeight(shownBinding.value, leastWeight.value)}>
          select
        </button>
      </div>
      <div class="row">
        <button disabled={count === 0} title="Grow selection (Ctrl +)" onClick={() => void growSelection(true)}>
          grow
        </button>
        <button disabled={count === 0} title="Shrink selection (Ctrl -)" onClick={() => void growSelection(false)}>
          shrink
        </button>
        <button disabled={count === 0} onClick={() => (selectedVertices.value = [])}>
          select none
        </button>
      </div>
      <div class="row" style={{ flexWrap: 'wrap' }}>
        <button onClick={() => void normalise()}>normalise</button>
        <button title="Weights below 0.01, and those beyond the cap" onClick={() => void prune()}>
          prune
        </button>
        <button onClick={() => void smooth()}>smooth</button>
        <button title="The selection, or the side above the plane of symmetry, to the other side" onClick={() => void mirror('above')}>
          mirror
        </button>
        <select aria-label="Mirror plane" title="Mirror plane" value={mirrorAxis.value} onChange={(event) => (mirrorAxis.value = event.currentTarget.value as (typeof mirrorAxes)[number])}>
          {mirrorAxes.map((axis) => (
            <option key={axis} value={axis}>
              {axis === 'auto' ? 'mirror plane: auto' : `mirror plane: ${axis.toUpperCase()}`}
            </option>
          ))}
        </select>
        {count === 0 && (
          <button title="The side below the plane of symmetry to the other" onClick={() => void mirror('below')}>
            mirror back
          </button>
        )}
      </div>
    </div>
  );
}

/** A weight that was typed; what is no number is told, and the weight shown again. */
export function takeWeight(field: HTMLInputElement, vertex: number, binding: number, before: number): void {
  const { value: weight, fault } = typedNumber(field.value);
  if (weight !== undefined) {
    void command('weights.set', { vertex, binding, weight });
    return;
  }
  field.value = before.toFixed(4);
  notice.value = fault ?? '';
}

/** A row per selected vertex, a column per influence; each number can be typed. */
export function WeightTable() {
  const info = document_.value;
  void columns.value;
  const vertices = selectedVertices.value.slice(0, mostRows);
  const influences = liveStage?.deformer?.influences;
  if (info === undefined || influences === undefined) return null;
  // As high with few rows as with many, so that the view does not jump when something is selected.
  if (vertices.length === 0)
    return (
      <div class="section steady">
        <p class="muted">Selected vertices are listed here, a row each, with their weights to type.</p>
      </div>
    );
  const rows = vertices.map((vertex) => ({ vertex, weights: new Map(influences.column(vertex).map((one) => [one.binding, one.weight])) }));
  const used = info.bindings.map((_, binding) => binding).filter((binding) => rows.some((row) => row.weights.has(binding)));
  return (
    <div class="section steady">
      <table aria-label="Weights of the selected vertices">
        <thead>
          <tr>
            <th>vertex</th>
            {used.map((binding) => (
              <th key={binding} class="joint-head" aria-label={info.joints[info.bindings[binding]].name} title={info.joints[info.bindings[binding]].name}>
                <Name text={info.joints[info.bindings[binding]].name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.vertex}>
              <td>{row.vertex}</td>
              {used.map((binding) => (
                <td key={binding}>
                  <input
                    style={{ width: '64px' }}
                    aria-label={`Weight of ${info.joints[info.bindings[binding]].name} at vertex ${row.vertex}`}
                    value={(row.weights.get(binding) ?? 0).toFixed(4)}
                    onChange={(event) => takeWeight(event.currentTarget, row.vertex, binding, row.weights.get(binding) ?? 0)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {selectedVertices.value.length > mostRows && <p class="muted">and {selectedVertices.value.length - mostRows} more</p>}
    </div>
  );
}
