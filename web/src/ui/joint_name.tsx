// Long names lose their middle: joints of one chain begin alike, and differ at their ends.

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
