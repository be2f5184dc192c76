// A dialog that asks for the name of a file and writes it, and asks again before it replaces one.
import { useState } from 'preact/hooks';
import { Folder, useFolder } from './folder';
import { Modal } from './modal';

export interface SaveFault {
  message: string;
  hint: string;
  code: string;
}

export interface SaveDialogProps {
  title: string;
  /** Of the button. */
  label: string;
  /** The proposed name. */
  name: string;
  /** Endings of names; a name without one of them gets the first. */
  extensions: string[];
  /** Codes of faults after which the file may be replaced. */
  replaceable: string[];
  /** Writes the file. Gives what went wrong. */
  save: (path: string, replace: boolean) => Promise<SaveFault | undefined>;
  close: () => void;
}

export function SaveDialog({ title, label, name: proposed, extensions, replaceable, save, close }: SaveDialogProps) {
  const [listing, enter] = useFolder();
  const [name, setName] = useState(proposed);
  const [fault, setFault] = useState<SaveFault | undefined>(undefined);
  const accepts = (file: string) => extensions.some((one) => file.endsWith(one));
  const start = async (replace: boolean) => {
    const found = await save(`${listing?.path ?? '.'}/${accepts(name) ? name : name + extensions[0]}`, replace);
    if (found === undefined) close();
    else setFault(found);
  };
  const rename = (file: string) => {
    setName(file);
    setFault(undefined);
  };
  return (
    <Modal label={title} onClose={close}>
      <div class="row spread">
        <h2>{title}</h2>
        <button onClick={close}>Cancel</button>
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void start(false);
        }}
      >
        <input class="grow" autofocus aria-label="File name" value={name} onInput={(event) => rename(event.currentTarget.value)} />
        <button class="primary" type="submit" disabled={name.trim() === ''}>
          {label}
        </button>
      </form>
      {fault !== undefined && (
        <div role="alert">
          <p>
            {fault.message.replace(/\.$/, '')}. <span class="muted">{fault.hint}</span>
          </p>
          {replaceable.includes(fault.code) && <button onClick={() => void start(true)}>Replace it</button>}
        </div>
      )}
      <Folder listing={listing} enter={enter} choose={(path) => rename(path.slice(path.lastIndexOf('/') + 1))} accepts={accepts} empty="No file of this kind here." />
    </Modal>
  );
}
