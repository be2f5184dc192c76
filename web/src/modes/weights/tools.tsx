// Panels of the mode Weights: tool and brush, operations on the selection, and the table of selected vertices.
import { signal } from '@preact/signals';
import { command, stage as liveStage } from '../../client';
import { limitedShare, sceneUnits, shareLimits } from '../../gestures/radius_gesture';
import { document_, notice, perDocument, selectedVertices, weightDecimals } from '../../store';
import { helpOf } from '../../ui/help';
import { IconButton } from '../../ui/icon_button';
import type { IconName } from '../../ui/icons';
import { capital, counted, countText, Name } from '../../ui/labels';
import { Section } from '../../ui/section';
import { Slider } from '../../ui/slider';
import { numberOf, typedNumber } from '../../ui/typed_number';
import { operations } from './paint_stroke';
import { growSelection, selectById, selectByWeight } from './selection';
import { brushShare, cap, columns, heldBack, jointName, lengthText, mirrorAxes, mirrorAxis, mirrorBrush, operation, shownBinding, strengths, tool, type WeightTool, xray } from './settings';

const typedIds = perDocument('');
const leastWeight = signal(0.5);
/** Pruning removes smaller weights; the server takes 0 to 0.5. */
const pruneBelow = signal(0.01);
const tools: { tool: WeightTool; icon: IconName; keys: string }[] = [
  { tool: 'drag', icon: 'drag', keys: 'Q' },
  { tool: 'box', icon: 'box', keys: 'W' },
  { tool: 'lasso', icon: 'lasso', keys: 'R' },
  { tool: 'paint', icon: 'brush', keys: 'E' },
];
const mostRows = 50;

export function ToolPanel() {
  const info = document_.value;
  if (info === undefined) return null;
  const [least, most] = operations[operation.value].strength;
  const brush = tool.value === 'paint';
  const single = operations[operation.value].name !== 'smooth' && operations[operation.value].name !== 'sharpen';
  return (
    <Section name="tool" title="Tool">
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => (
          <IconButton key={one.tool} class="tool" icon={one.icon} label={capital(one.tool)} keys={one.keys} pressed={tool.value === one.tool} onClick={() => (tool.value = one.tool)} />
        ))}
      </div>
      {tool.value !== 'drag' && (
        <label class="row" title="X-ray (X)">
          <input type="checkbox" checked={xray.value} onChange={(event) => (xray.value = event.currentTarget.checked)} />
          X-ray: also {brush ? 'paint' : 'select'} hidden vertices
        </label>
      )}
      {(tool.value === 'box' || tool.value === 'lasso') && <p class="muted">Draw {tool.value === 'box' ? 'a box' : 'an outline'} around vertices. Shift adds, Ctrl removes.</p>}
      {brush && (
        <>
          <div class="row" role="group" aria-label="Brush" style={{ flexWrap: 'wrap', margin: '6px 0' }}>
            {operations.map((one, i) => (
              <button key={one.name} aria-pressed={operation.value === i} onClick={() => (operation.value = i)}>
                {capital(one.name)}
              </button>
            ))}
          </div>
          <div class="row">
            <span style={{ width: '60px' }}>Strength</span>
            <Slider
              class="grow"
              help="brushStrength"
              label="Brush strength"
              min={least}
              max={most}
              step={0.01}
              value={strengths.value[operation.value]}
              change={(value) => (strengths.value = strengths.value.map((old, i) => (i === operation.value ? value : old)))}
            />
            <span>{strengths.value[operation.value].toFixed(2)}</span>
          </div>
          <div class="row">
            <span style={{ width: '60px' }}>Radius</span>
            <Slider class="grow" help="brushRadius" label="Brush radius" min={shareLimits.least} max={0.3} step={0.001} value={brushShare.value} change={(value) => (brushShare.value = limitedShare(value))} />
            <span data-test="brush-radius">{lengthText(sceneUnits(brushShare.value))}</span>
          </div>
          <label class="row">
            <input type="checkbox" checked={mirrorBrush.value} onChange={(event) => (mirrorBrush.value = event.currentTarget.checked)} />
            Mirror: also paint the other side
          </label>
          {heldBack.value !== '' && (
            <p role="status" class="warning" data-test="held-back">
              {heldBack.value}
            </p>
          )}
          {single && shownBinding.value === undefined && <p data-test="brush-hint">Choose an influence to paint, or press S over the skin to pick one.</p>}
          <p class="muted">Ctrl removes, Shift smooths, S picks the influence under the pointer. Radius: hold B and drag, or Ctrl + wheel.</p>
        </>
      )}
      <div class="row">
        <label for="cap" {...helpOf('maxInfluences')}>Max influences</label>
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
    </Section>
  );
}

const chosen = () => ({ vertices: selectedVertices.value, most: cap.value });

function tellChanged(answer: { changed: number; warning?: string } | undefined): void {
  if (answer === undefined) return;
  const changed = answer.changed === 0 ? 'Nothing to change.' : `${counted(answer.changed, 'vertex', 'vertices')} changed.`;
  notice.value = answer.warning === undefined ? changed : `${changed} ${answer.warning}.`;
}

export const normalise = async () => tellChanged(await command('weights.normalise', chosen()));
export const prune = async () => tellChanged(await command('weights.prune', { ...chosen(), below: pruneBelow.value }));
export const smooth = async () => tellChanged(await command('weights.smooth', { ...chosen(), amount: 0.5, times: 1 }));
export const mirror = async (from: 'above' | 'below') => tellChanged(await command('weights.mirror', { ...chosen(), from, axis: mirrorAxis.value }));

/** A threshold out of range is refused, and the field shows the old one. */
function takePruneBelow(field: HTMLInputElement): void {
  const { value, fault } = typedNumber(field.value);
  if (value !== undefined && value >= 0 && value <= 0.5) pruneBelow.value = value;
  else notice.value = fault ?? `The threshold is ${field.value}. Type a number from 0 to 0.5.`;
  field.value = String(pruneBelow.value);
}

/** Operations on the selection, or on all vertices if nothing is selected. */
export function SelectionPanel() {
  const count = selectedVertices.value.length;
  return (
    <Section name="selection" test="selection" title={count === 0 ? 'Selection: all vertices' : `Selection: ${countText(count)}`}>
      <div class="row">
        <label for="select-ids">By number</label>
        <input id="select-ids" class="grow" placeholder="12, 40-60" value={typedIds.value} onInput={(event) => (typedIds.value = event.currentTarget.value)} onKeyDown={(event) => event.key === 'Enter' && selectById(typedIds.value)} />
        <button aria-label="Select by number" onClick={() => selectById(typedIds.value)}>
          Select
        </button>
      </div>
      <div class="row">
        <label for="select-weight" class="cut" title={shownBinding.value === undefined ? undefined : jointName(document_.value?.bindings[shownBinding.value] ?? -1)}>{shownBinding.value === undefined ? 'By weight' : <Name text={jointName(document_.value?.bindings[shownBinding.value] ?? -1)} after=" above" />}</label>
        <input id="select-weight" class="weight" value={leastWeight.value} disabled={shownBinding.value === undefined} onChange={(event) => (leastWeight.value = numberOf(event.currentTarget.value) ?? leastWeight.value)} />
        <button disabled={shownBinding.value === undefined} title={shownBinding.value === undefined ? 'Choose an influence first' : undefined} aria-label="Select by weight" onClick={() => shownBinding.value !== undefined && selectByWeight(shownBinding.value, leastWeight.value)}>
          Select
        </button>
      </div>
      <div class="row">
        <button disabled={count === 0} title="Grow selection (Ctrl +)" onClick={() => void growSelection(true)}>
          Grow
        </button>
        <button disabled={count === 0} title="Shrink selection (Ctrl -)" onClick={() => void growSelection(false)}>
          Shrink
        </button>
        <button disabled={count === 0} onClick={() => (selectedVertices.value = [])}>
          Select none
        </button>
      </div>
      <div class="row" style={{ flexWrap: 'wrap' }}>
        <button onClick={() => void normalise()}>Normalise</button>
        <span class="row">
          <button title={`Remove weights below ${pruneBelow.value} and those beyond the max influences`} onClick={() => void prune()}>
            Prune
          </button>
          <label for="prune-below">below</label>
          <input id="prune-below" class="weight" value={pruneBelow.value} onChange={(event) => takePruneBelow(event.currentTarget)} onKeyDown={(event) => event.key === 'Enter' && takePruneBelow(event.currentTarget)} />
        </span>
        <button onClick={() => void smooth()}>Smooth</button>
        <button title="Copy the selection, or the positive side, to the other side" onClick={() => void mirror('above')}>
          Mirror
        </button>
        <select aria-label="Mirror plane" title="Mirror plane" value={mirrorAxis.value} onChange={(event) => (mirrorAxis.value = event.currentTarget.value as (typeof mirrorAxes)[number])}>
          {mirrorAxes.map((axis) => (
            <option key={axis} value={axis}>
              {axis === 'auto' ? 'Mirror plane: auto' : `Mirror plane: ${axis.toUpperCase()}`}
            </option>
          ))}
        </select>
        {count === 0 && (
          <button title="Copy the negative side to the positive side" onClick={() => void mirror('below')}>
            Mirror back
          </button>
        )}
      </div>
    </Section>
  );
}

/** Applies a typed weight; if it is not a number, reports that and restores the field. */
export function takeWeight(field: HTMLInputElement, vertex: number, binding: number, before: number): void {
  const { value: weight, fault } = typedNumber(field.value);
  if (weight !== undefined) {
    void command('weights.set', { vertex, binding, weight });
    return;
  }
  field.value = before.toFixed(weightDecimals.value);
  notice.value = fault ?? '';
}

/** A row per selected vertex, a column per influence; each number can be typed. */
export function WeightTable() {
  const info = document_.value;
  void columns.value;
  const vertices = selectedVertices.value.slice(0, mostRows);
  const influences = liveStage?.deformer?.influences;
  if (info === undefined || influences === undefined) return null;
  // Constant height, so that the view does not jump when something is selected.
  if (vertices.length === 0)
    return (
      <div class="section steady">
        <p class="muted">Select vertices to see and edit their weights here.</p>
      </div>
    );
  const rows = vertices.map((vertex) => ({ vertex, weights: new Map(influences.column(vertex).map((one) => [one.binding, one.weight])) }));
  const used = info.bindings.map((_, binding) => binding).filter((binding) => rows.some((row) => row.weights.has(binding)));
  return (
    <div class="section steady">
      <table aria-label="Weights of the selected vertices">
        <thead>
          <tr>
            <th>Vertex</th>
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
                    value={(row.weights.get(binding) ?? 0).toFixed(weightDecimals.value)}
                    onChange={(event) => takeWeight(event.currentTarget, row.vertex, binding, row.weights.get(binding) ?? 0)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {selectedVertices.value.length > mostRows && <p class="muted">and {countText(selectedVertices.value.length - mostRows)} more</p>}
    </div>
  );
}
