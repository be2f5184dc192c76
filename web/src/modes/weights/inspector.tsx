// The inspector of the mode Weights: weights, position and reach of the lead vertex, soft selection, pinned poses.
import { command, stage as liveStage } from '../../client';
import { limitedShare, sceneUnits, shareLimits } from '../../gestures/radius_gesture';
import type { Reach } from '../../protocol/messages';
import { activeView, document_, perDocument, poses, selectedVertices, viewCount, weightDecimals } from '../../store';
import { Bar } from '../../ui/bar';
import { helpOf, Term } from '../../ui/help';
import { capital, countText, Name, viewsLabel } from '../../ui/labels';
import { Section } from '../../ui/section';
import { Slider } from '../../ui/slider';
import { numberOf } from '../../ui/typed_number';
import { assignAll, dragAgainWith, dragTo, endKeyed, keyDragging, nudge } from './drag';
import { Swatch } from './outliner';
import { dragging } from './reach_labels';
import { alpha, columns, curve, curveNames, followers, jointName, jointWords, leastSum, lengthText, negative, offeredJoints, pins, presentOnly, reaches, reachWords, softOn, softShare, volume } from './settings';
import { SelectionPanel, takeWeight, ToolPanel } from './tools';

/** The text typed for a coordinate of the vertex, until it is applied. */
const typedPlace = perDocument<{ vertex: number; axis: number; text: string } | undefined>(undefined);

function WeightRows({ vertex }: { vertex: number }) {
  const info = document_.value;
  // Read to update the table during a drag.
  void columns.value;
  if (info === undefined) return null;
  const column = liveStage?.deformer?.influences.column(vertex) ?? [];
  const sum = column.reduce((total, one) => total + one.weight, 0);
  return (
    <table aria-label="Vertex weights">
      <tbody>
        {column.map((one) => {
          const joint = info.bindings[one.binding];
          return (
            <tr key={one.binding}>
              <td class="cut joint-cell" title={jointName(joint)}>
                <Swatch joint={joint} />
                <Name text={jointName(joint)} />
              </td>
              <td class="bar-cell" aria-hidden="true">
                <Bar value={one.weight} least={column.some((other) => other.weight < 0) ? -1 : 0} colour={one.weight < 0 ? 'var(--danger)' : undefined} />
              </td>
              <td>
                <input aria-label={`Weight of ${jointName(joint)}`} class="weight" value={one.weight.toFixed(weightDecimals.value)} onChange={(event) => takeWeight(event.currentTarget, vertex, one.binding, one.weight)} />
              </td>
              <td>
                <button class="slim" title={`All weight to ${jointName(joint)}`} aria-label={`All weight to ${jointName(joint)}`} onClick={() => assignAll(vertex, joint)}>
                  All
                </button>
              </td>
            </tr>
          );
        })}
        {vertex === selectedVertices.value[0] &&
          offeredJoints.value.map((joint) => (
            <tr key={`near-${joint}`} class="offered" data-test="near-joint">
              <td class="cut joint-cell" title={`${jointName(joint)}: near, a drag may use it`}>
                <Swatch joint={joint} />
                <Name text={jointName(joint)} />
              </td>
              <td />
              <td class="muted">near</td>
              <td>
                <button class="slim" title={`All weight to ${jointName(joint)}`} aria-label={`All weight to ${jointName(joint)}`} onClick={() => assignAll(vertex, joint)}>
                  All
                </button>
              </td>
            </tr>
          ))}
        <tr>
          <td>
            <Term topic="weightSum">Sum</Term>
          </td>
          <td colSpan={2} data-test="weight-sum">
            {sum.toFixed(weightDecimals.value)}
          </td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

const pad: Record<string, [number, number, number]> = {
  ArrowRight: [1, 0, 0],
  ArrowLeft: [-1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
};

/** Arrow keys drag the vertex: one step of undo from the first key to Enter. */
function padKey(event: KeyboardEvent): void {
  const way = pad[event.key];
  if (way !== undefined) {
    const [x, y, z] = way.map((one) => one * (event.shiftKey ? 0.1 : 1));
    nudge(x, y, z);
  } else if (event.key === 'Enter' && keyDragging()) {
    endKeyed(true);
  } else if (event.key === 'Escape' && keyDragging()) {
    endKeyed(false);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Rounded to a precision that suits the size of the character. */
function coordinate(x: number): string {
  const digits = Math.max(0, Math.min(8, 5 - Math.floor(Math.log10(document_.value?.diagonal ?? 1))));
  return String(Number(x.toFixed(digits)) || 0);
}

/** The position of the vertex in the active pose; each coordinate can be typed. */
function Place({ vertex }: { vertex: number }) {
  const info = document_.value;
  // Read to update the numbers with poses and drags.
  void poses.value;
  void reaches.value;
  void columns.value;
  // During a drag the server sends the position of the lead; reading it from the GPU would stall.
  const reach = dragging.value || keyDragging() ? reaches.value.get(activeView.value) : undefined;
  const here = reach?.vertex === vertex ? Array.from(reach.position) : liveStage?.position(vertex, activeView.value).toArray();
  if (info === undefined || here === undefined) return null;
  const place = here.map((x, axis) => x + info.centre[axis]) as [number, number, number];
  const take = (axis: number, text: string) => {
    typedPlace.value = undefined;
    const value = numberOf(text);
    if (value === undefined) return;
    const target = [...place] as [number, number, number];
    target[axis] = value;
    dragTo(target);
  };
  return (
    <>
      <div class="row" role="group" aria-label="Vertex position">
        {['X', 'Y', 'Z'].map((name, axis) => {
          const typed = typedPlace.value;
          const mine = typed?.vertex === vertex && typed.axis === axis;
          return (
            <label class="row grow" key={name}>
              {name}
              <input
                class="wide"
                aria-label={`Target ${name}`}
                value={mine ? typed.text : coordinate(place[axis])}
                onInput={(event) => (typedPlace.value = { vertex, axis, text: event.currentTarget.value })}
                onKeyDown={(event) => event.key === 'Enter' && take(axis, event.currentTarget.value)}
                onBlur={() => (typedPlace.value = undefined)}
              />
            </label>
          );
        })}
      </div>
      <button id="nudge-pad" class="wide" onKeyDown={padKey} onBlur={() => endKeyed(true)} title="Arrow keys, Page Up and Page Down; Shift for a tenth of a step. Enter applies, Esc cancels. (G)">
        Nudge with arrow keys
      </button>
    </>
  );
}

function ReachRow({ reach, scale }: { reach: Reach; scale: number }) {
  const leads = reach.leads === 1;
  return (
    <div data-test={`reach-${reach.view}`}>
      <div class="row spread">
        <span>
          Pose {'ABCD'[reach.view]} {pins.value.includes(reach.view) && !leads ? '▣' : ''}
        </span>
        <span>{leads ? `out of reach by ${lengthText(reach.distance)}` : `moved ${lengthText(reach.distance)}`}</span>
      </div>
      <div class="progress" role="img" aria-label={`${leads ? 'Out of reach' : 'Moved'} in pose ${'ABCD'[reach.view]}: ${lengthText(reach.distance)}`}>
        <div style={{ width: `${100 * Math.min(1, reach.distance / scale)}%`, background: leads ? 'var(--danger)' : undefined }} />
      </div>
    </div>
  );
}

function ReachPanel() {
  const list = [...reaches.value.values()].filter((reach) => reach.view < viewCount.value).sort((a, b) => a.view - b.view);
  const lead = list.find((reach) => reach.leads === 1);
  const diagonal = document_.value?.diagonal ?? 1;
  // The longest bar is full, but distances below a hundredth of the diagonal stay short.
  const scale = Math.max(0.01 * diagonal, ...list.map((reach) => reach.distance));
  return (
    <Section name="reach" title="Reach">
      {lead === undefined ? (
        <p class="muted">Click the skin to see where a vertex can go.</p>
      ) : (
        <p data-test="reach-words">
          {jointWords(lead)}: {reachWords(lead)}
        </p>
      )}
      {list.map((reach) => (
        <ReachRow key={reach.view} reach={reach} scale={scale} />
      ))}
      {lead !== undefined &&
        // Suggest a joint only if it brings the vertex clearly closer.
        lead.suggestedDistance < 0.9 * lead.distance &&
        [...lead.suggested].map((joint) => (
          <button key={joint} class="wide cut" title={jointName(joint)} aria-label={`Add ${jointName(joint)}: ${lengthText(lead.suggestedDistance)} out of reach`} data-test="suggestion" onClick={() => dragAgainWith(joint, lead)}>
            <Name before="Add " text={jointName(joint)} after={`: ${lengthText(lead.suggestedDistance)} out of reach`} />
          </button>
        ))}
      <label class="row" title="Otherwise a drag may use joints near the vertex: those of its surroundings, and parents and children of its own">
        <input type="checkbox" checked={presentOnly.value} onChange={(event) => (presentOnly.value = event.currentTarget.checked)} />
        Only joints with weight
      </label>
      <label class="row">
        <input type="checkbox" checked={negative.value} onChange={(event) => (negative.value = event.currentTarget.checked)} />
        Allow negative weights
      </label>
      {negative.value && <p class="muted">The reach is the whole line, plane or space. A skin cannot store negative weights: a drag that ends with one is undone.</p>}
      <div class="row">
        <label for="second-stage" {...helpOf('prefer')}>
          Prefer
        </label>
        <select id="second-stage" value={leastSum.value ? 'l1' : 'l2'} onChange={(event) => (leastSum.value = event.currentTarget.value === 'l1')}>
          <option value="l2">Smooth (L2)</option>
          <option value="l1">Sparse (L1, may jump)</option>
        </select>
      </div>
    </Section>
  );
}

function SoftPanel() {
  return (
    <Section name="soft" title="Soft selection">
      <div class="row">
        <button aria-pressed={softOn.value} title="Soft selection (B)" onClick={() => (softOn.value = !softOn.value)}>
          Soft
        </button>
        <Slider class="grow" label="Soft selection radius" help="softRadius" min={shareLimits.least} max={0.3} step={0.001} value={softShare.value} change={(value) => (softShare.value = limitedShare(value))} />
        <span>{lengthText(sceneUnits(softShare.value))}</span>
      </div>
      <div class="row">
        <select aria-label="Soft selection distance" value={volume.value ? 'volume' : 'surface'} onChange={(event) => (volume.value = event.currentTarget.value === 'volume')}>
          <option value="surface">Along the surface</option>
          <option value="volume">Straight line</option>
        </select>
        <select aria-label="Soft selection falloff" value={curveNames[curve.value]} onChange={(event) => (curve.value = curveNames.indexOf(event.currentTarget.value as (typeof curveNames)[number]))}>
          {curveNames.map((name) => (
            <option key={name} value={name}>
              {capital(name)}
            </option>
          ))}
        </select>
      </div>
      {softOn.value && <p>{followers.value === undefined ? 'Point at the skin to see the affected vertices.' : <span data-test="soft-count">+{countText(followers.value)} affected</span>}</p>}
      {softOn.value && <p class="muted">Radius: hold B and drag, or Ctrl + wheel.</p>}
    </Section>
  );
}

function PosesPanel() {
  const toggle = (view: number) => (pins.value = pins.value.includes(view) ? pins.value.filter((one) => one !== view) : [...pins.value, view]);
  return (
    <Section name="poses" title="Poses">
      <div class="row" role="group" aria-label="Poses side by side">
        {[1, 2, 3, 4].map((count) => (
          <button key={count} aria-pressed={viewCount.value === count} aria-label={viewsLabel(count)} onClick={() => void command('views', { count })}>
            {count}
          </button>
        ))}
      </div>
      {viewCount.value > 1 &&
        Array.from({ length: viewCount.value }, (_, view) => (
          <label class="row" key={view}>
            <input type="checkbox" checked={pins.value.includes(view)} onChange={() => toggle(view)} />
            Pin in pose {'ABCD'[view]}
          </label>
        ))}
      {viewCount.value > 1 && pins.value.length > 0 && (
        <div class="row">
          <label for="alpha" {...helpOf('pinStrength')}>Pin strength</label>
          <Slider id="alpha" class="grow" min={0} max={1} step={0.01} value={alpha.value} change={(value) => (alpha.value = value)} />
          <span>{alpha.value.toFixed(2)}</span>
        </div>
      )}
    </Section>
  );
}

export function Inspector() {
  const vertex = selectedVertices.value[0];
  const others = selectedVertices.value.length - 1;
  const soft = softOn.value ? (followers.value ?? 0) : 0;
  if (document_.value === undefined) return null;
  const title =
    vertex === undefined ? 'No vertex selected' : `Vertex ${countText(vertex)}${others > 0 ? ` and ${countText(others)} more` : ''}${soft > 0 ? ` (+${countText(soft)} soft)` : ''}`;
  return (
    <>
      <ToolPanel />
      <Section name="vertex" test="lead" title={title}>
        {vertex === undefined ? (
          <p class="muted">Drag the skin to change its weights.</p>
        ) : (
          <>
            <WeightRows vertex={vertex} />
            <Place vertex={vertex} />
          </>
        )}
      </Section>
      <ReachPanel />
      <SoftPanel />
      <PosesPanel />
      <SelectionPanel />
    </>
  );
}

/** Focuses an element once the palette has closed and restored the focus. */
export function focusSoon(id: string, frames = 30): void {
  requestAnimationFrame(() => {
    const wanted = document.getElementById(id);
    if (document.querySelector('dialog[open]') === null) wanted?.focus();
    if (document.activeElement !== wanted && frames > 0) focusSoon(id, frames - 1);
  });
}

/** G: arrow keys then nudge the vertex. */
export function focusPad(): void {
  focusSoon('nudge-pad');
}
