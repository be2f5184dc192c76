// The dialogs Open, Bind and Save as, below the root folder of the studio.
import { open } from '../client';
import { document_ } from '../store';
import { bind, saveTo } from './files';
import { Folder, useFolder } from './folder';
import { dialog, Modal } from './modal';
import { Recents } from './recents';
import { SaveDialog } from './save_dialog';

const close = () => (dialog.value = undefined);

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
        <button data-dismiss onClick={close}>Cancel</button>
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
        <button data-dismiss onClick={close}>Cancel</button>
      </div>
      <p class="muted">Choose a file (.glb, .gltf, .fbx, .bvh) whose skeleton lies inside the mesh.</p>
      <Folder listing={listing} enter={enter} choose={go} />
    </Modal>
  );
}

export function SaveAsDialog() {
  const stem = (document_.value?.title ?? 'character').replace(/\.[^.]*$/, '');
  return <SaveDialog title="Save as" label="Save" name={`${stem}.glb`} extensions={['.glb', '.gltf']} replaceable={['exists', 'changed']} save={saveTo} close={close} />;
}
