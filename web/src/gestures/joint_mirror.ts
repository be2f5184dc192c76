// Mirrored posing. The server finds partners and computes their mirror images; the page requests them.
import { command } from '../client';
import { document_ } from '../store';

/** 'X', 'Y' or 'Z': the normal of the mirror plane; undefined if the character has none. */
export const mirrorAxis = () => document_.value?.mirror?.axis?.toUpperCase();

/** Why the character cannot be mirrored. */
export const mirrorFault = () => document_.value?.mirror?.fault;

export function partnerOf(j: number): number | undefined {
  const partner = document_.value?.mirror?.partners?.[j] ?? -1;
  return partner < 0 ? undefined : partner;
}

/** Gives the partner of `j` the mirrored transform of `j`, as one step. */
export function mirrorJoint(view: number, j: number): void {
  void command('pose.mirrorJoint', { view, joint: j });
}
