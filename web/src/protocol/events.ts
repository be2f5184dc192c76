// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
import type { BlobNames, ClipInfo, DocumentInfo, DriverInfo, ExportDeviation, ExportInfluences, ExportTrade, FitInfo, FlatPose, HintInfo, LearnedExample, RelatedInfo, Verdict } from './document';

/** Another document, or lists of it that changed. */
export type DocumentEvent = { event: 'document' } & DocumentInfo;

/** The joints of a view. */
export interface PoseEvent {
  event: 'pose';
  view: number;
  /** number of views */
  count: number;
  pose: FlatPose;
  /** joint, and x, y, z in degrees as typed */
  angles: [number, number, number, number][];
}

/** The number of views changed; poses follow. */
export interface ViewsEvent {
  event: 'views';
  count: number;
}

/** A job has ended. */
export interface JobEvent {
  event: 'job';
  job: number;
  /** open, learn, bind, fit, fit.learn, fit.explain, export or exportPlan */
  what: string;
  /** a sentence; empty: it succeeded */
  fault: string;
  cancelled: boolean;
  /** the result */
  sentence?: string;
  /** of open: what was asked for */
  opened?: string;
  hint?: string;
  /** of open: meshes that were left out as asked */
  skipped?: string[];
  /** of open: meshes that do not fit */
  refused?: string[];
  /** of open: every mesh of a folder */
  verdicts?: Verdict[];
}

export interface SavedEvent {
  event: 'saved';
  path: string;
  title: string;
  /** as in DocumentInfo */
  beside: RelatedInfo[];
}

/** Locks hold back the brush in progress. */
export interface HeldBackEvent {
  event: 'heldBack';
  text: string;
}

/** A binary message, or a task, failed. */
export interface ErrorEvent {
  event: 'error';
  text: string;
  hint: string;
}

/** About storage; the document stays usable. */
export interface WarningEvent {
  event: 'warning';
  text: string;
}

/** Another page is in control. */
export interface TakenOverEvent {
  event: 'takenOver';
}

/** What was found in an examples file. */
export interface ExamplesOpenedEvent {
  event: 'examplesOpened';
  source: string;
  /** how each mesh was matched */
  notes: string[];
  warnings: string[];
}

/** The result of correct.learn. Errors are in percent of the diagonal. */
export interface LearnedEvent {
  event: 'learned';
  /** why nothing was learned; empty: no fault */
  fault: string;
  sentence: string;
  kernel: string;
  radius: number;
  condition: number;
  rank: number;
  /** vertices that are corrected */
  touched: number;
  coverage: number;
  before: number;
  after: number;
  leaveOneOut: number;
  seconds: number;
  /** of the examples of the model; the first is rest */
  names: string[];
  /** of each, on the map of the pose space */
  places: [number, number][];
  examples: LearnedExample[];
  drivers: DriverInfo[];
  hints: HintInfo[];
  warnings: string[];
}

/** What a file with the options of export.plan would hold, before it is written. */
export interface ExportPlanEvent {
  event: 'exportPlan';
  job: number;
  /** what the file cannot hold, and what is left out, a sentence each */
  lost: string[];
  /** of all its files */
  bytes: number;
  /** of the file */
  deviation: ExportDeviation;
  /** by falling limit; empty: there is no skin */
  influences: ExportInfluences[];
  /** learned morph targets per mesh */
  morphs: number;
  /** of these: svd or knots; empty: there are none */
  method: string;
  /** they are those of the document, as they are; false: they were fitted for the file */
  kept: boolean;
  /** of their displacements in the file */
  morphBytes: number;
  /** morph targets against error */
  trade: ExportTrade[];
  /** helper joints with keys in every clip */
  baked: number;
}

/** A file was written and read again. */
export interface ExportWrittenEvent {
  event: 'exportWritten';
  job: number;
  path: string;
  bytes: number;
  seconds: number;
  lost: string[];
  deviation: ExportDeviation;
  vertices: number;
  /** of the file, which export.play shows */
  clips: ClipInfo[];
  /** of the re-read file; without names it is not shown */
  blobs: BlobNames;
}

/** The document has changed since the last plan. */
export interface ExportStaleEvent {
  event: 'exportStale';
}

/** The state of Fit changed. */
export type FitEvent = { event: 'fit' } & FitInfo;

/** What the server tells all pages. */
export type ServerEvent = DocumentEvent | PoseEvent | ViewsEvent | JobEvent | SavedEvent | HeldBackEvent | ErrorEvent | WarningEvent | TakenOverEvent | ExamplesOpenedEvent | LearnedEvent | ExportPlanEvent | ExportWrittenEvent | ExportStaleEvent | FitEvent;
