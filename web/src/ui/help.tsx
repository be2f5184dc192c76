// One sentence about each number and setting that is not obvious, shown as a tooltip of its label.
import { tipOf } from './tooltip';

/** The table. Modes add the topics of their panels here, in alphabetical order. */
export const helpTexts = {
  activationSum: 'How much all examples count together; near 1 the result is a blend of them, far from 1 it extrapolates.',
  allowNegative: 'Shows what negative weights would reach; a skin cannot store them, so a drag that ends with one is undone.',
  blend: 'How much each example contributes to the shown shape; the weights sum to 1, and negative ones extrapolate.',
  brushRadius: 'The distance over the surface that a stroke reaches, in scene units.',
  brushStrength: 'The weight that one pass of the brush adds, or the share of the way that it goes to the result.',
  condition: 'Of the interpolation; above 1e8, small changes of the examples have large effects.',
  controls: 'The number of rigid parts that the model blends; more follow the examples better and solve slower.',
  convergence: 'The rms of all examples after each half-step of the fit.',
  correctedVertices: 'Vertices that the model moves; all others stay as skinning places them.',
  coverage: 'The share of poses between the extremes of the examples that are near one of them.',
  degreesOfFreedom: 'The numbers that the solver chooses: 12 for each control.',
  distanceToTarget: 'How far the handle is from where you put it; springs and conflicting handles leave a distance.',
  error: 'The rms distance of all vertices from the examples, in percent of the diagonal of the rest shape.',
  errorLargest: 'The distance of the farthest vertex from its example.',
  errorMost: '95 % of the vertices are nearer to their example than this.',
  exampleDistance: 'To the pose of the nearest example, as an angle in the pose space.',
  extrapolating: 'Far from all examples the corrections fade, because nothing was learned there.',
  handleStrength: 'Exact handles reach their target; weaker ones are springs that give way to the shape.',
  helpersAdded: 'Joints that the fit adds; each follows a rule and needs no animation of its own.',
  influencesUsed: 'The most joints that any vertex of this joint has, and the most of all vertices.',
  iterations: 'Steps of the solver for the last change; it stops when the shape no longer moves.',
  kernel: 'The function of distance that spreads each example over the poses around it.',
  leaveOneOut: 'The error at each example of the model learned without it: what to expect at poses that were not sculpted.',
  leftOut: 'The rms at examples that were not learned: what to expect in other poses.',
  maxInfluences: 'The most joints per vertex that any tool may leave; 0 is unlimited, and most engines draw 4 or 8.',
  meanInfluences: 'The joints that move a vertex, on average and at most; fewer draw faster.',
  morphsAdded: 'Morph targets that the fit adds; they correct what joints cannot follow.',
  onlyThisJoint: 'Vertices that follow this joint alone, with the weight 1.',
  pinStrength: 'How much pinned poses count against the pose that you drag in: 0 ignores them, 1 counts them fully.',
  prefer: 'Several weights can reach the target: smooth spreads them over the joints, sparse uses few joints and may jump.',
  proxies: 'Points at which the solver compares the shape with the examples.',
  residual: 'The largest distance of any handle from its target.',
  restDrift: 'The farthest that a vertex of the rest shape moved, in percent of the diagonal.',
  rmsChange: 'The rms after the fit compared with the rms before; negative is better.',
  rotation: 'Relative to the rest pose and the parent, in degrees: local = rest * Rz * Ry * Rx.',
  scale: 'Relative to the parent; 1 is the size of the file.',
  sculptRadius: 'The distance over the surface that a stroke reaches, in scene units. Hold B and drag to change it.',
  sculptStrength: 'How much a stroke of this tool does.',
  softRadius: 'The distance over the surface at which the effect of a drag has faded to nothing.',
  solveTime: 'Time on the server for the last change.',
  translation: 'Relative to the parent joint, in scene units.',
  vertexErrors: 'The number of vertices by their distance from the shown example; heights are logarithmic.',
  verticesMoved: 'Vertices with any weight on this joint.',
  weightSum: 'The weights of a vertex must sum to 1.',
} as const;

export type HelpTopic = keyof typeof helpTexts;

/** For labels and fields: `{...helpOf('rotation')}`. */
export const helpOf = (topic: HelpTopic) => tipOf(helpTexts[topic]);

/** The name of a shown number: its help can be reached by keyboard and by touch. */
export function Term({ topic, children }: { topic: HelpTopic; children: string }) {
  return (
    <button type="button" class="term" aria-label={`${children}: help`} aria-description={helpTexts[topic]} {...helpOf(topic)}>
      {children}
    </button>
  );
}
