import { failure, ok, type Result } from '../../lib/result.ts';
import type { PaneWish } from './pane-backend.ts';
import { parsePaneMark } from './pane-mark.ts';
import { cleanTitle } from './pane-text.ts';
import { canSplit, chooseRoomiest, chooseSplit, formatTmuxId, type TmuxPane } from './tmux-panes.ts';
import type { TmuxServer } from './tmux-server.ts';

export interface NewTmuxPane {
  pane: string;
  id: string;
  pid: number;
}

const printPane = ['-P', '-F', '#{pane_id} #{pane_pid} #{socket_path}'];
const [ownWidth, ownHeight] = ['200', '50'];

/** In the window of the lead: its first teammate beside it, further ones below that one. */
export async function openBeside(
  wish: PaneWish,
  server: TmuxServer,
  anchor: string,
): Promise<Result<NewTmuxPane>> {
  const listed = await server.list();
  if (!listed.ok) return listed;
  const lead = listed.value.find(({ pane }) => pane === anchor);
  if (!lead) return failure(`The tmux pane ${anchor} no longer exists.`, 'Start Cadre again inside tmux.');
  const team = listed.value.filter((pane) => pane.window === lead.window && isOfTeam(pane, wish.team));
  const beside = chooseRoomiest(team);
  return splitPane(wish, server, beside ?? lead, beside ? '-v' : '-h');
}

/** In a session of the team's own, which is started with its first teammate. */
export async function openApart(wish: PaneWish, server: TmuxServer): Promise<Result<NewTmuxPane>> {
  const listed = await server.list();
  if (!listed.ok) return listed;
  const beside = chooseRoomiest(listed.value.filter((pane) => isOfTeam(pane, wish.team)));
  const opened = beside
    ? await splitPane(wish, server, beside, chooseSplit(beside))
    : await startSession(wish, server);
  if (opened.ok)
    await server.call('set-option', ['-w', '-t', opened.value.pane, 'pane-border-status', 'top']);
  return opened;
}

async function splitPane(
  { command, cwd }: PaneWish,
  server: TmuxServer,
  beside: TmuxPane,
  direction: '-h' | '-v',
): Promise<Result<NewTmuxPane>> {
  const { pane, session } = beside;
  const rest = [...printPane, ...command];
  if (canSplit(beside, direction)) {
    const split = await server.call('split-window', [direction, '-d', '-t', pane, ...rest], cwd);
    if (split.ok || !isTooSmall(split.problem.message)) return readNewPane(split);
  }
  // No room: a window behind it, which the user can bring forward.
  return readNewPane(await server.call('new-window', ['-d', '-t', `${session}:`, ...rest], cwd));
}

async function startSession(wish: PaneWish, server: TmuxServer): Promise<Result<NewTmuxPane>> {
  const rest = ['-x', ownWidth, '-y', ownHeight, ...printPane, ...wish.command];
  const start = (name: string) => server.call('new-session', ['-d', '-s', name, ...rest], wish.cwd);
  // tmux puts `_` in the place of dots itself; a name that differs from what was asked for would be a surprise.
  const name = `cadre-${wish.team.replaceAll('.', '_')}`;
  const started = await start(name);
  if (started.ok || !started.problem.message.includes('duplicate session')) return readNewPane(started);
  return readNewPane(await start(`${name}-${parsePaneMark(wish.mark)?.token ?? ''}`));
}

function readNewPane(printed: Result<string>): Result<NewTmuxPane> {
  if (!printed.ok) return printed;
  const [, pane, pid, socket] = /^(%\d+) (\d+) (\/.+)$/m.exec(printed.value) ?? [];
  if (pane === undefined || socket === undefined)
    return failure(`tmux did not name the pane that it opened: ${cleanTitle(printed.value)}`);
  return ok({ pane, pid: Number(pid), id: formatTmuxId({ socket, pane }) });
}

/** Where a hidden pane comes back to: beside a teammate that is shown, else beside the lead. */
export function findAnchor(
  hidden: TmuxPane,
  peers: readonly TmuxPane[],
  lead: string | undefined,
): TmuxPane | undefined {
  const team = hidden.mark === undefined ? undefined : parsePaneMark(hidden.mark)?.team;
  const others = peers.filter((one) => one.pane !== hidden.pane && team !== undefined && isOfTeam(one, team));
  const main = peers.find(({ pane }) => pane === lead);
  if (main) return chooseRoomiest(others.filter(({ window }) => window === main.window)) ?? main;
  return chooseRoomiest(others.filter(({ session }) => session === hidden.session));
}

function isOfTeam({ mark }: TmuxPane, team: string): boolean {
  return mark !== undefined && parsePaneMark(mark)?.team === team;
}

function isTooSmall(message: string): boolean {
  return /no space for( a)? new pane|pane too small/.test(message);
}
