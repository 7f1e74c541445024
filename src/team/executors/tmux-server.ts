import { failure, ok, type Result } from '../../lib/result.ts';
import type { SeenPane } from './pane-backend.ts';
import type { RunTerminal } from './run-program.ts';
import {
  escapeArgument,
  formatTmuxId,
  paneFormat,
  parsePanes,
  parseTmuxId,
  type TmuxPane,
} from './tmux-panes.ts';

export interface TmuxProgram {
  /** The program. */
  file: string;
  run: RunTerminal;
  /** For the client, and for a server that it starts: nothing of it may be secret. */
  env: Readonly<Record<string, string>>;
}

/** Which server a command is for: by its socket, or by its name, with no configuration. */
export type TmuxAddress = readonly ['-S' | '-L', string];

/** One tmux server. Nothing is started until a session is. */
export interface TmuxServer {
  /** Runs in that directory, which a new pane starts in: `-c` would expand formats in its name. */
  call(verb: string, args: readonly string[], cwd?: string): Promise<Result<string>>;
  /** None where no server runs. */
  list(): Promise<Result<TmuxPane[]>>;
  /** The same with ids that any process can use. */
  listSeen(): Promise<Result<SeenPane[]>>;
}

export function tmuxServer({ file, run, env }: TmuxProgram, address: TmuxAddress): TmuxServer {
  // The user's configuration is for the user's server.
  const start = [...address, ...(address[0] === '-L' ? ['-f', '/dev/null'] : [])];
  const call: TmuxServer['call'] = (verb, args, cwd = '/') =>
    run({ what: `tmux ${verb}`, file, args: [...start, verb, ...args.map(escapeArgument)], env, cwd });
  const list = async (): Promise<Result<TmuxPane[]>> => {
    const listed = await call('list-panes', ['-a', '-F', paneFormat]);
    if (listed.ok) return ok(parsePanes(listed.value));
    return isNoServer(listed.problem.message) ? ok([]) : listed;
  };
  const locateSocket = async (): Promise<string> => {
    if (address[0] === '-S') return address[1];
    const shown = await call('list-panes', ['-a', '-F', '#{socket_path}']);
    return shown.ok ? (shown.value.split('\n')[0] ?? '') : '';
  };
  return {
    call,
    list,
    async listSeen() {
      const listed = await list();
      if (!listed.ok) return listed;
      const socket = await locateSocket();
      return ok(listed.value.map((pane) => describe(pane, socket)));
    },
  };
}

function describe({ pane, pid, isDead, mark }: TmuxPane, socket: string): SeenPane {
  return { id: formatTmuxId({ socket, pane }), pid, isDead, ...(mark === undefined ? {} : { mark }) };
}

/** The server and the pane that an id names. */
export function followTmuxId(program: TmuxProgram, id: string): Result<{ server: TmuxServer; pane: string }> {
  const place = parseTmuxId(id);
  if (!place) return failure(`${id} is not a tmux pane.`);
  return ok({ server: tmuxServer(program, ['-S', place.socket]), pane: place.pane });
}

export function isNoServer(message: string): boolean {
  return /no server running|error connecting|lost server|server exited/.test(message);
}

export function isGone(message: string): boolean {
  return isNoServer(message) || message.includes("can't find pane");
}
