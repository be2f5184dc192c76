// Colours of joints and control groups: eight that people of any colour vision tell apart, reused so that neighbours
// differ.

export const categoryColours = ['#E69F00', '#56B4E9', '#009E73', '#F0E442', '#3D7BE0', '#D55E00', '#CC79A7', '#BFC5CE'] as const;

/** A colour per group: those that touch (pairs of groups) get different ones where eight are enough. */
export function colourGroups(count: number, touching: Iterable<[number, number]>): Uint8Array {
  const neighbours = Array.from({ length: count }, () => new Set<number>());
  for (const [a, b] of touching) {
    if (a === b) continue;
    neighbours[a]?.add(b);
    neighbours[b]?.add(a);
  }
  // Those with most neighbours choose first.
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => neighbours[b].size - neighbours[a].size || a - b);
  const colour = new Uint8Array(count).fill(255);
  const used = new Array<number>(categoryColours.length).fill(0);
  for (const group of order) {
    const taken = new Set([...neighbours[group]].map((other) => colour[other]));
    let best = 0;
    for (let c = 0; c < categoryColours.length; ++c) {
      const better = Number(taken.has(best)) - Number(taken.has(c)) || used[best] - used[c];
      if (better > 0) best = c;
    }
    colour[group] = best;
    used[best] += 1;
  }
  return colour;
}
