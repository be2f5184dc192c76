// The content of a folder of the server: folders first, with sizes and dates, sorted by any of them.
import { signal } from '@preact/signals';
import type { FileEntry } from '../protocol/document';
import { Icon } from './icon_button';
import { remember, remembered } from './settings';

export type SortKey = 'name' | 'bytes' | 'modified';
export interface Sorting {
  by: SortKey;
  down: boolean;
}

const kept = 'sinew-file-order';
const columns: { by: SortKey; title: string }[] = [
  { by: 'name', title: 'Name' },
  { by: 'bytes', title: 'Size' },
  { by: 'modified', title: 'Changed' },
];

const sorting = signal<Sorting>(read());

function read(): Sorting {
  const [by, way] = (remembered(kept) ?? '').split(' ');
  return { by: columns.find((one) => one.by === by)?.by ?? 'name', down: way === 'down' };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Folders stay before files in both directions; equal values are in the order of their names. */
export function sortedEntries(entries: FileEntry[], { by, down }: Sorting): FileEntry[] {
  const value = (one: FileEntry) => (by === 'name' ? 0 : one[by]);
  return [...entries].sort((a, b) => {
    if (a.folder !== b.folder) return a.folder ? -1 : 1;
    const names = collator.compare(a.name, b.name);
    const order = by === 'name' ? names : value(a) - value(b);
    return (down ? -order : order) || names;
  });
}

/** "3.2 MB" */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${unit === 0 ? bytes : (bytes / 1000 ** unit).toFixed(1)} ${units[unit]}`;
}

/** The date, or the time if it was today. `now`: milliseconds. */
export function dateText(seconds: number, now = Date.now()): string {
  const date = new Date(1000 * seconds);
  const sameDay = date.toDateString() === new Date(now).toDateString();
  return sameDay ? date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false }) : date.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

function sortBy(by: SortKey): void {
  const { value } = sorting;
  // The newest and the largest first.
  sorting.value = { by, down: value.by === by ? !value.down : by !== 'name' };
  remember(kept, `${sorting.value.by} ${sorting.value.down ? 'down' : 'up'}`);
}

export interface FileListProps {
  entries: FileEntry[];
  parent: string;
  enter: (path: string) => void;
  choose: (path: string) => void;
  /** Shown where nothing is listed. */
  empty?: string;
}

export function FileList({ entries, parent, enter, choose, empty = 'Nothing here can be opened.' }: FileListProps) {
  const { by, down } = sorting.value;
  return (
    <div class="files">
      <table class="file-table" aria-label="Files">
        <thead>
          <tr>
            {columns.map((one) => (
              <th key={one.by} scope="col" aria-sort={by !== one.by ? 'none' : down ? 'descending' : 'ascending'}>
                <button type="button" onClick={() => sortBy(one.by)}>
                  {one.title} <span aria-hidden="true">{by !== one.by ? '' : down ? '↓' : '↑'}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parent !== '' && (
            <tr>
              <td colSpan={3}>
                <button type="button" onClick={() => enter(parent)}>
                  <Icon name="arrowUp" /> <span class="file-name">Up</span>
                </button>
              </td>
            </tr>
          )}
          {sortedEntries(entries, sorting.value).map((one) => (
            <tr key={one.path}>
              <td>
                <button type="button" title={one.name} onClick={() => (one.folder ? enter(one.path) : choose(one.path))}>
                  <Icon name={one.folder ? 'folder' : 'file'} /> <span class="file-name">{one.name}</span>
                </button>
              </td>
              <td>{one.folder ? '' : bytesText(one.bytes)}</td>
              <td title={new Date(1000 * one.modified).toLocaleString('en')}>{dateText(one.modified)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length === 0 && <p class="muted">{empty}</p>}
    </div>
  );
}
