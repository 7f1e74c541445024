import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noUsage } from '../../src/protocol/index.ts';
import { type AnswerTurn, call, say } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  'PE5 a teammate in a pane has the deny rules of flags and of --settings, its hooks and the tools of the session',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do the work', name: 'alice' })],
        members: {
          alice: [
            call('Bash', { command: 'touch by-flag' }),
            call('Write', { file_path: 'by-settings', content: 'x' }),
            call('Bash', { command: 'mkdir by-hook' }),
          ],
        },
        flags: [
          ...['--disallowedTools', 'Bash(touch:*)', '--tools', 'Bash,Write,Agent,TeamCreate,SendMessage'],
          ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(mkdir:*)'],
        ],
        settings: {
          permissions: { deny: ['Write'] },
          hooks: {
            PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'touch hooked; exit 2' }] }],
          },
        },
      },
      async ({ place, members, provider }) => {
        await until(() => members.read('alice')?.lastReport !== undefined);
        const found = (name: string) => existsSync(join(place.cwd, name));
        expect(['by-flag', 'by-settings', 'by-hook', 'hooked'].map(found)).toEqual([
          false,
          false,
          false,
          true,
        ]);
        const [first] = provider.received.filter((one) => one.system.join('\n').includes('You are alice'));
        const tools = first?.tools.map(({ name }) => name);
        expect(tools).toContain('Bash');
        expect(tools).not.toContain('Grep');
      },
    ),
  60_000,
);

needs('tmux')(
  'G1 a teammate in a pane pays from the account of its leader, which shows it once',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do the work', name: 'alice' })],
        members: {
          alice: [costly(call('Bash', { command: 'echo one' })), call('Bash', { command: 'touch two' })],
        },
        flags: ['--max-budget-usd', '2'],
      },
      async ({ place, members, screen, shows }) => {
        await until(() => members.read('alice')?.lastReport !== undefined);
        expect(members.read('alice')?.reason).toContain('out_of_budget');
        expect(existsSync(join(place.cwd, 'two'))).toBe(false);
        await shows('$1.9');
        expect(screen()).not.toContain('$3.');
      },
    ),
  60_000,
);

/** An answer that costs 1.9 dollars. */
function costly(turn: AnswerTurn): AnswerTurn {
  return { ...turn, usage: { ...noUsage, input_tokens: 950_000, output_tokens: 10 } };
}

needs('tmux')(
  'PE5 a later mode of the leader reaches its teammates in panes, also one that narrows',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: {
          alice: [
            say('Ready.'),
            call('Write', { file_path: 'a.txt', content: 'a' }),
            say('The first is written.'),
            call('Write', { file_path: 'b.txt', content: 'b' }),
            say('The second is refused.'),
          ],
        },
      },
      async ({ place, pane, server, screen, shows, type }) => {
        await shows('Ready.');
        const alice = () => server.panes('#{pane_id} #{pane_title}').find((line) => line.includes('alice@'));
        const shown = () => server.run('capture-pane', '-p', '-t', alice()?.split(' ')[0] ?? '');
        const switchTo = async (mode: string) => {
          server.run('send-keys', '-t', pane, 'BTab');
          await until(() => screen().includes(mode) && shown().includes(mode));
        };
        await switchTo('accepts edits');
        type('@alice Write the first.');
        await shows('The first is written.');
        expect(existsSync(join(place.cwd, 'a.txt'))).toBe(true);
        await switchTo('plan mode');
        type('@alice Write the second.');
        await shows('The second is refused.');
        expect(existsSync(join(place.cwd, 'b.txt'))).toBe(false);
      },
    ),
  60_000,
);
