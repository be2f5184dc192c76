// The re-read file beside the document, in the same pose and with the same camera.
import { effect, signal } from '@preact/signals';
import { Group } from 'three';
import { connection, onMessage } from '../../client';
import { installHover } from '../../gestures/surface_hover';
import { ArrayKind, BlobArrays } from '../../protocol/blob';
import { CommandFault } from '../../protocol/connection';
import { ExportFrameCode } from '../../protocol/messages';
import { Companion } from '../../render/companion';
import { Shown } from '../../render/skin_material';
import { besideView, type Overlay, type Stage } from '../../render/stage';
import { activeView, besideShown, document_, perDocument, selectedVertices } from '../../store';
import { colouredLimit, plan, stale, written } from './state';

/** The vertex under the pointer, its places on the canvas, and how far the file is from the document there. */
export const hovered = perDocument<{ vertex: number; x: number; y: number; other?: { x: number; y: number }; deviation?: number } | undefined>(undefined);
/** The re-read file as it is drawn. */
export const companion = signal<Companion | undefined>(undefined);

let asked = 0;

async function askDeviation(vertex: number): Promise<void> {
  const number = ++asked;
  try {
    const { deviation } = await connection.command('export.vertex', { vertex });
    if (number === asked && hovered.peek()?.vertex === vertex) hovered.value = { ...hovered.peek()!, deviation };
  } catch {
    // The document has changed meanwhile.
  }
}

/** Returns the function that ends the comparison. */
export function showBeside(stage: Stage): () => void {
  let overlay: Overlay | undefined;
  let number = 0;
  /** Moves the camera back to where it was before both were framed; undefined: they are not framed yet. */
  let unframe: (() => void) | undefined;
  const aspect = () => {
    const { width, height } = stage.rectangle(besideView);
    return width / height;
  };
  const clear = () => {
    number += 1;
    if (overlay === undefined) return;
    stage.removeOverlay(overlay);
    companion.peek()?.dispose();
    companion.value = undefined;
    overlay = undefined;
    hovered.value = undefined;
    stage.setBeside(undefined);
    unframe?.();
    unframe = undefined;
    besideShown.value = false;
    void connection.command('export.compare', { shown: false }).catch(() => {});
  };
  const load = async (mine: number, blobs: { mesh: string; weights: string; morphs: string }, view: number) => {
    const [mesh, weights, morphs] = await Promise.all([connection.blob(blobs.mesh), connection.blob(blobs.weights), blobs.morphs === '' ? undefined : connection.blob(blobs.morphs)]);
    if (mine !== number) return;
    const made = new Companion(mesh, weights, morphs);
    const object = new Group();
    object.add(made.mesh);
    overlay = { object, view: besideView };
    companion.value = made;
    besideShown.value = true;
    stage.overlays.add(overlay);
    stage.setBeside(view);
    await connection.command('export.compare', { shown: true, view });
  };
  const failed = (fault: unknown) => {
    clear();
    // A restarted studio has not read the file. Without a connection it is loaded after the next greeting.
    if (fault instanceof CommandFault && ['blob', 'no-file'].includes(fault.code)) written.value = undefined;
  };
  const stops = [
    effect(() => {
      const file = written.value;
      const view = activeView.value;
      clear();
      const mine = number;
      if (file !== undefined && !stale.value) void load(mine, file.blobs, view).catch((fault: unknown) => mine === number && failed(fault));
    }),
    onMessage((message) => {
      if (message.code !== ExportFrameCode) return;
      const shown = companion.peek();
      shown?.apply(message.body);
      if (shown !== undefined) unframe ??= stage.moves.fitPoints(shown.drawnPositions, aspect());
      hovered.value = undefined;
      stage.draw();
    }),
    installHover(stage, {
      wanted: ({ buttons }) => buttons === 0 && companion.peek() !== undefined,
      found: (point) => {
        const vertex = point?.vertex;
        if (point === undefined || vertex === undefined || point.vertexPlace === undefined) {
          hovered.value = undefined;
          return;
        }
        const { x, y } = stage.project(point.vertexPlace, point.view);
        const one = companion.peek();
        const other = one === undefined || one.vertexCount !== stage.vertexCount ? undefined : stage.project(one.position(vertex), besideView);
        const known = hovered.peek()?.vertex === vertex ? hovered.peek()?.deviation : undefined;
        hovered.value = { vertex, x, y, other, deviation: known };
        if (known === undefined) void askDeviation(vertex);
      },
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    clear();
  };
}

/** Colours and selects the vertices that a limit of influences changes. */
export async function showLimit(most: number): Promise<void> {
  if (colouredLimit.peek() === most) {
    colouredLimit.value = undefined;
    selectedVertices.value = [];
    return;
  }
  const { blob } = await connection.command('export.influences', { most });
  selectedVertices.value = [...new BlobArrays(await connection.blob(blob)).u32(ArrayKind.Vertices)];
  colouredLimit.value = most;
}

/** While the mode is active: the colours of the limit. Returns a function that stops it. */
export function colourLimit(stage: Stage): () => void {
  let number = 0;
  const colour = async (most: number) => {
    const mine = ++number;
    const { blob } = await connection.command('export.influences', { most });
    const arrays = new BlobArrays(await connection.blob(blob));
    if (mine !== number) return;
    const vertices = arrays.u32(ArrayKind.Vertices);
    const distances = arrays.f32(ArrayKind.Distances);
    const values = new Float32Array(stage.vertexCount);
    let range = 0;
    vertices.forEach((v, i) => {
      values[v] = distances[i];
      range = Math.max(range, distances[i]);
    });
    // Nothing that cannot be seen has the colour of a large error.
    stage.setScalars(values, Math.max(range, 1e-5 * (document_.peek()?.diagonal ?? 1)));
    stage.setShown(Shown.Scalars);
  };
  const stop = effect(() => {
    const most = colouredLimit.value;
    number += 1;
    if (most === undefined || plan.value === undefined) stage.setShown(Shown.Plain);
    else void colour(most).catch(() => stage.setShown(Shown.Plain));
  });
  return () => {
    stop();
    number += 1;
    stage.setShown(Shown.Plain);
  };
}
