// The page around the modes: what panels, sliders, bars and lists of files show.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadModule } from '../scripts/load_module.mjs';

const { barSpan } = await loadModule('src/ui/bar.tsx');
const { sliderFill } = await loadModule('src/ui/slider.tsx');
const { fitPanels, leastWidths } = await loadModule('src/ui/panel_fit.ts');
const { bytesText, dateText, sortedEntries } = await loadModule('src/ui/file_list.tsx');
const { percentText, shownKeys } = await loadModule('src/ui/labels.tsx');
const { pageText, sentence } = await loadModule('src/ui/sentences.ts');
const { categoryColours, colourDistance, colourGroups } = await loadModule('src/render/colours.ts');
const { helpTexts } = await loadModule('src/ui/help.tsx');

test('bars grow from zero, negative ones to the left', () => {
  assert.deepEqual(barSpan(0.25, 0, 1), { start: 0, length: 25 });
  assert.deepEqual(barSpan(0.5, -1, 1), { start: 50, length: 25 });
  assert.deepEqual(barSpan(-0.5, -1, 1), { start: 25, length: 25 });
  assert.deepEqual(barSpan(-7, -1, 1), { start: 0, length: 50 }, 'they end at the end of the track');
  assert.deepEqual(barSpan(NaN, -1, 1), { start: 50, length: 0 });
});

test('sliders fill from zero if it is in their range, otherwise from their start', () => {
  assert.deepEqual(sliderFill(90, -180, 180), { zero: 0.5, from: 0.5, to: 0.75 });
  assert.deepEqual(sliderFill(-90, -180, 180), { zero: 0.5, from: 0.25, to: 0.5 });
  assert.deepEqual(sliderFill(0.3, 0.1, 0.5), { zero: 0, from: 0, to: 0.5 });
  assert.deepEqual(sliderFill(1, -1, 3, -1), { zero: 0, from: 0, to: 0.5 }, 'or from where they are told');
});

test('panels shrink together before they cover the view', () => {
  const wanted = { left: 260, right: 320 };
  const both = { left: true, right: true };
  assert.deepEqual(fitPanels(1280, wanted, both), { ...wanted, over: false });
  for (const width of [1100, 1000, 853, 700]) {
    const { left, right, over } = fitPanels(width, wanted, both);
    assert.equal(over, false, `${width}`);
    assert.ok(left >= leastWidths.left && right >= leastWidths.right && left < wanted.left && right < wanted.right, `${left} and ${right} in ${width}`);
    assert.ok(width - left - right >= 320, `${width - left - right} pixels of view in ${width}`);
  }
  assert.deepEqual(fitPanels(1000, wanted, { left: false, right: true }), { ...wanted, over: false }, 'one panel has room');
  assert.equal(fitPanels(600, wanted, both).over, true);
  assert.equal(fitPanels(600, wanted, { left: false, right: false }).over, false);
  // Large ones shrink as much as needed, and never below what was chosen.
  const large = fitPanels(1280, { left: 560, right: 640 }, both);
  assert.ok(large.left + large.right <= 0.52 * 1280 + 1 && large.over === false, JSON.stringify(large));
});

test('folders come before files in every order; numbers in names count', () => {
  const entries = [
    { name: 'pose10.obj', folder: false, path: '', bytes: 5, modified: 30 },
    { name: 'pose9.obj', folder: false, path: '', bytes: 900, modified: 10 },
    { name: 'shapes', folder: true, path: '', bytes: 0, modified: 20 },
    { name: 'Arms', folder: true, path: '', bytes: 0, modified: 5 },
  ];
  const names = (by, down) => sortedEntries(entries, { by, down }).map((one) => one.name);
  assert.deepEqual(names('name', false), ['Arms', 'shapes', 'pose9.obj', 'pose10.obj']);
  assert.deepEqual(names('name', true), ['shapes', 'Arms', 'pose10.obj', 'pose9.obj']);
  assert.deepEqual(names('bytes', true), ['Arms', 'shapes', 'pose9.obj', 'pose10.obj']);
  assert.deepEqual(names('modified', true), ['shapes', 'Arms', 'pose10.obj', 'pose9.obj']);
});

test('percentages have three digits and no exponent', () => {
  assert.deepEqual([1.5937, 0.00412, 0.0000512, 104, 0, 1e-9, -12.345].map((value) => percentText(value)), ['1.59 %', '0.00412 %', '0.0000512 %', '104 %', '0 %', '0 %', '-12.3 %']);
  assert.equal(percentText(0.0128, 1), '0.01 %');
});

test('sizes, dates and keys as labels write them', () => {
  assert.deepEqual([0, 999, 1000, 3_240_000, 5e12].map(bytesText), ['0 B', '999 B', '1.0 kB', '3.2 MB', '5000.0 GB']);
  const now = new Date(2026, 10, 19, 18, 0).getTime();
  assert.equal(dateText(new Date(2026, 10, 19, 9, 5).getTime() / 1000, now), '09:05');
  assert.match(dateText(new Date(2025, 0, 2).getTime() / 1000, now), /Jan.*2025/);
  assert.equal(shownKeys('$mod+Shift+z'), 'Ctrl Shift Z');
  assert.equal(shownKeys('Shift+Digit0'), 'Shift 0');
});

test('more than eight colours; groups that touch never get similar ones', () => {
  assert.ok(categoryColours.length > 8, `${categoryColours.length} colours`);
  assert.equal(new Set(categoryColours).size, categoryColours.length);
  // A ring of groups around one, each touching the next two: as crowded as a surface gets.
  const pairs = [];
  for (let g = 1; g <= 24; ++g) pairs.push([0, g], [g, (g % 24) + 1]);
  const colours = colourGroups(25, pairs);
  for (const [a, b] of pairs) assert.ok(colourDistance[colours[a]][colours[b]] > 40, `${categoryColours[colours[a]]} beside ${categoryColours[colours[b]]}`);
  assert.ok(new Set(colours).size > 8, 'they are used');
});

test('help is one sentence for each number', () => {
  for (const [topic, text] of Object.entries(helpTexts)) {
    assert.match(text, /^[A-Z0-9].*\.$/, topic);
    assert.ok(text.length <= 130 && !/[!]/.test(text), topic);
  }
});

test('sentences of the server name labels of the page, and write numbers as the page does', () => {
  for (const [text, shown] of [
    ['or a stronger --prior, would help', 'or a stronger "Pull towards old weights", would help'],
    ['or a stronger prior, would help', 'or a stronger "Pull towards old weights", would help'],
    ['--helpers all may help', '"Helper joints: all" may help'],
    ['2317 of 8204 vertices changed', '2,317 of 8,204 vertices changed'],
    ['4053.46 kB or 18.2534 MB', '4.1 MB or 18.3 MB'],
    ['Saved arm_2024.glb', 'Saved arm_2024.glb'],
  ])
    assert.equal(pageText(text), shown);
  assert.deepEqual(['the file is damaged', 'arm.glb is damaged', 'upper_arm is locked'].map(sentence), ['The file is damaged', 'arm.glb is damaged', 'upper_arm is locked']);
});
