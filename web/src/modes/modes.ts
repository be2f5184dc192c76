// The table of modes. A new mode is a folder beside this file and a row in `modes`; tabs, keys, the command palette,
// panels and kept settings read the table.
import { signal } from '@preact/signals';
import { keptOfDocument } from '../store';
import { correctMode } from './correct';
import { exportMode } from './export';
import { fitMode } from './fit';
import { handlesMode } from './handles';
import type { Mode } from './mode';
import { poseMode } from './pose';
import { weightsMode } from './weights';

export const modes: Mode[] = [
  poseMode,
  correctMode,
  weightsMode,
  fitMode,
  handlesMode,
  exportMode,
];

/** The name of the active mode. */
export const mode = keptOfDocument('mode', signal(modes[0].name), (value) => modes.some((one) => one.name === value));

export const currentMode = (): Mode => modes.find((one) => one.name === mode.value) ?? modes[0];
