import { failure, ok, type Result } from '../../lib/result.ts';
import type { PaneBackend, PaneWish, SeenPane } from './pane-backend.ts';
import { parsePaneMark } from './pane-mark.ts';
import { cleanColour, cleanTitle } from './pane-text.ts';
import {
  canSplit,
  chooseRoomiest,
  chooseSplit,
  formatTmuxId,
  type TmuxPane,
  type TmuxPlace,
} from './tmux-panes.ts';
import { followTmuxId, isGone, type TmuxProgram, type TmuxServer, tmuxServer } from './tmux-server.ts';

export interface TmuxOptions extends TmuxProgram {
  /** The pane that this process is in. Absent outside tmux: the team gets a session of its own. */
  inside?: TmuxPlace | undefined;
  /** Name of the server for sessions of our own. */
  ownServer?: string;
}

const usualServer = 'cadre';

/**
 * Panes of tmux. The verbs that are used are these, and no others: `new-session`, `new-window`, `split-window`, `break-pane`,
 * `join-pane`, `kill-pane`, `list-panes`, `select-pane -T`, `send-keys`, and `set-option` for options of our own panes (and,
 * in a session of our own, of its windows).
 */
export function tmuxBackend(options: TmuxOptions): PaneBackend {
  const { inside } = options;
  const own = tmuxServer(options, ['-L', options.ownServer ?? usualServer]);
  const around = inside && tmuxServer(options, ['-S', inside.socket]);
  let opening: Promise<unknown> = Promise.resolve();
  const backend: PaneBackend = {
    type: 'tmux',
    recognisedBy: 'mark',
    isAvailable: () => checkVersion(options),
    open(wish) {
      // One after the other: where a pane fits depends on the one before.
      const opened = opening.then(async () => {
        const made =
          inside && around ? await openBeside(wish, around, inside.pane) : await openApart(wish, own);
        if (!made.ok) return made;
        const { id, pid } = made.value;
        // A pane without its title is still a pane.
        await backend.title(id, wish.title, wish.colour);
        return ok({ id, pid });
      });
      opening = opened;
      return opened;
    },
    async title(id, title, colour) {
      const clean = cleanTitle(title);
      const style = cleanColour(colour);
      const border = `${style ? `#[fg=${style}]` : ''} ${clean} `;
      const named = await act(options, id, 'select-pane', (pane) => ['-t', pane, '-T', clean]);
      if (!named.ok) return named;
      return act(options, id, 'set-option', (pane) => ['-p', '-t', pane, 'pane-border-format', border]);
    },
    async send(id, line) {
      const typed = await act(options, id, 'send-keys', (pane) => ['-t', pane, '-l', '--', line]);
      return typed.ok ? act(options, id, 'send-keys', (pane) => ['-t', pane, 'Enter']) : typed;
    },
    list: () => listAll(around ? [around, own] : [own]),
    async find(id) {
      const place = followTmuxId(options, id);
      if (!place.ok) return ok(undefined);
      const listed = await place.value.server.listSeen();
      return listed.ok ? ok(listed.value.find((pane) => pane.id === id)) : listed;
    },
    async close(id) {
      const closed = await act(options, id, 'kill-pane', (pane) => ['-t', pane]);
      return closed.ok || isGone(closed.problem.message) ? ok(undefined) : closed;
    },
    async hide(id) {
      const seen = await findPane(options, id);
      if (!seen.ok) return seen;
      const { pane, peers } = seen.value;
      if (peers.filter(({ window }) => window === pane.window).length === 1) return ok(undefined);
      return act(options, id, 'break-pane', () => ['-d', '-s', pane.pane, '-t', `${pane.session}:`]);
    },
    async show(id) {
      const seen = await findPane(options, id);
      if (!seen.ok) return seen;
      const { pane, peers } = seen.value;
      const anchor = findAnchor(pane, peers, inside?.pane);
      if (!anchor || anchor.window === pane.window) return ok(undefined);
      const split = chooseSplit(anchor);
      return act(options, id, 'join-pane', () => ['-d', split, '-s', pane.pane, '-t', anchor.pane]);
    },
  };
  return backend;
}

/** Runs a verb on the pane that an id names. */
async function act(
  program: TmuxProgram,
  id: string,
  verb: string,
  args: (pane: string) => string[],
): Promise<Result<void>> {
  const place = followTmuxId(program, id);
  if (!place.ok) return place;
  const done = await place.value.server.call(verb, args(place.value.pane));
  return done.ok ? ok(undefined) : done;
}

async function findPane(
  program: TmuxProgram,
  id: string,
): Promise<Result<{ pane: TmuxPane; peers: TmuxPane[] }>> {
  const place = followTmuxId(program, id);
  if (!place.ok) return place;
  const listed = await place.value.server.list();
  if (!listed.ok) return listed;
  const pane = listed.value.find((one) => one.pane === place.value.pane);
  return pane ? ok({ pane, peers: listed.value }) : failure(`The pane ${id} no longer exists.`);
}

async function listAll(servers: readonly TmuxServer[]): Promise<Result<SeenPane[]>> {
  const seen: SeenPane[] = [];
  for (const server of servers) {
    const listed = await server.listSeen();
    if (!listed.ok) return listed;
    seen.push(...listed.value);
  }
  return ok(seen);
}

async function checkVersion({ file, run, env }: TmuxProgram): Promise<Result<void>> {
  const shown = await run({ what: 'tmux -V', file, args: ['-V'], env, cwd: '/' });
  if (!shown.ok) return shown;
  const [, major] = /(\d+)\.\d+/.exec(shown.value) ?? [];
  if (major === undefined || Number(major) >= oldestMajor) return ok(undefined);
  return failure(
    `${shown.value.trim()} is too old: panes need tmux ${oldestMajor}.0 or later.`,
    'Update tmux, or set teammateMode to "in-process".',
  );
}

const oldestMajor = 3;

interface NewTmuxPane {
  pane: string;
  id: string;
  pid: number;
}

const printPane = ['-P', '-F', '#{pane_id} #{pane_pid} #{socket_path}'];
const [ownWidth, ownHeight] = ['200', '50'];

/** In the window of the lead: its first teammate beside it, further ones below that one. */
async function openBeside(wish: PaneWish, server: TmuxServer, anchor: string): Promise<Result<NewTmuxPane>> {
  const listed = await server.list();
  if (!listed.ok) return listed;
  const lead = listed.value.find(({ pane }) => pane === anchor);
  if (!lead) return failure(`The tmux pane ${anchor} no longer exists.`, 'Start Cadre again inside tmux.');
  const team = listed.value.filter((pane) => pane.window === lead.window && isOfTeam(pane, wish.team));
  const beside = chooseRoomiest(team);
  return splitPane(wish, server, beside ?? lead, beside ? '-v' : '-h');
}

/** In a session of the team's own, which is started with its first teammate. */
async function openApart(wish: PaneWish, server: TmuxServer): Promise<Result<NewTmuxPane>> {
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
function findAnchor(
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
