// Errors, questions and progress, over the viewport.
import { command, connection, offer, open } from '../client';
import { mode } from '../modes/modes';
import { document_, errorCard, type ErrorCard, gpuLost, job, link, linkAttempt, notice, numbers } from '../store';
import { counted, countText } from './labels';
import { pageText, sentence } from './sentences';

function Reconnecting() {
  if (link.value === 'reconnecting') return <div class="bar" role="status">Reconnecting (attempt {linkAttempt.value}). Edits are not applied until the studio is back.</div>;
  if (link.value === 'refused') return <div class="bar" role="status">The studio rejected this page. Open the address that it printed.</div>;
  if (link.value !== 'takenOver') return null;
  return (
    <div class="bar row" role="status">
      <span>Another page has taken over.</span>
      <button onClick={() => connection.renew()}>Take it back</button>
    </div>
  );
}

/** Copies the error with what is needed to reproduce it. */
async function copyReport(card: ErrorCard): Promise<void> {
  const info = document_.peek();
  const lines = [
    card.text,
    card.hint,
    ...(card.rows ?? []).map((row) => `${row.ok ? 'used' : 'skipped'}: ${row.name} ${row.text}`),
    info?.open === true ? `open: ${info.title}, ${counted(info.vertices, 'vertex', 'vertices')}, ${counted(info.joints.length, 'joint')}` : 'no document is open',
    `mode ${mode.peek()}, ${numbers.peek().undo} steps, server ${location.host}`,
    navigator.userAgent,
  ];
  try {
    await navigator.clipboard.writeText(lines.filter((line) => line !== '').join('\n'));
    notice.value = 'Report copied to the clipboard.';
  } catch {
    notice.value = 'The browser blocked access to the clipboard.';
  }
}

function ErrorBox() {
  const card = errorCard.value;
  if (card === undefined) return null;
  return (
    <div class={`card${card.calm === true ? ' calm' : ''}`} role="alert">
      <p>{sentence(card.text)}</p>
      {card.rows !== undefined && card.rows.length > 0 && (
        <ul class="verdicts" aria-label="Result for each file">
          {card.rows.slice(0, 200).map((row) => (
            <li key={row.name + row.text}>
              <span aria-hidden="true">{row.ok ? '✓' : '✗'}</span> {row.name} <span class="muted">{row.text}</span>
            </li>
          ))}
          {card.rows.length > 200 && <li class="muted">and {countText(card.rows.length - 200)} more</li>}
        </ul>
      )}
      {card.notes !== undefined && (
        <ul class="verdicts" aria-label="Notes">
          {card.notes.slice(0, 50).map((note) => (
            <li key={note}>{sentence(note)}</li>
          ))}
          {card.notes.length > 50 && <li class="muted">and {countText(card.notes.length - 50)} more</li>}
        </ul>
      )}
      {card.hint !== '' && <p class="muted">{sentence(card.hint)}</p>}
      <div class="row">
        {card.actions?.map((action) => (
          <button key={action.label} class="primary" onClick={action.run}>
            {action.label}
          </button>
        ))}
        <button onClick={() => (errorCard.value = undefined)}>Close</button>
        {card.calm !== true && <button onClick={() => void copyReport(card)}>Copy report</button>}
      </div>
    </div>
  );
}

/** Finished stages and the current one: "read 12.4 MB 0.1 s · parse 0.3 s · neighbours". */
function Stages({ text }: { text: string }) {
  if (text === '') return null;
  const stages = text.split(' · ');
  return (
    <ol class="stages">
      {stages.map((stage, i) => (
        <li key={stage} class={i + 1 < stages.length ? 'muted' : ''}>
          <span aria-hidden="true">{i + 1 < stages.length ? '✓' : '●'}</span> {stage}
        </li>
      ))}
    </ol>
  );
}

/** The remaining time, once it can be estimated. */
function remaining(fraction: number, seconds: number): string {
  if (fraction < 0.05 || fraction >= 1 || seconds < 1) return '';
  const left = (seconds * (1 - fraction)) / fraction;
  return left < 90 ? `about ${Math.max(1, Math.round(left))} s left` : `about ${Math.round(left / 60)} min left`;
}

function Working() {
  const current = job.value;
  if (current === undefined) return null;
  const cancel = current.cancel ?? (current.id === 0 ? undefined : () => void command('job.cancel', { job: current.id }));
  return (
    <div class="card calm working" role="status" aria-label="Work in progress">
      <strong class="title">{current.what}</strong>
      <Stages text={current.stage} />
      <div class="progress" role="progressbar" aria-label="Progress" aria-valuenow={Math.round(100 * current.fraction)} aria-valuemin={0} aria-valuemax={100}>
        <div style={{ width: `${100 * current.fraction}%` }} />
      </div>
      <div class="row">
        <span class="muted grow">
          {Math.round(100 * current.fraction)} %{current.seconds > 0 ? ` · ${current.seconds.toFixed(1)} s` : ''} <span data-test="eta">{remaining(current.fraction, current.seconds)}</span>
        </span>
        {cancel !== undefined && <button onClick={cancel}>Cancel</button>}
      </div>
    </div>
  );
}

function Continue() {
  const kept = offer.value;
  if (kept === undefined) return null;
  const answer = (choice: 'continue' | 'discard') => {
    offer.value = undefined;
    void open(kept.what, choice);
  };
  return (
    <div class="card calm" role="alertdialog" aria-label="Unsaved work">
      <p>
        {kept.steps > 0
          ? `${kept.what.replace(/^.*[/:]/, '')} has ${counted(kept.steps, 'unsaved step')}.`
          : kept.changed === true
            ? `${kept.what.replace(/^.*[/:]/, '')} was changed by another program after it was saved here.`
            : `The unsaved steps of ${kept.what.replace(/^.*[/:]/, '')} cannot be read.`}
      </p>
      {kept.damaged !== undefined && kept.damaged !== '' && <p>{kept.damaged}</p>}
      {kept.changed === true && <p class="muted">{kept.steps > 0 ? 'Another program has changed the file. ' : ''}Continue shows your work, not the changed file.</p>}
      <div class="row">
        <button class="primary" onClick={() => answer('continue')}>Continue</button>
        <button onClick={() => answer('discard')}>Start from the file</button>
        <button onClick={() => (offer.value = undefined)}>Cancel</button>
      </div>
    </div>
  );
}

function GpuLost() {
  if (!gpuLost.value) return null;
  return (
    <div class="lost">
      <div class="card" role="alert">
        <p>Graphics context lost; your work is safe.</p>
        <p class="muted">The browser usually restores it by itself.</p>
        <button onClick={() => location.reload()}>Reload the page</button>
      </div>
    </div>
  );
}

export function Notices() {
  return (
    <>
      <GpuLost />
      <Reconnecting />
      <ErrorBox />
      <Continue />
      <Working />
      <div class="visually-hidden" role="status" aria-live="polite">{pageText(notice.value)}</div>
    </>
  );
}
