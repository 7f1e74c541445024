import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, until } from '../support/index.ts';
import { must } from './executor-conformance.ts';
import { installIt2, newPaneTest, openPanes, startServer } from './panes-support.ts';

const tmuxTest = needs('tmux');

tmuxTest('TM2 it2 is called with its documented verbs, and every value is one argument', async () => {
  const { at, executor, listCalls } = openIterm();
  must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  must(await executor.kill({ name: 'ann', team: 'docs' }));
  const calls = listCalls();
  expect(new Set(calls.map((words) => words.slice(0, 2).join(' ')))).toEqual(
    new Set(['session list', 'session split', 'session set-name', 'session run', 'session close']),
  );
  expect(calls).toContainEqual(['session', 'split', '-v', '-s', 'SESSION-0']);
  expect(calls).toContainEqual(['session', 'set-name', '-s', 'SESSION-1', '--', 'ann@docs']);
  expect(calls).toContainEqual(['session', 'close', '-f', '-s', 'SESSION-1']);
  const line = calls.find((words) => words[1] === 'run')?.at(-1) ?? '';
  expect(line).toContain(`cd '${at.cwd}' && exec '/usr/bin/env'`);
  expect(line).toEndWith("'--team-member' 'ann@docs'");
});

tmuxTest('TM2 a pane that the user closed does not keep the next teammate from opening', async () => {
  const { server, at, executor, listCalls } = openIterm();
  for (const name of ['ann', 'bob']) {
    must(await executor.spawn(at.spec(name)));
    await at.started(name);
  }
  server.run('kill-pane', '-t', '%2');
  await until(() => server.panes().length === 2);
  must(await executor.spawn(at.spec('cyd')));
  await at.started('cyd');
  const splits = listCalls().filter((words) => words[1] === 'split');
  expect(splits.map((words) => words.at(-1))).toEqual(['SESSION-0', 'SESSION-1', 'SESSION-1']);
  for (const name of ['ann', 'bob', 'cyd']) must(await executor.kill({ name, team: 'docs' }));
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('TM3 a pane of iTerm2 cannot be hidden, which is said', async () => {
  const { at, executor } = openIterm();
  must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  expect(await executor.panes?.hide({ name: 'ann', team: 'docs' })).toMatchObject({
    ok: false,
    problem: { message: 'iterm2 cannot hide a pane.' },
  });
  must(await executor.kill({ name: 'ann', team: 'docs' }));
});

test('TM3 an iTerm2 that it2 does not reach is reported with what to turn on', async () => {
  const place = newPaneTest();
  const bin = join(place.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'it2'), '#!/bin/sh\necho "Error: not connected" >&2\nexit 2\n');
  chmodSync(join(bin, 'it2'), 0o755);
  const at = newPaneTest({ PATH: `${bin}:${place.world.environment.PATH}`, ITERM_SESSION_ID: 'w0t0p0:X-1' });
  const { executor } = openPanes('iterm2', at);
  expect(await executor.isAvailable()).toMatchObject({
    ok: false,
    problem: {
      message: 'it2 does not reach iTerm2: it2 session list: Error: not connected',
      hint: expect.stringContaining('Enable Python API'),
    },
  });
});

function openIterm() {
  const server = startServer();
  const place = newPaneTest();
  const { bin, calls } = installIt2(server, place.home);
  const environment = {
    PATH: `${bin}:${place.world.environment.PATH}`,
    ITERM_SESSION_ID: 'w0t0p0:SESSION-0',
  };
  const at = newPaneTest(environment);
  const listCalls = () =>
    calls()
      .split('---\n')
      .map((call) => call.trimEnd().split('\n'))
      .filter((words) => words.length > 1);
  return { server, at, ...openPanes('iterm2', at), listCalls };
}
