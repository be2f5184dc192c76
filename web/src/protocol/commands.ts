// Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.
import type { DocumentInfo, ExportFormat, FileEntry, FitField, FitInfo, JobInfo, OptionField, SampleInfo, Unfinished } from './document';

/** What the page may ask for, and the answers. */
export interface Commands {
  /** The first message of a page. */
  'hello': {
    args: {
      /** from the page's address; compared before anything else is read; "" if left out */
      token?: string;
      /** 0 if left out */
      protocol?: number;
    };
    answer: {
      testHooks: boolean;
      /** the folder that files are in */
      root: string;
      /** the document was opened at the start and continues from unsaved steps; told once */
      resumed?: Unfinished;
      warnings: string[];
      /** that run now, the oldest first */
      jobs: JobInfo[];
      document: DocumentInfo;
    };
  };
  'undo': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'redo': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'history.jump': {
    args: {
      /** steps that are done afterwards */
      depth: number;
    };
    answer: Record<string, never>;
  };
  'history.list': {
    args: Record<string, never>;
    answer: {
      /** of all steps, from the oldest, undone ones too */
      names: string[];
    };
  };
  /** Sends the frames of all views again. */
  'frame': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'job.cancel': {
    args: {
      job: number;
    };
    answer: Record<string, never>;
  };
  /** Answers with a job, or with a question; with neither, the document is open already. */
  'open': {
    args: {
      /** a path below the root, sample:NAME, upload:NAME, or the name of a related document */
      what: string;
      /** what becomes of unsaved steps; "ask" if left out */
      unfinished?: 'ask' | 'continue' | 'discard';
      /** names of meshes of a folder to leave out */
      skip?: string[];
    };
    answer: {
      job?: number;
      /** the user must choose first */
      unfinished?: Unfinished;
    };
  };
  'samples': {
    args: Record<string, never>;
    answer: {
      samples: SampleInfo[];
    };
  };
  /** The folders, and the files that can be opened, in a folder below the root. */
  'files': {
    args: {
      /** of a folder; "." if left out */
      path?: string;
    };
    answer: {
      path: string;
      /** empty: this is the root */
      parent: string;
      entries: FileEntry[];
    };
  };
  'describe': {
    args: Record<string, never>;
    answer: DocumentInfo;
  };
  'save': {
    args: {
      /** empty: the document's own file; "" if left out */
      path?: string;
      /** false if left out */
      replace?: boolean;
    };
    answer: {
      path: string;
      /** what the format cannot store, a sentence each */
      lost: string[];
    };
  };
  'pose.reset': {
    args: {
      /** 0 if left out */
      view?: number;
      /** only this one */
      joint?: number;
    };
    answer: Record<string, never>;
  };
  /** Poses a view as a clip. */
  'pose.clip': {
    args: {
      /** 0 if left out */
      view?: number;
      clip: number;
      /** seconds */
      time: number;
      /** a preview, not a step; false if left out */
      live?: boolean;
    };
    answer: Record<string, never>;
  };
  'pose.mirror': {
    args: {
      /** 0 if left out */
      view?: number;
    };
    answer: {
      changed: boolean;
    };
  };
  'pose.mirrorJoint': {
    args: {
      /** 0 if left out */
      view?: number;
      /** its partner is posed as its mirror image */
      joint: number;
    };
    answer: Record<string, never>;
  };
  'pose.save': {
    args: {
      /** 0 if left out */
      view?: number;
      name: string;
    };
    answer: Record<string, never>;
  };
  'pose.apply': {
    args: {
      /** 0 if left out */
      view?: number;
      /** of a saved pose, or rest */
      name: string;
    };
    answer: Record<string, never>;
  };
  'pose.delete': {
    args: {
      name: string;
    };
    answer: Record<string, never>;
  };
  /** Adds the pose of a view as a key. */
  'pose.key': {
    args: {
      /** 0 if left out */
      view?: number;
      /** seconds */
      time: number;
    };
    answer: {
      /** that has the key */
      clip: number;
    };
  };
  /** Removes the key there, and the clip if it was its last. */
  'pose.unkey': {
    args: {
      /** seconds */
      time: number;
    };
    answer: Record<string, never>;
  };
  /** Cancels a gesture, and nothing else. */
  'pose.takeBack': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  /** The number of poses side by side: a setting, not a step. */
  'views': {
    args: {
      count: number;
    };
    answer: Record<string, never>;
  };
  'weights.locks': {
    args: {
      /** names of all that are locked */
      joints: string[];
    };
    answer: Record<string, never>;
  };
  /** Sets one weight of a vertex and the others on its seam. */
  'weights.set': {
    args: {
      vertex: number;
      binding: number;
      weight: number;
    };
    answer: Record<string, never>;
  };
  /** Moves all unlocked weight to one joint. */
  'weights.assign': {
    args: {
      vertices: number[];
      joint: number;
    };
    answer: {
      /** vertices */
      changed: number;
    };
  };
  /** Sends a Reach per view. */
  'weights.reach': {
    args: {
      vertex: number;
      view: number;
      /** negative weights are allowed; false if left out */
      negative?: boolean;
      /** with joints near the vertex; true if left out */
      near?: boolean;
      /** of the soft selection, scene units; 0 if left out */
      radius?: number;
      /** its distances are through space; false if left out */
      volume?: boolean;
    };
    answer: Record<string, never>;
  };
  /** Preview of a soft selection. */
  'weights.soft': {
    args: {
      /** that would be dragged */
      vertices: number[];
      view: number;
      /** scene units */
      radius: number;
      /** "smooth" if left out */
      curve?: 'smooth' | 'linear' | 'sharp' | 'round';
      /** distances through space, not along the surface; false if left out */
      volume?: boolean;
    };
    answer: {
      /** points that would be affected */
      followers: number;
      /** Vertices, Distances and Shares, a little beyond the radius */
      blob: string;
    };
  };
  'weights.normalise': {
    args: {
      /** none: all */
      vertices?: number[];
      /** influences that a vertex may have; 0: unlimited; 0 if left out */
      most?: number;
    };
    answer: {
      /** vertices */
      changed: number;
    };
  };
  'weights.prune': {
    args: {
      /** none: all */
      vertices?: number[];
      /** influences that a vertex may have; 0: unlimited; 0 if left out */
      most?: number;
      /** 0.01 if left out */
      below?: number;
    };
    answer: {
      /** vertices */
      changed: number;
    };
  };
  'weights.smooth': {
    args: {
      /** none: all */
      vertices?: number[];
      /** influences that a vertex may have; 0: unlimited; 0 if left out */
      most?: number;
      /** 0.5 if left out */
      amount?: number;
      /** 1 if left out */
      times?: number;
    };
    answer: {
      /** vertices */
      changed: number;
    };
  };
  'weights.mirror': {
    args: {
      /** none: all */
      vertices?: number[];
      /** influences that a vertex may have; 0: unlimited; 0 if left out */
      most?: number;
      /** "auto" if left out */
      axis?: 'auto' | 'x' | 'y' | 'z';
      /** the side of the plane whose weights are copied; "above" if left out */
      from?: 'above' | 'below';
    };
    answer: {
      /** vertices */
      changed: number;
      warning?: string;
    };
  };
  'handles.learn': {
    args: {
      /** 0: as many as the examples need; 0 if left out */
      controls?: number;
    };
    answer: {
      /** its progress and end are told under this number */
      job: number;
    };
  };
  'handles.place': {
    args: {
      vertex: number;
    };
    answer: {
      handle: number;
    };
  };
  'handles.remove': {
    args: {
      handle: number;
    };
    answer: Record<string, never>;
  };
  'handles.pin': {
    args: {
      handle: number;
      pinned: boolean;
    };
    answer: Record<string, never>;
  };
  /** Unpins all. */
  'handles.unpin': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'handles.move': {
    args: {
      handle: number;
      target: [number, number, number];
    };
    answer: Record<string, never>;
  };
  /** The rest shape; handles stay on their vertices. */
  'handles.reset': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'handles.strength': {
    args: {
      handle: number;
      /** 0: exact */
      strength: number;
    };
    answer: Record<string, never>;
  };
  /** Adds the pose as a key. */
  'handles.key': {
    args: {
      /** seconds */
      time: number;
    };
    answer: Record<string, never>;
  };
  'handles.goto': {
    args: {
      key: number;
    };
    answer: Record<string, never>;
  };
  'handles.unkey': {
    args: {
      key: number;
    };
    answer: Record<string, never>;
  };
  'handles.moveKey': {
    args: {
      key: number;
      /** seconds */
      time: number;
    };
    answer: Record<string, never>;
  };
  'handles.ease': {
    args: {
      /** of all keys: eased, or linear */
      smooth: boolean;
    };
    answer: Record<string, never>;
  };
  /** Shows a time between the keys. */
  'handles.show': {
    args: {
      /** seconds */
      time: number;
      /** becomes the pose of the handles, a step; false if left out */
      keep?: boolean;
    };
    answer: Record<string, never>;
  };
  'handles.export': {
    args: {
      path: string;
      /** false if left out */
      replace?: boolean;
    };
    answer: {
      path: string;
      /** of the file from the keys, in diagonals */
      deviation: number;
    };
  };
  'bind': {
    args: {
      /** a file with joints */
      skeleton: string;
    };
    answer: {
      /** its progress and end are told under this number */
      job: number;
    };
  };
  /** Replaces the examples by those of an examples file. */
  'examples.open': {
    args: {
      /** of an examples.json below the root; empty: those that the document offers; "" if left out */
      path?: string;
    };
    answer: {
      /** its progress and end are told under this number */
      job: number;
    };
  };
  /** Writes the examples: examples.json, poses and meshes. */
  'examples.save': {
    args: {
      /** of a folder, or of an examples file (.json) in it */
      path: string;
      /** false if left out */
      replace?: boolean;
    };
    answer: {
      /** of the examples file */
      path: string;
      /** written */
      files: number;
    };
  };
  /** Adds a corrected mesh as the example at the pose of a view. */
  'examples.import': {
    args: {
      /** 0 if left out */
      view?: number;
      /** of a mesh below the root */
      path: string;
      /** empty: the name of the file; "" if left out */
      name?: string;
    };
    answer: {
      name: string;
      /** how the mesh was matched */
      notes: string[];
      warnings: string[];
    };
  };
  /** Adds what a view shows as an example at its pose; an example of that name is replaced. */
  'examples.add': {
    args: {
      /** 0 if left out */
      view?: number;
      name: string;
    };
    answer: Record<string, never>;
  };
  'examples.rename': {
    args: {
      example: number;
      name: string;
    };
    answer: Record<string, never>;
  };
  'examples.remove': {
    args: {
      example: number;
    };
    answer: Record<string, never>;
  };
  'examples.reorder': {
    args: {
      example: number;
      /** its new number */
      to: number;
    };
    answer: Record<string, never>;
  };
  /** Sets the drivers of the pose space. */
  'examples.drivers': {
    args: {
      /** or morph targets; none: chosen from what the examples move */
      joints: string[];
      /** of each: how much it counts */
      weights: number[];
    };
    answer: Record<string, never>;
  };
  /** Poses a view as an example. */
  'examples.goto': {
    args: {
      /** 0 if left out */
      view?: number;
      example: number;
    };
    answer: Record<string, never>;
  };
  /** The options of learning. */
  'correct.fields': {
    args: Record<string, never>;
    answer: {
      fields: OptionField[];
    };
  };
  /** Learns from the examples in the background, instead of what is being learned; `learned` tells the result. */
  'correct.learn': {
    args: {
      /** of options that are not at their default */
      names?: string[];
      /** of each */
      values?: string[];
    };
    answer: {
      /** 0: there are no examples */
      job: number;
    };
  };
  /** Learns, and gives the character what was learned. */
  'correct.keep': {
    args: {
      /** as in correct.learn */
      names?: string[];
      values?: string[];
    };
    answer: {
      job: number;
    };
  };
  /** What the views show: a setting, not a step. */
  'correct.show': {
    args: {
      /** per view: document, plain, model, result (the sculpt, or else the model) or target (the example at this pose, or else the result); missing: document */
      shows: string[];
    };
    answer: Record<string, never>;
  };
  /** Three views of one pose, or as many as before in their own poses: a setting, not a step. */
  'correct.compare': {
    args: {
      on: boolean;
    };
    answer: Record<string, never>;
  };
  /** Poses a view between two examples. */
  'correct.scrub': {
    args: {
      /** 0 if left out */
      view?: number;
      /** an example; -1: rest */
      from: number;
      to: number;
      /** 0 to 1 */
      t: number;
      /** a preview, not a step; false if left out */
      live?: boolean;
    };
    answer: Record<string, never>;
  };
  /** How the examples count between two of them. */
  'correct.curves': {
    args: {
      /** an example; -1: rest */
      from: number;
      to: number;
      steps: number;
    };
    answer: {
      /** per example of the model and step */
      activations: number[][];
      fade: number[];
    };
  };
  /** Poses a view as the model suggests to sculpt next. */
  'correct.hint': {
    args: {
      /** 0 if left out */
      view?: number;
      hint: number;
    };
    answer: Record<string, never>;
  };
  /** Discards the sculpt in progress. */
  'correct.dropSculpt': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  /** Poses a view as the sculpt in progress. */
  'correct.gotoSculpt': {
    args: {
      /** 0 if left out */
      view?: number;
    };
    answer: Record<string, never>;
  };
  /** Shows an example as the model reconstructs it; handles move along. */
  'handles.example': {
    args: {
      example: number;
    };
    answer: Record<string, never>;
  };
  /** What the document has that a file may hold. */
  'export.content': {
    args: Record<string, never>;
    answer: {
      formats: ExportFormat[];
      /** there are learned corrections */
      learned: boolean;
      /** their morph targets are fitted for the file */
      refits: boolean;
      /** morph targets per mesh that imitate them now */
      morphs: number;
      /** of the learned corrections */
      examples: number;
      /** index of the clip that visits them, which is made again; -1: none */
      examplesClip: number;
      helpers: number;
      /** morph targets that are not learned */
      ownMorphs: number;
    };
  };
  /** Sets the options, and starts a job that prepares the file in memory: an exportPlan follows. */
  'export.plan': {
    args: {
      /** ".glb" if left out */
      extension?: string;
      /** per vertex at most; 0: all; 0 if left out */
      influences?: number;
      /** storage of skin weights; "f32" if left out */
      weights?: 'f32' | 'u16' | 'u8';
      /** least rate of baked keys; 30 if left out */
      fps?: number;
      /** true if left out */
      skin?: boolean;
      /** true if left out */
      helpers?: boolean;
      /** true if left out */
      correctives?: boolean;
      /** "auto" if left out */
      method?: 'auto' | 'svd' | 'knots';
      /** morph targets per mesh at most; 0: automatic; 0 if left out */
      morphs?: number;
      /** learned morph targets in 16 bits; false if left out */
      quantize?: boolean;
      /** learned morph targets with normals; true if left out */
      normals?: boolean;
      /** clips of the document that are left out */
      withoutClips?: number[];
      /** saved poses, also as a clip; true if left out */
      poses?: boolean;
      /** a clip that visits the examples; false if left out */
      examples?: boolean;
    };
    answer: {
      job: number;
    };
  };
  /** The vertices that a limit of influences changes, of the last plan. */
  'export.influences': {
    args: {
      most: number;
    };
    answer: {
      /** Vertices, and Distances in scene units */
      blob: string;
    };
  };
  /** Starts a job that writes the file with the options of the last plan, reads it again and compares: an exportWritten follows. */
  'export.write': {
    args: {
      path: string;
      /** false if left out */
      replace?: boolean;
    };
    answer: {
      job: number;
      path: string;
    };
  };
  /** Sends an ExportFrame now and with every frame of the view, until it is told otherwise. */
  'export.compare': {
    args: {
      /** 0 if left out */
      view?: number;
      shown: boolean;
    };
    answer: Record<string, never>;
  };
  /** Poses the view and the re-read file as a clip of the file, until another command. */
  'export.play': {
    args: {
      /** of exportWritten */
      clip: number;
      /** seconds */
      time: number;
    };
    answer: Record<string, never>;
  };
  /** Ends export.play: the pose from before. */
  'export.stop': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  /** How far a vertex of the re-read file is from the document in the shown pose. */
  'export.vertex': {
    args: {
      vertex: number;
    };
    answer: {
      /** scene units */
      deviation: number;
    };
  };
  /** Sets the weight of a morph target. */
  'pose.morph': {
    args: {
      /** 0 if left out */
      view?: number;
      morph: number;
      weight: number;
      /** a preview, not a step; false if left out */
      live?: boolean;
    };
    answer: Record<string, never>;
  };
  /** Poses a view as another one. */
  'pose.copy': {
    args: {
      /** 0 if left out */
      view?: number;
      /** the other view */
      from: number;
    };
    answer: Record<string, never>;
  };
  /** The materials of the file. */
  'view.materials': {
    args: Record<string, never>;
    answer: {
      /** a .glb, see materialsOf; empty: the file has none */
      blob: string;
      /** why they cannot be shown; empty: no fault */
      fault: string;
    };
  };
  'fit.state': {
    args: Record<string, never>;
    answer: FitInfo;
  };
  /** The options of a fit, from the library. */
  'fit.fields': {
    args: Record<string, never>;
    answer: {
      fields: FitField[];
    };
  };
  /** Fits the skin to the examples. The result is a preview. */
  'fit.start': {
    args: {
      /** false: weights stay as they are; true if left out */
      weights?: boolean;
      /** kinds of helper joints that may be added; "none" if left out */
      helpers?: string;
      /** -1: unlimited; -1 if left out */
      maxHelpers?: number;
      /** false if left out */
      rest?: boolean;
      /** 4 if left out */
      maxInfluences?: number;
      /** 0 if left out */
      smooth?: number;
      /** "auto" if left out */
      prior?: string;
    };
    answer: {
      job: number;
    };
  };
  /** Learns the best skin within a budget. What is left out is not limited. */
  'fit.learn': {
    args: {
      influences?: number;
      helpers?: number;
      morphs?: number;
      /** that the skin may add to the saved file */
      kilobytes?: number;
      /** may also move rest vertices; true if left out */
      rest?: boolean;
    };
    answer: {
      job: number;
    };
  };
  /** How much of the error each technique removes. */
  'fit.explain': {
    args: {
      /** 4 if left out */
      maxInfluences?: number;
    };
    answer: {
      job: number;
    };
  };
  /** Errors of all vertices at an example, before and after. */
  'fit.errors': {
    args: {
      example: number;
    };
    answer: {
      /** ErrorsBefore and ErrorsAfter */
      blob: string;
    };
  };
  /** Sends FitFrame for a view. */
  'fit.show': {
    args: {
      /** 0 if left out */
      view?: number;
    };
    answer: Record<string, never>;
  };
  /** The result replaces the character, as a step. */
  'fit.keep': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
  'fit.discard': {
    args: Record<string, never>;
    answer: Record<string, never>;
  };
}

export type CommandName = keyof Commands;
export type Answer<Name extends CommandName> = Commands[Name]['answer'];
/** The arguments of a call: none have to be given if none are required. */
export type Args<Name extends CommandName> = {} extends Commands[Name]['args'] ? [args?: Commands[Name]['args']] : [args: Commands[Name]['args']];
