// Where joints are: in the page's space, and on the screen.
import { Vector3 } from 'three';
import { jointMatrices, type SkeletonOverlay } from '../render/skeleton';
import { activeView, document_, poses, selectedJoint } from '../store';
import { skeletonShown } from './pose_tools';

let drawn: SkeletonOverlay | undefined;

/** The skeleton that the mode draws, or none. */
export function setDrawnSkeleton(skeleton: SkeletonOverlay | undefined): void {
  drawn = skeleton;
}

/** Where the picked joint is, in the page's space. */
export function pickedPlace(): Vector3 | undefined {
  const info = document_.value;
  const j = selectedJoint.value;
  const pose = poses.value[activeView.value];
  if (info?.joints === undefined || j === undefined || info.joints[j] === undefined || pose === undefined) return undefined;
  return new Vector3().setFromMatrixPosition(jointMatrices(info.joints, pose, info.centre)[j]);
}

/** The joint within some pixels of a place of the canvas, where joints are drawn. */
export function jointNear(x: number, y: number, view: number, within = 10): number | undefined {
  return skeletonShown.peek() ? drawn?.jointAt(x, y, view, within) : undefined;
}
