// Errors of vertices by size: bins, the scale of the colours, and which vertices lie in a range. All in percent of the
// diagonal.

export interface Range {
  from: number;
  to: number;
}

/** The upper end of the colours is at least this, so that errors that nobody sees are not drawn as large ones. */
export const floor = 0.1;

/** The smallest of 1, 2 and 5 times a power of ten that is not below `value`. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const digit of [1, 2, 5, 10]) if (digit * power >= value * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

/** The scale of a result: from 0 to what 95 % of the vertices of its worst example keep below. */
export function scaleOf(examples: { before: number; after: number }[]): Range {
  return { from: 0, to: Math.max(floor, roundUp(Math.max(0, ...examples.map((one) => Math.max(one.before, one.after))))) };
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Bins of equal width from 0 to `end`; the last one also has all larger errors. */
export function binsOf(errors: Float32Array, end: number, count: number): Bin[] {
  const bins = Array.from({ length: count }, (_, i) => ({ from: (end * i) / count, to: i + 1 < count ? (end * (i + 1)) / count : Infinity, count: 0 }));
  for (const error of errors) bins[Math.min(count - 1, Math.floor((error / end) * count))].count += 1;
  return bins;
}

/** The vertices whose errors are in [from, to), the worst first. */
export function verticesIn(errors: Float32Array, { from, to }: Range): number[] {
  const found: number[] = [];
  errors.forEach((error, vertex) => {
    if (error >= from && error < to) found.push(vertex);
  });
  return found.sort((a, b) => errors[b] - errors[a]);
}

/** "+12 %", "-40 %"; what rounds to nothing has no sign. */
export function changeText(before: number, after: number): string {
  const change = before > 0 ? Math.round((100 * (after - before)) / before) : 0;
  return `${change > 0 ? '+' : ''}${change === 0 ? 0 : change} %`;
}

/** Heights of values on a logarithmic scale, from 0 to 1; a range of less than this factor does not fill it. */
const leastFactor = 1.1;
export function logHeights(values: number[]): number[] {
  const logs = values.map((value) => Math.log10(Math.max(value, 1e-6)));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const range = Math.max(high - low, Math.log10(leastFactor));
  const start = (low + high - range) / 2;
  return logs.map((log) => (log - start) / range);
}
