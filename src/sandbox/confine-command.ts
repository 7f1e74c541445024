import { writeFileSync } from '../lib/files/exact-files.ts';
import { join } from '../lib/files/exact-paths.ts';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/files.ts';
import { fail, failure, ok, type Result } from '../lib/result.ts';
import { listHomeCredentials } from '../places/home-credentials.ts';
import { ownSecrets } from '../places/protected.ts';
import type {
  ConfinedCommand,
  ConfinementScope,
  Launch,
  Sandbox,
  SandboxTerms,
} from '../protocol/sandbox.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRefusedPaths, listClosed } from './closed-paths.ts';
import {
  type Denials,
  explainUnusable,
  findDenials,
  noDenials,
  pickOpenRoots,
  suspectDenials,
} from './denials.ts';
import { findGitPlaces, type GitPlace, prepareBranch } from './git-places.ts';
import type { Afterwards } from './guard/afterwards.ts';
import { noteFirstProcess } from './guard/first-processes.ts';
import { holdGit } from './guard/held-git.ts';
import { identify, readIdentities } from './guard/identities.ts';
import { isBelow } from './guard/look.ts';
import { noteStandIns } from './guard/noted-places.ts';
import { findOtherCommands } from './guard/other-commands.ts';
import { listPlaceholders, takePlaceholders } from './guard/placeholders.ts';
import { findRepositories, guardedDirectories } from './guard/protected-places.ts';
import type { ReplayLists } from './guard/replay-lists.ts';
import type { RepositoryCopies } from './guard/repository-copies.ts';
import type { SharedHomes } from './guard/shared-homes.ts';
import type { GuardSweep } from './guard/sweep.ts';
import { type CommandWatch, watchCommand } from './guard/watch-command.ts';
import type { SandboxOptions } from './options.ts';
import { type PolicyInputs, planPolicy, writableRoots } from './policy.ts';
import { explainRefusal, hidesRefusal, isNotStarted } from './refusal.ts';
import type { Refusals } from './refusals.ts';
import { describeDenials, watchDenials } from './watch-denials.ts';
import { whyNotEntered } from './why-not-entered.ts';

export interface ConfineOptions
  extends SandboxOptions,
    Pick<PolicyInputs, 'writable' | 'system' | 'scopes' | 'targets' | 'secrets' | 'closedNames'> {
  terms: SandboxTerms;
  scratch?: string | undefined;
  /** Cadre's directories of this user, whose commands share one baseline. */
  homes: SharedHomes;
  /** Knows what makes directories repositories. */
  repositories: RepositoryCopies;
  /** Knows the lists from which git continues. */
  replays: ReplayLists;
  /** Watches the directories that commands can write. */
  sweep(roots: readonly string[]): Promise<GuardSweep>;
  /** Told about each command that was refused something. */
  refusals: Refusals;
  /** Findings after a command's own end, reported to the model with the next one. */
  late: string[];
  /** Work done right after a command's result is given, and before the next command begins. */
  afterwards: Afterwards;
}

/** One command, from its policy to the cleanup after it. */
export async function confineCommand(
  sandbox: Sandbox,
  launch: Launch,
  scope: ConfinementScope,
  options: ConfineOptions,
): Promise<Result<ConfinedCommand>> {
  const { directory, terms, scratch } = options;
  const prepared = prepare(directory, scratch);
  if (!prepared.ok) return prepared;
  if (scope.writes !== 'none') for (const place of scope.directories) prepareBranch(resolveRealPath(place));
  const wanted = writableRoots(scope, options);
  const denials = findDenials(launch, scope, options, wanted);
  const hidden = identify(denials.reading.map(({ path }) => path));
  const roots = pickOpenRoots(wanted, denials);
  const { filesystem } = options.settings;
  const unusable = explainUnusable(denials, filesystem, {
    ...{ shell: launch.file, roots },
    workspace: listWorkspace(scope, options.home),
  });
  if (unusable !== undefined) return failure(unusable);
  const sweep = roots.length === 0 ? undefined : await options.sweep(roots);
  const settingsPlaces = listSettingsPlaces(scope, roots);
  const gitPlaces = findWritableGit(resolveRealPath(launch.cwd), roots, sweep);
  const forgetPlaces = noteStandIns(options.home, [
    ...listPlaceholders(settingsPlaces),
    ...gitPlaces.flatMap((place) => place.held),
  ]);
  const taken = takePlaceholders(settingsPlaces);
  if (!taken.ok) {
    forgetPlaces();
    return taken;
  }
  const placeholders = taken.value;
  const heldGit = holdGit(gitPlaces);
  const giveBack = () => {
    placeholders.giveBack();
    heldGit.giveBack();
    forgetPlaces();
  };
  if (roots.length > 0) options.homes.note();
  const others = findOtherCommands(options.homes, roots);
  // Where file times are unreliable, findings before the command are part of the plan.
  const early = sweep?.isTimed === false ? sweep.begin(others) : undefined;
  const giveUp = () => {
    if (early) sweep?.settle(early, others.made);
    giveBack();
  };
  const standIns = { paths: placeholders.paths, directory };
  const names = (sweep ?? (await openNames(denials, scope, options)))?.survey.names;
  const inputs = { ...options, ...prepared.value, standIns, denials, survey: sweep?.survey, names };
  const plan = planPolicy(launch, scope, inputs, roots, scratch);
  const unreachable = whyNotEntered(resolveRealPath(launch.cwd), plan.policy);
  if (unreachable !== undefined) {
    giveUp();
    return failure(unreachable);
  }
  const held = readIdentities(plan.policy.paths);
  const confined = await sandbox.confine(launch, plan.policy);
  if (!confined.ok) {
    giveUp();
    return confined;
  }
  let watch: CommandWatch | undefined;
  const begin = () => {
    if (!sweep) return;
    options.afterwards.now();
    const start = { placeholders: [...placeholders.paths, ...heldGit.paths], held, others };
    watch = watchCommand(plan, sweep, early ?? sweep.begin(others), start, options);
    forgetPlaces();
  };
  const findExposed =
    denials === noDenials
      ? undefined
      : watchDenials(hidden, plan.policy.paths, describeDenials(launch, scope, options, wanted, denials));
  let exposed: string | undefined;
  const exposes = () => {
    exposed = findExposed?.();
    return exposed;
  };
  let forgetFirst = () => {};
  const isHeldBack = confined.value.gate !== undefined;
  if (!isHeldBack) begin();
  return ok({
    launch: confined.value,
    ...(isHeldBack ? { begin } : {}),
    noteFirst(first) {
      forgetFirst = noteFirstProcess(options.home, first);
    },
    ...(findExposed ? { exposes } : {}),
    offends: () => watch?.offends() ?? false,
    whyNotEntered: (path) => whyNotEntered(path, plan.policy),
    finish({ failed, output, code }) {
      confined.value.release?.();
      forgetFirst();
      const closed = listClosed(plan.policy, plan.roots);
      const refusedPaths = findRefusedPaths(output, closed, launch.cwd);
      const said = [
        ...(watch?.end({ closed, refused: refusedPaths }) ?? []),
        ...options.late.splice(0),
        ...reportExposed(exposed, options),
      ];
      const watched = watch;
      if (watched)
        options.afterwards.add(() => {
          giveBack();
          // Last: if this process is killed before, the next one removes them.
          watched.close();
        });
      else giveUp();
      const suspect = failed && isNotStarted(output) ? suspectDenials(denials, plan.roots) : undefined;
      if (suspect !== undefined) return [...said, suspect];
      const command = launch.args.at(-1) ?? '';
      const isRefused = failed || refusedPaths.length > 0 || hidesRefusal(command, output, options.userHome);
      if (isRefused) options.refusals.note(command, output);
      const ended = { output, command, code, closed: refusedPaths };
      const refused = isRefused ? explainRefusal(ended, { ...options, roots: plan.roots }, terms) : undefined;
      return [...said, ...(refused === undefined ? [] : [refused])];
    },
  });
}

/** The git directories that a command can commit to. */
function findWritableGit(cwd: string, roots: readonly string[], sweep: GuardSweep | undefined): GitPlace[] {
  if (roots.length === 0) return [];
  const directories = guardedDirectories(roots, cwd);
  return findRepositories(directories, roots, sweep?.survey.repositories ?? []).flatMap((directory) =>
    findGitPlaces(directory, roots),
  );
}

/** A command that only reads needs to know the other names of files that it may not read, if there are any. */
async function openNames(
  { reading }: Denials,
  scope: ConfinementScope,
  options: ConfineOptions,
): Promise<GuardSweep | undefined> {
  const { home, userHome, environment, closedNames } = options;
  const credentials = listHomeCredentials(userHome, environment);
  const closed = [...ownSecrets.map((name) => join(home, name)), ...credentials];
  if (reading.length === 0 && closedNames?.findShared(closed).size === 0) return undefined;
  const roots = writableRoots({ ...scope, writes: 'workspace' }, options);
  return roots.length === 0 ? undefined : options.sweep(roots);
}

function reportExposed(exposed: string | undefined, { notify }: ConfineOptions): string[] {
  if (exposed === undefined) return [];
  notify(`${exposed}.`);
  return [exposed];
}

/** Where settings would be read from; the root of a machine is not a workspace. */
function listSettingsPlaces({ directories }: ConfinementScope, roots: readonly string[]): string[] {
  const [start] = directories.map(resolveRealPath);
  return start === undefined || !roots.includes(start) ? [] : [start];
}

/** Directories of ours that a command is given are seen whatever settings hide around them. */
function listWorkspace({ directories }: ConfinementScope, home: string): string[] {
  const own = resolveRealPath(home);
  return directories.map(resolveRealPath).filter((path) => !isBelow(path, own));
}

/**
 * The session's own `/tmp`, a real path though our home may be behind a link, and an empty file to mount where the command
 * may write one.
 */
function prepare(directory: string, scratch: string | undefined): Result<{ temporary: string }> {
  const temporary = join(directory, 'tmp');
  const made = ensurePrivateDirectory(temporary);
  if (!made.ok) return made;
  const real = { temporary: resolveRealPath(temporary) };
  if (scratch === undefined) return ok(real);
  try {
    writeFileSync(scratch, '', { mode: 0o600 });
    return ok(real);
  } catch (error) {
    return fail(describeFileError(error, scratch, 'write'));
  }
}
