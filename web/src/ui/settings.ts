// Settings in the browser's storage: theme, mouse navigation, single-letter shortcuts, projection, decimals.
import { effect, signal, type Signal } from '@preact/signals';
import { angleDecimals, letterKeys, navigation, orthographic, theme, weightDecimals } from '../store';

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

export type ThemeChoice = 'system' | 'dark' | 'light';
const chosen = remembered(kept);
export const themeChoice = signal<ThemeChoice>(chosen === 'dark' || chosen === 'light' ? chosen : 'system');

export function installTheme(): () => void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const follow = () => {
    theme.value = themeChoice.value !== 'system' ? themeChoice.value : system.matches ? 'light' : 'dark';
  };
  const stopFollowing = effect(follow);
  system.addEventListener('change', follow);
  const stop = effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  return () => {
    stop();
    stopFollowing();
    system.removeEventListener('change', follow);
  };
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  remember(kept, choice);
}

export const toggleTheme = () => chooseTheme(theme.value === 'dark' ? 'light' : 'dark');

/** A setting that this browser keeps. Returns a function that stops it. */
export function keep<Value>(key: string, setting: Signal<Value>, values: readonly Value[]): () => void {
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
    keep('sinew-angle-decimals', angleDecimals, [0, 1, 2, 3, 4]),
    keep('sinew-weight-decimals', weightDecimals, [2, 3, 4, 5, 6]),
  ];
  return () => stops.forEach((stop) => stop());
}
