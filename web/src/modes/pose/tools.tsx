// Tools of the mode Pose: their state and their panel.
import { signal } from '@preact/signals';
import { mirrorAxis, mirrorFault, mirrorX } from '../../gestures/pose_joints';
import { type GizmoTool, snapDegrees, snapLength } from '../../render/joint_gizmo';
import { document_, isSwitch, keptOfDocument, navigation } from '../../store';

/** Undefined: select only. */
export const tool = signal<GizmoTool | undefined>('rotate');
export const space = keptOfDocument('axes', signal<'local' | 'world'>('local'), (value) => value === 'local' || value === 'world');
export const skeletonShown = keptOfDocument('skeleton', signal(true), isSwitch);

/** `blender`: the key with Blender navigation. */
export const tools: { tool: GizmoTool | undefined; key: string; blender?: string; title: string }[] = [
  { tool: undefined, key: 'q', title: 'Select' },
  { tool: 'translate', key: 'w', blender: 'g', title: 'Move' },
  { tool: 'rotate', key: 'e', blender: 'r', title: 'Rotate' },
  { tool: 'scale', key: 'r', blender: 's', title: 'Scale' },
];

export function Tools() {
  const diagonal = document_.value?.diagonal ?? 1;
  const snap = tool.value === 'translate' ? `${Number(snapLength(diagonal).toPrecision(2))}` : tool.value === 'scale' ? '0.1' : `${snapDegrees}°`;
  return (
    <div class="section">
      <h2>Tool</h2>
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => {
          const key = (navigation.value === 'blender' ? one.blender : undefined) ?? one.key;
          return (
            <button key={one.title} aria-pressed={tool.value === one.tool} title={`${one.title} (${key.toUpperCase()})`} onClick={() => (tool.value = one.tool)}>
              {one.title}
            </button>
          );
        })}
      </div>
      <div class="row">
        <button aria-pressed={space.value === 'world'} title="World or joint axes (X)" onClick={() => (space.value = space.value === 'world' ? 'local' : 'world')}>
          World axes
        </button>
        <button aria-pressed={skeletonShown.value} title="Show bones through the skin (J)" onClick={() => (skeletonShown.value = !skeletonShown.value)}>
          Skeleton
        </button>
        <label class="check" title={mirrorFault() ?? 'Pose both sides at once'}>
          <input type="checkbox" disabled={mirrorAxis() === undefined} checked={mirrorX.value} onChange={(event) => (mirrorX.value = event.currentTarget.checked)} />
          Mirror {mirrorAxis() ?? ''}
        </label>
      </div>
      {tool.value !== undefined && <p class="muted">While dragging: Ctrl snaps to {snap}, Shift moves slowly, X, Y or Z constrains to an axis, Esc cancels.</p>}
    </div>
  );
}
