import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const prepare = ({ cwd }: Screen['place']) => {
  writeFileSync(join(cwd, 'a.txt'), 'first\n');
  writeFileSync(join(cwd, 'b.txt'), 'needle in b\n');
};
const read = (file_path: string) => call('Read', { file_path });

tmuxTest('ctrl-o opens all output, thinking and input, with a search; several reads are one line', () =>
  withScreen(
    [
      calls([read('a.txt'), read('b.txt')]),
      call('Bash', { command: 'seq 1000 1099', timeout: 9_000 }),
      say('Done.'),
    ],
    async (screen) => {
      const now = await seen(screen, /Done in /);
      expect(now).toContain('… 92 lines (ctrl-o opens)');
      expect(screen.screen()).toContain('● Read 2 files a.txt, b.txt · ctrl-o opens');
      screen.press('C-o');
      const end = await seen(screen, /Transcript · \d+–(\d+) of \1/);
      expect(end).toContain('Done.');
      screen.press('g');
      await seen(screen, 'Transcript · 1–');
      screen.type('/');
      await seen(screen, 'Search:');
      screen.type('NEEDLE');
      await seen(screen, 'Search: NEEDLE');
      screen.press('Enter');
      expect(await seen(screen, 'Line 1 of 1 with "NEEDLE"')).toContain('needle in b');
      screen.type('/1050');
      await seen(screen, 'Search: 1050');
      screen.press('Enter');
      expect(await seen(screen, 'with "1050"')).toContain('│ 1050');
      screen.press('Escape', 'Escape');
      await seen(screen, '❯ Ask for something');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'], prepare, rows: 40 },
  ),
);

tmuxTest('/diff shows what changed in the session and in each turn, commands included', () =>
  withScreen(
    [
      read('a.txt'),
      call('Edit', { file_path: 'a.txt', old_string: 'first', new_string: 'changed' }),
      say('One.'),
      call('Bash', { command: 'echo made > c.txt' }),
      say('Two.'),
    ],
    async (screen) => {
      await seen(screen, 'One.');
      await send(screen, 'make another');
      await seen(screen, 'Two.');
      await send(screen, '/diff');
      const list = await seen(screen, 'Show which changes?');
      expect(list).toContain('This session');
      expect(list).toMatch(/Turn: make another +1 file/);
      screen.press('Enter');
      const whole = await seen(screen, 'Changes in this session · 2 files +2 −1');
      expect(whole).toContain('1 - first');
      expect(whole).toContain('c.txt (new)');
      screen.press('Escape');
      await seen(screen, 'Show which changes?');
      screen.press('Down', 'Enter');
      const turn = await seen(screen, 'Changes since the prompt: make another · 1 file');
      expect(turn).not.toContain('a.txt');
    },
    {
      flags: ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', '--', 'go'],
      prepare,
      rows: 40,
    },
  ),
);

tmuxTest(
  '? shows the keys, escape twice rewinds, and /theme, /copy, /export and /init do what they say',
  () =>
    withScreen(
      [say('Hello **there**.'), say('Written.')],
      async (screen) => {
        await seen(screen, /Done in /);
        screen.type('?');
        await seen(screen, 'rewind to an earlier prompt');
        screen.press('Escape');
        await seen(screen, '❯ Ask for something');
        screen.press('Escape');
        await seen(screen, 'esc again to rewind');
        screen.press('Escape');
        await seen(screen, 'Go back to before which prompt?');
        screen.press('Escape');
        await seen(screen, '❯ Ask for something');
        await send(screen, '/theme light');
        await seen(screen, 'Theme: light. Saved in');
        expect(readFileSync(join(screen.place.home, 'settings.json'), 'utf8')).toContain('"theme": "light"');
        await send(screen, '/copy');
        await seen(screen, 'Copied the last answer, 1 line (OSC 52)');
        await send(screen, '/export talk.md');
        await seen(screen, 'Exported the conversation to');
        expect(readFileSync(join(screen.place.cwd, 'talk.md'), 'utf8')).toContain('Hello **there**.');
        await send(screen, '/export talk.md');
        await seen(screen, 'Not exported');
        await send(screen, '/export talk.txt');
        await seen(screen, 'must end in .md or .json');
        expect(existsSync(join(screen.place.cwd, 'talk.txt'))).toBe(false);
        await send(screen, '/init the tests');
        await seen(screen, 'Written.');
        const sent = JSON.stringify(screen.provider.received.at(-1)?.messages.at(-1));
        expect(sent).toContain('Write AGENTS.md');
        expect(sent).toContain('Also: the tests');
      },
      { flags: ['go'], rows: 40 },
    ),
);

tmuxTest('left and right go through the questions that wait, without an answer to any', () => {
  const asked = new Set<string>();
  return withScreen(
    async ({ messages }) => {
      const first = JSON.stringify(messages[0]);
      const who = ['one', 'two'].find((name) => first.includes(`touch ${name}`));
      if (!who)
        return messages.length < 3
          ? calls(
              ['one', 'two'].map((name) =>
                call('Agent', {
                  ...{ subagent_type: 'general-purpose', description: name, prompt: `touch ${name}` },
                }),
              ),
            )
          : say('Back.');
      if (asked.has(who)) return say('Done.');
      asked.add(who);
      return call('Bash', { command: `touch ${who}` });
    },
    async (screen) => {
      await seen(screen, 'question 1 of 2 · ← → the others');
      const [, first = ''] = /\$ touch (\w+)/.exec(screen.visible()) ?? [];
      screen.press('Right');
      await seen(screen, 'question 2 of 2');
      await gone(screen, `$ touch ${first}`);
      screen.press('Right');
      await seen(screen, 'question 1 of 2');
      await seen(screen, `$ touch ${first}`);
      screen.type('y');
      await seen(screen, /── question ─/);
      await seen(screen, 'esc sets it aside');
      screen.type('y');
      await seen(screen, 'Back.');
      for (const name of ['one', 'two']) expect(existsSync(join(screen.place.cwd, name))).toBe(true);
    },
    {
      flags: ['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}', 'go'],
      rows: 40,
    },
  );
});
