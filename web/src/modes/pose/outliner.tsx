// The left panel of Pose: the tree of joints, and saved poses.
import { useState } from 'preact/hooks';
import { command } from '../../client';
import type { Joint } from '../../protocol/document';
import { activeView, document_, perDocument, selectedJoint } from '../../store';
import { Name } from '../../ui/labels';
import { dialog } from '../../ui/modal';

const filter = perDocument('');

/** Joints in tree order, siblings in the order of the file. */
function treeOf(joints: Joint[]): { joint: Joint; j: number; depth: number }[] {
  const rows: { joint: Joint; j: number; depth: number }[] = [];
  const children = new Map<number, number[]>();
  joints.forEach((joint, j) => children.set(joint.parent, [...(children.get(joint.parent) ?? []), j]));
  const add = (j: number, depth: number) => {
    rows.push({ joint: joints[j], j, depth });
    for (const child of children.get(j) ?? []) add(child, depth + 1);
  };
  for (const root of children.get(-1) ?? []) add(root, 0);
  return rows;
}

/** Pixels per level; less in deep trees, so that names stay visible. */
export function indentOf(depths: number[]): number {
  return Math.min(12, 96 / Math.max(1, ...depths));
}

/** Arrow keys move through the list; Tab leaves it. */
function walk(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const options = [...list.querySelectorAll<HTMLButtonElement>('[role=option]')];
  const at = options.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
  if (to === undefined || options[to] === undefined) return;
  event.preventDefault();
  options[to].focus();
  options[to].click();
}

function Joints() {
  const joints = document_.value?.joints ?? [];
  const wanted = filter.value.toLowerCase();
  const rows = treeOf(joints).filter(({ joint }) => wanted === '' || joint.name.toLowerCase().includes(wanted));
  const indent = indentOf(rows.map((row) => row.depth));
  const reached = rows.some(({ j }) => j === selectedJoint.value) ? selectedJoint.value : rows[0]?.j;
  return (
    <div class="section">
      <h2>Joints</h2>
      {joints.length > 8 && (
        <input class="wide" aria-label="Filter joints" placeholder="Filter" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
      )}
      {document_.value?.skinned === false && document_.value.reduced === undefined && (
        <>
          <p class="muted">This mesh has no weights. Drop it together with a skeleton, or choose a skeleton.</p>
          <button onClick={() => (dialog.value = 'bind')}>Bind to a skeleton…</button>
        </>
      )}
      {rows.length > 0 && (
        <div class="list" role="listbox" aria-label="Joints" onKeyDown={walk}>
          {rows.map(({ joint, j, depth }) => (
            <button
              key={j}
              role="option"
              tabIndex={j === reached ? 0 : -1}
              aria-selected={selectedJoint.value === j}
              title={joint.name}
              aria-label={joint.name || undefined}
              style={{ paddingLeft: `${8 + indent * (wanted === '' ? depth : 0)}px` }}
              onClick={() => (selectedJoint.value = j)}
            >
              <Name text={joint.name || `joint ${j}`} />
            </button>
          ))}
        </div>
      )}
      {joints.length > 0 && rows.length === 0 && <p class="muted">No matching joint.</p>}
    </div>
  );
}

function SavedPoses() {
  const [name, setName] = useState('');
  const saved = document_.value?.savedPoses ?? [];
  const view = activeView.value;
  const save = () => {
    const wanted = name.trim() || `pose ${saved.length + 1}`;
    setName('');
    void command('pose.save', { view, name: wanted });
  };
  return (
    <div class="section">
      <h2>Poses</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input class="grow" aria-label="Pose name" placeholder={`pose ${saved.length + 1}`} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <button type="submit">Save pose</button>
      </form>
      <ul class="list" aria-label="Saved poses">
        {['rest', ...saved].map((one) => (
          <li key={one} class="row">
            <button class="grow" aria-label={`Go to pose ${one}`} title={one} onClick={() => void command('pose.apply', { view, name: one })}>
              <Name text={one} />
            </button>
            {one !== 'rest' && (
              <button class="slim" aria-label={`Delete pose ${one}`} title="Delete" onClick={() => void command('pose.delete', { name: one })}>
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Outliner() {
  return (
    <>
      <Joints />
      {(document_.value?.joints.length ?? 0) > 0 && <SavedPoses />}
    </>
  );
}
