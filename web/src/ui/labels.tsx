// Numbers and names as labels write them. Long names lose their middle: joints of one chain begin alike and differ at
// their ends.

/** 25,209. */
export const countText = (count: number) => count.toLocaleString('en');

/** "1 joint", "1,141 joints". */
export const counted = (count: number, one: string, more = `${one}s`) => `${countText(count)} ${count === 1 ? one : more}`;

/** Of the buttons that choose how many poses are shown side by side. */
export const viewsLabel = (count: number) => (count === 1 ? '1 pose' : `${count} poses side by side`);

/** "smooth" becomes "Smooth": names of choices as labels. */
export const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** As many digits as fit a narrow field, at most five that count; it can be typed back. */
export function shortNumber(value: number, most = 8): string {
  for (let digits = 5; digits >= 2; --digits) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= most) return text;
  }
  return value.toExponential(1);
}

/** Shorter names are never cut. */
const plain = 12;
/** Of the end that always stays. */
const tailLength = 12;

/** A beginning that may be cut, and the end that stays. */
export function nameParts(name: string): [string, string] {
  const letters = [...name];
  if (letters.length <= plain) return [name, ''];
  const tail = Math.min(tailLength, Math.floor(letters.length / 2));
  return [letters.slice(0, -tail).join(''), letters.slice(-tail).join('')];
}

/** In `most` letters at most, for lines of text. */
export function shortName(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const [, tail] = nameParts(name);
  const kept = [...tail].slice(-Math.max(1, most - 4));
  return `${letters.slice(0, most - 1 - kept.length).join('')}…${kept.join('')}`;
}

/** As wide as there is room; the whole name is its title. */
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
