// Settings of the page that are kept: how the mouse moves the view, whether letters are keys, parallel rays.
import { effect, type Signal } from '@preact/signals';
import { letterKeys, navigation, parallel } from '../store';
import { remember, remembered } from './theme';

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
