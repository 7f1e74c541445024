import { expect } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../src/lib/processes/mark.ts';
import { findWithVariable } from '../../src/lib/processes/sweep.ts';
import type { WantedMember } from '../../src/team/executors/executor.ts';
import { reconcilePanes, reconcileTeammates } from '../../src/team/executors/open-executor.ts';
import { identifyHome } from '../../src/team/executors/pane-mark.ts';
import { needs, until } from '../support/index.ts';
import { must } from './executor-conformance.ts';
import { startLeader } from './pane-leader.ts';
import {
  insideOf,
  installIt2,
  nameServer,
  newPaneTest,
  openPanes,
  type PaneTest,
  startServer,
  type TestServer,
  tmuxCommands,
} from './panes-support.ts';

const tmuxTest = needs('tmux');
const ann: WantedMember = { name: 'ann', team: 'docs', kind: 'pane' };
const bob: WantedMember = { name: 'bob', team: 'docs', kind: 'pane' };

tmuxTest(
  'G5 a leader killed with its panes open: the next start closes those that no team knows',
  async () => {
    const { server, at } = openInside();
    server.run('new-window', '-d', 'sleep', '1000');
    const mine = server.panes();
    const leader = await startLeader(at, 'tmux', [at.spec('ann'), at.spec('bob')]);
    const { pid } = await at.started('ann');
    await leader.kill();
    expect(server.panes()).toHaveLength(4);
    expect(await reconcileTeammates([], at.world)).toEqual({
      kept: [],
      closed: expect.arrayContaining(['ann@docs', 'bob@docs']),
      problems: [],
    });
    expect(server.panes()).toEqual(mine);
    expect(processMark(pid).start).toBe('');
    expect(listLeft(at)).toEqual([]);
  },
);

tmuxTest(
  'TM9 the panes of members that should run are kept, and the new leader can reach and end them',
  async () => {
    const { server, at, executor } = openInside();
    const leader = await startLeader(at, 'tmux', [at.spec('ann'), at.spec('bob')]);
    await Promise.all([at.started('ann'), at.started('bob')]);
    await leader.kill();
    expect(await reconcileTeammates([ann], at.world)).toMatchObject({
      kept: ['ann@docs'],
      closed: ['bob@docs'],
    });
    expect(await executor.isActive(ann)).toBe(true);
    must(await executor.sendMessage(ann, 'Still there?'));
    await until(() => at.typed('ann').includes('Still there?'));
    must(await executor.kill(ann));
    expect(server.panes()).toHaveLength(1);
    expect(listLeft(at)).toEqual([]);
  },
);

tmuxTest(
  'TM9 a new leader keeps the panes of a terminal by commands, also where that is its own tmux',
  async () => {
    const server = startServer();
    const at = newPaneTest(insideOf(server), { commands: tmuxCommands(server) });
    const leader = await startLeader(at, 'command', [at.spec('ann'), at.spec('bob')]);
    await Promise.all([at.started('ann'), at.started('bob')]);
    await leader.kill();
    expect(await reconcileTeammates([ann, bob], at.world)).toEqual({
      kept: expect.arrayContaining(['ann@docs', 'bob@docs']),
      closed: [],
      problems: [],
    });
    expect(server.panes()).toHaveLength(3);
    await reconcileTeammates([], at.world);
    await until(() => server.panes().length === 1);
    expect(listLeft(at)).toEqual([]);
  },
);

tmuxTest('TM9 a member whose pane went with its leader is not kept', async () => {
  const { server, at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  const { pid } = await at.started('ann');
  await leader.kill();
  process.kill(pid, 'SIGKILL');
  await until(() => server.panes().length === 1);
  const pane = { executor: 'tmux', id: `${server.socket}:%1` };
  expect(await reconcileTeammates([{ ...ann, pane }], at.world)).toEqual({
    kept: [],
    closed: ['ann@docs'],
    problems: [],
  });
  expect(listLeft(at)).toEqual([]);
});

tmuxTest(
  'G5 a leader killed at any step of opening a pane leaves nothing behind the next start',
  async () => {
    const { server, at } = openInside();
    const whole = await startLeader(at, 'tmux', [at.spec('ann')]);
    const steps = whole.opened ?? 0;
    await whole.kill();
    await reconcileTeammates([], at.world);
    expect(steps).toBeGreaterThan(10);
    for (let crashAt = 1; crashAt <= steps; crashAt++) {
      const leader = await startLeader(at, 'tmux', [at.spec('ann')], { crashAt });
      expect(leader.opened).toBeUndefined();
      expect((await reconcileTeammates([], at.world)).problems).toEqual([]);
      expect({ crashAt, panes: server.panes().length, left: listLeft(at) }).toEqual({
        crashAt,
        panes: 1,
        left: [],
      });
    }
  },
);

tmuxTest(
  'G5 a leader killed at any step of ending a teammate leaves nothing behind the next start',
  async () => {
    const { server, at } = openInside();
    const opening = await startLeader(at, 'tmux', [at.spec('ann')]);
    await opening.kill();
    await reconcileTeammates([], at.world);
    const whole = await startLeader(at, 'tmux', [at.spec('ann')], { endsThem: true });
    await whole.kill();
    expect(listLeft(at)).toEqual([]);
    const [first, last] = [(opening.opened ?? 0) + 1, whole.opened ?? 0];
    expect(last - first).toBeGreaterThan(3);
    for (let crashAt = first; crashAt <= last; crashAt++) {
      await startLeader(at, 'tmux', [at.spec('ann')], { crashAt, endsThem: true });
      const { problems } = await reconcileTeammates([], at.world);
      const left = listLeft(at);
      expect({ crashAt, panes: server.panes().length, left, problems }).toEqual({
        ...{ crashAt, panes: 1, left: [], problems: [] },
      });
    }
  },
);

tmuxTest('G5 the same in a terminal that tells nothing about its panes', async () => {
  const server = startServer();
  const at = newPaneTest({}, { commands: tmuxCommands(server) });
  const whole = await startLeader(at, 'command', [at.spec('ann')]);
  const steps = whole.opened ?? 0;
  await whole.kill();
  await reconcileTeammates([], at.world);
  for (let crashAt = 1; crashAt <= steps; crashAt++) {
    await startLeader(at, 'command', [at.spec('ann')], { crashAt });
    expect((await reconcileTeammates([], at.world)).problems).toEqual([]);
    // A process that starts after that finds no launch file, and its pane ends with it.
    await until(() => server.panes().length === 1);
    expect({ crashAt, left: listLeft(at) }).toEqual({ crashAt, left: [] });
  }
});

tmuxTest('G5 panes of iTerm2 are found again by their ids', async () => {
  const server = startServer();
  const place = newPaneTest();
  const { bin } = installIt2(server, place.home);
  const environment = {
    PATH: `${bin}:${place.world.environment.PATH}`,
    ITERM_SESSION_ID: 'w0t0p0:SESSION-0',
  };
  const at = newPaneTest(environment);
  const leader = await startLeader(at, 'iterm2', [at.spec('ann'), at.spec('bob')]);
  await Promise.all([at.started('ann'), at.started('bob')]);
  await leader.kill();
  expect(await reconcileTeammates([bob], at.world)).toMatchObject({
    kept: ['bob@docs'],
    closed: ['ann@docs'],
  });
  expect(await reconcileTeammates([], at.world)).toMatchObject({ kept: [], closed: ['bob@docs'] });
  await until(() => server.panes().length === 1);
  expect(listLeft(at)).toEqual([]);
});

tmuxTest('panes of a leader that lives are its own business', async () => {
  const { server, at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  expect(await reconcileTeammates([], at.world)).toMatchObject({ kept: ['ann@docs'], closed: [] });
  expect(server.panes()).toHaveLength(2);
  await leader.kill();
  expect(await reconcileTeammates([], at.world)).toMatchObject({ closed: ['ann@docs'] });
});

tmuxTest('panes of another home are not touched', async () => {
  const { server, at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  const other = newPaneTest(insideOf(server), { ownServer: nameServer().name });
  const { backend } = openPanes('tmux', other);
  expect(await reconcilePanes(backend, [], other.world)).toMatchObject({
    kept: [],
    closed: [],
    problems: [],
  });
  expect(server.panes()).toHaveLength(2);
  await reconcileTeammates([], at.world);
});

tmuxTest('a pane of the user that has the id of an old one is not touched', async () => {
  const { server, at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  server.run('kill-server');
  await until(() => listMarked(at).length === 0);
  server.run('new-session', '-d', '-x', '200', 'sleep', '1000');
  server.run('split-window', '-d', 'sleep', '1000');
  const mine = server.panes('#{pane_id} #{pane_pid}');
  expect(mine[1]).toStartWith('%1 ');
  expect(await reconcileTeammates([], at.world)).toMatchObject({ closed: ['ann@docs'], problems: [] });
  expect(server.panes('#{pane_id} #{pane_pid}')).toEqual(mine);
  expect(listLeft(at)).toEqual([]);
});

tmuxTest('nor is one in a terminal that uses ids again and tells no marks', async () => {
  const server = startServer();
  const at = newPaneTest({}, { commands: tmuxCommands(server) });
  const leader = await startLeader(at, 'command', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  server.run('kill-server');
  await until(() => listMarked(at).length === 0);
  server.run('new-session', '-d', '-x', '200', 'sleep', '1000');
  server.run('split-window', '-d', 'sleep', '1000');
  expect(await reconcileTeammates([], at.world)).toMatchObject({ closed: ['ann@docs'], problems: [] });
  expect(server.panes()).toEqual(['%0', '%1']);
});

tmuxTest('a marked pane whose team was deleted by hand is closed', async () => {
  const { server, at, backend } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  rmSync(join(at.home, 'teams'), { recursive: true });
  expect(await reconcilePanes(backend, [], at.world)).toMatchObject({ closed: ['ann@docs'], problems: [] });
  await until(() => listMarked(at).length === 0);
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('after a restart of the machine only the files are left, and they go', async () => {
  const { server, at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  const real = changeRecords(at, (text) => text.replace(/"space":"[^"]*"/, '"space":"another-boot pid:[1]"'));
  expect(await reconcileTeammates([], at.world)).toMatchObject({ closed: [], problems: [] });
  expect(readdirSync(join(at.home, 'teams', 'docs', 'panes'))).toEqual([]);
  expect(server.panes()).toHaveLength(2);
  for (const [path, text] of real) writeFileSync(path, text);
  await reconcileTeammates([], at.world);
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('a record that another machine wrote into a shared home is left alone', async () => {
  const { at } = openInside();
  const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
  await at.started('ann');
  await leader.kill();
  const real = changeRecords(at, (text) =>
    text.replace(/"host":"[^"]*","space":"[^"]*"/, '"host":"far","space":"x y"'),
  );
  expect(await reconcileTeammates([], at.world)).toMatchObject({ kept: [], closed: [] });
  expect(readdirSync(join(at.home, 'teams', 'docs', 'panes'))).not.toEqual([]);
  for (const [path, text] of real) writeFileSync(path, text);
  await reconcileTeammates([], at.world);
});

tmuxTest(
  'a damaged record does not stop the start, and its pane is closed as one that no team knows',
  async () => {
    const { server, at } = openInside();
    const leader = await startLeader(at, 'tmux', [at.spec('ann')]);
    await at.started('ann');
    await leader.kill();
    changeRecords(at, (text) => text.slice(0, 20));
    expect(await reconcileTeammates([], at.world)).toMatchObject({ closed: ['ann@docs'], problems: [] });
    expect(server.panes()).toHaveLength(1);
    await until(() => listMarked(at).length === 0);
    expect(listLeft(at)).toEqual([]);
  },
);

function openInside() {
  const server: TestServer = startServer();
  const at = newPaneTest(insideOf(server), { ownServer: nameServer().name });
  return { server, at, ...openPanes('tmux', at) };
}

/** Files of panes and processes in them. */
function listLeft(at: PaneTest): string[] {
  return [...readdirSync(join(at.home, 'teams', 'docs', 'panes')), ...listMarked(at).map(String)];
}

function listMarked({ home }: PaneTest): number[] {
  return ['ann', 'bob'].flatMap((name) =>
    findWithVariable('CADRE_TEAM_PANE', (value) => value.startsWith(`${identifyHome(home)}:docs:${name}:`)),
  );
}

/** What they were before. */
function changeRecords({ home }: PaneTest, change: (text: string) => string): Map<string, string> {
  const directory = join(home, 'teams', 'docs', 'panes');
  const before = new Map(
    readdirSync(directory)
      .filter((name) => name.endsWith('.pane.json'))
      .map((name) => [join(directory, name), readFileSync(join(directory, name), 'utf8')]),
  );
  for (const [path, text] of before) writeFileSync(path, change(text));
  return before;
}
