// Settings in the browser's storage: theme, mouse navigation, single-letter shortcuts, projection.
import { effect, type Signal } from '@preact/signals';
import { letterKeys, navigation, orthographic, theme } from '../store';

const kept = 'sinew-theme';

/** Null if nothing is stored, or storage is disabled. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is disabled or full.
  }
}

export function installTheme(): () => void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const follow = () => {
    const chosen = remembered(kept);
    theme.value = chosen === 'dark' || chosen === 'light' ? chosen : system.matches ? 'light' : 'dark';
  };
  follow();
  system.addEventListener('change', follow);
  const stop = effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  return () => {
    stop();
    system.removeEventListener('change', follow);
  };
}

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  remember(kept, theme.value);
}

function keep<Value>(key: string, setting: Signal<Value>, values: readonly Value[]): () => void {
  const found = values.find((value) => String(value) === remembered(key));
  if (found !== undefined) setting.value = found;
  return effect(() => remember(key, String(setting.value)));
}

/** Returns a function that stops it. */
export function installSettings(): () => void {
  const stops = [
    keep('sinew-navigation', navigation, ['default', 'blender'] as const),
    keep('sinew-letter-keys', letterKeys, [true, false]),
    keep('sinew-parallel', orthographic, [true, false]),
  ];
  return () => stops.forEach((stop) => stop());
}
