// Left and right while posing: which joint is whose partner, and what a joint does as its partner's mirror image.
import { computed } from '@preact/signals';
import { Quaternion, Vector3 } from 'three';
import { jointMatrices } from '../render/skeleton';
import { document_, type Joint, type Transform } from '../store';

/** How near a joint must be to the mirrored one, in diagonals. */
const tolerance = 0.02;

const keepCase = (from: string, to: string) => (from === from.toUpperCase() ? to.toUpperCase() : from[0] === from[0].toUpperCase() ? to[0].toUpperCase() + to.slice(1) : to);

/** "hand_l" becomes "hand_r", "LeftArm" "RightArm"; nothing where no side is named. */
export function otherSide(name: string): string | undefined {
  const words = name.replace(/left|right/gi, (side) => keepCase(side, side.toLowerCase() === 'left' ? 'right' : 'left'));
  if (words !== name) return words;
  const letters = name.replace(/(^|[._\- ])([lr])(?=$|[._\- \d])/gi, (_, before: string, side: string) => before + keepCase(side, side.toLowerCase() === 'l' ? 'r' : 'l'));
  return letters === name ? undefined : letters;
}

/** Partner of each joint; -1: none, or itself. */
export function partnersOf(joints: Joint[], places: Vector3[], diagonal: number): number[] {
  const byName = new Map(joints.map((joint, j) => [joint.name, j]));
  const middle = places[0]?.x ?? 0;
  const partners = joints.map((joint, j) => {
    const named = otherSide(joint.name);
    if (named !== undefined && byName.has(named)) return byName.get(named) as number;
    const wanted = places[j].clone().setX(2 * middle - places[j].x);
    const near = places.findIndex((place) => place.distanceTo(wanted) < tolerance * diagonal);
    return near === j ? -1 : near;
  });
  return partners.map((partner, j) => (partner >= 0 && partners[partner] === j ? partner : -1));
}

const rest = computed(() => {
  const info = document_.value;
  const matrices = info === undefined ? [] : jointMatrices(info.joints, [], info.centre);
  return {
    partners: info === undefined ? [] : partnersOf(info.joints, matrices.map((matrix) => new Vector3().setFromMatrixPosition(matrix)), info.diagonal),
    turns: matrices.map((matrix) => {
      const turn = new Quaternion();
      matrix.decompose(new Vector3(), turn, new Vector3());
      return turn;
    }),
  };
});

export function partnerOf(j: number): number | undefined {
  const partner = rest.value.partners[j];
  return partner === undefined || partner < 0 ? undefined : partner;
}

/** What the partner of `j` does when `j` does `local`: the mirror image of how it left its rest, whatever the axes of both are. */
export function mirroredOf(j: number, local: Transform): { joint: number; local: Transform } | undefined {
  const joints = document_.value?.joints ?? [];
  const partner = partnerOf(j);
  if (partner === undefined) return undefined;
  const parentTurn = (joint: number) => rest.value.turns[joints[joint].parent] ?? new Quaternion();
  const [here, there] = [parentTurn(j), parentTurn(partner)];
  const [from, to] = [joints[j].rest, joints[partner].rest];
  const away = new Quaternion(...local.rotation).multiply(new Quaternion(...from.rotation).invert());
  const world = here.clone().multiply(away).multiply(here.clone().invert());
  const image = new Quaternion(world.x, -world.y, -world.z, world.w);
  const rotation = there.clone().invert().multiply(image).multiply(there).multiply(new Quaternion(...to.rotation)).normalize();
  const moved = new Vector3(...local.translation).sub(new Vector3(...from.translation)).applyQuaternion(here);
  moved.setX(-moved.x).applyQuaternion(there.clone().invert()).add(new Vector3(...to.translation));
  const scale = to.scale.map((s, i) => (s * local.scale[i]) / (from.scale[i] || 1)) as Transform['scale'];
  return { joint: partner, local: { translation: moved.toArray(), rotation: rotation.toArray() as Transform['rotation'], scale } };
}
