// Typed numbers: arithmetic, a decimal comma, degrees with their sign.

export interface TypedNumber {
  value?: number;
  /** An error message, if there is no value. */
  fault?: string;
}

/** Numbers are sent as 32-bit floats. */
const largest = 3.4e38;
const degreeSign = /^\s*(°|deg(rees?)?\b)/i;

/** "45/2", "90 - 12.5", "1,5"; with `degrees` also "90°" and "90 deg". */
function read(text: string, degrees: boolean): TypedNumber {
  let at = 0;
  let overZero = false;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const unit = () => {
    if (degrees) at += degreeSign.exec(text.slice(at))?.[0].length ?? 0;
  };
  const atom = (): number => {
    skip();
    if (text[at] === '-' || text[at] === '+' || text[at] === '\u2212') return text[at++] === '+' ? atom() : -atom();
    if (text[at] === '(') {
      at += 1;
      const inner = sum();
      skip();
      if (text[at] !== ')') return NaN;
      at += 1;
      unit();
      return inner;
    }
    const found = /^(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?/i.exec(text.slice(at));
    if (found === null) return NaN;
    at += found[0].length;
    unit();
    return Number(found[0].replace(',', '.'));
  };
  const product = (): number => {
    let value = atom();
    for (skip(); text[at] === '*' || text[at] === '/'; skip()) {
      const times = text[at++] === '*';
      const next = atom();
      overZero ||= !times && next === 0;
      value = times ? value * next : value / next;
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    for (skip(); text[at] === '+' || text[at] === '-'; skip()) value = text[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  skip();
  const whole = at === text.length;
  if (whole && overZero) return { fault: `${text.trim()} divides by 0.` };
  if (!whole || Number.isNaN(value)) return { fault: `"${text.trim()}" is not a number. Type a number or a sum such as 45/2.` };
  return Math.abs(value) > largest ? { fault: `${text.trim()} is too large.` } : { value };
}

export const typedNumber = (text: string): TypedNumber => read(text, false);
export const typedAngle = (text: string): TypedNumber => read(text, true);

/** Undefined if it is not a number. */
export const numberOf = (text: string): number | undefined => typedNumber(text).value;
