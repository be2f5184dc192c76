// The parts of the mesh: which ones are shown, and which one commands act on.
import { document_ } from '../store';
import { counted, countText, Name } from './labels';
import { hiddenParts, isolateParts, selectedPart, showAllParts, showPart } from './view_settings';

export function Parts() {
  const parts = document_.value?.parts ?? [];
  if (parts.length < 2 || document_.value?.reduced !== undefined) return null;
  const hidden = hiddenParts.value;
  return (
    <div class="section">
      <h2 id="parts">Parts</h2>
      <ul class="list parts" aria-labelledby="parts">
        {parts.map((part, p) => {
          const name = part.name || `part ${p}`;
          const shown = !hidden.includes(p);
          return (
            <li key={p} class="row">
              <input type="checkbox" checked={shown} aria-label={`Draw ${name}`} title={shown ? 'Hide (Shift H)' : 'Show'} onChange={(event) => showPart(p, event.currentTarget.checked)} />
              <button
                class="grow"
                aria-pressed={selectedPart.value === p}
                aria-label={`Part ${name}`}
                title={`${name}: ${counted(part.vertices, 'vertex', 'vertices')}. Double-click isolates it (/).`}
                onClick={() => (selectedPart.value = selectedPart.value === p ? undefined : p)}
                onDblClick={() => {
                  selectedPart.value = p;
                  isolateParts([p]);
                }}
              >
                <Name text={name} />
              </button>
              <span class="muted">{countText(part.vertices)}</span>
            </li>
          );
        })}
      </ul>
      {hidden.length > 0 && (
        <div class="row">
          <button title="Show all parts (Alt H)" onClick={showAllParts}>
            Show all parts
          </button>
        </div>
      )}
    </div>
  );
}
