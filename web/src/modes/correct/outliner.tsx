// The outliner of the mode Correct: the examples with their activation and errors, and where they come from and go to.
import { command, connection, showFault } from '../../client';
import { CommandFault } from '../../protocol/connection';
import { activeView, document_, errorCard, job, notice, perDocument } from '../../store';
import { Bar } from '../../ui/bar';
import { ExamplePicture } from '../../ui/example_pictures';
import { IconButton } from '../../ui/icon_button';
import { counted, countText, Name, percentText } from '../../ui/labels';
import { Section } from '../../ui/section';
import { tipOf } from '../../ui/tooltip';
import { Chooser } from './chooser';
import { renameEnds } from './scrub';
import { colourOf, compare, compared, exampleHere, examples, info, learned, shown, shows, usable, weightOf, activation } from './state';

const newName = perDocument('');
const renaming = perDocument<number | undefined>(undefined);
/** The dialog that is open. */
export const choosing = perDocument<'import' | 'open' | 'save' | undefined>(undefined);

export const goTo = (example: number) => void command('examples.goto', { view: activeView.value, example });

/** The name of the example that saving makes: typed, the one that the sculpt changes, or a new one. */
function wantedName(): string {
  const typed = newName.value.trim();
  if (typed !== '') return typed;
  const changed = info.value?.sculpt?.name ?? '';
  if (changed !== '') return changed;
  const names = new Set(examples.value.map((one) => one.name));
  let number = examples.value.length + 1;
  while (names.has(`sculpt ${number}`)) ++number;
  return `sculpt ${number}`;
}

/** What the active view shows becomes an example at its pose. */
export async function saveExample(): Promise<void> {
  const name = wantedName();
  if ((await command('examples.add', { view: activeView.value, name })) === undefined) return;
  newName.value = '';
  notice.value = `Saved the example ${name}.`;
}

async function openExamples(path: string): Promise<void> {
  choosing.value = undefined;
  const answer = await command('examples.open', { path });
  if (answer !== undefined) job.value = { id: answer.job, what: 'Reading examples', fraction: 0, stage: '', seconds: 0 };
}

async function importShape(path: string): Promise<void> {
  choosing.value = undefined;
  const answer = await command('examples.import', { view: activeView.value, path });
  if (answer === undefined) return;
  const notes = [...answer.warnings, ...answer.notes];
  errorCard.value = { text: `Imported ${answer.name} as an example at this pose.`, hint: '', calm: true, notes: notes.length > 0 ? notes : ['Its vertices are in the order of the character.'] };
}

async function saveExamples(path: string, replace = false): Promise<void> {
  choosing.value = undefined;
  try {
    const answer = await connection.command('examples.save', { path, replace });
    notice.value = `Saved ${answer.path} and ${counted(answer.files - 1, 'other file')}.`;
  } catch (fault) {
    if (!(fault instanceof CommandFault) || fault.code !== 'exists') return showFault(fault);
    const run = () => {
      errorCard.value = undefined;
      void saveExamples(path, true);
    };
    errorCard.value = { text: fault.message, hint: fault.hint, actions: [{ label: 'Replace them', run }] };
  }
}

async function rename(k: number, name: string, wanted: string): Promise<void> {
  if (wanted === name) return;
  if ((await command('examples.rename', { example: k, name: wanted })) !== undefined) renameEnds(name, wanted);
}

const rowsOf = (list: Element) => [...list.querySelectorAll<HTMLButtonElement>('.example-button')];

/** Once it is shown. */
const focusRow = (list: Element, k: number) => requestAnimationFrame(() => rowsOf(list)[k]?.focus());

/** As the field appears; later renders keep the cursor. */
function selectOnce(field: HTMLInputElement | null): void {
  if (field === null || field === document.activeElement) return;
  field.focus();
  field.select();
}

function Row({ name, shape, k }: { name: string; shape: string; k: number }) {
  const number = learned.value?.names.indexOf(name) ?? -1;
  const weight = weightOf(name);
  const errors = learned.value?.examples.find((one) => one.name === name);
  if (renaming.value === k) {
    const take = (field: HTMLInputElement) => {
      renaming.value = undefined;
      return rename(k, name, field.value.trim());
    };
    const key = async (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      // The key must not press the row.
      event.preventDefault();
      const list = event.currentTarget.closest('ul');
      if (event.key === 'Enter') await take(event.currentTarget);
      else renaming.value = undefined;
      // It keeps its place in the list.
      if (list !== null) focusRow(list, k);
    };
    return (
      <li class="example-row">
        <ExamplePicture shape={shape} />
        <input
          class="grow"
          autofocus
          aria-label={`New name of ${name}`}
          defaultValue={name}
          ref={selectOnce}
          onKeyDown={key}
          onBlur={(event) => renaming.value === k && void take(event.currentTarget)}
        />
      </li>
    );
  }
  const text = errors === undefined ? '' : `Plain skin ${percentText(errors.before)}, model ${percentText(errors.after)}, left out ${percentText(errors.leaveOneOut)}.`;
  const here = exampleHere.value === k;
  const colour = number < 0 ? 'var(--line)' : colourOf(number);
  return (
    <li class={`example-row${here ? ' here' : ''}`}>
      <ExamplePicture shape={shape} />
      <div class="example-facts">
        <button class="example-button" aria-label={`Go to example ${name}`} aria-description={text} aria-current={here ? 'true' : undefined} {...tipOf(`Go to the pose of ${name}. ${text} Alt and arrow keys move it in the list.`)} onClick={() => goTo(k)}>
          <span class="swatch" style={{ background: colour }} aria-hidden="true" />
          <Name text={name} />
        </button>
        <div class="example-share">
          <Bar value={weight ?? 0} least={-1} colour={colour} />
          <span class="muted" data-test="activation">
            {weight === undefined ? '' : (Math.abs(weight) < 0.005 ? 0 : weight).toFixed(2)}
          </span>
        </div>
        <div class="muted example-errors" data-test="errors">
          {errors === undefined ? '' : `${percentText(errors.before).replace(' %', '')} → ${percentText(errors.after)}`}
        </div>
      </div>
      <span class="example-tools">
        <IconButton class="small" icon="rename" label={`Rename ${name}`} tip="Rename" onClick={() => (renaming.value = k)} />
        <IconButton class="small" icon="trash" label={`Remove ${name}`} tip="Remove" onClick={() => command('examples.remove', { example: k })} />
      </span>
    </li>
  );
}

/** Arrow keys move through the list, with Alt they move the example. */
function walk(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const rows = rowsOf(list);
  const at = rows.indexOf(document.activeElement as HTMLButtonElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at < 0 || next === undefined || rows[next] === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.altKey) {
    // Its row moves with it.
    void command('examples.reorder', { example: at, to: next }).then(() => requestAnimationFrame(() => rows[at].focus()));
    return;
  }
  rows[next].focus();
  rows[next].click();
}

function Offer() {
  const offered = info.value?.offered ?? '';
  if (offered === '') return <p class="muted">No examples yet. Pose the character, sculpt the skin, and save it as an example; or import a corrected shape.</p>;
  const sample = offered.startsWith('sample:') ? offered.slice('sample:'.length) : undefined;
  return (
    <>
      <p class="muted">{sample === undefined ? 'There is an examples file beside this character.' : 'This sample comes with sculpts.'} You can also sculpt your own.</p>
      <button class={info.value?.sculpt === undefined ? 'primary' : ''} disabled={job.value !== undefined} onClick={() => void openExamples('')}>
        {sample === undefined ? 'Open examples.json' : `Open the sculpts of ${sample}`}
      </button>
    </>
  );
}

function Examples() {
  const list = examples.value;
  const sculpted = activation.value?.sculpted === 1;
  return (
    <Section name="examples" title={`Examples (${countText(list.length)})`} test="example-count">
      {list.length === 0 && <Offer />}
      {list.length > 0 && (
        <ul class="list" aria-label="Examples" onKeyDown={walk}>
          {list.map((one, k) => (
            <Row key={one.name} name={one.name} shape={one.shape} k={k} />
          ))}
        </ul>
      )}
      <form
        class="row wrap save-example"
        onSubmit={(event) => {
          event.preventDefault();
          void saveExample();
        }}
      >
        <input class="example-name" aria-label="Example name" placeholder={wantedName()} value={newName.value} onInput={(event) => (newName.value = event.currentTarget.value)} />
        <button type="submit" class={sculpted ? 'primary' : ''} {...tipOf('What the view shows becomes an example at this pose', 'Enter')}>
          Save as example
        </button>
      </form>
      <div class="row wrap">
        <button {...tipOf('A corrected mesh of this pose: OBJ, glTF and others')} onClick={() => (choosing.value = 'import')}>
          Import shape…
        </button>
        <button disabled={job.value !== undefined} {...tipOf('Examples from a folder with a file examples.json')} onClick={() => (choosing.value = 'open')}>
          Open…
        </button>
        <button disabled={list.length === 0} {...tipOf('Writes examples.json, and a mesh and a pose for each example')} onClick={() => (choosing.value = 'save')}>
          Export…
        </button>
      </div>
    </Section>
  );
}

function Shown() {
  return (
    <Section name="show" title="Show">
      <div class="row wrap" role="group" aria-label="Show">
        {shows.map((one) => (
          <button key={one.name} aria-pressed={shown.value === one.name && !compared.value} disabled={compared.value} {...tipOf(one.help)} onClick={() => (shown.value = one.name)}>
            {one.title}
          </button>
        ))}
      </div>
      <div class="row wrap">
        <button aria-pressed={compared.value} {...tipOf('Plain skin, result and target in one pose')} onClick={() => void compare(!compared.value)}>
          Side by side
        </button>
        <span class="muted">Hold T to see the plain skin.</span>
      </div>
    </Section>
  );
}

const stem = () => (document_.value?.title ?? 'character').replace(/\.[^.]*$/, '');

export function Outliner() {
  if (!usable.value)
    return (
      <Section name="examples" title="Examples">
        <p class="muted">{document_.value?.reduced === undefined ? 'Examples need a character with a skin. Bind this mesh to a skeleton first, in Pose mode.' : 'A reduced model has its own examples. Open the character that it was learned from.'}</p>
      </Section>
    );
  return (
    <>
      <Examples />
      <Shown />
      {choosing.value === 'import' && <Chooser title="Import a corrected shape" hint="The mesh becomes an example at the current pose. A mesh called rest beside it tells the order of its vertices." action="file" choose={(path) => void importShape(path)} close={() => (choosing.value = undefined)} />}
      {choosing.value === 'open' && <Chooser title="Open examples" hint="Choose the folder with the file examples.json. Its examples replace those of the document." action="folder" label="Open this folder" choose={(path) => void openExamples(path)} close={() => (choosing.value = undefined)} />}
      {choosing.value === 'save' && <Chooser title="Export examples" hint="Writes examples.json, and a mesh and a pose for each example." action="name" label="Export" name={`${stem()}_examples`} choose={(path) => void saveExamples(path)} close={() => (choosing.value = undefined)} />}
    </>
  );
}
