// The preferences, in one dialog. They are kept by this browser.
import type { ComponentChildren } from 'preact';
import { angleDecimals, letterKeys, navigation, orthographic, weightDecimals } from '../store';
import { dialog, Modal } from './modal';
import { chooseTheme, themeChoice } from './settings';
import { startTour } from './tour';

const close = () => (dialog.value = undefined);

function Choice<Value extends string | number>({ label, value, values, set }: { label: string; value: Value; values: [Value, string][]; set: (value: Value) => void }) {
  return (
    <label class="preference">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(values.find(([one]) => String(one) === event.currentTarget.value)?.[0] ?? value)}>
        {values.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Switch({ checked, set, children }: { checked: boolean; set: (value: boolean) => void; children: ComponentChildren }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} />
      {children}
    </label>
  );
}

const decimals = (least: number, most: number, sample: number): [number, string][] => Array.from({ length: most - least + 1 }, (_, i) => [least + i, sample.toFixed(least + i)]);

export function Preferences() {
  return (
    <Modal label="Preferences" onClose={close}>
      <div class="row spread">
        <h2>Preferences</h2>
        <button autofocus onClick={close}>
          Close
        </button>
      </div>
      <section class="preferences" aria-label="Appearance">
        <h3>Appearance</h3>
        <Choice
          label="Theme"
          value={themeChoice.value}
          values={[
            ['system', 'System'],
            ['dark', 'Dark'],
            ['light', 'Light'],
          ]}
          set={chooseTheme}
        />
      </section>
      <section class="preferences" aria-label="Mouse and keyboard">
        <h3>Mouse and keyboard</h3>
        <Choice
          label="Navigation"
          value={navigation.value}
          values={[
            ['default', 'Default (Alt as in Maya)'],
            ['blender', 'Blender'],
          ]}
          set={(value) => (navigation.value = value)}
        />
        <Switch checked={letterKeys.value} set={(value) => (letterKeys.value = value)}>
          Single-letter shortcuts
        </Switch>
        <Switch checked={orthographic.value} set={(value) => (orthographic.value = value)}>
          Orthographic view
        </Switch>
        <div class="row">
          <button onClick={() => (dialog.value = 'shortcuts')}>All shortcuts</button>
        </div>
      </section>
      <section class="preferences" aria-label="Numbers">
        <h3>Numbers</h3>
        <Choice label="Angles, in degrees" value={angleDecimals.value} values={decimals(0, 4, 44.5678)} set={(value) => (angleDecimals.value = value)} />
        <Choice label="Weights" value={weightDecimals.value} values={decimals(2, 6, 0.412345)} set={(value) => (weightDecimals.value = value)} />
        <p class="muted">Only what is shown is rounded. Lengths are in the units of the file.</p>
      </section>
      <section class="preferences" aria-label="Help">
        <h3>Help</h3>
        <div class="row">
          <button
            onClick={() => {
              close();
              void startTour();
            }}
          >
            Take the tour
          </button>
        </div>
      </section>
    </Modal>
  );
}
