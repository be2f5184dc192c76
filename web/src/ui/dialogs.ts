// Which dialog is open.
import { signal } from '@preact/signals';

export type DialogName = 'palette' | 'shortcuts' | 'open' | 'saveAs' | 'bind';
export const dialog = signal<DialogName | undefined>(undefined);
