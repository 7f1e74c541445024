import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, gone, seen, widestLine, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const story = `${'The quick brown fox jumps over the lazy dog. '.repeat(6)}\n\n- 日本語の行 and emoji 🎉\n- second`;

tmuxTest('another width draws the conversation anew: 60 columns and back', () =>
  withScreen(
    [say(story)],
    async (screen) => {
      await seen(screen, 'second');
      await seen(screen, /\$\d/);
      expectScreen('wide', screen);
      const before = screen.visible();
      screen.resize(60, 24);
      await seen(screen, '! she…');
      expectScreen('narrow', screen);
      screen.type('typed here');
      await seen(screen, '❯ typed here');
      screen.press('C-c');
      await gone(screen, 'typed here');
      screen.resize(80, 24);
      await seen(screen, 'ctrl-t tasks\n');
      expect(screen.visible()).toBe(before);
    },
    { flags: ['tell me'] },
  ),
);

tmuxTest('forty columns are enough', () =>
  withScreen(
    [say(story), call('Bash', { command: 'touch made' }), say('Done.')],
    async (screen) => {
      await seen(screen, 'second');
      screen.type('go on');
      screen.press('Enter');
      await seen(screen, /esc sets it\s+aside/);
      expectScreen('forty', screen);
      expect(widestLine(screen)).toBeLessThanOrEqual(40);
    },
    { flags: ['tell me'], columns: 40, rows: 30 },
  ),
);

/** Sets the clipboard, the title, colours and the cursor, clears the screen, turns the reading order around. */
const hostile = [
  '\u001b]52;c;aGFja2Vk\u0007',
  '\u001b]0;OWNED\u0007',
  '\u001b[2J\u001b[H\u001b[31mRED',
  '\u001b[?1049h\u001b[999;999H',
  'abc\u202edef\u2066ghi',
  'over\rwritten\bback',
].join('\n');

tmuxTest('a hostile output is shown and not obeyed: nothing reaches the title or the clipboard', () =>
  withScreen(
    [call('Bash', { command: 'cat hostile.txt' }), say(`It said: ${hostile}`)],
    async (screen) => {
      await seen(screen, 'It said:');
      await seen(screen, /\$\d/);
      expectScreen('hostile', screen);
      expect(screen.title()).not.toContain('OWNED');
      expect(screen.clipboard()).toBe('');
    },
    {
      flags: ['--allowedTools', 'Bash(cat:*)', '--', 'read it'],
      rows: 34,
      prepare: ({ cwd }) => writeFileSync(join(cwd, 'hostile.txt'), hostile),
    },
  ),
);

tmuxTest('a line of ten megabytes leaves the screen usable', () =>
  withScreen(
    [call('Bash', { command: 'cat long.txt' }), say('Read.')],
    async (screen) => {
      await seen(screen, 'Read.');
      screen.type('still here');
      await seen(screen, '❯ still here');
    },
    {
      flags: ['--allowedTools', 'Bash(cat:*)', '--', 'read it'],
      prepare: ({ cwd }) => writeFileSync(join(cwd, 'long.txt'), 'x'.repeat(10_000_000)),
    },
  ),
);

tmuxTest('without colour there is none', () =>
  withScreen(
    [say('**bold** and `code`')],
    async (screen) => {
      await seen(screen, /bold.{0,2} and .?code/);
      await seen(screen, /\$\d/);
      expect(screen.coloured()).not.toMatch(/\u001b\[[\d;]*3[0-8]/);
    },
    { flags: ['go'], env: { NO_COLOR: '1' } },
  ),
);

tmuxTest('for a screen reader there are words and no frames', () =>
  withScreen(
    [say('The answer.')],
    async (screen) => {
      await seen(screen, 'The answer.');
      await seen(screen, 'Prompt:');
      expect(screen.visible()).toContain('You: go');
      expect(screen.visible()).not.toContain('──');
    },
    { flags: ['--screen-reader', 'go'] },
  ),
);

tmuxTest('a terminal that can do nothing but print gets words', () =>
  withScreen(
    [say('Hello.')],
    async (screen) => {
      await seen(screen, 'You: go');
      expect(screen.visible()).not.toContain('──');
    },
    { flags: ['go'], env: { TERM: 'dumb' } },
  ),
);

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGQUIT', 131],
  ['SIGABRT', 134],
] as const)
  tmuxTest(`${signal} gives the terminal back as it was`, () =>
    withScreen(
      [hang(say('I begin'))],
      async (screen) => {
        await seen(screen, 'I begin');
        const [pid] = screen.children();
        process.kill(pid ?? 0, signal);
        const end = await seen(screen, `exit code ${code}`);
        expect(end).toContain('Resume it');
        screen.type('echoed');
        await seen(screen, 'echoed');
      },
      { flags: ['go'] },
    ),
  );

tmuxTest('keys that are typed before the screen is there are kept', () =>
  withScreen([], async (screen) => {
    screen.type('typed at once');
    await seen(screen, '❯ typed at once');
  }),
);
