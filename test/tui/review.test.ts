import { expect } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, type FixedTurn, say } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { makeRepository, newPlace, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const flags = ['--settings', '{"sandbox":{"enabled":false}}', '--', 'go'];
const long = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');

/** A lead that has one agent write a file apart; the agent writes another one when its work is returned. */
function script({ messages }: { messages: readonly unknown[] }): FixedTurn {
  const all = JSON.stringify(messages);
  const last = JSON.stringify(messages.at(-1));
  if (!JSON.stringify(messages[0]).includes('Your task'))
    return all.includes('tool_use')
      ? say('The lead is done.')
      : call('Agent', {
          description: 'Write it',
          prompt: 'Your task',
          isolation: 'worktree',
          name: 'writer',
        });
  if (last.includes('Say it louder')) return call('Write', { file_path: 'louder.txt', content: 'LOUD\n' });
  if (!all.includes('tool_use')) return call('Write', { file_path: 'new.txt', content: `${long}\n` });
  return say('Written.');
}

function reviewing(body: (screen: Screen) => Promise<void>): Promise<void> {
  const place = newPlace();
  makeRepository(place.cwd);
  return withScreen(
    script,
    async (screen) => {
      await seen(screen, 'The lead is done.');
      screen.press('C-t');
      await seen(screen, 'd reviews its worktree');
      screen.press('d');
      await seen(screen, 'l lands');
      await body(screen);
    },
    { flags, place, columns: 100 },
  );
}

tmuxTest('WT7 in the app a diff is read whole and in colour, and landed as it was shown', () =>
  reviewing(async (screen) => {
    await seen(screen, '+line 0');
    expect(screen.coloured()).toMatch(/\x1b\[[\d;]*m\+line 0/);
    screen.press('End');
    await seen(screen, '+line 199');
    screen.press('l');
    await seen(screen, /to land {3}writer-\w+[\s\S]*new\.txt \| \+200 -0[\s\S]*Land exactly this\?/);
    expect(existsSync(join(screen.place.cwd, 'new.txt'))).toBe(false);
    screen.press('Down');
    const scrolled = await seen(screen, /^(?![\s\S]*Onto main)[\s\S]*Land exactly this\?/);
    expect(scrolled).toContain('to land');
    screen.press('y');
    await seen(screen, /landed {4}writer-/);
    expect(await seen(screen, 'esc goes back')).not.toContain('l lands');
    expect(readFileSync(join(screen.place.cwd, 'new.txt'), 'utf8')).toBe(`${long}\n`);
  }),
);

tmuxTest('WT7 in the app work is returned with comments, and its agent goes on in the same worktree', () =>
  reviewing(async (screen) => {
    screen.press('r');
    await seen(screen, 'What should change?');
    screen.type('Say it louder');
    await seen(screen, 'Say it louder');
    screen.press('Enter');
    await seen(screen, 'resumes with your message');
    screen.press('Escape');
    await seen(screen, 'return opens');
    const trees = join(screen.place.cwd, '.cadre', 'worktrees');
    const [name = ''] = readdirSync(trees);
    await until(() => existsSync(join(trees, name, 'louder.txt')));
    screen.press('d');
    await seen(screen, '+LOUD');
  }),
);

tmuxTest('WT7 in the app work is dropped once it was said what is lost', () =>
  reviewing(async (screen) => {
    screen.press('d');
    await seen(screen, /Removed for good[\s\S]*1 file changed, 200 lines added/);
    screen.press('n');
    await seen(screen, '+line 0');
    screen.press('d');
    await seen(screen, 'Removed for good');
    screen.press('y');
    await seen(screen, /writer-\w+ was removed\./);
    screen.press('Escape');
    await seen(screen, 'return opens');
    screen.press('Escape');
    await seen(screen, '❯ Ask');
    await send(screen, '/worktrees');
    await seen(screen, 'This session has no worktrees.');
  }),
);
