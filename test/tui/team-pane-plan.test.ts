import { expect } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, lastUserText } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  'PE2 PL3 a teammate in a pane whose plan was approved works in the mode of its leader',
  () =>
    withPaneLeader(
      {
        lead: [
          call('Agent', { description: 'plan', prompt: 'Do it', name: 'bob', subagent_type: 'planner' }),
        ],
        hear(request) {
          const [, id] = /id="([^"]+)"[^>]*kind="plan/.exec(lastUserText(request)) ?? [];
          if (id === undefined) return undefined;
          const message = { type: 'plan_approval_response', request_id: id, approve: true };
          return call('SendMessage', { to: 'bob', message });
        },
        members: {
          bob: [
            (request) => {
              const [file = ''] =
                /\/[^\s`"]*plans\/plan-\w+\.md/.exec(JSON.stringify(request.messages)) ?? [];
              return call('Write', { file_path: file, content: '1. do it' });
            },
            call('ExitPlanMode', {}),
            call('Write', { file_path: 'done.txt', content: 'done' }),
          ],
        },
        flags: ['--permission-mode', 'acceptEdits'],
        prepare({ home }) {
          mkdirSync(join(home, 'agents'), { recursive: true });
          const planner = '---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n';
          writeFileSync(join(home, 'agents', 'planner.md'), planner);
        },
      },
      async ({ place, members }) => {
        await until(() => members.read('bob')?.lastReport !== undefined);
        expect(existsSync(join(place.cwd, 'done.txt'))).toBe(true);
      },
    ),
  60_000,
);
