import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { type Members, openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import {
  call,
  type FakeProvider,
  type FixedTurn,
  fakeProvider,
  lastUserText,
  say,
  type Turn,
} from '../../src/testing/index.ts';
import { environmentOf, type Place, program } from '../cli/support.ts';
import { until } from '../support/index.ts';
import { startServer, type TestServer } from '../team/panes-support.ts';
import { newPlace } from './support.ts';

export const team = 'crew';

/** The terminal app as a leader whose teammates run in panes of a tmux server of their own. */
export interface PaneLeader {
  readonly place: Place;
  readonly server: TestServer;
  readonly provider: FakeProvider;
  readonly members: Members;
  screen(): string;
  shows(text: string): Promise<void>;
  type(text: string): void;
  /** The leader's own pane. */
  readonly pane: string;
  /** Starts the program again, in the same window. */
  restart(flags?: readonly string[]): void;
  /** The process of the leader. */
  pid(): number;
}

export interface PaneLeaderOptions {
  /** The calls of the leader after it has created the team, one a turn. */
  lead: readonly FixedTurn[];
  /** What the leader does afterwards, if anything. */
  hear?(request: ModelRequest): FixedTurn | undefined;
  /** What each teammate does, by name: one turn after the other, then it reports. */
  members: Readonly<Record<string, readonly Turn[]>>;
  flags?: readonly string[];
  mode?: 'tmux' | 'command';
  settings?: Readonly<Record<string, unknown>>;
  environment?: Readonly<Record<string, string>>;
  prepare?(place: Place): void;
}

/** Opens the leader and has it create its team and do its calls. */
export async function withPaneLeader(
  options: PaneLeaderOptions,
  body: (leader: PaneLeader) => Promise<void>,
): Promise<void> {
  const place = newPlace();
  options.prepare?.(place);
  await using provider = await fakeProvider({ script: (request) => answer(request, options) });
  const server = startServer();
  const settings = {
    ...{ sandbox: { enabled: false }, agents: { permissionMode: 'default' } },
    ...options.settings,
  };
  const words = [program, '--settings', JSON.stringify(settings), '--teammate-mode', options.mode ?? 'tmux'];
  const variables = { ...environmentOf({ place, provider }), CADRE_STILL: '1', LANG: 'C.UTF-8' };
  const assigned = Object.entries({ ...variables, ...options.environment })
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ');
  const line = (flags: readonly string[]) =>
    `exec env ${assigned} ${[...words, ...flags].map((word) => `'${word}'`).join(' ')}`;
  server.run('new-window', '-n', 'leader', '-c', place.cwd, 'sleep 600');
  server.run('set-option', '-w', '-t', 'leader', 'remain-on-exit', 'on');
  const [pane = ''] = server.run('list-panes', '-t', 'leader', '-F', '#{pane_id}').split('\n');
  const screen = () => server.run('capture-pane', '-p', '-S', '-200', '-t', pane);
  const leader: PaneLeader = {
    ...{ place, server, provider, screen, pane },
    members: openMembers(locateTeam(place.home, team), systemMachine, systemClock),
    async shows(text) {
      const end = Date.now() + 20_000;
      await until(() => screen().includes(text) || Date.now() > end);
      if (!screen().includes(text)) throw new Error(`Not shown: ${text}\n${screen()}`);
    },
    type(text) {
      server.run('send-keys', '-t', pane, '-l', text);
      server.run('send-keys', '-t', pane, 'Enter');
    },
    restart(flags = []) {
      server.run('clear-history', '-t', pane);
      server.run('respawn-pane', '-k', '-c', place.cwd, '-t', pane, line(flags));
    },
    pid: () => Number(server.run('display-message', '-p', '-t', pane, '#{pane_pid}')),
  };
  try {
    leader.restart(options.flags ?? []);
    await until(() => screen().trim() !== '');
    leader.type('Go');
    await body(leader);
  } finally {
    server.stop();
  }
}

/** One model for all: a conversation says by itself how far it is. */
function answer(
  request: ModelRequest,
  { lead, members, hear }: PaneLeaderOptions,
): FixedTurn | Promise<FixedTurn> {
  const [, name] = /You are (\w+), a teammate/.exec(request.system.join('\n')) ?? [];
  const done = request.messages.filter(({ role }) => role === 'assistant').length;
  if (name !== undefined) {
    const turn = members[name]?.[done] ?? say(`The report of ${name}.`);
    return typeof turn === 'function' ? turn(request) : turn;
  }
  if (lastUserText(request).endsWith('End')) return call('TeamDelete', {});
  const turn = [call('TeamCreate', { team_name: team }), ...lead][done] ?? hear?.(request);
  return turn ?? say('Noted by the leader.');
}
