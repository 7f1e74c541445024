import { expect, test } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import { manualClock } from '../../src/lib/clock.ts';
import type { MemberView } from '../../src/protocol/index.ts';
import { App } from '../../src/tui/app.ts';
import { rosterLines } from '../../src/tui/panels/roster-lines.ts';
import { makeTheme } from '../../src/tui/text/index.ts';

function openApp(members: MemberView[]) {
  const clock = manualClock();
  const theme = makeTheme({ level: '256', attributes: true });
  const look = { theme, plain: false, isDumb: false, animation: true, home: '/home/me' };
  const app = new App(clock, look, { columns: 80, rows: 24 });
  app.take({ agentId: null, parentToolUseId: null, type: 'team_changed', team: { name: 'crew', members } });
  app.flush();
  const row = () => stripVTControlCharacters(rosterLines(app.state, 9, app.drawing())[0] ?? '');
  return { clock, app, row };
}

function member(name: string, kind: MemberView['kind'], state: MemberView['state'], at: number): MemberView {
  const stateSince = new Date(at).toISOString();
  return { name, kind, agentId: null, colour: 'green', state, unread: 0, items: [], stateSince };
}

test('how long a teammate has been in its state is counted while the lead is idle', async () => {
  const start = manualClock().now();
  const { clock, app, row } = openApp([member('bob', 'pane', 'dead', start)]);
  for (let second = 0; second < 40; second++) await clock.advance(1_000);
  expect(row()).toMatch(/✗ bob +dead +40s/);
  app.close();
});

test('a team without teammates needs no timer', async () => {
  const start = manualClock().now();
  const { clock, app } = openApp([member('team-lead', 'lead', 'idle', start)]);
  const before = app.state;
  for (let second = 0; second < 5; second++) await clock.advance(1_000);
  expect(app.state).toBe(before);
  app.close();
});
