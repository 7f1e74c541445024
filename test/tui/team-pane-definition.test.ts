import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, lastUserText } from '../../src/testing/index.ts';
import type { Place } from '../cli/support.ts';
import { fakeServer } from '../mcp/support.ts';
import { needs, until } from '../support/index.ts';
import { withPaneLeader } from './team-pane-support.ts';

const full = `---
name: full
description: a whole definition
tools: Read, Bash, mcp__srv
maxTurns: 6
isolation: worktree
skills: [sk]
mcpServers:
  - srv: ${JSON.stringify(fakeServer('plain'))}
---
You are FULL.
`;

const planner = '---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n';

function writeDefinitions({ cwd, home }: Place): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd });
  writeFileSync(join(cwd, 'a.txt'), 'a\n');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  for (const directory of ['agents', 'skills/sk']) mkdirSync(join(home, directory), { recursive: true });
  writeFileSync(join(home, 'agents', 'full.md'), full);
  writeFileSync(join(home, 'agents', 'planner.md'), planner);
  writeFileSync(
    join(home, 'skills', 'sk', 'SKILL.md'),
    '---\nname: sk\ndescription: d\n---\nTHE-SKILL-TEXT\n',
  );
}

needs('tmux')(
  'TM1 a teammate in a pane has all of its definition: its worktree, servers, skills, plan mode and the tools of its team',
  () =>
    withPaneLeader(
      {
        lead: [
          call('Agent', { description: 'work', prompt: 'Do it', name: 'alice', subagent_type: 'full' }),
          call('Agent', { description: 'plan', prompt: 'Do it', name: 'bob', subagent_type: 'planner' }),
        ],
        hear(request) {
          const [, id] = /id="([^"]+)"[^>]*kind="plan/.exec(lastUserText(request)) ?? [];
          if (id === undefined) return undefined;
          const answer = { type: 'plan_approval_response', request_id: id, approve: true };
          return call('SendMessage', { to: 'bob', message: answer });
        },
        members: {
          alice: [call('Bash', { command: 'pwd > where; cat where' })],
          bob: [
            call('Bash', { command: 'touch too-early' }),
            (request) => {
              const [file = ''] =
                /\/[^\s`"]*plans\/plan-\w+\.md/.exec(JSON.stringify(request.messages)) ?? [];
              return call('Write', { file_path: file, content: '1. do it' });
            },
            call('ExitPlanMode', {}),
            call('Bash', { command: 'touch after' }),
          ],
        },
        prepare: writeDefinitions,
        flags: ['--allowedTools', 'Bash'],
      },
      async ({ place, members, provider }) => {
        for (const name of ['alice', 'bob']) await until(() => members.read(name)?.lastReport !== undefined);
        const found = (name: string) => existsSync(join(place.cwd, name));
        expect(['where', 'too-early', 'after'].map(found)).toEqual([false, false, true]);
        const asked = provider.received.filter((one) => one.system.join('\n').includes('You are alice'));
        const first = asked[0];
        expect(first?.system.join('\n')).toContain('THE-SKILL-TEXT');
        expect(first?.system.join('\n')).toContain('You are FULL.');
        const tools = first?.tools.map(({ name }) => name) ?? [];
        for (const name of ['Read', 'Bash', 'mcp__srv__say', 'SendMessage', 'TaskList'])
          expect(tools).toContain(name);
        for (const name of ['Write', 'TeamCreate', 'AskUserQuestion']) expect(tools).not.toContain(name);
        const where = JSON.stringify(asked[1]?.messages);
        expect(where).toContain(`${place.cwd}/.cadre/worktrees/`);
      },
    ),
  60_000,
);
