import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { takeLaunch, writeLaunch } from '../../src/team/executors/launch.ts';
import { formatPaneMark, identifyHome, paneVariable } from '../../src/team/executors/pane-mark.ts';
import { locatePaneFiles, type PaneRecord, writePaneRecord } from '../../src/team/executors/pane-records.ts';
import { sweepLaunches } from '../../src/team/executors/sweep-launches.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { must } from './executor-conformance.ts';
import { newPaneTest } from './panes-support.ts';

const token = 'abcdefgh12345678';

test('TM2 a launch file is read once, by the member that it is for', () => {
  const { home, files, environment, spec } = prepare();
  expect(statSync(files.launch).mode & 0o777).toBe(0o600);
  const taken = must(takeLaunch(home, 'ann@docs', environment, systemMachine));
  expect(taken).toEqual({ ...spec, format: 1, token });
  expect(existsSync(files.launch)).toBe(false);
  expect(JSON.parse(readFileSync(files.process, 'utf8'))).toEqual(systemMachine.self());
  expect(takeLaunch(home, 'ann@docs', environment, systemMachine)).toMatchObject({
    ok: false,
    problem: { message: 'The leader of the team no longer waits for ann@docs.' },
  });
});

test("another address, another home and a mark of one's own making get nothing", () => {
  const { home, files, environment } = prepare();
  const other = newPaneTest().home;
  for (const [where, address, variables] of [
    [home, 'bob@docs', environment],
    [home, 'ann@other', environment],
    [other, 'ann@docs', environment],
    [home, 'ann@docs', {}],
    [home, 'ann@docs', { [paneVariable]: '../../x:docs:ann:abc' }],
  ] as const)
    expect(takeLaunch(where, address, variables, systemMachine)).toMatchObject({
      ok: false,
      problem: { kind: 'usage', message: expect.stringContaining("that a team's leader opens") },
    });
  expect(existsSync(files.launch)).toBe(true);
});

test('an address that is not one is refused before any file is looked at', () => {
  for (const address of ['ann', '@docs', 'ann@', 'ann@docs@x', '../a@docs', 'ann@../docs'])
    expect(takeLaunch('/nowhere', address, {}, systemMachine)).toMatchObject({
      ok: false,
      problem: { kind: 'usage', message: `--team-member ${address}: expected NAME@TEAM.` },
    });
});

test('TM2 a launch file of a leader that was killed is removed by any later start', () => {
  const { home, files } = prepare();
  const late = { ...systemClock, now: () => Date.parse('2026-01-01T00:02:00.000Z') };
  sweepLaunches(home, systemMachine, late);
  expect(existsSync(files.launch)).toBe(true);
  sweepLaunches(home, { ...systemMachine, isAlive: () => false }, late);
  expect(existsSync(files.launch)).toBe(false);
  expect(existsSync(files.record)).toBe(true);
});

function prepare() {
  const at = newPaneTest();
  const place = locateTeam(at.home, 'docs');
  const spec = at.spec('ann', {
    isResumed: true,
    worktree: 'ann-1',
    session: { options: {} },
    environment: { KEY: 'value' },
  });
  const record: PaneRecord = {
    ...{ format: 1, token, team: 'docs', name: 'ann', executor: 'tmux', id: null, sessionId: spec.sessionId },
    openedAt: '2026-01-01T00:00:00.000Z',
    opener: { ...systemMachine.self(), ...systemMachine.locality() },
  };
  must(writePaneRecord(place, record, systemMachine));
  must(writeLaunch(place, { ...spec, format: 1, token }, systemMachine));
  const mark = formatPaneMark({ home: identifyHome(at.home), team: 'docs', name: 'ann', token });
  const files = locatePaneFiles(place, token);
  expect(files.launch).toBe(join(at.home, 'teams', 'docs', 'panes', `${token}.launch.json`));
  return { home: at.home, files, spec, environment: { [paneVariable]: mark } };
}
