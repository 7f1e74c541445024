import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../src/lib/processes/mark.ts';
import { paneExecutor } from '../../src/team/executors/pane-executor.ts';
import { escapeArgument, parsePanes, parseTmuxId } from '../../src/team/executors/tmux-panes.ts';
import { needs, until } from '../support/index.ts';
import { must } from './executor-conformance.ts';
import { insideOf, nameServer, newPaneTest, openPanes, type PaneTest, startServer } from './panes-support.ts';

const tmuxTest = needs('tmux');
const member = (name: string) => ({ name, team: 'docs' });

tmuxTest('TM2 a teammate opens beside the lead, and the lead keeps the focus', async () => {
  const { server, at, executor } = openInside();
  must(await executor.spawn(at.spec('bob')));
  const { pid, here } = await at.started('bob');
  expect(here).toBe(at.cwd);
  expect(server.panes('#{pane_active} #{window_index} #{pane_pid} #{pane_title}')).toEqual([
    expect.stringMatching(/^1 0 /),
    `0 0 ${pid} bob@docs`,
  ]);
  must(await executor.kill(member('bob')));
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('TM2 further teammates share the column of the first, the lead keeps its half', async () => {
  const { server, at, executor } = openInside();
  const [before = ''] = server.panes('#{window_width}');
  for (const name of ['ann', 'bob', 'cyd', 'dan']) must(await executor.spawn(at.spec(name)));
  const [lead = '', ...others] = server.panes('#{pane_left} #{pane_width} #{pane_height}');
  expect(Number(lead.split(' ')[1])).toBe(Number(before) / 2);
  expect(new Set(others.map((line) => line.split(' ')[0])).size).toBe(1);
  const heights = others.map((line) => Number(line.split(' ')[2]));
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(2);
  for (const name of ['ann', 'bob', 'cyd', 'dan']) must(await executor.kill(member(name)));
});

tmuxTest('TM2 where the window has no room, a teammate gets a window behind the lead', async () => {
  const { server, at, executor } = openInside();
  server.run('resize-window', '-x', '20', '-y', '4');
  for (const name of ['ann', 'bob', 'cyd']) must(await executor.spawn(at.spec(name)));
  const windows = server.panes('#{window_index} #{window_active}');
  expect(windows.at(-1)).not.toBe(windows[0] as string);
  expect(windows[0]).toBe('0 1');
  for (const name of ['ann', 'bob', 'cyd']) must(await executor.kill(member(name)));
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('TM2 panes of a large team stay large enough to work in', async () => {
  const { server, at, executor } = openInside();
  server.run('resize-window', '-x', '100', '-y', '30');
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  for (const name of names) must(await executor.spawn(at.spec(name)));
  const sizes = server.panes('#{pane_width} #{pane_height}').map((line) => line.split(' ').map(Number));
  expect(sizes).toHaveLength(names.length + 1);
  for (const [width = 0, height = 0] of sizes) {
    expect(width).toBeGreaterThanOrEqual(40);
    expect(height).toBeGreaterThanOrEqual(7);
  }
  for (const name of names) must(await executor.kill(member(name)));
});

tmuxTest('TM3 outside tmux a team has a session of its own, which ends with its last teammate', async () => {
  const own = nameServer();
  const at = newPaneTest({}, { ownServer: own.name });
  const { executor } = openPanes('tmux', at);
  const first = must(await executor.spawn(at.spec('ann')));
  must(await executor.spawn(at.spec('bob')));
  expect(own.panes('#{session_name} #{pane_title} #{pane-border-status}')).toEqual([
    'cadre-docs ann@docs top',
    'cadre-docs bob@docs top',
  ]);
  expect(first.pane?.id).toBe(`${own.socket}:%0`);
  for (const name of ['ann', 'bob']) must(await executor.kill(member(name)));
  expect(own.panes()).toEqual([]);
});

tmuxTest(
  'TM3 a team whose name has dots, and one whose session name is taken, still get a session',
  async () => {
    const own = nameServer();
    own.run('new-session', '-d', '-s', 'cadre-a_b', 'sleep', '1000');
    const at = newPaneTest({}, { ownServer: own.name });
    const { executor } = openPanes('tmux', at);
    must(await executor.spawn(at.spec('ann', { team: 'a.b' })));
    expect(own.panes('#{session_name}')).toEqual(['cadre-a_b', expect.stringMatching(/^cadre-a_b-\w+$/)]);
    must(await executor.kill({ name: 'ann', team: 'a.b' }));
    expect(own.panes('#{session_name}')).toEqual(['cadre-a_b']);
  },
);

tmuxTest('TM2 titles and colours are data: nothing in them is expanded or run', async () => {
  const { server, at, executor } = openInside();
  must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  const file = join(at.cwd, 'run');
  const title = `#(touch ${file}) #{pane_id} #[x] %H;`;
  must((await executor.panes?.title(member('ann'), title, `red]#(touch ${file})#[fg=blue`)) ?? missing);
  const [, shown = ''] = server.panes('#{pane_title}|#{pane-border-format}');
  expect(shown).not.toContain('#');
  expect(shown).toContain('＃{pane_id}');
  expect(shown).toContain('％H;');
  // Drawing the borders expands their format.
  server.run('set-option', '-w', 'pane-border-status', 'top');
  must((await executor.panes?.title(member('ann'), 'Ann', 'colour208')) ?? missing);
  expect(server.panes('#{pane_title}|#{pane-border-format}')[1]).toBe('Ann|#[fg=colour208] Ann ');
  expect(existsSync(file)).toBe(false);
  must(await executor.kill(member('ann')));
});

tmuxTest('TM2 the directory of a teammate is data as well', async () => {
  const { at, executor } = openInside();
  const cwd = join(at.cwd, '#(touch x) #{pane_id} $(touch y);');
  mkdirSync(cwd);
  must(await executor.spawn(at.spec('ann', { cwd })));
  await until(() => existsSync(join(cwd, 'started-ann')));
  expect(JSON.parse(readFileSync(join(cwd, 'started-ann'), 'utf8')).here).toBe(cwd);
  expect(readdirSync(cwd)).toEqual(['started-ann']);
  must(await executor.kill(member('ann')));
});

tmuxTest(
  'TM2 nothing else of the server changes: options, environment, other panes and windows',
  async () => {
    const { server, at, executor } = openInside();
    server.run('new-window', '-d', '-n', 'mine', 'sleep', '1000');
    const look = () => ({
      options: ['-g', '-s', '-w', '-gw', ''].map((scope) =>
        server.run('show-options', ...[scope].filter(Boolean)),
      ),
      environment: [server.run('show-environment', '-g'), server.run('show-environment')],
      panes: server.panes(
        '#{session_name} #{window_name} #{window_layout} #{pane_id} #{pane_pid} #{pane_active}',
      ),
      buffers: server.run('list-buffers'),
    });
    const before = look();
    must(await executor.spawn(at.spec('ann')));
    const during = look();
    expect(during).toMatchObject({ ...before, panes: expect.any(Array) });
    must(await executor.sendMessage(member('ann'), 'Hello'));
    must((await executor.panes?.hide(member('ann'))) ?? missing);
    must((await executor.panes?.show(member('ann'))) ?? missing);
    must(await executor.kill(member('ann')));
    expect(look()).toEqual(before);
  },
);

tmuxTest('TM3 hide moves a pane out of sight while it runs, show brings it back', async () => {
  const { server, at, executor } = openInside();
  for (const name of ['ann', 'bob']) must(await executor.spawn(at.spec(name)));
  const where = () =>
    server
      .panes('#{pane_title} #{window_index} #{pane_active}')
      .filter((line) => /@docs/.test(line))
      .map((line) => line.split(' ').slice(0, 2).join(' '))
      .toSorted();
  must((await executor.panes?.hide(member('ann'))) ?? missing);
  must((await executor.panes?.hide(member('ann'))) ?? missing);
  expect(where()).toEqual(['ann@docs 1', 'bob@docs 0']);
  expect(await executor.isActive(member('ann'))).toBe(true);
  must((await executor.panes?.show(member('ann'))) ?? missing);
  must((await executor.panes?.show(member('ann'))) ?? missing);
  expect(where()).toEqual(['ann@docs 0', 'bob@docs 0']);
  expect(server.panes('#{pane_active}')[0]).toBe('1');
  for (const name of ['ann', 'bob']) must(await executor.kill(member(name)));
});

tmuxTest('TM2 a pane that outlives its process is closed', async () => {
  const { server, at, executor } = openInside();
  server.run('set-option', '-g', 'remain-on-exit', 'on');
  must(await executor.spawn(at.spec('ann')));
  process.kill((await at.started('ann')).pid, 'SIGKILL');
  // tmux calls a pane dead when its terminal is closed, a moment before the process is gone.
  await until(() => server.panes('#{pane_dead}')[1] === '1');
  while (await executor.isActive(member('ann')));
  expect(server.panes()).toHaveLength(1);
  expect(listFiles(at)).toEqual([]);
});

tmuxTest('TM2 a teammate is dead when its process is, and what inherited its mark is ended', async () => {
  const { at, executor } = openInside();
  must(await executor.spawn(at.spec('ann', { prompt: 'with an heir' })));
  const { pid, child = 0 } = await at.started('ann');
  process.kill(pid, 'SIGKILL');
  await until(() => processMark(pid).start === '');
  expect(processMark(child).start).not.toBe('');
  expect(await executor.isActive(member('ann'))).toBe(false);
  expect(processMark(child).start).toBe('');
  expect(listFiles(at)).toEqual([]);
});

tmuxTest('TM2 a pane that the user closed is not active, and its files go', async () => {
  const { server, at, executor } = openInside();
  const { pane } = must(await executor.spawn(at.spec('ann')));
  const { pid } = await at.started('ann');
  server.run('kill-pane', '-t', parseTmuxId(pane?.id ?? '')?.pane ?? '');
  await until(() => processMark(pid).start === '');
  expect(await executor.isActive(member('ann'))).toBe(false);
  expect(listFiles(at)).toEqual([]);
});

tmuxTest('TM2 arguments show a name and a place, and neither prompt nor keys', async () => {
  const { at, executor } = openInside();
  const environment = { EXAMPLE_API_KEY: 'key-that-no-list-shows' };
  must(await executor.spawn(at.spec('ann', { prompt: 'prompt-that-no-list-shows', environment })));
  const { pid, argv, launch } = await at.started('ann');
  expect(launch).toMatchObject({ environment, prompt: 'prompt-that-no-list-shows' });
  expect(argv.slice(2)).toEqual(['--team-member', 'ann@docs']);
  const { stdout } = spawnSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' });
  expect(stdout).toContain('--team-member ann@docs');
  expect(stdout).not.toContain('that-no-list-shows');
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('that-no-list-shows');
  must(await executor.kill(member('ann')));
});

tmuxTest('TM2 the launch file is for its owner only, and is gone once it is read', async () => {
  const { at, executor } = openInside();
  must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  expect(listFiles(at).map((name) => name.replace(/^\w+\./, ''))).toEqual(['pane.json', 'process.json']);
  const directory = join(at.home, 'teams', 'docs', 'panes');
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const file of listFiles(at)) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  must(await executor.kill(member('ann')));
});

tmuxTest('TM8 a teammate that ignores its end is killed, with what it started', async () => {
  const { server, at, backend } = openInside();
  const executor = paneExecutor(backend, { ...at.world, graceMs: 200 });
  must(await executor.spawn(at.spec('ann', { prompt: 'stubborn, with a child' })));
  const { pid, child = 0 } = await at.started('ann');
  expect(processMark(child).start).not.toBe('');
  must(await executor.kill(member('ann')));
  expect(at.signals('ann')).toContain('SIGHUP');
  expect([pid, child].map((one) => processMark(one).start)).toEqual(['', '']);
  expect(server.panes()).toHaveLength(1);
});

tmuxTest('TM11 a pane of an earlier incarnation is not taken for the present one', async () => {
  const { at, executor } = openInside();
  const first = must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  must(await executor.kill(member('ann')));
  must(await executor.spawn(at.spec('ann')));
  await at.started('ann');
  const earlier = { ...member('ann'), ...(first.pane ? { pane: first.pane } : {}) };
  must(await executor.kill(earlier));
  expect(await executor.isActive(member('ann'))).toBe(true);
  must(await executor.kill(member('ann')));
});

tmuxTest('TM2 a directory that is gone is reported, and leaves nothing', async () => {
  const { server, at, executor } = openInside();
  expect(await executor.spawn(at.spec('ann', { cwd: join(at.cwd, 'gone') }))).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('cannot be entered') },
  });
  expect(server.panes()).toHaveLength(1);
  expect(listFiles(at)).toEqual([]);
});

test('only lines of panes are read, and a mark only where it is ours', () => {
  const mark = '0123456789ab:docs:ann:abcdefgh12345678';
  const line = `%1 @0 $0 77 0 80 24 /usr/bin/env CADRE_TEAM_PANE=${mark} cadre`;
  expect(parsePanes(`${line}\nnoise\n%2 @0 $0 78 1 80 24 \n`)).toEqual([
    { pane: '%1', window: '@0', session: '$0', pid: 77, isDead: false, width: 80, height: 24, mark },
    { pane: '%2', window: '@0', session: '$0', pid: 78, isDead: true, width: 80, height: 24 },
  ]);
  for (const command of [
    'vim CADRE_TEAM_PANE=x',
    `echo XCADRE_TEAM_PANE=${mark}`,
    'CADRE_TEAM_PANE=../a:b:c:d',
  ])
    expect(parsePanes(`%1 @0 $0 77 0 80 24 ${command}`)[0]?.mark).toBeUndefined();
});

test('a semicolon at the end of an argument stays one', () => {
  expect(['a;', 'a\\;', ';', 'a;b'].map(escapeArgument)).toEqual(['a\\;', 'a\\\\;', '\\;', 'a;b']);
});

const missing = { ok: false, problem: { kind: 'failure', message: 'no panes' } } as const;

function openInside() {
  const server = startServer();
  const at = newPaneTest(insideOf(server), { ownServer: nameServer().name });
  return { server, at, ...openPanes('tmux', at) };
}

function listFiles({ home }: PaneTest): string[] {
  return readdirSync(join(home, 'teams', 'docs', 'panes')).toSorted();
}
