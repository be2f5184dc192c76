// A dialog that chooses a mesh, a folder, or the name of a new folder below the root folder of the studio.
import { useState } from 'preact/hooks';
import { Folder, useFolder } from '../../ui/folder';
import { Modal } from '../../ui/modal';

export interface ChooserProps {
  title: string;
  hint: string;
  /** What is chosen. */
  action: 'file' | 'folder' | 'name';
  /** Of the button that takes the folder. */
  label?: string;
  /** The proposed name of a new folder. */
  name?: string;
  choose: (path: string) => void;
  close: () => void;
}

export function Chooser({ title, hint, action, label, name: proposed = '', choose, close }: ChooserProps) {
  const [listing, enter] = useFolder();
  const [name, setName] = useState(proposed);
  const here = listing?.path ?? '.';
  const submit = (event: Event) => {
    event.preventDefault();
    choose(action === 'name' ? `${here}/${name.trim()}` : here);
  };
  return (
    <Modal label={title} onClose={close}>
      <div class="row spread">
        <h2>{title}</h2>
        <button data-dismiss onClick={close}>Cancel</button>
      </div>
      <p class="muted">{hint}</p>
      {action === 'name' && (
        <form class="row" onSubmit={submit}>
          <input class="grow" autofocus aria-label="Folder name" value={name} onInput={(event) => setName(event.currentTarget.value)} />
          <button type="submit" class="primary" disabled={listing === undefined || name.trim() === ''}>
            {label}
          </button>
        </form>
      )}
      <Folder listing={listing} enter={enter} choose={choose} accepts={() => action === 'file'} empty={action === 'file' ? 'No mesh here.' : 'No folder here.'} />
      {action === 'folder' && (
        <form class="row" onSubmit={submit}>
          <button type="submit" class="primary" disabled={listing === undefined}>
            {label}
          </button>
        </form>
      )}
    </Modal>
  );
}
