// What the mode Pose is set to.
import { signal } from '@preact/signals';
import type { GizmoTool } from '../render/joint_gizmo';

/** Undefined: pick only. */
export const tool = signal<GizmoTool | undefined>('rotate');
export const space = signal<'local' | 'world'>('local');
export const skeletonShown = signal(true);

/** The second key is that of people who come from Blender. */
export const tools: { tool: GizmoTool | undefined; key: string; blender?: string; title: string }[] = [
  { tool: undefined, key: 'q', title: 'Pick' },
  { tool: 'translate', key: 'w', blender: 'g', title: 'Move' },
  { tool: 'rotate', key: 'e', blender: 'r', title: 'Rotate' },
  { tool: 'scale', key: 'r', blender: 's', title: 'Scale' },
];
