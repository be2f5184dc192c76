// The contract of a mode: its panels, its commands, and what it does on the stage while it is active.
import type { ComponentType } from 'preact';
import type { Vector3 } from 'three';
import type { Stage } from '../render/stage';
import type { IconName } from '../ui/icons';

export interface StudioCommand {
  title: string;
  /** In the syntax of tinykeys. */
  key?: string;
  /** The shown name of the key, where it is not derived from `key`. */
  keyLabel?: string;
  /** Also runs while text is typed. */
  always?: boolean;
  /** Also runs in a number field that holds no uncommitted text. */
  inNumbers?: boolean;
  /** Whether it is listed; default: yes. */
  shown?: () => boolean;
  enabled?: () => boolean;
  run: () => unknown;
}

export interface MenuItem {
  title: string;
  run: () => unknown;
}

/** What was under the pointer when the context menu opened. */
export interface MenuPlace {
  view: number;
  joint?: number;
  vertex?: number;
}

export interface Mode {
  /** Unique; the key of its kept panel layout. */
  name: string;
  title: string;
  /** On its tab. */
  icon?: IconName;
  /** What can be done now, in one short sentence, for the status bar. */
  hint?: () => string;
  /** What is selected, for the status bar; default: the joint, or the number of vertices. */
  selection?: () => string | undefined;
  Outliner: ComponentType;
  Inspector: ComponentType;
  Dock?: ComponentType;
  Overlay?: ComponentType;
  /** Enabled only while the mode is active. */
  commands?: StudioCommand[];
  /** Items of the context menu besides those that every mode has. */
  menu?: (place: MenuPlace) => MenuItem[];
  /** The joint that the mode draws at this point of the canvas. */
  jointAt?: (x: number, y: number, view: number) => number | undefined;
  /** The point that "Frame selection" looks at, in the page's space; default: the lead vertex. */
  selectionCentre?: () => Vector3 | undefined;
  /** The mode uses double-clicks itself; otherwise they set the point that the view turns around. */
  ownsDoubleClick?: boolean;
  /** Returns the function that leaves the mode. */
  enter?: (stage: Stage) => (() => void) | undefined;
  /** Read-only queries for automatic tests, by name. */
  testHooks?: Record<string, (...args: never[]) => unknown>;
}
