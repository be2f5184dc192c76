// What can be opened: the built-in characters, and the rows of the menu Open, in the header and on the start page.
import { effect, signal } from '@preact/signals';
import { command, open } from '../client';
import type { SampleInfo } from '../protocol/document';
import { link } from '../store';
import { chooseFiles, recents } from './files';
import { modifier } from './labels';
import type { MenuGroup } from './menu_button';
import { dialog } from './modal';

/** The built-in characters, listed by the server. */
export const samples = signal<SampleInfo[]>([]);

/** Drawn by the build with `sinew render`, beside the page. */
export const pictureOf = (name: string) => `samples/${name}.png`;

/** Asks for the list once the page is connected. Returns a function that stops it. */
export function installSamples(): () => void {
  return effect(() => {
    if (link.value !== 'open' || samples.peek().length > 0) return;
    void command('samples').then((answer) => (samples.value = answer?.samples ?? []));
  });
}

const mostRecent = 5;

export function openGroups(): MenuGroup[] {
  const groups: MenuGroup[] = [
    {
      rows: [
        { title: 'Browse…', icon: 'folderOpen', keys: `${modifier} O`, run: () => (dialog.value = 'open') },
        { title: 'Choose files…', icon: 'upload', note: 'upload', run: () => chooseFiles(false) },
        { title: 'Choose a folder…', icon: 'folderUp', note: 'upload', run: () => chooseFiles(true) },
      ],
    },
  ];
  const recent = recents().slice(0, mostRecent);
  if (recent.length > 0) groups.push({ title: 'Recent', rows: recent.map((one) => ({ title: one.title, icon: 'clock', run: () => open(one.what) })) });
  if (samples.value.length > 0) groups.push({ title: 'Samples', rows: samples.value.map((one) => ({ title: one.name, icon: 'pose', run: () => open(`sample:${one.name}`) })) });
  return groups;
}
