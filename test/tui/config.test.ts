import { expect } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { gone, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const userFile = ({ place }: Screen) => join(place.home, 'settings.json');
const read = (screen: Screen) => JSON.parse(readFileSync(userFile(screen), 'utf8'));

tmuxTest('/config: a list is changed entry by entry, and nobody sees JSON', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await send(screen, '/config');
      await seen(screen, 'type to search');
      screen.type('modelAliases');
      await seen(screen, 'Search: modelAliases');
      screen.press('Enter');
      await seen(screen, 'No entries yet.');
      screen.press('C-n');
      await seen(screen, 'Where does the new entry');
      screen.press('End', 'Enter');
      await seen(screen, 'Written as NAME=value');
      screen.type('fast=anthropic/claude-haiku-4-5');
      await seen(screen, 'fast=anthropic/claude-haiku-4-5');
      screen.press('Enter');
      await seen(screen, 'Saved in');
      expect(screen.visible()).not.toContain('{');
      expect(read(screen)).toEqual({ modelAliases: { fast: 'anthropic/claude-haiku-4-5' } });
      screen.press('C-x');
      await seen(screen, 'Removed fast=');
      expect(read(screen)).toEqual({ modelAliases: {} });
      screen.press('Escape');
      await seen(screen, 'Search: modelAliases');
    },
    { columns: 100, rows: 30 },
  ),
);

tmuxTest('/config: an emptied number goes back to its default', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await send(screen, '/config');
      await seen(screen, 'type to search');
      screen.type('maxTurns');
      await seen(screen, /❯ maxTurns +7/);
      screen.press('Enter');
      await seen(screen, 'Empty: the default (no limit)');
      screen.press('BSpace', 'Enter');
      await seen(screen, 'maxTurns has its default');
      expect(read(screen)).toEqual({});
    },
    {
      columns: 100,
      rows: 30,
      prepare: ({ home }) => {
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, 'settings.json'), '{"maxTurns": 7}');
      },
    },
  ),
);

tmuxTest('/config: a value of the flag --settings is not written into a file', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await send(screen, '/config');
      await seen(screen, 'type to search');
      screen.type('sandbox.enabled');
      await seen(screen, /❯ sandbox.enabled +off/);
      screen.press('Enter');
      await seen(screen, 'sandbox.enabled is set by the flag --settings.');
      screen.press('Escape');
      await gone(screen, 'search:');
    },
    { columns: 100, rows: 30 },
  ),
);
