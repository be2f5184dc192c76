// Colours of joints and control groups, reused so that neighbours differ clearly. The first eight are distinct for any
// colour vision; the others were chosen one after the other, each as far as possible from those before it and from the
// colours of errors and of invalid weights.

export const categoryColours = [
  '#E69F00', '#56B4E9', '#009E73', '#F0E442', '#3D7BE0', '#D55E00', '#CC79A7', '#BFC5CE',
  '#6E6E28', '#D0ECA6', '#60607C', '#D0986E', '#286E7C', '#28DEEC',
] as const;

/** CIE L*a*b* of an sRGB colour, D65. */
function labOf(hex: string): [number, number, number] {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const labs = categoryColours.map(labOf);
/** Perceived distances of all pairs (CIE 1976); 0 on the diagonal. */
export const colourDistance = labs.map((a) => labs.map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])));
/** Colours farther apart than this are clearly distinct: among those, the least used one is taken. */
const clear = 52;

/** Smallest-last order: each group has few neighbours before it, on a surface at most five. */
function smallestLast(neighbours: Set<number>[]): number[] {
  const left = neighbours.map((set) => set.size);
  const open = new Set(neighbours.keys());
  const order: number[] = [];
  while (open.size > 0) {
    let least = -1;
    for (const group of open) if (least < 0 || left[group] < left[least]) least = group;
    open.delete(least);
    order.push(least);
    for (const other of neighbours[least]) left[other] -= 1;
  }
  return order.reverse();
}

/** A colour per group; touching groups (given as pairs) get colours as different as possible. */
export function colourGroups(count: number, touching: Iterable<[number, number]>): Uint8Array {
  const neighbours = Array.from({ length: count }, () => new Set<number>());
  for (const [a, b] of touching) {
    if (a === b) continue;
    neighbours[a]?.add(b);
    neighbours[b]?.add(a);
  }
  const colour = new Uint8Array(count).fill(255);
  const used = new Array<number>(categoryColours.length).fill(0);
  for (const group of smallestLast(neighbours)) {
    const beside = [...neighbours[group]].map((other) => colour[other]).filter((c) => c !== 255);
    const apart = (c: number) => Math.min(clear, ...beside.map((other) => colourDistance[c][other]));
    // Colours of groups one farther away, which are often in view together, are the second choice.
    const beyond = new Set([...neighbours[group]].flatMap((other) => [...neighbours[other]].map((far) => colour[far])));
    const near = (c: number) => (beyond.has(c) ? 1 : 0);
    let best = 0;
    for (let c = 1; c < categoryColours.length; ++c) {
      const better = apart(c) - apart(best) || near(best) - near(c) || used[best] - used[c];
      if (better > 0) best = c;
    }
    colour[group] = best;
    used[best] += 1;
  }
  return colour;
}

/** Pairs of groups that touch on a surface. `points`: the welded point of each vertex; `groupOf`: -1 for none. */
export function touchingGroups(triangles: Uint32Array, points: Uint32Array, groupOf: (vertex: number) => number): [number, number][] {
  const ofPoint = new Map<number, number[]>();
  const pairs = new Set<string>();
  const meet = (a: number, b: number) => {
    if (a !== b && a >= 0 && b >= 0) pairs.add(a < b ? `${a} ${b}` : `${b} ${a}`);
  };
  for (let v = 0; v < points.length; ++v) {
    const group = groupOf(v);
    const here = ofPoint.get(points[v]);
    if (here === undefined) ofPoint.set(points[v], [group]);
    else if (!here.includes(group)) {
      for (const other of here) meet(group, other);
      here.push(group);
    }
  }
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [groupOf(triangles[t]), groupOf(triangles[t + 1]), groupOf(triangles[t + 2])];
    if (a === b && b === c) continue;
    meet(a, b);
    meet(b, c);
    meet(c, a);
  }
  return Array.from(pairs, (pair) => pair.split(' ').map(Number) as [number, number]);
}
