// The dialogs Open, Bind and Save as, below the root folder of the studio.
import { useEffect, useState } from 'preact/hooks';
import { open } from '../client';
import { document_ } from '../store';
import { bind, listFolder, recents, saveTo } from './files';
import { dialog, Modal } from './modal';

const close = () => (dialog.value = undefined);

type Listing = Awaited<ReturnType<typeof listFolder>>;

/** The content of a folder: folders can be entered, files chosen. */
function Folder({ listing, enter, choose, onlyFolders }: { listing: Listing; enter: (path: string) => void; choose: (path: string) => void; onlyFolders?: boolean }) {
  if (listing === undefined) return <p class="muted">Reading folder…</p>;
  const entries = listing.entries.filter((one) => one.folder || onlyFolders !== true || /\.(glb|gltf)$/.test(one.name));
  return (
    <>
      <p class="muted cut" title={listing.path}>
        {listing.path}
      </p>
      <ul class="list files" aria-label="Files">
        {listing.parent !== '' && (
          <li>
            <button onClick={() => enter(listing.parent)}>↑ Up</button>
          </li>
        )}
        {entries.map((one) => (
          <li key={one.path}>
            <button title={one.name} onClick={() => (one.folder ? enter(one.path) : choose(one.path))}>
              {one.folder ? '▸ ' : ''}
              {one.name}
            </button>
          </li>
        ))}
        {entries.length === 0 && <li class="muted">Nothing here can be opened.</li>}
      </ul>
    </>
  );
}

function useFolder(): [Listing, (path: string) => void] {
  const [listing, setListing] = useState<Listing>(undefined);
  const enter = (path: string) => void listFolder(path).then((found) => found !== undefined && setListing(found));
  useEffect(() => enter('.'), []);
  return [listing, enter];
}

export function OpenDialog() {
  const [listing, enter] = useFolder();
  const go = (what: string) => {
    close();
    void open(what);
  };
  return (
    <Modal label="Open" onClose={close}>
      <div class="row spread">
        <h2>Open</h2>
        <button onClick={close}>Cancel</button>
      </div>
      <Folder listing={listing} enter={enter} choose={go} />
      <div class="row spread">
        <span class="muted">A folder of meshes opens as examples.</span>
        <button disabled={listing === undefined} onClick={() => listing !== undefined && go(listing.path)}>
          Open this folder
        </button>
      </div>
      <Recents go={go} />
    </Modal>
  );
}

export function BindDialog() {
  const [listing, enter] = useFolder();
  const go = (path: string) => {
    close();
    void bind(path);
  };
  return (
    <Modal label="Bind to a skeleton" onClose={close}>
      <div class="row spread">
        <h2>Bind to a skeleton</h2>
        <button onClick={close}>Cancel</button>
      </div>
      <p class="muted">Choose a file (.glb, .gltf, .fbx, .bvh) whose skeleton lies inside the mesh.</p>
      <Folder listing={listing} enter={enter} choose={go} />
    </Modal>
  );
}

/** "2 h ago" */
function agoOf(at: number): string {
  const minutes = Math.floor((Date.now() - at) / 60000);
  if (!(minutes >= 1)) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

export function Recents({ go }: { go: (what: string) => void }) {
  const list = recents();
  if (list.length === 0) return null;
  return (
    <section aria-label="Recent files">
      <h2>Recent</h2>
      <ul class="list">
        {list.map((one) => (
          <li key={one.what}>
            <button class="spread" title={one.what} onClick={() => go(one.what)}>
              <span class="title">{one.title}</span> <span class="muted">{agoOf(one.at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function SaveDialog() {
  const [listing, enter] = useFolder();
  const stem = (document_.value?.title ?? 'character').replace(/\.[^.]*$/, '');
  const [name, setName] = useState(`${stem}.glb`);
  const [fault, setFault] = useState<{ text: string; hint: string; exists: boolean } | undefined>(undefined);
  const save = async (replace: boolean) => {
    const file = /\.(glb|gltf)$/.test(name) ? name : `${name}.glb`;
    const found = await saveTo(`${listing?.path ?? '.'}/${file}`, replace);
    if (found === undefined) close();
    else setFault({ text: found.message, hint: found.hint, exists: found.code === 'exists' || found.code === 'changed' });
  };
  return (
    <Modal label="Save as" onClose={close}>
      <div class="row spread">
        <h2>Save as</h2>
        <button onClick={close}>Cancel</button>
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void save(false);
        }}
      >
        <input
          class="grow"
          autofocus
          aria-label="File name"
          value={name}
          onInput={(event) => {
            setName(event.currentTarget.value);
            setFault(undefined);
          }}
        />
        <button class="primary" type="submit" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      {fault !== undefined && (
        <div role="alert">
          <p>
            {fault.text} <span class="muted">{fault.hint}</span>
          </p>
          {fault.exists && <button onClick={() => void save(true)}>Replace it</button>}
        </div>
      )}
      <Folder listing={listing} enter={enter} choose={(path) => setName(path.slice(path.lastIndexOf('/') + 1))} onlyFolders />
    </Modal>
  );
}
