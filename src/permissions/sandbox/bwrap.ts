import { writeAtomic } from '../../lib/atomic.ts';
import { systemClock } from '../../lib/clock.ts';
import { spawnOwned } from '../../lib/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { ConfinedLaunch, Launch, Sandbox, SandboxPolicy } from '../../protocol/sandbox.ts';
import { mountArguments, privatePath } from './mounts.ts';
import { seccompFilter } from './seccomp.ts';

export interface BwrapOptions {
  /** Absolute path of the program. */
  program: string;
  arch: string;
  /** Where the filter is kept for the program to read; not writable from inside. */
  directory(): Result<string>;
}

/**
 * Linux name spaces by way of bubblewrap: own processes, own loopback, files as the policy says. There is no other
 * network, whatever the policy would allow: that is `bwrap-network.ts`.
 */
export function bwrapSandbox(options: BwrapOptions): Sandbox {
  const filters = new Map<boolean, Result<string>>();
  const filterFor = (unixSockets: boolean) => {
    const known = filters.get(unixSockets);
    if (known?.ok) return known;
    const written = writeFilter(options, unixSockets);
    filters.set(unixSockets, written);
    return written;
  };
  return {
    name: 'bwrap',
    probe: () => probeOnce(options.program),
    async confine(launch, policy) {
      const filter = filterFor(policy.unixSockets);
      return filter.ok ? ok(confined(options.program, filter.value, launch, policy)) : filter;
    },
  };
}

/** All of them new, and none of root's rights in them: a process with those could undo the mounts. */
const apart = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'];

function confined(program: string, filter: string, launch: Launch, policy: SandboxPolicy): ConfinedLaunch {
  const inside = ['--chdir', launch.cwd, '--seccomp', '3', '--', launch.file, ...launch.args];
  return {
    file: program,
    args: [...apart, ...mountArguments(policy), ...inside],
    // Where it starts; the command itself is moved to its own directory inside.
    cwd: '/',
    env: { ...launch.env, TMPDIR: privatePath },
    files: [filter],
  };
}

function writeFilter({ arch, directory }: BwrapOptions, unixSockets: boolean): Result<string> {
  const bytes = seccompFilter(arch, unixSockets);
  if (!bytes) return failure(`There is no system-call filter for ${arch}.`);
  const made = directory();
  if (!made.ok) return made;
  const path = `${made.value}/calls-${unixSockets ? 'sockets' : 'closed'}.bpf`;
  const written = writeAtomic(path, bytes, 0o600);
  return written.ok ? ok(path) : written;
}

/** By program: what is found out once holds as long as this process, whatever number of sessions it has. */
const probed = new Map<string, Promise<Result<void>>>();

function probeOnce(program: string): Promise<Result<void>> {
  const known = probed.get(program) ?? probe(program);
  probed.set(program, known);
  return known;
}

async function probe(program: string): Promise<Result<void>> {
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', privatePath];
  const said = await runQuietly(program, [...apart, ...mounts, '--', '/bin/sh', '-c', ':']);
  if (said === undefined) return ok(undefined);
  return failure(
    `${program} does not work here (${said}).`,
    'Most likely user name spaces are closed on this system (kernel.unprivileged_userns_clone, AppArmor, a container).',
  );
}

/** What a program says that fails; undefined when it does not. */
export async function runQuietly(program: string, args: readonly string[]): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  const end = await spawnOwned({
    file: program,
    args,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    owner: 'cadre-probe',
    clock: systemClock,
    output: (chunk) => pieces.push(chunk),
    takesAllAlong: true,
    timeoutMs: 5000,
  }).ended;
  if (end.code === 0) return undefined;
  const said = Buffer.concat(pieces).toString('utf8').trim().split('\n')[0] ?? '';
  return said.replace(/^bwrap: /, '').slice(0, 300) || end.problem || `exit code ${end.code}`;
}
