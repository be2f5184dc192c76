// Over the viewport: the divider between before and after, their names, and the error of the vertex under the pointer.
import { useRef } from 'preact/hooks';
import type { HoveredVertex } from '../../gestures/surface_hover';
import { perDocument, viewCount } from '../../store';
import { useHandleDrag } from '../../ui/handle_drag';
import { countText, percentText } from '../../ui/labels';
import { divider, result, shownErrors, shownExample, side } from './state';

export const hovered = perDocument<HoveredVertex | undefined>(undefined);

const step = 0.02;
const limited = (share: number) => Math.min(0.98, Math.max(0.02, share));

function Divider({ view }: { view: number }) {
  const box = useRef<HTMLDivElement>(null);
  const { listeners, escape } = useHandleDrag({
    get: () => divider.peek(),
    put: (start) => (divider.value = start),
    follow: ({ clientX }) => {
      const r = box.current?.getBoundingClientRect();
      if (r !== undefined) divider.value = limited((clientX - r.left) / r.width);
    },
  });
  const key = (event: KeyboardEvent) => {
    if (escape(event)) return;
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    const to = { Home: 0.02, End: 0.98 }[event.key] ?? (by === undefined ? undefined : divider.value + by * (event.shiftKey ? 5 : 1));
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    divider.value = limited(to);
  };
  const views = viewCount.value;
  const rows = Math.ceil(views / 2);
  const frame = views < 2 ? { left: '0', top: '0', width: '100%', height: '100%' } : { left: `${50 * (view % 2)}%`, top: `${(100 / rows) * Math.floor(view / 2)}%`, width: '50%', height: `${100 / rows}%` };
  const wipes = side.value === 'wipe';
  return (
    <div class="wipe" style={frame} ref={box}>
      {side.value !== 'after' && <span class="label wipe-before">Before</span>}
      {side.value !== 'before' && <span class="label wipe-after" style={{ left: wipes ? `calc(${100 * divider.value}% + 8px)` : '8px' }}>After</span>}
      {wipes && (
        <div
          class="wipe-line"
          role="slider"
          tabIndex={0}
          aria-label={views < 2 ? 'Divider between before and after' : `Divider between before and after, pose ${'ABCD'[view]}`}
          aria-orientation="horizontal"
          aria-valuemin={2}
          aria-valuemax={98}
          aria-valuenow={Math.round(100 * divider.value)}
          aria-valuetext={`${Math.round(100 * divider.value)} % before`}
          style={{ left: `${100 * divider.value}%` }}
          {...listeners}
          onKeyDown={key}
        />
      )}
    </div>
  );
}

export function Overlay() {
  if (result.value === undefined) return null;
  const under = hovered.value;
  const errors = shownErrors.value;
  return (
    <>
      {Array.from({ length: viewCount.value }, (_, view) => (
        <Divider key={view} view={view} />
      ))}
      {under !== undefined && errors !== undefined && <div class="hover-mark" style={{ left: `${under.x}px`, top: `${under.y}px` }} />}
      <div class="label fit-line" data-test="fit-line">
        {shownExample.value === undefined
          ? 'This pose is not an example: it has no error.'
          : under !== undefined && errors !== undefined
            ? `Vertex ${countText(under.vertex)}: ${percentText(errors.before[under.vertex])} before, ${percentText(errors.after[under.vertex])} after`
            : result.value.examples[shownExample.value]?.name}
      </div>
    </>
  );
}
