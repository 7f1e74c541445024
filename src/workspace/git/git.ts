import { type Clock, systemClock } from '../../lib/clock.ts';
import { ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { readingEnvironment } from '../reading-environment.ts';
import { findOwnProgram, workPlaces } from '../search-path.ts';
import { decodeName } from './names.ts';
import { neutralArguments, neutralConfig, neutralEnvironment, runsConfiguredPrograms } from './neutral.ts';
import { findObstacleForGit } from './obstacles.ts';

export interface GitOptions {
  cwd: string;
  env: Record<string, string>;
  signal?: AbortSignal;
  clock?: Clock;
  timeoutMs?: number;
  input?: string;
  /** Another index than the work tree's own, so that work in progress is looked at and not touched. */
  indexFile?: string;
  /** Where new objects go, beside the repository's own store, which is then only read; or the only store. */
  objects?: { own: string; shared?: string };
  /** Another place for files than the checkout that `cwd` is in, whose own data is named along with it. */
  workTree?: { gitDirectory: string; top: string };
  /** Input and output hold one character for each byte: names of files need not be text. */
  bytes?: boolean;
  /** Exit codes besides 0 that are answers and not failures. */
  alsoGood?: readonly number[];
}

const defaultTimeoutMs = 30_000;
const maxOutput = 64 * 1024 * 1024;

/**
 * Runs git and returns what it printed. Git looks at a repository by running programs that the repository names;
 * here it runs none of them (`git-neutral.ts`). `args` begin with the subcommand. For commands of our own only, not for
 * those of a model.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<Result<string>> {
  const programs = runsConfiguredPrograms(args) ? await configuredPrograms(options) : ok([]);
  if (!programs.ok) return programs;
  return await runGit(neutralArguments(args), neutralConfig(programs.value), options, listGoodCodes(options));
}

function listGoodCodes({ alsoGood = [] }: GitOptions): readonly number[] {
  return [0, ...alsoGood];
}

/** The names of settings in the repository's own configuration that hold programs to run. */
async function configuredPrograms(options: GitOptions): Promise<Result<string[]>> {
  const own = await ownSettings(options);
  return own.ok
    ? nameable(
        own.value.filter((name) => programSettings.test(name)),
        options,
      )
    : own;
}

/** Settings whose values git runs when it compares, checks out or merges. */
const programSettings =
  /^(?:filter|merge|diff)\..*\.(?:clean|smudge|process|required|driver|textconv|command)$/s;

/** The names of settings that the repository itself makes, one character for each byte: a section may be called anything. */
export async function ownSettings(options: GitOptions): Promise<Result<string[]>> {
  // Not by a pattern: in some languages none matches a byte that is no letter.
  const args = ['config', '--null', '--show-scope', '--name-only', '--list'];
  const listed = await runGit(args, neutralConfig([]), { ...options, bytes: true });
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  // The user's own programs (large file storage, for one) stay as they are.
  const isOfRepository = (scope: string | undefined) => scope === 'local' || scope === 'worktree';
  return ok(
    fields.flatMap((name, index) => (index % 2 === 1 && isOfRepository(fields[index - 1]) ? [name] : [])),
  );
}

/** The same names as text, to be set to something else. A variable cannot hold one that is not text. */
export function nameable(names: readonly string[], { cwd }: Pick<GitOptions, 'cwd'>): Result<string[]> {
  const texts = names.map(decodeName);
  return texts.every((text) => text !== undefined && !text.includes('\0'))
    ? ok(texts.filter((text) => text !== undefined))
    : failure(
        `git in ${cwd}: the repository has a filter, a way to compare or a submodule whose name is not valid UTF-8, so that what it runs cannot be switched off.`,
        'Rename or remove it in the configuration of the repository.',
      );
}

/** Nothing in the work around a directory is loaded into git by a variable. Its search path is found by itself. */
function outsideEnvironment({ env: { PATH: _, ...env }, cwd }: GitOptions): Record<string, string> {
  return readingEnvironment(env, { places: () => workPlaces(cwd), userHome: env.HOME || '/' });
}

/** Git with these settings on top of all others, and none of its variables inherited. */
export async function runGit(
  args: readonly string[],
  config: [string, string][],
  options: GitOptions,
  goodCodes: readonly number[] = [0],
): Promise<Result<string>> {
  const subcommand = args.find((arg) => !arg.startsWith('-')) ?? '';
  const name = `git ${subcommand} in ${options.cwd}`;
  const program = findOwnProgram('git', options.env, options.cwd);
  if (!program) return failure(`${name}: no git was found outside of the workspace`, 'Install git.');
  const { cwd, workTree } = options;
  const obstacle = findObstacleForGit([subcommand], { cwd, gitDirectory: workTree?.gitDirectory });
  if (obstacle)
    return failure(
      `${name} was not run: ${visibleLine(obstacle.path, 300)} is ${obstacle.what}, which stops git.`,
      'Remove it.',
    );
  const encoding = options.bytes ? 'latin1' : 'utf8';
  const output = bounded(maxOutput);
  const errors = bounded(8 * 1024);
  const child = spawnOwned({
    file: program.file,
    args,
    cwd: options.cwd,
    env: {
      ...neutralEnvironment(outsideEnvironment(options), config),
      PATH: program.path,
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
      ...(options.objects ? storeVariables(options.objects) : {}),
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
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.input === undefined ? {} : { input: Buffer.from(options.input, encoding) }),
  });
  const end = await child.ended;
  if (end.problem) return failure(`${name}: ${end.problem}`, 'Install git, or check the directory.');
  if (output.isFull()) return failure(`${name} printed more than ${maxOutput} bytes.`);
  if (end.timedOut) return failure(`${name} did not end in time.`);
  if (end.killed) return failure(`${name} was interrupted.`);
  if (end.isCut) return failure(`${name}: its output was not read to the end.`, 'Try again.');
  if (!goodCodes.includes(end.code ?? -1)) {
    return failure(`${name} ended with ${end.code ?? end.signal}: ${errors.text().trim()}`);
  }
  return ok(output.text(encoding));
}

/** The second is a list, in which a path with its separator stands in quotes. */
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
