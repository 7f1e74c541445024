import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, gone, type Screen, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const make = (name: string) => call('Bash', { command: `touch ${name}` });
const names = ['one', 'two', 'three'] as const;

/** Agents ask for every edit, so that starting them is not asked about. */
const flags = ['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}', 'go'];

/** The lead starts three agents, each of which asks once. */
function team(isBackground: boolean) {
  const asking = new Set<string>();
  return async ({ messages }: { messages: readonly unknown[] }) => {
    const first = JSON.stringify(messages[0]);
    const who = names.find((name) => first.includes(`touch ${name}`));
    if (!who)
      return messages.length < 3 ? calls(names.map((name) => agent(name, isBackground))) : say('Back.');
    if (asking.has(who)) return say('Done.');
    asking.add(who);
    return make(who);
  };
}

function agent(name: string, isBackground: boolean) {
  return call('Agent', {
    ...{ subagent_type: 'general-purpose', description: `make ${name}`, prompt: `touch ${name}` },
    run_in_background: isBackground,
  });
}

/** The one that is asked about now, and has the keys. */
async function nameAsked(screen: Screen): Promise<string> {
  const now = await asked(screen, '$ touch');
  return /\$ touch (\w+)/.exec(now)?.[1] ?? '';
}

tmuxTest('ctrl-c in a question ends the turn, and says how to quit', () =>
  withScreen(
    [make('made'), say('Done.')],
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.press('C-c');
      await seen(screen, 'Interrupted. ctrl-c again to quit');
      await seen(screen, 'Not run: the turn was interrupted.');
      expect(existsSync(join(screen.place.cwd, 'made'))).toBe(false);
      screen.press('C-c');
      await seen(screen, 'exit code 0');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('ctrl-c twice leaves from the question of an agent in the background', () =>
  withScreen(
    team(true),
    async (screen) => {
      await seen(screen, '3 questions waiting: ctrl-q answers');
      screen.press('C-q');
      await nameAsked(screen);
      screen.press('C-c');
      await seen(screen, 'ctrl-c again to quit; this stops general-purpose');
      screen.press('C-c');
      await seen(screen, 'exit code 0');
    },
    { flags },
  ),
);

tmuxTest('a draft stays when ctrl-c is pressed in a question', () => {
  const typed = Promise.withResolvers<void>();
  return withScreen(
    [
      async () => {
        await typed.promise;
        return make('made');
      },
      say('Done.'),
    ],
    async (screen) => {
      await seen(screen, 'working');
      screen.type('half a thought');
      await seen(screen, '❯ half a thought');
      typed.resolve();
      await seen(screen, '$ touch made');
      screen.press('C-q');
      await asked(screen, '$ touch made');
      screen.press('C-c');
      await seen(screen, 'ctrl-c again to quit');
      expect(screen.visible()).toContain('❯ half a thought');
    },
    { flags: ['go'] },
  );
});

tmuxTest('after ctrl-q the questions that were put aside come one after another', () =>
  withScreen(
    team(false),
    async (screen) => {
      await seen(screen, 'of 3');
      for (const _ of names) {
        const name = await nameAsked(screen);
        screen.press('Escape');
        await gone(screen, `$ touch ${name}`);
      }
      await seen(screen, '3 questions waiting: ctrl-q answers');
      screen.press('C-q');
      for (const _ of names) {
        const name = await nameAsked(screen);
        screen.type('y');
        await gone(screen, `$ touch ${name}`);
      }
      await seen(screen, 'Back.');
      for (const name of names) expect(existsSync(join(screen.place.cwd, name))).toBe(true);
    },
    { flags },
  ),
);

for (const columns of [50, 40])
  tmuxTest(`at ${columns} columns one can tell which agent in the background asks`, () =>
    withScreen(
      team(true),
      async (screen) => {
        await seen(screen, /3 questions(?: waiting)?: ctrl-q/);
        screen.press('C-q');
        for (const _ of names) {
          const name = await nameAsked(screen);
          const [line = ''] = /^.*asks: Run.*$/m.exec(screen.visible()) ?? [];
          expect(line).toContain('background');
          expect(line).toMatch(new RegExp(`^gen.* \\(make.*${name.slice(-2)}\\)`));
          screen.type('y');
          await gone(screen, `$ touch ${name}`);
        }
      },
      { flags, columns, rows: 20 },
    ),
  );
