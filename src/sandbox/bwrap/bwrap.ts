import { closeSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { openSync } from '../../lib/files/exact-files.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { ConfinedLaunch, Launch, LaunchFile, Sandbox, SandboxPolicy } from '../../protocol/sandbox.ts';
import { prepareMountPoints, privatePath } from '../temporary.ts';
import { carryArguments } from './carry-arguments.ts';
import { mountArguments, processFiles } from './mounts.ts';
import { seccompFilter } from './seccomp.ts';
import { enterScripts, enterVerified } from './verify-mounts.ts';

export interface BwrapOptions {
  /** Absolute path of the program. */
  program: string;
  arch: string;
  /** Where the filter is kept for the program to read; not writable from inside. */
  directory(): Result<string>;
}

/**
 * Linux namespaces by way of bubblewrap: own processes, own loopback, files as the policy says. There is no other network,
 * whatever the policy would allow: that is `bwrap-network.ts`.
 */
export function bwrapSandbox(options: BwrapOptions): Sandbox {
  const filters = new Map<boolean, Result<string>>();
  const findFilter = (unixSockets: boolean) => {
    const known = filters.get(unixSockets);
    if (known?.ok) return known;
    const written = writeFilter(options, unixSockets);
    filters.set(unixSockets, written);
    return written;
  };
  return {
    name: 'bwrap',
    program: options.program,
    shape: () => describeShape(options.arch),
    async probe() {
      const works = await probeOnce(options.program);
      return works.ok ? ok(undefined) : works;
    },
    async confine(launch, policy) {
      const filter = findFilter(policy.unixSockets);
      if (!filter.ok) return filter;
      const mounts = await prepareMounts(options, launch, policy);
      if (!mounts.ok) return mounts;
      return ok(confined(options.program, filter.value, launch, policy, mounts.value));
    },
  };
}

/** All of them new, and without root privileges in them: a process with those could undo the mounts. */
const apart = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'];

/** The arguments for an example of everything that a policy can contain, and the filters. */
function describeShape(arch: string): string {
  const filters = [true, false].map((unixSockets) => [...(seccompFilter(arch, unixSockets) ?? [])]);
  const mounts = mountArguments(example, [`${privatePath}/a`], () => 9);
  return JSON.stringify([apart, hides, mounts, enterScripts, filters]);
}

const example: SandboxPolicy = {
  paths: [
    { path: '/home', access: 'none', isDirectory: true, pinned: true },
    { path: '/work', access: 'write', isDirectory: true, pinned: true },
    { path: '/work/.git', access: 'write', isDirectory: true },
    { path: '/work/.git/config', access: 'read', isDirectory: false },
    { path: '/work/.git/hooks', access: 'read', isDirectory: true },
    { path: '/work/.env', access: 'none', isDirectory: false },
    { path: '/work/secret', access: 'none', isDirectory: true },
    { path: '/etc/a', access: 'read', isDirectory: false, from: '/etc/b' },
  ],
  ...{ temporary: '/private', links: [{ path: '/home/a', target: 'b' }] },
  ...{ network: 'none', unixSockets: false, localBinding: false },
};

export interface Mounts {
  /** Including the directory in which the command starts. */
  args: string[];
  /** Descriptors from 4 on; 3 is the filter. */
  files: LaunchFile[];
  release?(): void;
}

/** The file system of a command, and the preparations it needs. */
export async function prepareMounts(
  { program, directory }: BwrapOptions,
  { cwd }: Launch,
  policy: SandboxPolicy,
  processes?: readonly string[],
): Promise<Result<Mounts>> {
  const holders = prepareMountPoints(policy.paths, policy.temporary);
  if ('problem' in holders) return failure(`The sandbox's /tmp cannot be created: ${holders.problem}`);
  const places: string[] = [];
  const works = await probeOnce(program);
  const hold = works.ok && works.value.byDescriptor ? (path: string) => 3 + places.push(path) : undefined;
  const mounts = [...mountArguments(policy, holders, hold, processes), '--chdir', cwd];
  const carried = carryArguments(mounts, 4 + places.length, directory);
  if (!carried.ok) return carried;
  const { args, file, release } = carried.value;
  const files = places.map((path): LaunchFile => ({ path, place: true }));
  return ok({
    ...{ args, files: file === undefined ? files : [...files, { path: file }] },
    ...(release ? { release } : {}),
  });
}

function confined(
  program: string,
  filter: string,
  launch: Launch,
  policy: SandboxPolicy,
  mounts: Mounts,
): ConfinedLaunch {
  const gate = launch.canWait ? 4 + mounts.files.length : undefined;
  const inside = ['--seccomp', '3', '--', ...enterVerified(policy, launch, gate)];
  return {
    file: program,
    args: [...apart, ...mounts.args, ...inside],
    // Where it starts; the command itself is moved to its own directory inside.
    cwd: '/',
    env: { ...launch.env, TMPDIR: privatePath },
    files: [{ path: filter }, ...mounts.files],
    ...(mounts.release ? { release: mounts.release } : {}),
    ...(gate === undefined ? {} : { gate }),
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

/** By program: results are valid for the life of this process, for all its sessions. */
const probed = new Map<string, Promise<Result<Ability>>>();

interface Ability {
  /** Whether places can be passed as descriptors, which cannot be replaced; versions before 0.10 may lack it. */
  byDescriptor: boolean;
}

function probeOnce(program: string): Promise<Result<Ability>> {
  const known = probed.get(program) ?? probe(program);
  probed.set(program, known);
  return known;
}

async function probe(program: string): Promise<Result<Ability>> {
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', ...processFiles, ...hides];
  // Only a shell that really runs in its own process namespace has so low a number and ends with this code.
  const command = ['--', '/bin/sh', '-c', `[ $$ -lt 100 ] && exit ${confinedCode}`];
  const usr = openSync('/usr', 'r');
  const better = await runQuietly(
    program,
    [...apart, ...mounts, '--ro-bind-fd', '3', '/usr', ...command],
    [usr],
    confinedCode,
  );
  closeSync(usr);
  if (better === undefined) return ok({ byDescriptor: true });
  const said = await runQuietly(program, [...apart, ...mounts, ...command], [], confinedCode);
  if (said === undefined) return ok({ byDescriptor: false });
  return failure(
    `${program} does not work here (${said}).`,
    'Most likely user namespaces are disabled on this system (kernel.unprivileged_userns_clone, AppArmor, a container), or bubblewrap is older than 0.5.',
  );
}

/** A directory is hidden by an empty one with a mode: from 0.5 on. */
const hides = ['--perms', '0555', '--tmpfs', privatePath];

const confinedCode = 42;

/** The error of a program that fails; undefined when it succeeds. */
export async function runQuietly(
  program: string,
  args: readonly string[],
  descriptors: readonly number[] = [],
  goodCode = 0,
): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  const end = await spawnOwned({
    file: program,
    args,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    owner: 'cadre-probe',
    clock: systemClock,
    output: (chunk) => pieces.push(chunk),
    descriptors,
    takesAllAlong: true,
    timeoutMs: 5000,
  }).ended;
  if (end.code === goodCode) return undefined;
  const said = Buffer.concat(pieces).toString('utf8').trim().split('\n')[0] ?? '';
  return said.replace(/^bwrap: /, '').slice(0, 300) || end.problem || `exit code ${end.code}`;
}
