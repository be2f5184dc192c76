// The content of a folder below the root folder of the studio, in dialogs.
import { useEffect, useRef, useState } from 'preact/hooks';
import { FileList } from './file_list';
import { listFolder } from './files';

export type Listing = Awaited<ReturnType<typeof listFolder>>;

/** The listed folder, which is the root folder at first, and a function that enters another. */
export function useFolder(): [Listing, (path: string) => void] {
  const [listing, setListing] = useState<Listing>(undefined);
  const enter = (path: string) => void listFolder(path).then((found) => found !== undefined && setListing(found));
  useEffect(() => enter('.'), []);
  return [listing, enter];
}

export interface FolderProps {
  listing: Listing;
  enter: (path: string) => void;
  choose: (path: string) => void;
  /** Which files are listed, by their names; all without it. */
  accepts?: (name: string) => boolean;
  /** Shown where nothing is listed. */
  empty?: string;
}

/** Folders can be entered, files chosen. */
export function Folder({ listing, enter, choose, accepts = () => true, empty }: FolderProps) {
  const box = useRef<HTMLDivElement>(null);
  const read = listing !== undefined;
  useEffect(() => {
    // Dialogs without a field for a name start in the list, not on Cancel.
    const dialog = box.current?.closest('dialog');
    if (dialog?.querySelector('[autofocus]') !== null) return;
    const held = document.activeElement;
    if (held !== dialog && held?.matches('[data-dismiss]') !== true) return;
    box.current?.querySelector<HTMLElement>('tbody button')?.focus();
  }, [read]);
  if (listing === undefined) return <p class="muted">Reading folder…</p>;
  const entries = listing.entries.filter((one) => one.folder || accepts(one.name));
  return (
    <div ref={box}>
      <p class="muted cut" title={listing.path}>
        {listing.path}
      </p>
      <FileList entries={entries} parent={listing.parent} enter={enter} choose={choose} empty={empty} />
    </div>
  );
}
