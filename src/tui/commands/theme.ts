import type { Desk } from '../desk.ts';
import type { ThemeName } from '../look.ts';
import type { SlashCommand } from './command.ts';
import { chooseDestination, saveValue } from './config-save.ts';
import { findOrigin, listLeaves } from './config-values.ts';
import { settingsNow } from './places.ts';

const themes: readonly { value: ThemeName; note: string }[] = [
  { value: 'auto', note: 'as the terminal says' },
  { value: 'dark', note: 'for a dark background' },
  { value: 'light', note: 'for a light background' },
];

export const themeCommand: SlashCommand = {
  name: 'theme',
  argument: '[auto, dark or light]',
  description: 'colours for a dark or a light background',
  async run(args, desk) {
    const named = themes.find(({ value }) => value === args);
    if (named) return chooseTheme(desk, named.value);
    if (args !== '') return desk.warn(`/theme ${args}: expected auto, dark or light.`);
    const now = desk.world.theme.current();
    desk.open({
      kind: 'pick',
      title: 'Which colours?',
      rows: themes.map(({ value, note }) => ({ value, label: value, note, isCurrent: value === now })),
      selected: Math.max(
        0,
        themes.findIndex(({ value }) => value === now),
      ),
      pick: ({ value }) => void chooseTheme(desk, value as ThemeName),
    });
  },
};

/** At once, and for later sessions where the setting can be saved. */
async function chooseTheme(desk: Desk, theme: ThemeName): Promise<void> {
  desk.world.theme.use(theme);
  const settings = await settingsNow(desk);
  const leaf = listLeaves().find(({ key }) => key === 'terminal.theme');
  if (!settings.ok || !leaf) return desk.warn('The theme is used in this session, but could not be saved.');
  const destination = chooseDestination(leaf, findOrigin(leaf, settings.value));
  if ('refused' in destination) return desk.tell(`Theme: ${theme}, in this session. ${destination.refused}`);
  const saved = await saveValue(desk, leaf, destination.layer, () => theme);
  if (saved.ok) desk.tell(`Theme: ${theme}. Saved in ${saved.value.file}`);
  else desk.warn(`Theme: ${theme}, in this session. Not saved: ${saved.problem.message}`);
}
