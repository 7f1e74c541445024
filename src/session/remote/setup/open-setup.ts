import { join } from 'node:path';
import { runConfined } from '../../../landing/run-confined.ts';
import { hashBytes } from '../../../lib/hash.ts';
import { ok, type Result, usage } from '../../../lib/result.ts';
import { visible } from '../../../lib/text/text.ts';
import type { Rule, ShellSandbox } from '../../../protocol/index.ts';
import { heldBack, pickEnvironment } from '../../../tools/bash/pick-environment.ts';
import { bindGit, type Git } from '../../../workspace/worktrees/repository.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { NewCheckout } from '../job-place.ts';
import { type CommandWorld, checkNeeds, type Need } from './find-lacks.ts';
import { readSetup, setupFile, type WorkerSetup } from './read-setup.ts';
import { openSetupCache } from './setup-cache.ts';

/** Where setups run, and what they may do there. */
export interface SetupGround {
  readonly around: Surroundings;
  /** Variables that commands receive besides the usual ones. */
  readonly allowed: readonly string[];
  readonly rules: readonly Rule[];
  /** Confines the setup to the checkout. Undefined: there is none, or the user wants none. */
  readonly sandbox: ShellSandbox | undefined;
  /** Whether a setup may run without a sandbox. */
  readonly mayRunOpen: boolean;
  /** The directories of earlier setups. */
  readonly cache: string;
  say(text: string): void;
}

const usualMinutes = 15;
const maxShown = 2000;

/** Prepares a checkout as its repository says: first what it needs, then its setup, or what an equal one has left. */
export async function prepareCheckout(
  ground: SetupGround,
  checkout: NewCheckout,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { top } = checkout;
  const setup = readSetup(top);
  if (!setup.ok || !setup.value) return setup.ok ? ok(undefined) : setup;
  const needs = await checkNeeds(setup.value, describeWorld(ground, top, signal));
  const lacks = needs.filter(({ isMet }) => !isMet);
  if (lacks.length > 0)
    return usage(
      `What the repository asks for in ${setupFile} is missing: ${lacks.map(({ text }) => text).join('; ')}.`,
      'Install it there, or send the agent to a worker that has it, by its label.',
    );
  return setup.value.setup === undefined
    ? ok(undefined)
    : runOnce(ground, setup.value, needs, checkout, signal);
}

async function runOnce(
  ground: SetupGround,
  setup: WorkerSetup,
  needs: readonly Need[],
  { top, submitter }: NewCheckout,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { around, cache: directory, say } = ground;
  const git = bindGit({ home: around.home, env: { ...around.environment }, clock: around.clock }, top);
  const paths = setup.cache ?? [];
  const checked = await checkIgnored(git, paths);
  if (!checked.ok) return checked;
  const key = await hashContent(git, setup, needs, submitter);
  if (!key.ok) return key;
  const cache = openSetupCache(directory, paths, say);
  if (paths.length > 0 && (await cache.restore(key.value, top))) return ok(undefined);
  const ran = await runSetup(ground, setup, top, signal);
  if (ran.ok && paths.length > 0) await cache.keep(key.value, top);
  return ran;
}

/** A directory that git does not ignore would become a part of what the agent did. */
async function checkIgnored(git: Git, paths: readonly string[]): Promise<Result<void>> {
  for (const path of paths) {
    const ignored = await git(['check-ignore', '--quiet', '--no-index', '--', `${path}/x`]);
    const tracked = await git(['ls-files', '--', path]);
    if (!ignored.ok || !tracked.ok || tracked.value !== '')
      return usage(
        `${setupFile}: cache: ${path} is not ignored by git.`,
        'Add it to .gitignore: the setup fills it on every worker.',
      );
  }
  return ok(undefined);
}

/** What one submitter's setup leaves may be anything, so it is not for the jobs of another. */
async function hashContent(
  git: Git,
  setup: WorkerSetup,
  needs: readonly Need[],
  submitter: string,
): Promise<Result<string>> {
  const listed = await git(['ls-tree', '-r', 'HEAD', '--', ...(setup.inputs ?? ['.'])]);
  if (!listed.ok) return listed;
  const versions = needs.map(({ name, version }) => [name, version ?? '']);
  const parts = [2, submitter, setup, versions, process.platform, process.arch, listed.value];
  return ok(hashBytes(JSON.stringify(parts)).slice(0, 40));
}

async function runSetup(
  { around, allowed, rules, sandbox, mayRunOpen }: SetupGround,
  { setup = '', timeoutMinutes = usualMinutes }: WorkerSetup,
  top: string,
  signal: AbortSignal,
): Promise<Result<void>> {
  const isConfined = (await sandbox?.ready()) !== undefined;
  if (!isConfined && !mayRunOpen)
    return usage(
      `The setup of ${setupFile} was not run: no sandbox works on this worker.`,
      'Make it work (cadre doctor), or start the worker with --open-setup.',
    );
  const { variables } = pickEnvironment(around.environment, [...allowed]);
  const shell = { env: variables, clock: around.clock, rules, ...(isConfined ? { sandbox } : {}) };
  const timeoutMs = timeoutMinutes * 60_000;
  const ran = await runConfined(shell, { command: setup, cwd: top, timeoutMs, maxOutput: maxShown, signal });
  if (!ran.ok) return ran;
  const { end, output, notes } = ran.value;
  if (end.code === 0) return ok(undefined);
  const how =
    end.problem ?? (end.timedOut ? `it took more than ${timeoutMinutes} minutes` : `exit code ${end.code}`);
  const said = [output.trim(), ...notes].filter((text) => text !== '').join('\n');
  return usage(`The setup of ${setupFile} failed (${how}): ${visible(said)}`, 'Fix it in the repository.');
}

/** What commands will find: programs along the search path that they get. */
export function describeWorld(
  { around, allowed, rules, sandbox }: SetupGround,
  cwd: string,
  signal?: AbortSignal,
): CommandWorld {
  const { variables } = pickEnvironment(around.environment, [...allowed]);
  return {
    variables,
    heldBack: heldBack(around.environment, [...allowed]),
    async askVersion(program) {
      const isConfined = (await sandbox?.ready()) !== undefined;
      const shell = { env: variables, clock: around.clock, rules, ...(isConfined ? { sandbox } : {}) };
      // Its name has no character that means something to a shell.
      const command = `command -v ${program} >/dev/null || exit 127; ${program} --version </dev/null 2>&1`;
      const asked = { command, cwd, timeoutMs: 10_000, maxOutput: 2000 };
      const ran = await runConfined(shell, signal ? { ...asked, signal } : asked);
      return ran.ok && ran.value.end.code !== 127 ? ran.value.output : undefined;
    },
  };
}

/** Below the worker's own directory. */
export function locateCache(directory: string): string {
  return join(directory, 'setups');
}
