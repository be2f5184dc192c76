// Errors, offers and work in progress, over the viewport.
import { command, offer, open } from '../client';
import { errorCard, gpuLost, job, link, linkAttempt, notice } from '../store';

function Reconnecting() {
  if (link.value === 'reconnecting') return <div class="bar" role="status">reconnecting ({linkAttempt.value}): the view still turns, edits wait</div>;
  if (link.value === 'takenOver') return <div class="bar" role="status">another page has taken over; reload to take it back</div>;
  if (link.value === 'refused') return <div class="bar" role="status">the studio refused this page: open the address that it printed</div>;
  return null;
}

function ErrorBox() {
  const card = errorCard.value;
  if (card === undefined) return null;
  return (
    <div class={`card${card.calm === true ? ' calm' : ''}`} role="alert">
      <p>{card.text}</p>
      {card.rows !== undefined && card.rows.length > 0 && (
        <ul class="verdicts" aria-label="What became of each file">
          {card.rows.slice(0, 200).map((row) => (
            <li key={row.name + row.text}>
              <span aria-hidden="true">{row.ok ? '✓' : '✗'}</span> {row.name} <span class="muted">{row.text}</span>
            </li>
          ))}
          {card.rows.length > 200 && <li class="muted">and {card.rows.length - 200} more</li>}
        </ul>
      )}
      {card.hint !== '' && <p class="muted">{card.hint}</p>}
      <div class="row">
        {card.actions?.map((action) => (
          <button key={action.label} class="primary" onClick={action.run}>
            {action.label}
          </button>
        ))}
        <button onClick={() => (errorCard.value = undefined)}>Close</button>
        <button onClick={() => void navigator.clipboard?.writeText(`${card.text}\n${card.hint}`)}>Copy report</button>
      </div>
    </div>
  );
}

function Working() {
  const current = job.value;
  if (current === undefined) return null;
  return (
    <div class="card" role="status" style={{ borderLeftColor: 'var(--accent)', top: 'auto', bottom: '24px' }}>
      <div class="row spread">
        <span>
          {current.what} {current.stage}
        </span>
        {current.id !== 0 && <button onClick={() => void command('job.cancel', { job: current.id })}>Cancel</button>}
      </div>
      <div class="progress" role="progressbar" aria-label="Progress of the work" aria-valuenow={Math.round(100 * current.fraction)} aria-valuemin={0} aria-valuemax={100}>
        <div style={{ width: `${100 * current.fraction}%` }} />
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
    <div class="card" role="alertdialog" aria-label="Unsaved work" style={{ borderLeftColor: 'var(--accent)' }}>
      <p>
        {kept.what.replace(/^.*[/:]/, '')} has unsaved work: {kept.steps} {kept.steps === 1 ? 'step' : 'steps'}.
      </p>
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
        <p>The graphics card forgot the picture. Nothing of your work is lost.</p>
        <p class="muted">It comes back by itself where the browser allows it.</p>
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
      <div class="visually-hidden" role="status" aria-live="polite">{notice.value}</div>
    </>
  );
}
