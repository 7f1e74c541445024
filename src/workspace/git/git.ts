import { type Clock, systemClock } from '../../lib/clock.ts';
import { checkOwner } from '../../lib/processes/owner-rights.ts';
import { ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { readingEnvironment } from '../reading-environment.ts';
import { findRunningCommands } from '../running-commands.ts';
import { findOwnProgram, workPlaces } from '../search-path.ts';
import { chooseProgramValues } from './chosen-programs.ts';
import { readEverySetting, readUserSettings } from './every-setting.ts';
import { type StartFilters, unwrapFilters, wrapFilters } from './filter-start.ts';
import {
  decodeFilters,
  type ListedSetting,
  listSettings,
  pickFilterCommands,
  pickOwnFilters,
  switchOff,
  type TrustsFilter,
} from './filters.ts';
import { refuseLinkedData, writesData } from './linked-data.ts';
import { decodeName } from './names.ts';
import {
  isPerson,
  neutralArguments,
  neutralEnvironment,
  neutralSettings,
  runsConfiguredPrograms,
  runsFilters,
} from './neutral.ts';
import { findObstacleForGit } from './obstacles.ts';
import { pinRepository } from './pin-repository.ts';
import { hasPlainSettings } from './plain-settings.ts';

export interface GitOptions {
  cwd: string;
  env: Record<string, string>;
  signal?: AbortSignal;
  clock?: Clock;
  timeoutMs?: number;
  input?: string;
  /** Another index than the work tree's own, so that work in progress is read and not touched. */
  indexFile?: string;
  /** Where new objects go, beside the repository's own store, which is then only read; or the only store. */
  objects?: { own: string; shared?: string };
  /** Another place for files than the checkout around `cwd`, with its own data. */
  workTree?: { gitDirectory: string; top: string };
  /** Input and output have one character per byte: file names need not be valid text. */
  bytes?: boolean;
  /** Names beyond ASCII are printed as they are, for people and models to read. */
  plainNames?: boolean;
  /** Filters of the repository that git may run all the same; none unless given. */
  trustsFilter?: TrustsFilter | undefined;
  /** How filters are started, the user's own too. Without it git runs none. */
  startFilters?: StartFilters | undefined;
  /** How git may reach other repositories: as the user asked, or on this disk alone; not at all unless given. */
  transports?: 'all' | 'disk' | undefined;
  /** Exit codes besides 0 that are answers and not failures. */
  alsoGood?: readonly number[];
}

const defaultTimeoutMs = 30_000;
const maxOutput = 64 * 1024 * 1024;

/**
 * Runs git and returns its output. Git reads a repository by running programs that the repository names; here it runs none of
 * them (`git-neutral.ts`). `args` begin with the subcommand. For our own commands only, not for those of a model.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<Result<string>> {
  // Before anything is made for it, such as the sandbox of its filters.
  const allowed = checkOwner(options.env[ownerVariable]);
  if (!allowed.ok) return allowed;
  if (runsFilters(args)) return runWithFilters(args, options);
  const programs = runsConfiguredPrograms(args) ? await configuredPrograms(options) : ok([]);
  if (!programs.ok) return programs;
  const config = [...neutralSettings, ...chooseNameSettings(options), ...programs.value];
  return runGit(neutralArguments(args), config, options, listGoodCodes(options));
}

function chooseNameSettings({ plainNames }: GitOptions): [string, string][] {
  return plainNames ? [['core.quotePath', 'false']] : [];
}

/** Filters are started as the caller says, or not at all. */
async function runWithFilters(args: readonly string[], options: GitOptions): Promise<Result<string>> {
  const { startFilters, cwd, env } = options;
  const plain = listPlainly(options);
  const settings = plain ? ok(plain) : await listHere(options);
  if (!settings.ok) return settings;
  const filters = decodeFilters(settings.value.listed);
  if (!filters.ok) return filters;
  const kept = keepTrusted(filters.value, options);
  const commands = pickFilterCommands(filters.value, kept);
  const programs = chooseProgramValues({ ...settings.value, kept }, cwd);
  if (!programs.ok) return programs;
  const config = [...neutralSettings, ...chooseNameSettings(options), ...programs.value];
  const run = (more: readonly [string, string][], given: GitOptions & Started = options) =>
    runGit(neutralArguments(args), [...config, ...more], given, listGoodCodes(options));
  if (commands.size === 0) return run([]);
  if (!startFilters) return run(switchOff(commands));
  const ask = (words: readonly string[], input?: string) => {
    const { input: _, ...asking } = options;
    return runGit(words, neutralSettings, {
      ...asking,
      ...(input === undefined ? {} : { input }),
      bytes: true,
    });
  };
  const { needsNoFilter } = await import('./used-filters.ts');
  const unused = await needsNoFilter(args, options, commands, ask);
  if (!unused.ok) return unused;
  if (unused.value) return run(switchOff(commands));
  return startFilters({ cwd, env, commands }, async (start) => {
    if (!start) return run([]);
    const wrapped = wrapFilters(commands, start);
    const isOurs = (name: string) => isPerson(name) || name === ownerVariable;
    const ours = Object.fromEntries(Object.entries(env).filter(([name]) => isOurs(name)));
    const { descriptors } = start;
    const done = await run([...wrapped], { ...options, env: { ...start.env, ...ours }, descriptors });
    if (done.ok) return done;
    const message = unwrapFilters(done.problem.message, commands, wrapped);
    if (!/filter/.test(message)) return done;
    return failure(message, 'Filters run in the sandbox, where they can read and write what a command can.');
  });
}

interface Started {
  /** Passed on to the programs that git starts. */
  descriptors?: readonly number[];
}

function listGoodCodes({ alsoGood = [] }: GitOptions): readonly number[] {
  return [0, ...alsoGood];
}

/** The system's package of git, which reads `/etc/gitconfig`. */
const systemGit = '/usr/bin/git';

/**
 * The same without asking git, where no filter can be the repository's and none of the user's is started: they are only switched off, so
 * one that is not in effect here makes no difference. The first request of a session waits for `git status`, and each start of git takes
 * as long as a tenth of the start of the session.
 */
function listPlainly(options: GitOptions): { listed: ListedSetting[]; every: ListedSetting[] } | undefined {
  const { cwd, env, startFilters, workTree } = options;
  if (workTree || process.platform !== 'linux') return undefined;
  if (findOwnProgram('git', env, cwd)?.file !== systemGit || !hasPlainSettings(cwd)) return undefined;
  const users = readUserSettings(describePlace(options));
  if (!users || (startFilters && pickFilterCommands(users, new Map()).size > 0)) return undefined;
  return { listed: users, every: users };
}

/** Values for the settings of the repository that contain programs to run. */
async function configuredPrograms(options: GitOptions): Promise<Result<[string, string][]>> {
  if (options.workTree === undefined && hasPlainSettings(options.cwd)) return ok([]);
  const settings = await listHere(options);
  return settings.ok ? chooseProgramValues(settings.value, options.cwd) : settings;
}

/** The settings in effect here, and those that would be under other conditions. */
async function listHere(
  options: GitOptions,
): Promise<Result<{ listed: ListedSetting[]; every: ListedSetting[] }>> {
  const { input: _, ...listing } = options;
  const listed = await listSettings((words) => runGit(words, neutralSettings, { ...listing, bytes: true }));
  if (!listed.ok) return listed;
  const every = readEverySetting(describePlace(options));
  return every.ok ? ok({ listed: listed.value, every: every.value }) : every;
}

function describePlace({ cwd, env, workTree }: GitOptions) {
  return { cwd, env, gitDirectory: workTree?.gitDirectory };
}

/** The settings of filters that the user has trusted, with the values that were judged. */
function keepTrusted(
  listed: readonly ListedSetting[],
  { trustsFilter, cwd }: GitOptions,
): ReadonlyMap<string, string> {
  const trusted = pickOwnFilters(listed).filter((one) => trustsFilter?.(one, cwd) === true);
  return new Map(
    trusted.flatMap(({ name, settings }) =>
      Object.entries(settings).map(([key, value]): [string, string] => [`filter.${name}.${key}`, value]),
    ),
  );
}

/**
 * The names of settings that the repository itself makes, here or under a condition that does not hold here, one character
 * per byte: a section may have any name.
 */
export async function ownSettings(options: GitOptions): Promise<Result<string[]>> {
  // Not by a pattern: in some locales none matches a byte that is not a letter.
  const args = ['config', '--null', '--show-scope', '--name-only', '--list'];
  const listed = await runGit(args, neutralSettings, { ...options, bytes: true });
  if (!listed.ok) return listed;
  const every = readEverySetting(describePlace(options));
  if (!every.ok) return every;
  const fields = listed.value.split('\0');
  // The user's own programs (such as Git LFS) stay as they are.
  const isOfRepository = (scope: string | undefined) => scope === 'local' || scope === 'worktree';
  const here = fields.filter((_, index) => index % 2 === 1 && isOfRepository(fields[index - 1]));
  const elsewhere = every.value.filter(({ isOwn }) => isOwn).map(({ name }) => name);
  return ok([...new Set([...here, ...elsewhere])]);
}

/** The same names as text, to be overridden. A variable cannot hold one that is not valid text. */
export function nameable(names: readonly string[], { cwd }: Pick<GitOptions, 'cwd'>): Result<string[]> {
  const texts = names.map(decodeName);
  return texts.every((text) => text !== undefined && !text.includes('\0'))
    ? ok(texts.filter((text) => text !== undefined))
    : failure(
        `git in ${cwd}: the repository has a filter, a diff driver or a submodule whose name is not valid UTF-8, so its programs cannot be switched off.`,
        'Rename or remove it in the configuration of the repository.',
      );
}

/** No variable loads code from the workspace into git. Its search path is determined separately. */
function outsideEnvironment({ env: { PATH: _, ...env }, cwd }: GitOptions): Record<string, string> {
  return readingEnvironment(env, { places: () => workPlaces(cwd), userHome: env.HOME || '/' });
}

/** Git with these settings on top of all others, and none of its variables inherited. */
export async function runGit(
  args: readonly string[],
  config: readonly [string, string][],
  options: GitOptions & Started,
  goodCodes: readonly number[] = [0],
): Promise<Result<string>> {
  const subcommand = args.find((arg) => !arg.startsWith('-')) ?? '';
  const name = `git ${subcommand} in ${options.cwd}`;
  const program = findOwnProgram('git', options.env, options.cwd);
  if (!program) return failure(`${name}: no git was found outside the workspace`, 'Install git.');
  const { cwd, workTree } = options;
  const obstacle = findObstacleForGit([subcommand], { cwd, gitDirectory: workTree?.gitDirectory });
  if (obstacle)
    return failure(
      `${name} was not run: ${visibleLine(obstacle.path, 300)} is ${obstacle.what}, which blocks git.`,
      'Remove it.',
    );
  const running = await findRunningCommands();
  const holding = running && { running, ...(await import('./hold-git.ts')) };
  // Right before it starts: the next moment may be another.
  const pinned: Result<Record<string, string>> = running
    ? pinRepository(describePlace(options), running)
    : ok({});
  if (!pinned.ok) return pinned;
  const { GIT_COMMON_DIR: common } = pinned.value;
  const isExposed = common !== undefined && writesData(subcommand);
  const isAlone = options.descriptors === undefined && options.transports !== 'all';
  const call = { ...options, args, subcommand, file: program.file, common, isAlone };
  const held = holding ? holding.holdGit(call, holding.running) : ok([]);
  if (!held.ok) return held;
  const checkLinks = () => (isExposed ? refuseLinkedData(common) : ok(undefined));
  const unlinked = checkLinks();
  if (!unlinked.ok) return unlinked;
  const [file = program.file, ...words] = [...held.value, program.file, ...args];
  const encoding = options.bytes ? 'latin1' : 'utf8';
  const output = bounded(maxOutput);
  const errors = bounded(8 * 1024);
  const child = spawnOwned({
    file,
    args: words,
    cwd: options.cwd,
    env: {
      ...neutralEnvironment(outsideEnvironment(options), isExposed ? [...config, ...withoutNewLogs] : config),
      PATH: program.path,
      ...(options.transports ? { GIT_ALLOW_PROTOCOL: protocols[options.transports] } : {}),
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
      ...(options.objects ? storeVariables(options.objects) : {}),
      ...pinned.value,
      ...(options.workTree
        ? { GIT_DIR: options.workTree.gitDirectory, GIT_WORK_TREE: options.workTree.top }
        : {}),
    },
    owner: options.env[ownerVariable] ?? 'cadre',
    clock: options.clock ?? systemClock,
    output: (chunk) => {
      if (!output.add(chunk)) child.kill();
    },
    errorOutput: errors.add,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    ...(options.descriptors ? { descriptors: options.descriptors } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.input === undefined ? {} : { input: Buffer.from(options.input, encoding) }),
  });
  const end = await child.ended;
  if (end.problem) return failure(`${name}: ${end.problem}`, 'Install git, or check the directory.');
  if (output.isFull()) return failure(`${name} printed more than ${maxOutput} bytes.`);
  if (end.timedOut) return failure(`${name} did not end in time.`);
  if (end.killed) return failure(`${name} was interrupted.`);
  if (end.isCut) return failure(`${name}: its output is incomplete.`, 'Try again.');
  if (!goodCodes.includes(end.code ?? -1)) {
    return failure(`${name} ended with ${end.code ?? end.signal}: ${errors.text().trim()}`);
  }
  // One that is there now may have been there meanwhile.
  const still = checkLinks();
  return still.ok ? ok(output.text(encoding)) : still;
}

/** No log is created in a directory that a command could have linked; those that exist are continued. */
const withoutNewLogs: readonly [string, string][] = [['core.logAllRefUpdates', 'false']];

const protocols = { all: 'file:git:http:https:ssh', disk: 'file' };

/** The second is a list, in which a path with the separator is quoted. */
function storeVariables({ own, shared }: NonNullable<GitOptions['objects']>): Record<string, string> {
  if (shared === undefined) return { GIT_OBJECT_DIRECTORY: own };
  const isPlain = !/[:"\\]/.test(shared);
  return {
    GIT_OBJECT_DIRECTORY: own,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: isPlain ? shared : `"${shared.replace(/["\\]/g, '\\$&')}"`,
  };
}

function bounded(limit: number) {
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk: Uint8Array): boolean {
      if (size <= limit) pieces.push(chunk);
      size += chunk.length;
      return size <= limit;
    },
    isFull: () => size > limit,
    text: (encoding: BufferEncoding = 'utf8') => Buffer.concat(pieces).toString(encoding),
  };
}
