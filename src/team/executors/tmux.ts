import { failure, ok, type Result } from '../../lib/result.ts';
import type { PaneBackend, SeenPane } from './pane-backend.ts';
import { cleanColour, cleanTitle } from './pane-text.ts';
import { findAnchor, openApart, openBeside } from './tmux-open.ts';
import { chooseSplit, type TmuxPane, type TmuxPlace } from './tmux-panes.ts';
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
