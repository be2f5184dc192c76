// Numbers, names and keys in labels. Long names are cut in the middle, because joints of one chain differ at their ends.

/** 25,209. */
export const countText = (count: number) => count.toLocaleString('en');

/** "1 joint", "1,141 joints". */
export const counted = (count: number, one: string, more = `${one}s`) => `${countText(count)} ${count === 1 ? one : more}`;

/** For buttons that choose how many poses are shown. */
export const viewsLabel = (count: number) => (count === 1 ? '1 pose' : `${count} poses side by side`);

/** "smooth" becomes "Smooth". */
export const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** At most five significant digits, and as many as fit a narrow field; it can be typed back. */
export function shortNumber(value: number, most = 8): string {
  for (let digits = 5; digits >= 2; --digits) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= most) return text;
  }
  return value.toExponential(1);
}

/** Three significant digits; large values in whole units, without an exponent. */
export const threeDigits = (value: number) => (Math.abs(value) >= 999.5 ? String(Math.round(value)) : value.toPrecision(3));

/** "1.59 %", "0.0041 %"; "0 %" also for what is only rounding. At most `digits` significant digits. */
export const percentText = (value: number, digits = 3) => `${Math.abs(value) < 5e-6 ? 0 : Number(value.toPrecision(digits))} %`;

/** Names up to this length are never cut. */
const plain = 12;
/** Length of the end that is always shown. */
const tailLength = 12;

/** The start, which may be cut, and the end, which is always shown. */
export function nameParts(name: string): [string, string] {
  const letters = [...name];
  if (letters.length <= plain) return [name, ''];
  const tail = Math.min(tailLength, Math.floor(letters.length / 2));
  return [letters.slice(0, -tail).join(''), letters.slice(-tail).join('')];
}

/** At most `most` letters, for lines of text. */
export function shortName(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const [, tail] = nameParts(name);
  const kept = [...tail].slice(-Math.max(1, most - 4));
  return `${letters.slice(0, most - 1 - kept.length).join('')}…${kept.join('')}`;
}

/** As wide as the available space; the tooltip has the whole name. */
export function Name({ text, before, after }: { text: string; before?: string; after?: string }) {
  const [head, tail] = nameParts(text);
  if (tail === '' && before === undefined && after === undefined) return <span class="name-plain">{text}</span>;
  return (
    <span class="name-cut" title={text}>
      <span class="name-head">{`${before ?? ''}${head}`}</span>
      <span class="name-tail">{`${tail}${after ?? ''}`}</span>
    </span>
  );
}

const onMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);

/** "Ctrl", or the sign of the Mac. */
export const modifier = onMac ? '⌘' : 'Ctrl';

const names: Record<string, string> = {
  $mod: modifier,
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Comma: ',',
};

/** From the syntax of tinykeys: "$mod+Shift+z" becomes "Ctrl Shift Z". */
export function shownKeys(key: string): string {
  return key
    .split('+')
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part.replace(/^(Digit|Key)/, '')))
    .join(' ');
}
