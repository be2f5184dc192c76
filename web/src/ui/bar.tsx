// Bars of values, which grow from zero: positive to the right, negative to the left.

/** In percent of the bar: where it starts and how long it is. `least` < 0 leaves room for negative values. */
export function barSpan(value: number, least: number, most: number): { start: number; length: number } {
  const at = (x: number) => (100 * (Math.min(most, Math.max(least, x)) - least)) / (most - least);
  const [zero, end] = [at(0), at(Number.isFinite(value) ? value : 0)];
  return { start: Math.min(zero, end), length: Math.abs(end - zero) };
}

export interface BarProps {
  value: number;
  /** Default: 0, without negative values. */
  least?: number;
  most?: number;
  /** Default: the accent for positive values, the colour of warnings for negative ones. */
  colour?: string;
  /** For bars that are not described by text beside them. */
  label?: string;
}

export function Bar({ value, least = 0, most = 1, colour, label }: BarProps) {
  const { start, length } = barSpan(value, least, most);
  const named = label === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': label };
  return (
    <div class={`bar-track${least < 0 ? ' signed' : ''}`} {...named}>
      <div style={{ left: `${start}%`, width: `${length}%`, background: colour ?? (value < 0 ? 'var(--warn)' : 'var(--accent)') }} />
      {least < 0 && <span class="bar-zero" style={{ left: `${barSpan(0, least, most).start}%` }} />}
    </div>
  );
}
