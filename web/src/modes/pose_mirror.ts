// The other side while posing. The server finds partners and computes their mirror images; the page asks for them.
import { command } from '../client';
import { document_ } from '../store';

/** 'X', 'Y' or 'Z': the normal of the plane of symmetry; nothing where the body has none. */
export const mirrorAxis = () => document_.value?.mirror?.axis?.toUpperCase();

/** Why nothing can be mirrored. */
export const mirrorFault = () => document_.value?.mirror?.fault;

export function partnerOf(j: number): number | undefined {
  const partner = document_.value?.mirror?.partners?.[j] ?? -1;
  return partner < 0 ? undefined : partner;
}

/** The partner of `j` does what `j` does, as one step. */
export function mirrorJoint(view: number, j: number): void {
  void command('pose.mirrorJoint', { view, joint: j });
}
