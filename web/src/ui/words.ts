// Numbers and names as every label writes them.

/** 25,209. */
export const countText = (count: number) => count.toLocaleString('en');

/** "1 joint", "1,141 joints". */
export const counted = (count: number, one: string, more = `${one}s`) => `${countText(count)} ${count === 1 ? one : more}`;

/** As many digits as fit a narrow field, at most five that count; it can be typed back. */
export function shortNumber(value: number, most = 8): string {
  for (let digits = 5; digits >= 2; --digits) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= most) return text;
  }
  return value.toExponential(1);
}
