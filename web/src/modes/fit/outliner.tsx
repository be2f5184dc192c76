// The left panel of Fit: the examples with their errors before and after.
import { document_ } from '../../store';
import { ExamplePicture } from '../../ui/example_pictures';
import { Term } from '../../ui/help';
import { IconButton } from '../../ui/icon_button';
import { countText, Name, percentText } from '../../ui/labels';
import { Section } from '../../ui/section';
import { tipOf } from '../../ui/tooltip';
import { examples, goTo, openOffered, percent, result, type Row, rows, running, shownExample, step, worstFirst, worstVertex } from './state';

/** An example counts as worse where its error grows by more than this share. */
const worse = 1.05;

function ExampleRow({ row }: { row: Row }) {
  const before = row.errors === undefined ? undefined : percent(row.errors.before.rms);
  const after = row.errors === undefined ? undefined : percent(row.errors.after.rms);
  const grew = before !== undefined && after !== undefined && after > worse * before && after > 1e-3;
  const numbers = before === undefined || after === undefined ? '' : `${percentText(before)} before, ${percentText(after)} after${grew ? ', worse' : ''}`;
  return (
    <li>
      <button class="fit-row" aria-pressed={shownExample.value === row.example} aria-description={numbers} {...tipOf(`Go to ${row.name}${numbers === '' ? '' : `: ${numbers}`}`)} onClick={() => void goTo(row.example)}>
        <ExamplePicture shape={row.shape} />
        <span class="fit-name">
          <Name text={row.name} />
        </span>
        {before !== undefined && after !== undefined && (
          <span class="fit-numbers" data-test="fit-errors">
            <span>{percentText(before).replace(' %', '')} →</span>
            <span>
              {percentText(after)}
              {grew && ' !'}
            </span>
          </span>
        )}
      </button>
    </li>
  );
}

export function Outliner() {
  const list = rows.value;
  const offered = document_.value?.examples?.offered ?? '';
  if (examples.value.length === 0)
    return (
      <Section name="examples" title="Examples">
        <p>Fit needs examples: poses, and how the skin should look in them.</p>
        {offered !== '' && (
          <>
            <button class="primary" disabled={running.value} onClick={() => void openOffered()}>
              Open examples
            </button>
            <p class="muted">{offered.startsWith('sample:') ? 'The sculpts of this sample.' : offered}</p>
          </>
        )}
        <p class="muted">Open others, or sculpt them, in Correct mode.</p>
      </Section>
    );
  return (
    <Section name="examples" title={`Examples (${countText(list.length)})`}>
      <div class="row">
        <IconButton class="quiet" icon="arrowUp" label="Previous example" keys="," onClick={() => step(-1)} />
        <IconButton class="quiet" icon="arrowDown" label="Next example" keys="." onClick={() => step(1)} />
        <button disabled={result.value === undefined} {...tipOf('Select the vertex with the largest error and look at it', 'W')} onClick={() => void worstVertex()}>
          Worst vertex
        </button>
      </div>
      {result.value !== undefined && (
        <div class="row spread">
          <label class="check">
            <input type="checkbox" checked={worstFirst.value} onChange={(event) => (worstFirst.value = event.currentTarget.checked)} />
            Worst first
          </label>
          <span class="muted">
            <Term topic="error">Before → after</Term>
          </span>
        </div>
      )}
      <ul class="list" aria-label="Examples">
        {list.map((row) => (
          <ExampleRow key={row.example} row={row} />
        ))}
      </ul>
    </Section>
  );
}
