// Shown while no document is open: drop or choose files, type a path, or try a sample.
import { useEffect, useState } from 'preact/hooks';
import { command, open } from '../client';
import { link } from '../store';
import { Recents } from './file_dialogs';
import { takeInput } from './files';
import { counted } from './labels';
import { dialog } from './modal';

interface SampleInfo {
  name: string;
  description: string;
  joints: number;
  vertices: number;
}

export function EmptyScreen() {
  const [samples, setSamples] = useState<SampleInfo[]>([]);
  const [path, setPath] = useState('');
  useEffect(() => {
    if (link.value === 'open') void command<{ samples: SampleInfo[] }>('samples').then((answer) => setSamples(answer?.samples ?? []));
  }, [link.value]);
  return (
    <div class="empty">
      <div class="drop">
        <p>Drop a .glb, .gltf or .fbx file, or a folder of example meshes</p>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (path !== '') void open(path);
          }}
        >
          <input aria-label="Path of a file or folder" placeholder="Or type a path" value={path} onInput={(event) => setPath(event.currentTarget.value)} />
          <button type="submit">Open</button>
        </form>
        <div class="row">
          <button onClick={() => dialog.value = 'open'}>Browse…</button>
          <label class="file">
            Choose files…
            <input type="file" multiple aria-label="Choose files" onChange={(event) => takeInput(event.currentTarget.files)} />
          </label>
          <label class="file">
            Choose a folder…
            <input type="file" {...{ webkitdirectory: true }} aria-label="Choose a folder" onChange={(event) => takeInput(event.currentTarget.files)} />
          </label>
        </div>
      </div>
      <div>
      <Recents go={(what) => void open(what)} />
      <section aria-label="Samples">
        <h2>Try a sample</h2>
        <ul class="list">
          {samples.map((sample) => (
            <li key={sample.name}>
              <button onClick={() => void open(`sample:${sample.name}`)}>
                <strong>{sample.name}</strong> <span class="muted">{counted(sample.vertices, 'vertex', 'vertices')}</span>
                <br />
                <span class="muted">{sample.description}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      </div>
    </div>
  );
}
