// The influence of a joint on the skin.
import { computed, signal } from '@preact/signals';
import { onMessage, stage as liveStage } from '../../client';
import { WeightsCode } from '../../protocol/messages';
import { document_, meshLoads, selectedJoint } from '../../store';

/** Increases with every change of weights. */
const changes = signal(0);

/** Weights may have changed before the mode was entered. Returns a function that stops it. */
export function followWeights(): () => void {
  changes.value = changes.peek() + 1;
  return onMessage((message) => {
    if (message.code === WeightsCode) changes.value += 1;
  });
}

export interface JointInfluence {
  /** Vertices with a weight for the joint. */
  own: number;
  /** Vertices that move with the joint, including those of its descendants. */
  moved: number;
  /** Largest number of influences on one of its vertices. */
  most: number;
}

/** Of the picked joint, in one pass over all weights. */
export const influence = computed<JointInfluence | undefined>(() => {
  const info = document_.value;
  const j = selectedJoint.value;
  void changes.value;
  void meshLoads.value;
  const influences = liveStage?.deformer?.influences;
  if (info?.skinned !== true || j === undefined || info.joints[j] === undefined || influences === undefined) return undefined;
  const below = new Uint8Array(info.joints.length);
  const isBelow = (joint: number): boolean => joint >= 0 && (joint === j || isBelow(info.joints[joint].parent));
  info.joints.forEach((_, joint) => (below[joint] = isBelow(joint) ? 1 : 0));
  const inBranch = Uint8Array.from(info.bindings, (joint) => below[joint]);
  const isOwn = Uint8Array.from(info.bindings, (joint) => (joint === j ? 1 : 0));
  const data = influences.texture.image.data as Float32Array;
  const width = influences.perVertex;
  const found: JointInfluence = { own: 0, moved: 0, most: 0 };
  for (let v = 0; v < info.vertices; ++v) {
    let moves = 0;
    let owns = 0;
    let k = 0;
    for (let i = 2 * v * width; k < width && data[i + 1] !== 0; ++k, i += 2) {
      moves |= inBranch[data[i]];
      owns |= isOwn[data[i]];
    }
    found.moved += moves;
    found.own += owns;
    if (owns !== 0 && k > found.most) found.most = k;
  }
  return found;
});
