// The other side while posing: what a joint does as its partner's mirror image.
import { computed } from '@preact/signals';
import { Quaternion, Vector3 } from 'three';
import { jointMatrices } from '../render/skeleton';
import { document_, type Transform } from '../store';
import { partnersOf } from './joint_sides';

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
