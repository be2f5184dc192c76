// Which panels are shown, kept per mode.
import { effect, untracked } from '@preact/signals';
import { mode, panels } from '../store';
import { remember, remembered } from './theme';

type Panels = typeof panels.value;
const keyOf = (name: string) => `sinew-panels-${name}`;

function kept(name: string): Panels {
  try {
    const found = JSON.parse(remembered(keyOf(name)) ?? '{}') as Partial<Panels> | null;
    return { left: found?.left !== false, right: found?.right !== false, dock: found?.dock !== false };
  } catch {
    return { left: true, right: true, dock: true };
  }
}

/** Returns how to stop. */
export function installLayout(): () => void {
  const stops = [
    effect(() => {
      const wanted = kept(mode.value);
      untracked(() => (panels.value = wanted));
    }),
    effect(() => {
      const shown = panels.value;
      remember(keyOf(mode.peek()), JSON.stringify(shown));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
