import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, gone, readOn, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const long = ['touch made', ...Array.from({ length: 123 }, (_, index) => `: line ${index + 2}`)].join('\n');
const isMade = ({ place }: Screen, name = 'made') => existsSync(join(place.cwd, name));
const flags = ['go'];

/** Nothing but a no is an answer before the last line was in sight. */
async function expectNotYet(screen: Screen): Promise<void> {
  for (const key of ['y', 'Enter']) {
    screen.press(key);
    await seen(screen, 'Read the remaining');
    screen.press('PageUp');
    await gone(screen, 'Read the remaining');
  }
  expect(isMade(screen)).toBe(false);
}

for (const [columns, rows] of [
  [40, 12],
  [80, 24],
  [100, 30],
  [220, 50],
] as const)
  tmuxTest(
    `at ${columns}x${rows} a command of 124 lines is allowed only after its last line was in sight`,
    () =>
      withScreen(
        [call('Bash', { command: long }), say('Done.')],
        async (screen) => {
          expect(await seen(screen, /esc\s+sets\s+it\s+aside/)).toMatch(/\d+ more lines:/);
          await expectNotYet(screen);
          await readOn(screen);
          await seen(screen, ': line 124');
          screen.type('y');
          await seen(screen, 'Done.');
          expect(isMade(screen)).toBe(true);
        },
        { flags, columns, rows },
      ),
  );

tmuxTest('why it is asked and how risky it looks are seen before a yes is taken', () =>
  withScreen(
    [call('Bash', { command: 'touch made' }), say('Done.')],
    async (screen) => {
      expect(await seen(screen, /esc\s+sets\s+it\s+aside/)).toMatch(/\d+ more lines?:/);
      screen.type('y');
      await settled(screen);
      expect(isMade(screen)).toBe(false);
      await readOn(screen);
      screen.type('y');
      await seen(screen, 'Done.');
      expect(isMade(screen)).toBe(true);
    },
    { flags, columns: 40, rows: 10 },
  ),
);

tmuxTest('the lines in sight and the lines that are left add up', () =>
  withScreen(
    [call('Bash', { command: long }), say('Done.')],
    async (screen) => {
      const now = await seen(screen, /esc\s+sets\s+it\s+aside/);
      const [, to, of] = /lines 1–(\d+) of (\d+)/.exec(now) ?? [];
      const [, more] = /(\d+) more lines:/.exec(now) ?? [];
      expect(Number(more)).toBe(Number(of) - Number(to));
    },
    { flags, columns: 40, rows: 12 },
  ),
);

for (const key of ['End', 'G'])
  tmuxTest(`${key} goes to the last line of a long question, and then a yes is taken`, () =>
    withScreen(
      [call('Bash', { command: long }), say('Done.')],
      async (screen) => {
        await seen(screen, /end or\s+G/);
        screen.press(key);
        await seen(screen, 'Asked because');
        await gone(screen, 'more lines:');
        screen.press('Home');
        await seen(screen, '$ touch made');
        screen.type('y');
        await seen(screen, 'Done.');
        expect(isMade(screen)).toBe(true);
      },
      { flags, columns: 40, rows: 12 },
    ),
  );

tmuxTest('words that begin with G are typing, not a way to the end', () =>
  withScreen(
    [call('Bash', { command: long }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      screen.type('Go on');
      await seen(screen, '❯ Go on');
      expect(screen.visible()).toContain('more lines:');
    },
    { flags },
  ),
);

tmuxTest('the rule that an answer would save is seen whole before return saves it', () =>
  withScreen(
    [call('Bash', { command: 'npm run build-everything-in-sight' }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      screen.press('r');
      const now = await seen(screen, 'always, in this repository:');
      expect(now.replace(/\n\s*/g, ' ')).toMatch(/always, in this repository: Bash\(npm run .*?\)/);
      screen.press('u');
      await seen(screen, 'always, in all projects:');
    },
    { flags, columns: 40, rows: 16 },
  ),
);

tmuxTest('after a no the row says that you said no, and why', () =>
  withScreen(
    [call('Bash', { command: 'touch made' }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      screen.type('n');
      await seen(screen, 'why (optional)');
      screen.type('not now');
      await seen(screen, 'not now');
      screen.press('Enter');
      const now = await seen(screen, 'Done.');
      expect(now).toContain('You said no: not now');
      expect(now).not.toContain('no rule allows');
    },
    { flags },
  ),
);

tmuxTest('a no is taken at once', () =>
  withScreen(
    [call('Bash', { command: long }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      screen.type('n');
      await seen(screen, 'why (optional)');
      screen.press('Enter');
      await seen(screen, 'Done.');
      expect(isMade(screen)).toBe(false);
    },
    { flags },
  ),
);

tmuxTest('space reads on too, and stays with the question at its end', () =>
  withScreen(
    [call('Bash', { command: long }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      for (let page = 0; page < 15; page++) {
        screen.press('Space');
        await settled(screen);
      }
      await seen(screen, ': line 124');
      screen.type('y');
      await seen(screen, 'Done.');
    },
    { flags },
  ),
);

tmuxTest('a line of 10,000 characters with tabs is read to its end', () =>
  withScreen(
    [call('Bash', { command: `touch made #${'\tx'.repeat(5_000)} the end` }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      await expectNotYet(screen);
      await readOn(screen);
      await seen(screen, 'the end');
      screen.type('y');
      await seen(screen, 'Done.');
    },
    { flags, columns: 220, rows: 50 },
  ),
);

tmuxTest('a diff is read to its end', () =>
  withScreen(
    [call('Write', { file_path: 'made', content: `${'a line\n'.repeat(100)}the end` }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Create');
      await expectNotYet(screen);
      await readOn(screen);
      await seen(screen, 'the end');
      screen.type('y');
      await seen(screen, 'Done.');
      expect(isMade(screen)).toBe(true);
    },
    { flags },
  ),
);

tmuxTest('what was read in part at one width is read again at another, what was read whole is not', () =>
  withScreen(
    [call('Bash', { command: long }), say('Done.')],
    async (screen) => {
      await asked(screen, 'lead asks: Run');
      screen.press('PageDown');
      await settled(screen);
      screen.resize(60, 30);
      await settled(screen);
      await expectNotYet(screen);
      await readOn(screen);
      screen.resize(80, 12);
      await settled(screen);
      screen.press('PageUp');
      screen.type('y');
      await seen(screen, 'Done.');
      expect(isMade(screen)).toBe(true);
    },
    { flags },
  ),
);

tmuxTest('each question that waits is read by itself', () =>
  withScreen(
    [
      calls([
        call('Bash', { command: `${long}\ntouch one` }),
        call('Bash', { command: `${long}\ntouch two` }),
      ]),
      say('Done.'),
    ],
    async (screen) => {
      for (const name of ['one', 'two']) {
        await asked(screen, 'lead asks: Run');
        await seen(screen, /\d+ more lines:/);
        screen.type('y');
        await seen(screen, 'Read the remaining');
        expect(isMade(screen, name)).toBe(false);
        await readOn(screen);
        await seen(screen, `touch ${name}`);
        screen.type('y');
        await gone(screen, `touch ${name}`);
      }
      await seen(screen, 'Done.');
    },
    { flags },
  ),
);

tmuxTest('what nobody would see at the end of a command is written out in its row', () =>
  withScreen(
    [call('Bash', { command: 'echo a\ufeff' }), say('Done.')],
    async (screen) => {
      expect(await seen(screen, 'Done.')).toMatch(/Bash echo a(?:\\ufeff|⟨U\+FEFF⟩)/);
    },
    { flags: ['--allowed-tools', 'Bash(*)', '--dangerously-skip-permissions', 'go'] },
  ),
);

tmuxTest('what nobody would see in a command is written out', () =>
  withScreen(
    [call('Bash', { command: "touch 'a\u202eb' # \u200b\u00a0\u3164\u{e0041}\ufe0f\x1b[2J" }), say('Done.')],
    async (screen) => {
      const now = await asked(screen, 'lead asks: Run');
      const shown = now.replace(/\n\s*/g, '');
      for (const text of ['⟨U+202E⟩', '⟨U+200B⟩', '⟨U+00A0⟩', '⟨U+3164⟩', '⟨U+E0041⟩', '⟨U+FE0F⟩', '␛[2J'])
        expect(shown).toContain(text);
    },
    { flags, columns: 100 },
  ),
);
