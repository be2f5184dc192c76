// Left and right of a skeleton: by names, else by places.
import type { Joint } from '../store';

interface Place {
  x: number;
  y: number;
  z: number;
}

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
export function partnersOf(joints: Joint[], places: Place[], diagonal: number): number[] {
  const byName = new Map(joints.map((joint, j) => [joint.name, j]));
  const middle = places[0]?.x ?? 0;
  const partners = joints.map((joint, j) => {
    const named = otherSide(joint.name);
    if (named !== undefined && byName.has(named)) return byName.get(named) as number;
    const { x, y, z } = places[j];
    const near = places.findIndex((place) => Math.hypot(place.x - (2 * middle - x), place.y - y, place.z - z) < tolerance * diagonal);
    return near === j ? -1 : near;
  });
  return partners.map((partner, j) => (partner >= 0 && partners[partner] === j ? partner : -1));
}
