// The edge of a panel, which can be dragged, moved by arrow keys, and reset by a double-click.
import { useRef } from 'preact/hooks';
import { type PanelName, panelSizes } from '../store';
import { fittedPanels, sizeLimits } from './layout';

const names = { left: 'Width of the left panel', right: 'Width of the right panel', dock: 'Height of the dock' } as const;

export function Splitter({ panel }: { panel: PanelName }) {
  const drag = useRef<{ at: number; size: number } | undefined>(undefined);
  const [least, most, usual] = sizeLimits[panel];
  const upright = panel !== 'dock';
  // The left panel grows with the pointer, the others against it.
  const sign = panel === 'left' ? 1 : -1;
  const set = (size: number) => {
    panelSizes.value = { ...panelSizes.value, [panel]: Math.round(Math.min(most, Math.max(least, size))) };
  };
  const placeOf = (event: PointerEvent) => (upright ? event.clientX : event.clientY);
  const size = panel === 'dock' ? panelSizes.value.dock : fittedPanels()[panel];
  return (
    <div
      class={`splitter at-${panel}`}
      role="separator"
      tabIndex={0}
      aria-label={names[panel]}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { at: placeOf(event), size };
      }}
      onPointerMove={(event) => {
        if (drag.current !== undefined) set(drag.current.size + sign * (placeOf(event) - drag.current.at));
      }}
      onPointerUp={() => (drag.current = undefined)}
      onPointerCancel={() => (drag.current = undefined)}
      onDblClick={() => set(usual)}
      onKeyDown={(event) => {
        const along = upright ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (along !== undefined) set(size + sign * along * (event.shiftKey ? 64 : 16));
        else if (event.key === 'Home') set(least);
        else if (event.key === 'End') set(most);
        else if (event.key === 'Enter') set(usual);
        else return;
        event.preventDefault();
      }}
    />
  );
}
