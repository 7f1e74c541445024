import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePages } from '../scripts/reference/pages.ts';
import { listSettings } from '../scripts/reference/settings-page.ts';
import { listCommands } from '../src/commands/table/commands.ts';
import { listNames } from '../src/commands/table/flag.ts';
import { mainFlags } from '../src/commands/table/main-flags.ts';
import { settingsTable } from '../src/settings/table/settings.ts';

const repository = join(import.meta.dirname, '..');
const mainNames = Object.values(mainFlags).flatMap(({ flags }) =>
  Object.entries(flags).flatMap(([key, flag]) => listNames(key, flag)),
);

test('SE3 the tables of settings, flags and commands in docs/ are those of the program: npm run reference writes them', () => {
  const stale = writePages(repository).filter(({ before, after }) => before !== after);
  expect(stale.map(({ file }) => file)).toEqual([]);
});

test('every setting and flag is described in one line', () => {
  const settings = listSettings(settingsTable).map(({ path, setting }) => [path, setting.about] as const);
  const flags = listCommands().flatMap(({ path, entry }) => [
    [path, entry.about] as const,
    ...Object.entries(entry.flags).map(([key, flag]) => [`${path} ${key}`, flag.about] as const),
  ]);
  const odd = [...settings, ...flags].filter(([, about]) => !/^\S[^\n]{3,160}$/.test(about));
  expect(odd).toEqual([]);
});

test('a flag that a setting names exists', () => {
  const named = listSettings(settingsTable).flatMap(({ setting }) => setting.flag ?? []);
  expect(named.filter((flag) => !mainNames.includes(flag))).toEqual([]);
});

test('no two flags of a command have the same name', () => {
  const all = [
    ['cadre', mainNames] as const,
    ...listCommands().map(({ path, entry }) => {
      const names = Object.entries(entry.flags).flatMap(([key, flag]) => listNames(key, flag));
      return [path, names] as const;
    }),
  ];
  const doubled = all.filter(([, names]) => new Set(names).size < names.length);
  expect(doubled.map(([path]) => path)).toEqual([]);
});

test('every variable that begins with CADRE_ is on the settings page', () => {
  const source = join(repository, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const names = files.flatMap(
    (name) => readFileSync(join(source, name), 'utf8').match(/\bCADRE_[A-Z_]+\b/g) ?? [],
  );
  const page = readFileSync(join(repository, 'docs', 'settings.md'), 'utf8');
  const unnamed = [...new Set(names)].filter((name) => !page.includes(name) && !given.has(name));
  expect(unnamed).toEqual([]);
});

/** Variables that Cadre gives to programs it starts, instead of reading them. */
const given = new Set([
  ...['CADRE_OWNER', 'CADRE_PROJECT_DIR', 'CADRE_PLUGIN_ROOT', 'CADRE_SKILL_DIR', 'CADRE_TEAM_PANE'],
  ...['CADRE_PANE_TITLE', 'CADRE_PANE_COLOUR', 'CADRE_PANE_CWD', 'CADRE_PANE_COMMAND'],
  ...['CADRE_PANE_ID', 'CADRE_PANE_TEXT'],
]);
