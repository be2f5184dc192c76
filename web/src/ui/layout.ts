// Visibility and size of the panels, stored per mode.
import { batch, effect } from '@preact/signals';
import { mode } from '../modes/modes';
import { listen } from '../gestures/gesture_listeners';
import { type PanelName, panels, panelSizes, windowSize } from '../store';
import { fitPanels } from './panel_fit';
import { remember, remembered } from './settings';

/** Least, most and default size in pixels. */
export const sizeLimits: Record<PanelName, [number, number, number]> = { left: [160, 560, 260], right: [220, 640, 320], dock: [48, 480, 180] };

interface Kept {
  left: boolean;
  right: boolean;
  dock: boolean;
  sizes: Record<PanelName, number>;
}

const keyOf = (name: string) => `sinew-panels-${name}`;

function kept(name: string): Kept {
  let found: Partial<Kept> | null = null;
  try {
    found = JSON.parse(remembered(keyOf(name)) ?? '{}') as Partial<Kept> | null;
  } catch {
    // Damaged content counts as nothing stored.
  }
  const size = (panel: PanelName) => {
    const [least, most, usual] = sizeLimits[panel];
    const wanted = Number(found?.sizes?.[panel]);
    return wanted >= least && wanted <= most ? wanted : usual;
  };
  return {
    left: found?.left !== false,
    right: found?.right !== false,
    dock: found?.dock !== false,
    sizes: { left: size('left'), right: size('right'), dock: size('dock') },
  };
}

/** The widths that fit the window. */
export const fittedPanels = () => fitPanels(windowSize.value.width, panelSizes.value, panels.value);

/** Returns a function that stops it. */
export function installLayout(): () => void {
  const measure = () => (windowSize.value = { width: window.innerWidth, height: window.innerHeight });
  measure();
  const stops = [
    listen(window, { resize: measure }),
    effect(() => {
      const { sizes, ...shown } = kept(mode.value);
      batch(() => {
        panelSizes.value = sizes;
        panels.value = shown;
      });
    }),
    effect(() => {
      const now = { ...panels.value, sizes: panelSizes.value };
      remember(keyOf(mode.peek()), JSON.stringify(now));
    }),
    effect(() => {
      const { dock } = panelSizes.value;
      const { left, right, over } = fittedPanels();
      const style = document.documentElement.style;
      document.documentElement.classList.toggle('panels-over', over);
      style.setProperty('--left', `${left}px`);
      style.setProperty('--right', `${right}px`);
      // As high as its content until it is resized.
      style.setProperty('--dock', dock === sizeLimits.dock[2] ? 'auto' : `${dock}px`);
      style.setProperty('--dock-most', `${dock}px`);
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
