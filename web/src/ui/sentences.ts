// Sentences of the server, which name options as on the command line and numbers as they are, in the words of the page.
import { capital, countText } from './labels';

/** Labels of options whose name is not their label. */
export const optionTitles: Record<string, string> = { helpers: 'Helper joints', 'max-helpers': 'Max helper joints', rest: 'Rest shape', 'max-influences': 'Max influences', prior: 'Pull towards old weights', smooth: 'Smooth' };

/** "least-delta" becomes "Least delta". */
export const optionTitle = (name: string) => optionTitles[name] ?? capital(name.replaceAll('-', ' '));

const units = 'vertex|vertices|triangles|faces|points|joints|poses|examples|frames|influences';
const plainCount = new RegExp(`(?<![\\w.,'"-])(\\d{4,})(?= (?:(?:of|the) [\\d,]+ )*(?:${units})\\b)`, 'g');

/** "18.2534 MB" becomes "18.3 MB". */
const size = /(?<![\w.,])(\d+\.\d+) (kB|MB|GB)\b/g;

/** Options that sentences name without dashes. */
const bareNames = /(?<![\w"'-])(max-helpers|max-influences|(?<=\b(?:stronger|weaker) )prior)(?![\w"'-])/g;

/** "a stronger --prior" becomes `a stronger "Pull towards old weights"`; counts get separators, sizes one decimal. */
export function pageText(text: string): string {
  return text
    .replace(/(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (\d[\d.]*|all)(?![\w.]*\w))?/g, (_, name: string, value?: string) => `"${optionTitle(name)}${value === undefined ? '' : `: ${value}`}"`)
    .replace(bareNames, (name) => `"${optionTitle(name)}"`)
    .replace(plainCount, (digits) => countText(Number(digits)))
    .replace(size, (_, digits: string, unit: string) => (unit === 'kB' && Number(digits) >= 1000 ? `${(Number(digits) / 1000).toFixed(1)} MB` : `${Number(digits).toFixed(1)} ${unit}`));
}

/** With a capital letter, unless it begins with a name. */
export const sentence = (text: string) => (/^[a-z][a-z-]*[,:]?(?= |$)/.test(text) ? capital(text) : text);
