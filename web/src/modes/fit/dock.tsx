// The dock of Fit: errors of vertices with the scale of the colours, the triage, and skins within a budget.
import { selectedVertices, notice } from '../../store';
import { useHandleDrag } from '../../ui/handle_drag';
import { Term } from '../../ui/help';
import { counted, percentText } from '../../ui/labels';
import { tipOf } from '../../ui/tooltip';
import { Budget } from './budget';
import { binsOf, roundUp, verticesIn } from './histogram';
import { fullScale, movedRange, percent, range, result, shownErrors, shownSide, tab, type Tab } from './state';
import { Triage } from './triage';

const binCount = 40;

function select(from: number, to: number): void {
  const errors = shownErrors.peek();
  if (errors === undefined) return;
  const found = verticesIn(errors[shownSide.peek()], { from, to });
  selectedVertices.value = found;
  notice.value = `${counted(found.length, 'vertex', 'vertices')} selected.`;
}

/** One end of the colour scale, on the axis of the histogram. */
function Handle({ which, end }: { which: 'from' | 'to'; end: number }) {
  const value = range.value[which];
  const set = (wanted: number) => {
    const gap = end / 200;
    const { from, to } = range.peek();
    movedRange.value = which === 'from' ? { from: Math.max(0, Math.min(wanted, to - gap)), to } : { from, to: Math.min(end, Math.max(wanted, from + gap)) };
  };
  const { listeners, escape } = useHandleDrag({
    get: () => movedRange.peek(),
    put: (start) => (movedRange.value = start),
    follow: ({ currentTarget, clientX }) => {
      const r = currentTarget.parentElement?.getBoundingClientRect();
      if (r !== undefined) set((end * (clientX - r.left)) / r.width);
    },
  });
  return (
    <div
      class="range-handle"
      role="slider"
      tabIndex={0}
      aria-label={which === 'from' ? 'Lower end of the colours' : 'Upper end of the colours'}
      aria-valuemin={0}
      aria-valuemax={Number(end.toPrecision(4))}
      aria-valuenow={Number(value.toPrecision(4))}
      aria-valuetext={percentText(value)}
      {...tipOf('Drag, or use arrow keys; double-click to reset')}
      style={{ left: `${Math.min(100, (100 * value) / end)}%` }}
      {...listeners}
      onKeyDown={(event) => {
        if (escape(event)) return;
        const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        set(value + (by * end * (event.shiftKey ? 10 : 1)) / 100);
      }}
      onDblClick={() => (movedRange.value = undefined)}
    />
  );
}

/** Arrow keys move between the bars that have vertices. */
function walk(event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  const bars = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
  const to = bars[bars.indexOf(document.activeElement as HTMLButtonElement) + by];
  event.preventDefault();
  event.stopPropagation();
  to?.focus();
}

function Histogram() {
  const errors = shownErrors.value;
  const shown = result.value;
  if (shown === undefined) return <p class="muted">Run a fit to see the errors of the vertices before and after.</p>;
  // The same axis for all examples, so that they can be compared.
  const largest = Math.max(...shown.examples.flatMap((one) => [percent(one.before.max), percent(one.after.max)]));
  const end = Math.max(fullScale.value.to, roundUp(largest));
  const { from, to } = range.value;
  const [before, after] = errors === undefined ? [[], []] : [binsOf(errors.before, end, binCount), binsOf(errors.after, end, binCount)];
  const most = Math.log1p(Math.max(1, ...before.map((bin) => bin.count), ...after.map((bin) => bin.count)));
  const height = (count: number) => `${(100 * Math.log1p(count)) / most}%`;
  const bins = shownSide.value === 'before' ? before : after;
  const others = shownSide.value === 'before' ? after : before;
  const first = bins.findIndex((bin) => bin.count > 0);
  return (
    <>
      <div class="histogram" role="toolbar" aria-label="Vertices by error" onKeyDown={walk}>
        {bins.map((bin, i) => (
          <button
            key={i}
            tabIndex={i === first ? 0 : -1}
            disabled={bin.count === 0}
            aria-label={`Select ${counted(bin.count, 'vertex', 'vertices')} with an error of ${percentText(bin.from)} to ${percentText(Math.min(bin.to, end))}`}
            {...tipOf(`${percentText(bin.from)} to ${percentText(Math.min(bin.to, end))}: ${counted(bin.count, 'vertex', 'vertices')}; click to select`)}
            onClick={() => select(bin.from, bin.to)}
          >
            <span class="bin-other" style={{ height: height(others[i].count) }} />
            <span class="bin" style={{ height: height(bin.count) }} />
          </button>
        ))}
        {errors === undefined && <span class="muted">This pose is not an example. Choose one in the list.</span>}
      </div>
      <div class="range-axis">
        <div class="range-ramp" style={{ left: `${Math.min(100, (100 * from) / end)}%`, width: `${Math.max(0, Math.min(100, (100 * (to - from)) / end))}%` }} />
        <Handle which="from" end={end} />
        <Handle which="to" end={end} />
      </div>
      <div class="row spread range-text">
        <span>0 %</span>
        <span class="row">
          <span data-test="fit-scale">
            Colours from {percentText(from)} to {percentText(to)}
          </span>
          <button disabled={errors === undefined} {...tipOf('The vertices whose error lies between the handles')} onClick={() => select(from, to)}>
            Select range
          </button>
          <button disabled={movedRange.value === undefined} onClick={() => (movedRange.value = undefined)}>
            Reset scale
          </button>
          <span class="muted">
            <Term topic="vertexErrors">{`filled: ${shownSide.value}, outline: ${shownSide.value === 'before' ? 'after' : 'before'}`}</Term>
          </span>
        </span>
        <span>{percentText(end)}</span>
      </div>
    </>
  );
}

const tabs: [Tab, string, string][] = [
  ['errors', 'Vertex errors', 'The vertices of the shown example by their error, and the scale of the colours'],
  ['triage', 'What would help', 'How much of the error weights, helper joints, the rest shape and corrections remove'],
  ['budget', 'Budget', 'The best skin within limits of joints, morph targets and file size'],
];

export function Dock() {
  return (
    <div class="section steady">
      <div class="row" role="group" aria-label="Dock of Fit">
        {tabs.map(([one, label, help]) => (
          <button key={one} class="quiet" aria-pressed={tab.value === one} {...tipOf(help)} onClick={() => (tab.value = one)}>
            {label}
          </button>
        ))}
      </div>
      {tab.value === 'errors' && <Histogram />}
      {tab.value === 'triage' && <Triage />}
      {tab.value === 'budget' && <Budget />}
    </div>
  );
}
