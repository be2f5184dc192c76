// Shown while no document is open: drop or choose files, type a path, recent files, samples, and the tour.
import { useState } from 'preact/hooks';
import { open } from '../client';
import { Icon } from './icon_button';
import { counted } from './labels';
import { MenuButton } from './menu_button';
import { openGroups, pictureOf, samples } from './open_menu';
import { Picture, Recents } from './recents';
import { dismissTour, startTour, tourOffered } from './tour';

/** For those who have not seen it, once. */
function TourOffer() {
  if (!tourOffered.value) return null;
  return (
    <section class="tour-offer" aria-label="Tour">
      <Icon name="tour" size={24} />
      <p class="grow">
        <strong>New here?</strong> Pose, weights and undo on the arm, in two minutes.
      </p>
      <button class="primary" onClick={() => void startTour()}>
        Take the tour
      </button>
      <button onClick={dismissTour}>No, thanks</button>
    </section>
  );
}

function Samples() {
  return (
    <section aria-label="Samples">
      <h2>Try a sample</h2>
      <ul class="cards fill">
        {samples.value.map((sample) => (
          <li key={sample.name}>
            <button class="card-button" title={sample.description} onClick={() => void open(`sample:${sample.name}`)}>
              <Picture source={sample.picture ? pictureOf(sample.name) : null} />
              <span class="card-title">{sample.name}</span>
              <span class="muted">{counted(sample.vertices, 'vertex', 'vertices')}</span>
              <span class="muted card-note">{sample.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function EmptyScreen() {
  const [path, setPath] = useState('');
  return (
    <div class="empty">
      <div class="start">
        <TourOffer />
        <div class="drop">
          <Icon name="upload" size={32} />
          <p>Drop a .glb, .gltf or .fbx file, or a folder of example meshes</p>
          <div class="row">
            <MenuButton class="primary" icon="folderOpen" label="Open a file or folder" groups={openGroups}>
              Open… <Icon name="chevronDown" size={14} />
            </MenuButton>
            <form
              class="row"
              onSubmit={(event) => {
                event.preventDefault();
                if (path !== '') void open(path);
              }}
            >
              <input aria-label="Path of a file or folder" placeholder="Or type a path, and press Enter" value={path} onInput={(event) => setPath(event.currentTarget.value)} />
            </form>
          </div>
        </div>
        <Recents go={(what) => void open(what)} />
        <Samples />
      </div>
    </div>
  );
}
