// The left panel of Pose: the tree of joints, and saved poses.
import { useState } from 'preact/hooks';
import { command } from '../../client';
import { isSelected, otherJoints, selectJoints, toggleJoint } from '../../gestures/joint_selection';
import type { Joint } from '../../protocol/document';
import { activeView, document_, perDocument, selectedJoint } from '../../store';
import { counted, Name } from '../../ui/labels';
import { dialog } from '../../ui/modal';
import { Parts } from '../../ui/parts_list';
import { Morphs } from './morph_list';
import { chooseClip, clipIndex } from './timeline';

const filter = perDocument('');

/** Joints whose children are not listed. */
const folded = perDocument<ReadonlySet<number>>(new Set());

function fold(j: number, on: boolean): void {
  const next = new Set(folded.value);
  if (on) next.add(j);
  else next.delete(j);
  folded.value = next;
}

interface Row {
  joint: Joint;
  j: number;
  depth: number;
  /** Joints below it; 0 for the last of a chain. */
  below: number;
}

/** Joints in tree order, siblings in the order of the file; without those below folded ones. */
function treeOf(joints: Joint[], hidden: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  const children = new Map<number, number[]>();
  joints.forEach((joint, j) => children.set(joint.parent, [...(children.get(joint.parent) ?? []), j]));
  const add = (j: number, depth: number, listed: boolean): number => {
    const row = { joint: joints[j], j, depth, below: 0 };
    if (listed) rows.push(row);
    for (const child of children.get(j) ?? []) row.below += 1 + add(child, depth + 1, listed && !hidden.has(j));
    return row.below;
  };
  for (const root of children.get(-1) ?? []) add(root, 0, true);
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
  options[to].dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: event.shiftKey }));
}

/** Shift selects all rows up to this one, Ctrl one more or less; a click on the mark folds the row. */
function pick(event: MouseEvent, row: Row, rows: Row[]): void {
  if (event.target instanceof Element && event.target.closest('.fold') !== null) return fold(row.j, !folded.value.has(row.j));
  const from = rows.findIndex(({ j }) => j === selectedJoint.value);
  const to = rows.indexOf(row);
  if (event.ctrlKey || event.metaKey) toggleJoint(row.j);
  else if (event.shiftKey && from >= 0) selectJoints(row.j, [...otherJoints.value, ...rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ j }) => j)]);
  else selectJoints(row.j);
}

function Joints() {
  const joints = document_.value?.joints ?? [];
  const wanted = filter.value.toLowerCase();
  const rows = treeOf(joints, wanted === '' ? folded.value : new Set()).filter(({ joint }) => wanted === '' || joint.name.toLowerCase().includes(wanted));
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
        <div class="list" role="listbox" aria-label="Joints" aria-multiselectable="true" onKeyDown={walk}>
          {rows.map((row) => ({ ...row, row })).map(({ joint, j, depth, below, row }) => (
            <button
              key={j}
              role="option"
              tabIndex={j === reached ? 0 : -1}
              aria-selected={isSelected(j)}
              aria-description={folded.value.has(j) ? `folded, ${counted(below, 'joint')} below` : undefined}
              class={isSelected(j) && selectedJoint.value !== j ? 'also' : undefined}
              title={joint.name}
              aria-label={joint.name || undefined}
              style={{ paddingLeft: `${8 + indent * (wanted === '' ? depth : 0)}px` }}
              onClick={(event) => pick(event, row, rows)}
              onKeyDown={(event) => {
                if ((event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') || below === 0) return;
                event.preventDefault();
                event.stopPropagation();
                fold(j, event.key === 'ArrowLeft');
              }}
            >
              <span class="branch-arrow" aria-hidden="true" title={below > 0 ? 'Fold or unfold (← →)' : undefined}>
                {below === 0 ? '' : folded.value.has(j) ? '▸' : '▾'}
              </span>
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

function Clips() {
  const clips = document_.value?.clips ?? [];
  if (clips.length < 2) return null;
  return (
    <div class="section">
      <h2 id="clips">Clips</h2>
      <ul class="list" aria-labelledby="clips">
        {clips.map((clip) => {
          const name = clip.name || `Clip ${clip.index}`;
          return (
            <li key={clip.index} class="row">
              <button class="grow" aria-pressed={clipIndex.value === clip.index} aria-label={`Go to clip ${name}`} title={name} onClick={() => chooseClip(clip.index)}>
                <Name text={name} />
              </button>
              <span class="muted">{clip.seconds.toFixed(1)} s</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

export function Outliner() {
  return (
    <>
      <Parts />
      <Joints />
      <Morphs />
      <Clips />
      {(document_.value?.joints.length ?? 0) > 0 && <SavedPoses />}
    </>
  );
}
