// Settings that the browser keeps: the theme, how the mouse moves the view, letter keys, the projection.
import { effect, type Signal } from '@preact/signals';
import { letterKeys, navigation, parallel, theme } from '../store';

const kept = 'sinew-theme';

/** Storage may be switched off. */
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
    // Nothing is kept, and nothing breaks.
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

/** Returns how to stop. */
export function installSettings(): () => void {
  const stops = [
    keep('sinew-navigation', navigation, ['default', 'blender'] as const),
    keep('sinew-letter-keys', letterKeys, [true, false]),
    keep('sinew-parallel', parallel, [true, false]),
  ];
  return () => stops.forEach((stop) => stop());
}
