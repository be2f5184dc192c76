// The state of the mode Handles beyond the document: selection, display options, the last solve.
import { computed, signal } from '@preact/signals';
import type { Vector3 } from 'three';
import { command } from '../../client';
import type { HoveredVertex } from '../../gestures/surface_hover';
import type { Handles } from '../../protocol/messages';
import { document_, job, notice, perDocument } from '../../store';
import { countText } from '../../ui/labels';

export const selectedHandle = perDocument<number | undefined>(undefined);
/** Whether a click on the skin places a handle. */
export const placing = signal(true);
export const showGroups = signal(true);
export const showProxies = signal(false);
export const showBlend = signal(false);
/** The group under the pointer in the list; its weights are shown. */
export const hoveredGroup = perDocument<number | undefined>(undefined);
export const hovered = perDocument<HoveredVertex | undefined>(undefined);
/** The pose of the model: of its controls, and of its handles. */
export type ModelFrame = Partial<Handles> & { palettes?: Float32Array };
export const lastFrame = perDocument<ModelFrame | undefined>(undefined);
/** Of the last drag; frames of undo and playback do not solve. */
export const lastSolve = perDocument({ iterations: 0, milliseconds: 0 });
/** The dragged handle and its target, in the page's space. */
export const dragged = perDocument<{ handle: number; target: Vector3 } | undefined>(undefined);
export const groupColours = signal<Uint8Array>(new Uint8Array());
export const hasModel = computed(() => document_.value?.reduced !== undefined);

let placed: { handle: number | undefined; at: number } | undefined;
/** Whether the first click of a double-click placed this handle. */
export const justPlaced = (handle: number) => placed?.handle === handle && performance.now() - placed.at < 600;

export async function learn(controls: number): Promise<void> {
  const answer = await command('handles.learn', { controls });
  if (answer !== undefined) job.value = { id: answer.job, what: 'Learning the model', fraction: 0, stage: '', seconds: 0 };
}

export async function place(vertex: number): Promise<void> {
  const there = document_.value?.handles.findIndex((handle) => handle.vertex === vertex) ?? -1;
  if (there >= 0) {
    selectedHandle.value = there;
    return;
  }
  const answer = await command('handles.place', { vertex });
  if (answer === undefined) return;
  selectedHandle.value = answer.handle;
  placed = { handle: answer.handle, at: performance.now() };
  notice.value = `Placed handle ${answer.handle + 1} at vertex ${countText(vertex)}.`;
}

export function remove(handle: number): void {
  selectedHandle.value = undefined;
  void command('handles.remove', { handle });
}

export function togglePin(handle: number): void {
  const info = document_.value?.handles[handle];
  if (info !== undefined) void command('handles.pin', { handle, pinned: !info.pinned });
}

/** Groups are numbered from 01. */
export const groupName = (group: number) => String(group + 1).padStart(2, '0');
