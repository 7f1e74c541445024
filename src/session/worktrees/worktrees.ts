import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentWorktrees, agentWorktrees } from '../../agents/worktrees.ts';
import type { GateOptions } from '../../landing/gate.ts';
import { landTool } from '../../landing/land-tool.ts';
import type { Ground } from '../../landing/types.ts';
import { clearDeadLock, isDeadLock } from '../../lib/files/file-lock.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { isOfDead } from '../../lib/files/temporary-names.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { enterWorktreeTool, exitWorktreeTool } from '../../modes/worktree-tools.ts';
import { openRefusals, type ReaderRefusals } from '../../permissions/reader-refusals.ts';
import type { ShellSandbox, Tool, WorkingDirectory } from '../../protocol/index.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { findCommonDirectory, findGitDirectory } from '../../workspace/git/directory.ts';
import type { NewWorktree, WorktreeStart } from '../../workspace/worktrees/create.ts';
import type { FillOptions } from '../../workspace/worktrees/fill.ts';
import { locateStand, type WorktreeRecord } from '../../workspace/worktrees/record.ts';
import type { Kernel } from '../kernel.ts';
import type { LeadHands } from '../lead/hands.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import { isConfined } from '../sandbox.ts';
import type { Surroundings } from '../surroundings.ts';
import { type Act, actOnTape } from '../tape.ts';
import { createWorktreeDesk, openWorktree, type SessionWorktree } from './desk.ts';
import { sessionWorld, worktreeWorld } from './world.ts';

/** The worktrees of this session's agents. Nothing is read before the first one is made. */
export function createWorktrees(
  kernel: Kernel,
  permissions: LeadPermissions,
  sandbox: ShellSandbox | undefined,
  environment: () => Promise<Record<string, string>>,
): AgentWorktrees {
  const { id, place, settings, tape } = kernel;
  const worktrees = agentWorktrees({
    world: sessionWorld(kernel, permissions, sandbox),
    session: id,
    start: chooseStart(settings),
    fill: async () => {
      const rules = permissions.listRules(null);
      const setup = { env: await environment(), clock: place.outside.clock, rules };
      return fillOptions(settings, sandbox, openRefusals(place, settings, rules), setup);
    },
  });
  return tape ? worktreesOnTape(actOnTape(tape), worktrees) : worktrees;
}

/** `fresh` uses the last fetched state: nothing is fetched for it. */
export function chooseStart({ worktree: { baseRef = 'head', uncommitted } }: LoadedSettings): WorktreeStart {
  const from = baseRef === 'fresh' ? 'refs/remotes/origin/HEAD' : baseRef;
  return { ...(baseRef === 'head' ? {} : { from }), ...(uncommitted === undefined ? {} : { uncommitted }) };
}

/**
 * Linked directories must be read-only for the agent that works there, so they are linked only if commands are
 * confined.
 */
export async function fillOptions(
  { worktree }: LoadedSettings,
  sandbox: ShellSandbox | undefined,
  refusals: ReaderRefusals,
  setup: SetupParts,
): Promise<FillOptions> {
  return {
    ...(await openSetup(worktree.setup, { ...setup, sandbox })),
    copyDirectories: worktree.copyDirectories,
    linkDirectories: worktree.symlinkDirectories,
    sandboxed: (await sandbox?.ready()) !== undefined,
    refuses: async (path) => (await refusals.reading(path))?.reason,
  };
}

type SetupParts = Pick<GateOptions, 'env' | 'clock' | 'rules'>;

/** The command that prepares new worktrees, under the sandbox where there is one. */
async function openSetup(
  command: string | undefined,
  parts: Omit<GateOptions, 'command'>,
): Promise<Pick<FillOptions, 'setUp'>> {
  if (command === undefined) return {};
  const { shellSetup } = await import('../../landing/gate.ts');
  return { setUp: shellSetup({ ...parts, command }) };
}

interface DeskParts {
  directory: WorkingDirectory;
  permissions: LeadPermissions;
  sandbox: ShellSandbox | undefined;
  /** What commands run with. */
  environment(): Promise<Record<string, string>>;
}

/** Where the lead enters and leaves its own worktree. */
function createDesk(
  kernel: Kernel,
  { directory, permissions, sandbox, environment }: DeskParts,
  begun: WorktreeRecord | undefined,
): SessionWorktree {
  const { id, place, settings, tape } = kernel;
  const options = {
    ...{ world: sessionWorld(kernel, permissions, sandbox), session: id, directory, permissions },
    start: chooseStart(settings),
    root: place.cwd,
    fill: async () => {
      const rules = permissions.listRules(null);
      const setup = { env: await environment(), clock: place.outside.clock, rules };
      return fillOptions(settings, sandbox, openRefusals(place, settings, rules), setup);
    },
    token: () => place.outside.ids.token(6).toLowerCase(),
    act: actOnTape(tape),
  };
  return createWorktreeDesk(options, begun);
}

/** The worktree that the lead may be in. */
export interface LeadWorktree {
  desk: SessionWorktree;
  /** The directory that the session starts in. */
  startsIn: string;
}

export function worktreeFeature(
  { hands }: LeadHands,
  permissions: LeadPermissions,
  sandbox: ShellSandbox | undefined,
): SessionFeature<LeadWorktree> {
  return {
    name: 'worktree of the lead',
    async open(kernel) {
      const environment = () => hands.shell.environment();
      const parts = { directory: hands.directory, permissions, sandbox, environment };
      const begun = await beginWorktree(kernel, parts);
      if (!begun.ok) return begun;
      const { record, notes = [] } = begun.value ?? {};
      const desk = createDesk(kernel, parts, record);
      return {
        desk,
        startsIn: record ? locateStand(record) : kernel.place.cwd,
        notices: notes,
        async close({ isPassed }) {
          if (!isPassed) await desk.close();
        },
      };
    },
  };
}

/** Moves the lead into worktrees, and lands the work of agents from theirs. */
export function worktreeToolFeature(
  { desk }: LeadWorktree,
  { hands }: LeadHands,
  permissions: LeadPermissions,
  sandbox: ShellSandbox | undefined,
): SessionFeature<{ findGround(cwd: string): Promise<Result<Ground>> }> {
  return {
    name: 'worktree tools',
    open(kernel) {
      const findGround = async (cwd: string) =>
        landingGround(kernel, { permissions, sandbox }, await hands.shell.environment(), cwd);
      if (!kernel.place.isRepository) return { findGround };
      return { ...describeWorktreeTools(() => desk, findGround), findGround };
    },
  };
}

/** Entering and leaving are on a tape as actions; landing is there like any other tool. */
export function describeWorktreeTools(
  desk: () => SessionWorktree,
  findGround: (cwd: string) => Promise<Result<Ground>>,
): { drivingTools: Tool[]; tools: Tool[] } {
  return {
    drivingTools: [enterWorktreeTool(desk), exitWorktreeTool(desk)],
    tools: [landTool(findGround) as Tool],
  };
}

async function beginWorktree(
  kernel: Kernel,
  { permissions, sandbox, environment }: DeskParts,
): Promise<Result<NewWorktree | undefined>> {
  const { options, place, settings, id, tape } = kernel;
  if (options.worktree === undefined) return ok(undefined);
  const wanted = {
    ...{ cwd: place.cwd, root: place.cwd, session: id, token: place.ids.token(6).toLowerCase() },
    name: options.worktree === true ? undefined : options.worktree,
    start: chooseStart(settings),
  };
  const { worktree } = settings;
  const refusals = openRefusals(place, settings, permissions.startRules);
  const fill = {
    copyDirectories: worktree.copyDirectories,
    linkDirectories: worktree.symlinkDirectories,
    sandboxed: await isConfined(options, settings, place),
    refuses: async (path: string) => (await refusals.reading(path))?.reason,
    ...(await openSetup(worktree.setup, {
      ...{ env: await environment(), clock: place.outside.clock, rules: permissions.startRules, sandbox },
    })),
  };
  const made = await actOnTape(tape)('--worktree', () =>
    openWorktree(wanted, fill, sessionWorld(kernel, permissions, sandbox)),
  );
  return made.ok ? made : usage(`--worktree: ${made.problem.message}`, made.problem.hint);
}

/** Where the work of agents is landed from. */
async function landingGround(
  kernel: Kernel,
  { permissions, sandbox }: Pick<DeskParts, 'permissions' | 'sandbox'>,
  env: Record<string, string>,
  cwd: string,
): Promise<Result<Ground>> {
  const { findRepository } = await import('../../workspace/worktrees/repository.ts');
  const { id, place, settings } = kernel;
  const world = sessionWorld(kernel, permissions, sandbox);
  const repository = await findRepository(cwd, world);
  if (!repository.ok) return repository;
  const { gate } = settings.worktree;
  const { shellGate } = await import('../../landing/gate.ts');
  const rules = permissions.listRules(null);
  const refusals = openRefusals(place, settings, rules);
  return ok({
    ...{ repository: repository.value, world, session: id },
    fill: await fillOptions(settings, sandbox, refusals, { env, clock: world.clock, rules }),
    findDenied: refusals.writing,
    commands: () => permissions.ownCommands.list(),
    ...(gate === undefined
      ? {}
      : { gate: shellGate({ command: gate, env, clock: world.clock, sandbox, rules }) }),
  });
}

/**
 * Cleans up after dead processes, and reports worktrees that hold work. Costs nothing if there is nothing to clean up.
 * `session`: the one that is being opened, of which some may be.
 */
export async function sweepDeadWorktrees(around: Surroundings, session?: string): Promise<string[]> {
  const recovered = existsSync(join(around.home, 'landing')) ? await recover(around) : [];
  for (const path of await findDeadLocks(around)) clearLock(path);
  if (!existsSync(join(around.home, 'worktrees'))) return recovered;
  const { sweepWorktrees } = await import('../../workspace/worktrees/sweep.ts');
  const swept = await sweepWorktrees(worktreeWorld(around));
  const left = swept.flatMap(({ record, end, reason }) => {
    if (end === 'kept')
      return [
        record.session === session
          ? `The worktree ${record.path} of this session contains work that has not landed. Run cadre worktree list to see it.`
          : `The worktree ${record.path} is no longer used by any session and contains work. Run cadre worktree list to see it.`,
      ];
    return end === 'failed' ? [`The worktree ${record.path} could not be cleaned up: ${reason}`] : [];
  });
  return [...recovered, ...left];
}

/** In this repository, and in those with worktrees of ours; also parts of taking one. They are void, but users can see them. */
export async function findDeadLocks({ home, root }: Pick<Surroundings, 'home' | 'root'>): Promise<string[]> {
  const own = findGitDirectory(root);
  const commons = new Set(own === undefined ? [] : [findCommonDirectory(own)]);
  if (existsSync(join(home, 'worktrees'))) {
    const { listRecords } = await import('../../workspace/worktrees/record.ts');
    for (const { common } of listRecords(home)) commons.add(common);
  }
  return [...commons].flatMap((common) =>
    listNames(common)
      .filter((name) => /^cadre-[a-z]+\.lock(?:\.|$)/.test(name))
      .map((name) => join(common, name))
      .filter((path) => isOfDead(path) || isDeadLock(path)),
  );
}

/** Another process may have taken it meanwhile. */
function clearLock(path: string): void {
  if (isOfDead(path)) rmSync(path, { force: true });
  else clearDeadLock(path);
}

async function recover(around: Surroundings): Promise<string[]> {
  const { recoverLandings } = await import('../../landing/moving/recover.ts');
  return recoverLandings(worktreeWorld(around));
}

function worktreesOnTape(act: Act, worktrees: AgentWorktrees): AgentWorktrees {
  return {
    make: (agent) => act(`worktree for ${agent.agentId}`, () => worktrees.make(agent)),
    again: (agent, before) =>
      act(`worktree again for ${agent.agentId}`, () => worktrees.again(agent, before)),
    async leave(record) {
      // Nothing is `null` in JSON.
      const left = await act(`worktree ${record.slug} left`, async () =>
        ok((await worktrees.leave(record)) ?? null),
      );
      return left.ok ? (left.value ?? undefined) : undefined;
    },
  };
}
