// Dark or light: what was chosen last, else what the system wants.
import { effect } from '@preact/signals';
import { theme } from '../store';

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
