import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, hang, say, together } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, gone, makeRepository, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const inRepository = { prepare: ({ cwd }: { cwd: string }) => makeRepository(cwd) };

tmuxTest('the start shows a prompt, and where, how and with whom one works', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      expectScreen('start', screen);
    },
    inRepository,
  ),
);

const answer = [
  '# What I found',
  'The build **fails** because of `lib/a.ts`:',
  '```ts\nexport const a = 1;\n```',
  '- first\n- second',
].join('\n\n');

tmuxTest('an answer is shown as Markdown, with what was asked above it', () =>
  withScreen(
    [say(answer)],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.type('Why does it fail?');
      await seen(screen, 'Why does it fail?');
      screen.press('Enter');
      await seen(screen, 'second');
      await seen(screen, /\$\d/);
      expectScreen('answer', screen);
    },
    inRepository,
  ),
);

tmuxTest('a prompt on the command line is worked on at once', () =>
  withScreen([say('It is done.')], async (screen) => void (await seen(screen, 'It is done.')), {
    flags: ['do it'],
  }),
);

tmuxTest('calls are lines with their results, and a change to a file is a diff', () =>
  withScreen(
    [
      call('Read', { file_path: 'a.txt' }),
      together(
        say('I change it.'),
        call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
      ),
      call('Bash', { command: 'cat a.txt' }),
      say('Changed.'),
    ],
    async (screen) => {
      await seen(screen, 'Changed.');
      await seen(screen, '❯ Ask');
      expectScreen('calls', screen);
    },
    {
      flags: ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(cat:*)', '--', 'change it'],
      rows: 40,
      prepare: ({ cwd }) => writeFileSync(join(cwd, 'a.txt'), 'zero\none\nthree\n'),
    },
  ),
);

tmuxTest('escape ends the turn, and the prompt is there again (EX6)', () =>
  withScreen(
    [hang(say('I begin and')), say('Again.')],
    async (screen) => {
      await seen(screen, 'I begin and');
      screen.press('Escape');
      await seen(screen, 'Stopped after');
      screen.type('go on');
      screen.press('Enter');
      await seen(screen, 'Again.');
    },
    { flags: ['begin'] },
  ),
);

tmuxTest('ctrl-c clears what is typed; twice it leaves and says how to go on', () =>
  withScreen(
    [say('Hello.')],
    async (screen) => {
      await seen(screen, 'Hello.');
      screen.type('half a thought');
      await seen(screen, 'half a thought');
      screen.press('C-c');
      await gone(screen, 'half a thought');
      screen.press('C-c');
      await seen(screen, 'ctrl-c again to quit');
      screen.press('C-c');
      const end = await seen(screen, 'exit code 0');
      expect(end).toMatch(/Resume it: cadre --resume [0-9a-f-]{36}/);
    },
    { flags: ['hello'] },
  ),
);

tmuxTest('a session that is gone on with shows what was said', () =>
  withScreen(
    [say('The first answer.')],
    async (first) => {
      await seen(first, 'The first answer.');
      first.press('C-d');
      await seen(first, 'exit code 0');
      await withScreen(
        [say('The second answer.')],
        async (second) => {
          await seen(second, 'The first answer.');
          second.type('go on');
          second.press('Enter');
          await seen(second, 'The second answer.');
        },
        { place: first.place, flags: ['--continue'] },
      );
    },
    { flags: ['begin'] },
  ),
);

tmuxTest('a call that was under way when the program was killed is said to be interrupted', () =>
  withScreen(
    [call('Bash', { command: 'sleep 300' })],
    async (first) => {
      await seen(first, /● Bash .*sleep 300/);
      while (first.children().length === 0) await Bun.sleep(10);
      for (const pid of first.children()) process.kill(pid, 'SIGKILL');
      await seen(first, 'exit code 137');
      await withScreen([], (second) => seen(second, '○ Bash sleep 300 · interrupted').then(() => {}), {
        place: first.place,
        flags: ['--continue'],
      });
    },
    { flags: ['--allowedTools', 'Bash(sleep:*)', '--', 'begin'] },
  ),
);
