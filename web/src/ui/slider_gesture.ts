// A slider's drag from press to release: the value at its start, which Esc restores, and, for periodic values, the turn
// that the thumb is on.

/** Number of whole turns to subtract from `value` to bring it within half a turn of 0, both ends included. */
export function turnsOf(value: number, period: number): number {
  const beyond = Math.abs(value) - period / 2;
  return beyond <= 1e-9 * period ? 0 : Math.sign(value) * Math.ceil(beyond / period - 1e-9);
}

export class SliderGesture {
  private start: number | undefined;
  private turns = 0;
  private taken = false;

  /** `period`: of periodic values such as angles, of which the thumb shows one turn. */
  constructor(private readonly period?: number) {}

  /** The position of the thumb for a value. */
  thumbAt(value: number): number {
    if (this.period === undefined) return value;
    return value - this.period * (this.start === undefined ? turnsOf(value, this.period) : this.turns);
  }

  /** A new press of a button or a key. */
  press(): void {
    this.start = undefined;
    this.taken = false;
  }

  /** The value for a thumb at `raw` if the current value is `value`; undefined after a cancelled gesture. */
  move(raw: number, value: number): number | undefined {
    if (this.taken) return undefined;
    if (this.start === undefined) {
      this.start = value;
      this.turns = this.period === undefined ? 0 : turnsOf(value, this.period);
    }
    return raw + (this.period ?? 0) * this.turns;
  }

  /** The thumb is released. */
  end(raw: number, value: number): number | undefined {
    const last = this.move(raw, value);
    this.press();
    return last;
  }

  /** Esc: the value to restore; undefined without a gesture. The rest of the drag is ignored. */
  cancel(): number | undefined {
    const start = this.start;
    if (start !== undefined) this.taken = true;
    this.start = undefined;
    return start;
  }
}
