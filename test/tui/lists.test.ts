import { expect } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../../src/testing/index.ts';
import { cadre } from '../cli/support.ts';
import { needs } from '../support/index.ts';
import { gone, newPlace, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const size = { columns: 110, rows: 30 };

/** An editor that appends a line to what it is given. */
function makeEditor(directory: string): string {
  const path = join(directory, 'editor.sh');
  writeFileSync(path, '#!/bin/sh\necho "Edited by hand." >> "$1"\n');
  chmodSync(path, 0o755);
  return path;
}

tmuxTest('/agents: a new type of agent is named, placed and written in the editor', () => {
  const place = newPlace();
  return withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await send(screen, '/agents');
      await seen(screen, 'ctrl-n makes a new one');
      expect(screen.visible()).not.toContain('{');
      screen.press('C-n');
      await seen(screen, 'What is the new agent type called?');
      screen.type('test-writer');
      await seen(screen, '❯ test-writer');
      screen.press('Enter');
      await seen(screen, 'Where does test-writer apply?');
      screen.press('Enter');
      await seen(screen, /❯ test-writer +project/);
      const text = readFileSync(join(place.cwd, '.cadre/agents/test-writer.md'), 'utf8');
      expect(text).toMatch(/^---\nname: test-writer\n[\s\S]*Edited by hand\.\n$/);
    },
    { ...size, place, env: { EDITOR: makeEditor(place.userHome) } },
  );
});

tmuxTest('/skills: one that is chosen stands in the prompt', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await send(screen, '/skills');
      await seen(screen, /❯ \/release +skill · user/);
      screen.press('Enter');
      await gone(screen, 'Skills and commands');
      await seen(screen, '❯ /release');
    },
    {
      ...size,
      prepare: ({ home }) => {
        mkdirSync(join(home, 'skills/release'), { recursive: true });
        writeFileSync(
          join(home, 'skills/release/SKILL.md'),
          '---\nname: release\ndescription: Makes a release.\n---\nDo it.\n',
        );
      },
    },
  ),
);

tmuxTest('/model asks for the effort where the model takes one, and the status line says it', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'claude-sonnet-5-5');
      await send(screen, '/model claude-opus-5-5 high');
      await seen(screen, 'Effort: high.');
      await seen(screen, 'claude-opus-5-5 (high effort)');
    },
    { columns: 140, rows: 30 },
  ),
);

async function chooseEarlier(screen: Screen): Promise<void> {
  await seen(screen, 'Resume which session?');
  await seen(screen, /❯ the second prompt/);
  screen.press('Down');
  await seen(screen, /❯ the first prompt/);
  screen.press('Enter');
  await seen(screen, 'First answer.');
}

tmuxTest('cadre -r without an id lets one choose the session', async () => {
  const place = newPlace();
  await withScreen(
    [say('First answer.'), say('Second answer.')],
    async ({ provider }) => {
      for (const prompt of ['the first prompt', 'the second prompt'])
        await cadre(['-p', prompt], { place, provider });
    },
    { ...size, place, flags: ['--version'] },
  );
  await withScreen([], chooseEarlier, { ...size, place, flags: ['-r'] });
  expect(existsSync(place.home)).toBe(true);
});
