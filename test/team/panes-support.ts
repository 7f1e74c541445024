import { afterAll } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { ok } from '../../src/lib/result.ts';
import type { TeammateCommands } from '../../src/team/executors/command.ts';
import type { ExecutorType, TeammateExecutor, TeammateSpec } from '../../src/team/executors/executor.ts';
import type { TeammateLaunch } from '../../src/team/executors/launch.ts';
import { type BackendWorld, openBackend } from '../../src/team/executors/open-executor.ts';
import type { PaneBackend } from '../../src/team/executors/pane-backend.ts';
import { type PaneWorld, paneExecutor } from '../../src/team/executors/pane-executor.ts';
import { findProgram } from '../../src/workspace/search-path.ts';
import { temporaryDirectory, until } from '../support/index.ts';

/** A tmux server of its own, which ends with the test file. */
export interface TestServer {
  readonly name: string;
  readonly socket: string;
  run(...args: string[]): string;
  /** Lines of `list-panes`, of panes in all sessions. */
  panes(format?: string): string[];
  stop(): void;
}

const path = process.env.PATH ?? '';

export function startServer(): TestServer {
  const server = nameServer();
  server.run('new-session', '-d', '-x', '220', '-y', '60', 'sleep', '100000');
  return server;
}

/** One that nothing has started yet. */
export function nameServer(): TestServer {
  const name = `cadre-panes-${randomUUID().slice(0, 8)}`;
  const call = (...args: string[]) =>
    spawnSync('tmux', ['-L', name, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { PATH: path, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = call(...args);
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const socket = join('/tmp', `tmux-${process.getuid?.() ?? 0}`, name);
  const stop = () => {
    call('kill-server');
    rmSync(socket, { force: true });
  };
  afterAll(stop);
  const panes = (format = '#{pane_id}') =>
    call('list-panes', '-a', '-F', format).stdout.split('\n').filter(Boolean);
  return { name, socket, run, panes, stop };
}

/** A home, a directory to work in, and what an executor needs. */
export interface PaneTest {
  readonly home: string;
  readonly cwd: string;
  readonly world: PaneWorld & BackendWorld;
  /** What members were asked to end for. */
  readonly asked: string[];
  spec(name: string, more?: Partial<TeammateSpec>): TeammateSpec;
  /** What the process of a member says about itself, once it runs. */
  started(name: string): Promise<Started>;
  typed(name: string): string;
  signals(name: string): string;
}

export interface Started {
  pid: number;
  child?: number;
  launch: TeammateLaunch;
  argv: string[];
  here: string;
}

export function newPaneTest(
  environment: Record<string, string> = {},
  more: Partial<BackendWorld> = {},
): PaneTest {
  const directory = temporaryDirectory();
  const [home, cwd] = [join(directory.path, 'home'), join(directory.path, 'work')];
  for (const one of [home, cwd]) mkdirSync(one, { mode: 0o700 });
  const asked: string[] = [];
  const read = (kind: string, name: string) => {
    const file = join(cwd, `${kind}-${name}`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return {
    ...{ home, cwd, asked },
    world: {
      ...{ home, machine: systemMachine, clock: systemClock, ids: randomIds },
      program: [process.execPath, join(import.meta.dirname, 'pane-member.script.ts')],
      async askToEnd({ name }, reason) {
        asked.push(`${name}: ${reason}`);
        return ok(undefined);
      },
      environment: { PATH: path, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...environment },
      findProgram: (name) => findProgram(name, environment.PATH ?? path),
      ...more,
    },
    spec: (name, given) => ({
      ...{ name, team: 'docs', colour: 'cyan', prompt: 'Wait.', cwd },
      ...{ agentId: `agent-${name}`, taskId: `task-${name}`, sessionId: randomUUID() },
      ...given,
    }),
    async started(name) {
      await until(() => read('started', name) !== '');
      const told = JSON.parse(read('started', name)) as Started;
      rmSync(join(cwd, `started-${name}`));
      return told;
    },
    typed: (name) => read('typed', name),
    signals: (name) => read('signals', name),
  };
}

export function openPanes(type: Exclude<ExecutorType, 'in-process'>, { world }: PaneTest): OpenPanes {
  const backend = openBackend(type, world);
  if (!backend.ok) throw new Error(backend.problem.message);
  return { backend: backend.value, executor: paneExecutor(backend.value, world) };
}

export interface OpenPanes {
  backend: PaneBackend;
  executor: TeammateExecutor;
}

/** Variables as a process in the first pane of that server has them. */
export function insideOf(server: TestServer): Record<string, string> {
  const [line = ''] = server.panes('#{pane_id} #{pid}');
  const [pane = '', pid = ''] = line.split(' ');
  return { TMUX: `${server.socket},${pid},0`, TMUX_PANE: pane };
}

/** The five commands, for a terminal that happens to be tmux. */
export function tmuxCommands({ name }: TestServer): TeammateCommands {
  const tmux = `tmux -L ${name} -f /dev/null`;
  return {
    open: `${tmux} new-window -d -P -F '#{pane_id}' "$@"`,
    title: `${tmux} select-pane -t "$1" -T "$2"`,
    send: `printf '%s\\r' "$2" | ${tmux} load-buffer - && ${tmux} paste-buffer -d -t "$1"`,
    list: `${tmux} list-panes -a -F '#{pane_id}'`,
    close: `${tmux} kill-pane -t "$1"`,
  };
}

/**
 * A stand-in for iTerm2's `it2`, with the verbs and outputs that it documents. Its sessions are panes of tmux with a real
 * shell. Every call is recorded, one argument a line.
 */
export function installIt2({ name }: TestServer, directory: string): { bin: string; calls(): string } {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const log = join(directory, 'it2-calls');
  const script = `#!/bin/sh
printf '%s\\n' "$@" --- >> '${log}'
tmux() { command tmux -L ${name} -f /dev/null "$@"; }
[ "$1" = session ] || exit 2
verb=$2; shift 2
vertical=; id=; words=
while [ $# -gt 0 ]; do
  case $1 in
    -v) vertical=1 ;;
    -s) id=$2; shift ;;
    -f|--json) ;;
    --) words=$2; shift ;;
    *) echo "Usage error: $1" >&2; exit 2 ;;
  esac
  shift
done
pane="%\${id#SESSION-}"
if [ -n "$id" ] && ! tmux list-panes -a -F '#{pane_id}' | grep -qx "$pane"; then
  echo "Error: Session '$id' not found" >&2; exit 3
fi
case $verb in
  split) new=$(tmux new-window -d -P -F '#{pane_id}' sh) && echo "Created new pane: SESSION-\${new#%}" ;;
  run) tmux send-keys -t "$pane" -l -- "$words" && tmux send-keys -t "$pane" Enter ;;
  send) tmux send-keys -t "$pane" -l -- "$words" ;;
  set-name) echo "Session name set to: $words" ;;
  close) tmux kill-pane -t "$pane" && echo "Session closed" ;;
  list) echo "["; tmux list-panes -a -F '{"id": "SESSION-#{pane_id}", "name": "sh"},' | sed 's/SESSION-%/SESSION-/'; echo '{"id": "-"}]' ;;
  *) exit 2 ;;
esac
`;
  writeFileSync(join(bin, 'it2'), script);
  chmodSync(join(bin, 'it2'), 0o755);
  return { bin, calls: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}
