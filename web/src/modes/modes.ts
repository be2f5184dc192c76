// The modes of the studio: a row each. A mode brings its panels, and what it does on the stage while it is entered.
import type { ComponentType } from 'preact';
import type { Stage } from '../render/stage';
import type { ModeName } from '../store';
import type { StudioCommand } from '../ui/commands';
import type { MenuItem, MenuPlace } from '../ui/context_menu';
import { handlesMode } from './handles';
import { poseMode } from './pose';
import { weightsMode } from './weights';

export interface Mode {
  name: ModeName;
  title: string;
  Outliner: ComponentType;
  Inspector: ComponentType;
  Dock?: ComponentType;
  Overlay?: ComponentType;
  /** What its keys do; listed in the palette and the sheet of shortcuts. */
  commands?: StudioCommand[];
  /** What a right click on this place offers besides what every mode does. */
  menu?: (place: MenuPlace) => MenuItem[];
  /** Returns how to leave. */
  enter?: (stage: Stage) => (() => void) | undefined;
}

export const modes: Mode[] = [poseMode, weightsMode, handlesMode];
