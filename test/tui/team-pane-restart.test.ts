import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../src/protocol/index.ts';
import { call, lastUserText, say } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  'TM9 PE4 a killed leader is continued by -c, and asks again what its teammate in a pane waits for',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: { alice: [call('Bash', { command: 'touch asked' })] },
      },
      async ({ place, server, members, pid, restart, shows, pane }) => {
        await shows('alice@crew asks');
        process.kill(pid(), 'SIGKILL');
        restart(['-c']);
        await shows('alice@crew asks');
        expect(existsSync(join(place.cwd, 'asked'))).toBe(false);
        server.run('send-keys', '-t', pane, 'C-q');
        await shows('❯ y  yes');
        server.run('send-keys', '-t', pane, 'y');
        await until(() => members.read('alice')?.lastReport !== undefined);
        expect(existsSync(join(place.cwd, 'asked'))).toBe(true);
      },
    ),
  60_000,
);

needs('tmux')(
  'TM9 the rows show what a teammate in a pane does; one that died is told, and a message brings it back',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: {
          alice: [
            say('The first report.'),
            (request) => say(lastUserText(request).includes('are you back') ? 'I am back.' : 'What?'),
          ],
        },
      },
      async ({ members, server, screen, shows, type }) => {
        await until(() => members.read('alice')?.lastReport !== undefined);
        await until(() => /alice.* idle/.test(screen()));
        const before = members.read('alice');
        const panes = server.panes('#{pane_pid} #{pane_start_command}');
        const [process_] = panes.filter((line) => line.includes('--team-member'));
        process.kill(Number.parseInt(process_ ?? '', 10), 'SIGKILL');
        await shows('The teammate alice has died');
        await until(() => /alice.* dead/.test(screen()));
        type('@alice are you back?');
        await until(() => members.read('alice')?.lastReport !== before?.lastReport);
        const { sessionId = '', model = '' } = before ?? {};
        expect(members.read('alice')).toMatchObject({ sessionId, model });
        await until(() => /alice.* idle/.test(screen()));
      },
    ),
  60_000,
);

needs('tmux')(
  'TM9 a teammate in a pane that is killed before it began is started with its task by the next message',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do the first thing', name: 'alice' })],
        members: {
          alice: [
            (request) => {
              const heard = request.messages
                .filter(({ role }) => role === 'user')
                .map(({ content }) => textOf(content));
              return say(`Told ${heard.join(' ').split('Do the first thing').length - 1} times.`);
            },
          ],
        },
      },
      async ({ members, server, shows, type }) => {
        const find = () =>
          server.panes('#{pane_pid} #{pane_start_command}').find((line) => line.includes('--team-member'));
        await until(() => find() !== undefined);
        process.kill(Number.parseInt(find() ?? '', 10), 'SIGKILL');
        await shows('The teammate alice');
        await shows('SendMessage to alice resumes it.');
        type('@alice are you back?');
        await until(() => members.read('alice')?.lastReport !== undefined);
        await shows('Told 1 times.');
      },
    ),
  60_000,
);

needs('tmux')(
  'TM9 a teammate in a pane that is killed together with its leader is told once by the next one',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: { alice: [say('The first report.')] },
      },
      async ({ members, pid, provider, restart, server, screen, shows }) => {
        await until(() => members.read('alice')?.lastReport !== undefined);
        const panes = server.panes('#{pane_pid} #{pane_start_command}');
        const member = Number.parseInt(panes.find((line) => line.includes('--team-member')) ?? '', 10);
        for (const process_ of [pid(), member]) process.kill(process_, 'SIGKILL');
        restart(['-c']);
        await shows('The teammate alice has died');
        await until(() => /alice.* dead/.test(screen()) && members.read('alice')?.wanted === 'ended');
        await shows('Noted by the leader.');
        const findTold = () =>
          provider.requests
            .map(({ body }) => body.toString())
            .findLast((body) => body.includes('The teammate alice'));
        await until(() => findTold() !== undefined);
        expect(findTold()?.match(/The teammate alice/g)).toHaveLength(1);
      },
    ),
  60_000,
);

needs('tmux')(
  'TM6 the rows of a leader that is started again name the items of its teammates by their subjects',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: {
          alice: [
            call('TaskCreate', { subject: 'Write the parser', description: '' }),
            ({ messages }) => {
              const [, taskId] = /Added (\w+) /.exec(JSON.stringify(messages)) ?? [];
              return call('TaskUpdate', { taskId, status: 'in_progress' });
            },
          ],
        },
      },
      async ({ pid, restart, screen, shows }) => {
        await shows('item Write the parser');
        process.kill(pid(), 'SIGKILL');
        restart(['-c']);
        await until(() => /alice +idle/.test(screen()));
        await shows('item Write the parser');
      },
    ),
  60_000,
);
