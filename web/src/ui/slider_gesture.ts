// What a slider's thumb means from press to release: the value where it began, so that Esc can take it back, and, for
// values that go round, the turn that the thumb is on.

/** Whole turns that bring `value` to half a turn about 0; what lies within, edges included, has none. */
export function turnsOf(value: number, period: number): number {
  const beyond = Math.abs(value) - period / 2;
  return beyond <= 1e-9 * period ? 0 : Math.sign(value) * Math.ceil(beyond / period - 1e-9);
}

export class SliderGesture {
  private start: number | undefined;
  private turns = 0;
  private taken = false;

  /** `period`: of values that go round, as angles do; the thumb shows one turn of them. */
  constructor(private readonly period?: number) {}

  /** Where the thumb is for a value. */
  thumbAt(value: number): number {
    if (this.period === undefined) return value;
    return value - this.period * (this.start === undefined ? turnsOf(value, this.period) : this.turns);
  }

  /** A new press of a button or a key. */
  press(): void {
    this.start = undefined;
    this.taken = false;
  }

  /** What the thumb at `raw` means where `value` is the value now; nothing in a gesture that was taken back. */
  move(raw: number, value: number): number | undefined {
    if (this.taken) return undefined;
    if (this.start === undefined) {
      this.start = value;
      this.turns = this.period === undefined ? 0 : turnsOf(value, this.period);
    }
    return raw + (this.period ?? 0) * this.turns;
  }

  /** The thumb is let go. */
  end(raw: number, value: number): number | undefined {
    const last = this.move(raw, value);
    this.press();
    return last;
  }

  /** Esc: the value to put back; nothing where no gesture goes on. The thumb counts again after the next press. */
  takeBack(): number | undefined {
    const start = this.start;
    if (start !== undefined) this.taken = true;
    this.start = undefined;
    return start;
  }
}
