// Morph targets against error: a curve, and the slider that chooses how many are written.
import type { ExportTrade } from '../../protocol/document';
import { document_ } from '../../store';
import { Section } from '../../ui/section';
import { Slider } from '../../ui/slider';
import { countText, percentText } from '../../ui/labels';
import type { ExportOptions } from './presets';
import { bytesText } from '../../ui/file_list';
import { distance, options, plan, setOptions, trade } from './state';

const mostMorphs = 32;
const [width, height] = [288, 96];
const methods: Record<ExportOptions['method'], string> = { auto: 'Automatic', svd: 'Mixed shapes', knots: 'A shape per pose' };

/** From x and y in data to pixels; errors are logarithmic, those that nobody sees at the lower end. */
function scales(rows: ExportTrade[], diagonal: number) {
  const least = 1e-6 * diagonal;
  const errors = rows.map((row) => Math.max(row.rms, least));
  const low = Math.floor(Math.log10(Math.min(...errors)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...errors))));
  const most = Math.max(mostMorphs, ...rows.map((row) => row.morphs));
  return {
    x: (morphs: number) => 4 + ((width - 8) * morphs) / most,
    y: (rms: number) => 4 + ((height - 8) * (high - Math.log10(Math.max(rms, least)))) / (high - low),
    decades: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    morphsAt: (x: number) => Math.round(((x - 4) * most) / (width - 8)),
  };
}

export function Curve() {
  const said = plan.value;
  const chosen = options.value;
  const rows = [...trade.value.values()].filter((row) => row.morphs > 0).sort((a, b) => a.morphs - b.morphs);
  const diagonal = document_.value?.diagonal ?? 1;
  const shown = rows.length > 0 ? scales(rows, diagonal) : undefined;
  const method = said?.method ?? (chosen.method === 'auto' ? 'svd' : chosen.method);
  const now = rows.find((row) => row.morphs === said?.morphs && row.method === said.method);
  return (
    <Section name="morphs" title="Morph targets against error">
      <label class="row">
        <span class="grow">Correctives as</span>
        <select value={chosen.method} onChange={(event) => setOptions({ method: event.currentTarget.value as ExportOptions['method'] })}>
          {Object.entries(methods).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {shown !== undefined && (
        <svg
          class="trade"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`rms error by number of morph targets: ${rows.map((row) => `${row.morphs}: ${row.rms.toPrecision(2)}`).join(', ')}`}
          onClick={(event) => {
            const r = event.currentTarget.getBoundingClientRect();
            setOptions({ morphs: Math.min(mostMorphs, Math.max(1, shown.morphsAt(((event.clientX - r.left) * width) / r.width))) });
          }}
        >
          {shown.decades.map((error) => (
            <g key={error}>
              <line x1={4} x2={width - 4} y1={shown.y(error)} y2={shown.y(error)} />
              <text x={width - 6} y={Math.max(14, shown.y(error) - 2)}>
                {percentText((100 * error) / diagonal, 1)}
              </text>
            </g>
          ))}
          {['svd', 'knots'].map((one) => (
            <polyline key={one} class={one === method ? 'chosen' : ''} points={rows.filter((row) => row.method === one).map((row) => `${shown.x(row.morphs)},${shown.y(row.rms)}`).join(' ')} />
          ))}
          {now !== undefined && <circle cx={shown.x(now.morphs)} cy={shown.y(now.rms)} r={4} />}
        </svg>
      )}
      <div class="row">
        <Slider
          class="grow"
          label="Morph targets per mesh"
          min={0}
          max={mostMorphs}
          step={1}
          value={chosen.morphs}
          valueText={chosen.morphs === 0 ? 'automatic' : String(chosen.morphs)}
          reset={0}
          change={(morphs, how) => (how === 'done' || how === 'step') && setOptions({ morphs })}
        />
        <span data-test="morphs">{chosen.morphs === 0 ? `auto${said === undefined ? '' : `: ${countText(said.morphs)}`}` : countText(chosen.morphs)}</span>
      </div>
      {now !== undefined && (
        <p class="muted">
          rms {distance(now.rms)} against the model, {distance(now.heldOut)} between its examples; {bytesText(now.bytes)}.
        </p>
      )}
    </Section>
  );
}
