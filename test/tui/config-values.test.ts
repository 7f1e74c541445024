import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedSettings } from '../../src/settings/load.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { describeRow, readTyped } from '../../src/tui/commands/config.ts';
import { editItems, listItems } from '../../src/tui/commands/config-items.ts';
import { chooseDestination, chooseReset, findDoubt } from '../../src/tui/commands/config-save.ts';
import {
  findOrigin,
  formatItem,
  type Leaf,
  listLeaves,
  parseItem,
} from '../../src/tui/commands/config-values.ts';
import { temporaryDirectory } from '../support/index.ts';

async function load(files: { managed?: object; user?: object; other?: object; project?: object }) {
  const { path } = temporaryDirectory();
  const userHome = join(path, 'user');
  const root = join(path, 'repo');
  const place = { home: join(userHome, '.cadre'), userHome, cwd: root, root };
  const managed = join(path, 'managed');
  const all: [string, string, object | undefined][] = [
    [managed, 'managed-settings.json', files.managed],
    [place.home, 'settings.json', files.user],
    [join(userHome, '.claude'), 'settings.json', files.other],
    [join(root, '.cadre'), 'settings.json', files.project],
  ];
  for (const [directory, name, content] of all) {
    mkdirSync(directory, { recursive: true });
    if (content) writeFileSync(join(directory, name), JSON.stringify(content));
  }
  const loaded = await loadSettings({
    ...place,
    sources: ['user', 'project', 'local'],
    trusted: false,
    managedDirectories: [managed],
  });
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return { settings: loaded.value, place, managed: join(managed, 'managed-settings.json') };
}

function leafOf(key: string): Leaf {
  const leaf = listLeaves().find((one) => one.key === key);
  if (!leaf) throw new Error(`No setting ${key}`);
  return leaf;
}

const originOf = (key: string, settings: LoadedSettings) => findOrigin(leafOf(key), settings);

test('a managed value is shown as managed and cannot be changed', async () => {
  const { settings, managed } = await load({ managed: { model: 'opus' }, user: { model: 'haiku' } });
  const leaf = leafOf('model');
  const row = describeRow(leaf, settings);
  expect(row.note).toBe('opus (managed)');
  const words = `model is managed: ${managed} sets it, and only an administrator can change it.`;
  expect(row.preview).toContain(words);
  expect(chooseDestination(leaf, originOf('model', settings))).toEqual({ refused: words });
});

test('a value changes in the layer that sets it, and a new one is the user’s own', async () => {
  const { settings } = await load({ project: { worktree: { baseRef: 'head' } } });
  const origin = { layer: 'project', file: '/r/.cadre/settings.json' } as const;
  expect(chooseDestination(leafOf('worktree.gate'), origin)).toEqual({ layer: 'project' });
  expect(chooseDestination(leafOf('model'), originOf('model', settings))).toEqual({ layer: 'user' });
});

test('a member of an object that is merged as a whole has the file of the object', async () => {
  const { settings, place } = await load({ user: { terminal: { theme: 'dark' } } });
  expect(originOf('terminal.theme', settings)).toEqual({
    layer: 'user',
    file: join(place.home, 'settings.json'),
  });
});

test('a value in a file of another program is not removed there', async () => {
  const { settings, place } = await load({ other: { model: 'opus' } });
  const file = join(place.userHome, '.claude', 'settings.json');
  expect(chooseReset(leafOf('model'), originOf('model', settings), place)).toEqual({
    refused: `model is set in ${file}, which Cadre does not write. Remove it there.`,
  });
});

test('a saved value that another file overrides is not said to be in use', async () => {
  const { settings, place, managed } = await load({ managed: { model: 'opus' }, user: { model: 'haiku' } });
  const saved = { file: join(place.home, 'settings.json'), inForce: true };
  expect(findDoubt(leafOf('model'), saved, settings)).toBe(`, but ${managed} sets it too and wins.`);
  expect(findDoubt(leafOf('model'), { ...saved, inForce: false }, settings)).toContain('cadre trust');
});

test('an empty number is the default, and text is not turned into a number', () => {
  const { kind } = leafOf('maxTurns');
  expect(readTyped('', kind)).toBeUndefined();
  expect(readTyped(' ', kind)).toBeUndefined();
  expect(readTyped('12', kind)).toBe(12);
  expect(readTyped('many', kind)).toBe('many');
});

test('a check can be turned off by typing off', () => {
  const { kind } = leafOf('checks.tests');
  expect(readTyped('off', kind)).toBe(false);
  expect(readTyped('npm test', kind)).toBe('npm test');
});

test('every setting can be changed in place, or says which command changes it', () => {
  const kinds = Map.groupBy(listLeaves(), ({ kind }) => kind.type);
  expect(kinds.get('elsewhere')?.map(({ key }) => key)).toEqual([
    'permissions.deny',
    'permissions.ask',
    'permissions.allow',
    'mcpServers',
    'hooks',
  ]);
  expect(kinds.get('map')?.map(({ key }) => key)).toEqual(['modelAliases', 'modelPricing', 'env']);
  expect(leafOf('statusLine.command').kind).toEqual({ type: 'text', orOff: false });
});

test('an entry with members is written in words and read back', () => {
  const { kind } = leafOf('modelPricing');
  const fields = kind.type === 'map' ? kind.fields : undefined;
  const price = { input: 3, output: 15 };
  expect(formatItem(price)).toBe('input 3, output 15');
  expect(parseItem('input 3, output 15', fields)).toEqual(price);
  expect(parseItem('dear 3', fields)).toBeUndefined();
});

test('entries are listed with their file, and those of other programs have no layer', () => {
  const items = listItems(
    [
      { layer: 'user', file: '/a', value: { A: '1' } },
      { layer: 'user', file: '/b', value: ['x'] },
    ],
    (file) => (file === '/a' ? 'user' : undefined),
  );
  expect(items).toEqual([
    { text: 'A=1', file: '/a', layer: 'user' },
    { text: 'x', file: '/b', layer: undefined },
  ]);
});

test('an entry is added, changed in its place, or renamed', () => {
  const list = { type: 'list', fields: undefined } as const;
  const map = { type: 'map', fields: undefined } as const;
  expect(editItems(list, '', 'b')?.(['a'])).toEqual(['a', 'b']);
  expect(editItems(list, 'a', 'c')?.(['a', 'b'])).toEqual(['c', 'b']);
  expect(editItems(map, 'A=1', 'B=1=2')?.({ A: '1', C: '3' })).toEqual({ C: '3', B: '1=2' });
  expect(editItems(map, '', 'no name')).toBeUndefined();
});
