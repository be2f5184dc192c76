// Messages of skin drags by pointer, keys or typed positions, all with the same settings.
import { Vector3 } from 'three';
import { command, connection, loseGesture, stage } from '../../client';
import { sceneUnits } from '../../gestures/radius_gesture';
import { DragEndCode, DragMoveCode, type Reach, WeightDragBeginCode, writeDragEnd, writeDragMove, writeWeightDragBegin } from '../../protocol/messages';
import { activeView, document_, selectedVertices } from '../../store';
import { alpha, cap, curve, handTarget, leastSum, negative, pins, presentOnly, reaches, softOn, softShare, volume } from './settings';

/** Begins a drag of the lead vertex in a view, with the current selection and settings. */
export function beginDrag(drag: number, view: number, lead: number, addedJoints: number[] = []): void {
  const vertices = selectedVertices.value.includes(lead) ? selectedVertices.value : [lead];
  connection.send(WeightDragBeginCode, writeWeightDragBegin, {
    drag,
    view,
    lead,
    radius: softOn.value ? sceneUnits(softShare.value) : 0,
    throughSpace: volume.value ? 1 : 0,
    curve: curve.value,
    vertices: Uint32Array.from(vertices),
    pinnedViews: Uint32Array.from(pins.value.filter((pin) => pin !== view)),
    alpha: alpha.value,
    sparse: leastSum.value ? 1 : 0,
    negativeWeights: negative.value ? 1 : 0,
    addedJoints: Uint32Array.from(addedJoints),
    maxInfluences: cap.value,
    presentOnly: presentOnly.value ? 1 : 0,
  });
}

const floats = (place: Vector3) => Float32Array.from(place.toArray());

/** Repeats the last drag with an additional joint. */
export function dragAgainWith(joint: number, reach: Reach): void {
  const drag = connection.nextDrag();
  handTarget.value = { view: reach.view, place: [reach.target[0], reach.target[1], reach.target[2]] };
  beginDrag(drag, reach.view, reach.vertex, [joint]);
  connection.send(DragEndCode, writeDragEnd, { drag, commit: 1, target: reach.target });
  handTarget.value = undefined;
}

/** Assigns all weight that is not locked to one joint, at the vertex or at the selection that contains it. */
export function assignAll(vertex: number, joint: number): void {
  const vertices = selectedVertices.value.includes(vertex) ? selectedVertices.value : [vertex];
  void command('weights.assign', { vertices, joint });
}

/** A drag by keys, from the first key to Enter, which commits it, or Escape, which cancels it. */
let keyed: { drag: number; view: number; place: Vector3 } | undefined;

export const keyDragging = () => keyed !== undefined;

function beginKeyed(): boolean {
  const lead = selectedVertices.value[0];
  const view = activeView.value;
  if (keyed !== undefined || lead === undefined || stage === undefined || document_.value === undefined) return keyed !== undefined;
  const place = stage.position(lead, view);
  keyed = { drag: connection.nextDrag(), view, place };
  reaches.value = new Map();
  beginDrag(keyed.drag, view, lead);
  return true;
}

function moveKeyed(place: Vector3): void {
  if (keyed === undefined) return;
  keyed.place = place;
  handTarget.value = { view: keyed.view, place: place.toArray() };
  connection.send(DragMoveCode, writeDragMove, { drag: keyed.drag, target: floats(place) });
}

/** Steps along the screen: right, up, and towards the camera. */
export function nudge(right: number, up: number, near: number): void {
  if (stage === undefined || !beginKeyed() || keyed === undefined) return;
  const step = 0.005 * (document_.value?.diagonal ?? 1);
  const matrix = stage.cameraOf(keyed.view).matrixWorld;
  const [x, y, z] = [0, 1, 2].map((column) => new Vector3().setFromMatrixColumn(matrix, column));
  moveKeyed(keyed.place.clone().addScaledVector(x, right * step).addScaledVector(y, up * step).addScaledVector(z, near * step));
}

export function endKeyed(commit: boolean): void {
  if (keyed === undefined) return;
  const { drag, place } = keyed;
  keyed = undefined;
  handTarget.value = undefined;
  connection.dropPending(DragMoveCode);
  connection.send(DragEndCode, writeDragEnd, { drag, commit: commit ? 1 : 0, target: floats(place) });
}

/** The connection is lost, or new. */
export function loseKeyed(): void {
  if (keyed === undefined) return;
  keyed = undefined;
  handTarget.value = undefined;
  loseGesture();
}

/** A complete drag to a position in scene coordinates. */
export function dragTo(place: [number, number, number]): void {
  const centre = document_.value?.centre ?? [0, 0, 0];
  if (!beginKeyed() || keyed === undefined) return;
  keyed.place = new Vector3(...place).sub(new Vector3(...centre));
  handTarget.value = { view: keyed.view, place: keyed.place.toArray() };
  endKeyed(true);
}
