import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noUsage } from '../../src/protocol/index.ts';
import { type AnswerTurn, call } from '../../src/testing/index.ts';
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
