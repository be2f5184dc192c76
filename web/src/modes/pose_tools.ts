// What the mode Pose is set to.
import { signal } from '@preact/signals';
import type { GizmoTool } from '../render/joint_gizmo';
import { isSwitch, keptOfDocument } from '../store';

/** Undefined: pick only. */
export const tool = signal<GizmoTool | undefined>('rotate');
export const space = keptOfDocument('axes', signal<'local' | 'world'>('local'), (value) => value === 'local' || value === 'world');
export const skeletonShown = keptOfDocument('skeleton', signal(true), isSwitch);

/** The second key is that of people who come from Blender. */
export const tools: { tool: GizmoTool | undefined; key: string; blender?: string; title: string }[] = [
  { tool: undefined, key: 'q', title: 'Pick' },
  { tool: 'translate', key: 'w', blender: 'g', title: 'Move' },
  { tool: 'rotate', key: 'e', blender: 'r', title: 'Rotate' },
  { tool: 'scale', key: 'r', blender: 's', title: 'Scale' },
];
