// A mode as a newcomer adds one: this folder, and a row in the table of modes.
import { signal } from '@preact/signals';
import type { Mode } from '../../src/modes/mode';

const entered = signal(0);
export const pressed = signal(0);

export const toyMode: Mode = {
  name: 'toy',
  title: 'Toy',
  Outliner: () => <h2>Toy outliner</h2>,
  Inspector: () => <h2>Toy inspector</h2>,
  Dock: () => <h2>Toy dock</h2>,
  commands: [{ title: 'Press the toy', key: 'y', run: () => void (pressed.value += 1) }],
  menu: () => [{ title: 'Toy item', run: () => {} }],
  enter: () => {
    entered.value += 1;
    return () => (entered.value -= 1);
  },
  testHooks: { toyEntered: () => entered.value },
};
