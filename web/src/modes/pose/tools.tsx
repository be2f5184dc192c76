// Tools of the mode Pose: their state and their panel.
import { signal } from '@preact/signals';
import { mirrorAxis, mirrorFault, mirrorX } from '../../gestures/pose_joints';
import { type GizmoTool, snapDegrees, snapLength } from '../../render/joint_gizmo';
import { document_, isSwitch, keptOfDocument, navigation } from '../../store';
import { IconButton } from '../../ui/icon_button';
import type { IconName } from '../../ui/icons';
import { Section } from '../../ui/section';

/** Undefined: select only. */
export const tool = signal<GizmoTool | undefined>('rotate');
export const space = keptOfDocument('axes', signal<'local' | 'world'>('local'), (value) => value === 'local' || value === 'world');
export const skeletonShown = keptOfDocument('skeleton', signal(true), isSwitch);

/** `blender`: the key with Blender navigation. */
export const tools: { tool: GizmoTool | undefined; key: string; blender?: string; title: string; icon: IconName }[] = [
  { tool: undefined, key: 'q', title: 'Select', icon: 'select' },
  { tool: 'translate', key: 'w', blender: 'g', title: 'Move', icon: 'move' },
  { tool: 'rotate', key: 'e', blender: 'r', title: 'Rotate', icon: 'rotate' },
  { tool: 'scale', key: 'r', blender: 's', title: 'Scale', icon: 'scale' },
];

export function Tools() {
  const diagonal = document_.value?.diagonal ?? 1;
  const snap = tool.value === 'translate' ? `${Number(snapLength(diagonal).toPrecision(2))}` : tool.value === 'scale' ? '0.1' : `${snapDegrees}°`;
  return (
    <Section name="tool" title="Tool">
      <div class="row" role="group" aria-label="Tool">
        {tools.map((one) => {
          const key = (navigation.value === 'blender' ? one.blender : undefined) ?? one.key;
          return (
            <IconButton key={one.title} class="tool" icon={one.icon} label={one.title} keys={key.toUpperCase()} pressed={tool.value === one.tool} onClick={() => (tool.value = one.tool)} />
          );
        })}
      </div>
      <div class="row">
        <IconButton icon="globe" label="World axes" tip="World or joint axes" keys="X" pressed={space.value === 'world'} onClick={() => (space.value = space.value === 'world' ? 'local' : 'world')} />
        <IconButton icon="bone" label="Skeleton" tip="Show bones through the skin" keys="J" pressed={skeletonShown.value} onClick={() => (skeletonShown.value = !skeletonShown.value)} />
        <label class="check" title={mirrorFault() ?? 'Pose both sides at once'}>
          <input type="checkbox" disabled={mirrorAxis() === undefined} checked={mirrorX.value} onChange={(event) => (mirrorX.value = event.currentTarget.checked)} />
          Mirror {mirrorAxis() ?? ''}
        </label>
      </div>
      {tool.value !== undefined && <p class="muted">While dragging: Ctrl snaps to {snap}, Shift moves slowly, X, Y or Z constrains to an axis, Esc cancels.</p>}
    </Section>
  );
}
