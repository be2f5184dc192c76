// How the view is drawn: settings of the browser, and what is hidden of each document.
import { effect, signal } from '@preact/signals';
import { command, connection } from '../client';
import { cellText, Ground } from '../render/ground';
import type { Stage } from '../render/stage';
import { type Shading, shadings } from '../render/surface';
import { besideShown, document_, isOpen, keptOfDocument, meshLoads, notice, perDocument, selectedVertices, theme } from '../store';
import { keep } from './settings';

export const shading = signal<Shading>('materials');
export const wireframe = signal(false);
export const verticesShown = signal(false);
export const gridShown = signal(false);
/** Of the lights, in degrees. */
export const lightTurn = signal(0);

export const shadingNames: Record<Shading, string> = { materials: 'Materials', clay: 'Clay', unlit: 'Unlit' };

export type Materials = 'unknown' | 'reading' | 'none' | 'shown';
/** What is known of the materials of the document's file. */
export const materials = perDocument<Materials>('unknown');

const isPartList = (value: unknown) => Array.isArray(value) && value.every((part) => Number.isInteger(part) && document_.peek()?.parts[part as number] !== undefined);
/** Parts of the mesh that are neither drawn nor picked. */
export const hiddenParts = keptOfDocument('hidden parts', perDocument<number[]>([]), isPartList);
/** The part that is selected in the list of parts. */
export const selectedPart = perDocument<number | undefined>(undefined);

export function cycleShading(): void {
  shading.value = shadings[(shadings.indexOf(shading.value) + 1) % shadings.length];
  notice.value = `Shading: ${shadingNames[shading.value].toLowerCase()}${shading.value === 'materials' && materials.value === 'none' ? ' (the file has none)' : ''}.`;
}

export function turnLight(degrees: number): void {
  const turned = lightTurn.value + degrees;
  lightTurn.value = turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned;
}

/** The text of the grid's label; empty: it is not shown. */
export const gridLabel = () => (gridShown.value && isOpen.value ? `Grid ${cellText(document_.value?.diagonal ?? 1)}` : '');

const parts = () => document_.value?.parts ?? [];

/** The parts that a command acts on: the selected one, else those of the selected vertices. */
export function chosenParts(stage: Stage | undefined): number[] {
  if (selectedPart.value !== undefined) return [selectedPart.value];
  return [...new Set(selectedVertices.value.map((vertex) => stage?.surface?.partOf(vertex) ?? 0))];
}

export function hideParts(list: number[]): void {
  if (list.length === 0) {
    notice.value = 'Select a part in the list of parts, or a vertex, to hide its part.';
    return;
  }
  hiddenParts.value = [...new Set([...hiddenParts.value, ...list])].sort((a, b) => a - b);
}

export function showPart(part: number, on: boolean): void {
  if (on) hiddenParts.value = hiddenParts.value.filter((one) => one !== part);
  else hideParts([part]);
}

export function showAllParts(): void {
  hiddenParts.value = [];
}

/** Hides all other parts, or, if only these are visible, shows all again. */
export function isolateParts(list: number[]): void {
  const others = parts().flatMap((_, part) => (list.includes(part) ? [] : [part]));
  if (list.length === 0) notice.value = 'Select a part in the list of parts, or a vertex, to isolate its part.';
  else if (hiddenParts.value.length > 0 && others.join() === hiddenParts.value.join()) showAllParts();
  else hiddenParts.value = others;
}

/** Reads the materials once they are wanted. */
async function readMaterials(stage: Stage): Promise<void> {
  materials.value = 'reading';
  const { surface } = stage;
  const number = document_.peek()?.number;
  const answer = await command('view.materials');
  // Another document may be open by now, whose mesh is still being loaded.
  if (surface === undefined || stage.surface !== surface || document_.peek()?.number !== number) return;
  if (answer === undefined || answer.blob === '') {
    if (answer !== undefined && answer.fault !== '') notice.value = answer.fault;
    materials.value = 'none';
    return;
  }
  try {
    await surface.readMaterials(await connection.blob(answer.blob), stage.renderer);
    if (stage.surface !== surface) return;
    materials.value = 'shown';
    stage.draw();
  } catch (fault) {
    // Materials of a surface that another one has replaced meanwhile.
    if (stage.surface !== surface) return;
    materials.value = 'none';
    notice.value = `The materials of the file cannot be shown: ${fault instanceof Error ? fault.message : String(fault)}`;
  }
}

/** Returns a function that stops it. */
export function installViewSettings(stage: Stage): () => void {
  const ground = new Ground(stage);
  const stops = [
    keep('sinew-shading', shading, shadings),
    keep('sinew-wireframe', wireframe, [true, false]),
    keep('sinew-vertices', verticesShown, [true, false]),
    keep('sinew-grid', gridShown, [true, false]),
    // A re-read file has no materials here: both are clay.
    effect(() => stage.setLooks({ shading: besideShown.value ? 'clay' : shading.value, wireframe: wireframe.value, dots: verticesShown.value })),
    effect(() => stage.setLightTurn((lightTurn.value * Math.PI) / 180)),
    effect(() => {
      const info = document_.value;
      if (info?.open === true && gridShown.value) ground.show(info.centre, info.diagonal, theme.value === 'dark' ? 0.42 : 0.62);
      else ground.hide();
    }),
    effect(() => {
      // A loaded mesh has no material yet.
      if (meshLoads.value > 0) materials.value = 'unknown';
    }),
    effect(() => {
      void meshLoads.value;
      // Until it is loaded, the mesh is that of the document before.
      const loaded = stage.surface !== undefined && stage.vertexCount === document_.value?.vertices;
      if (isOpen.value && shading.value !== 'clay' && materials.value === 'unknown' && loaded && document_.value?.reduced === undefined) void readMaterials(stage);
    }),
    effect(() => {
      void meshLoads.value;
      stage.setHidden(new Set(hiddenParts.value));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    ground.hide();
  };
}
