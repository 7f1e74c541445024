import { closeSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLaunchFiles } from '../../lib/files/launch-files.ts';
import { failure, formatError, type Result } from '../../lib/result.ts';
import type { ConfinedLaunch, Launch, LaunchFile, Rule, ShellSandbox } from '../../protocol/index.ts';
import { withOwnDirectory } from '../own-directory.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import type { StartFilters } from './filter-start.ts';
import type { FilterCommands } from './filters.ts';
import { locateLargeFiles } from './large-files.ts';

export interface FilterConfinement {
  sandbox: Pick<ShellSandbox, 'ready' | 'confine'>;
  /** Our own state directory, which no confined command sees. */
  home: string;
  rules(): readonly Rule[];
  /** What commands get of an environment. */
  pick(env: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Filters in the sandbox of a command that changes nothing: they see the checkout as it does, without network and without the
 * user's home, and write nothing but the store of Git LFS. Git itself stays outside, since it writes files that a command may
 * not write.
 */
export function confineFilters({ sandbox, home, rules, pick }: FilterConfinement): StartFilters {
  return async (at, work) => {
    if ((await sandbox.ready()) === undefined) return work(undefined);
    const top = resolveRealPath(findRoot(at.cwd) ?? at.cwd);
    const env = pick(at.env);
    const launch: Launch = { file: '/bin/sh', args: ['-c', inside], cwd: top, env };
    const { stores, giveBack } = openStores(top, at.commands);
    const scope = { writes: 'none', directories: [top], stores, rules: rules() } as const;
    const confined = await sandbox.confine(launch, scope);
    if (!confined.ok) {
      giveBack();
      return failure(`Git filters cannot be confined: ${confined.problem.message}`, confined.problem.hint);
    }
    const { launch: started, finish } = confined.value;
    const opened = openFiles(started.files);
    try {
      if (!opened.ok) return opened;
      const descriptors = opened.value;
      return await withOwnDirectory(home, async (directory) => {
        const script = join(directory, 'filter');
        writeFileSync(script, writeScript(started, launch), { mode: 0o600 });
        return await work({ script, descriptors, env });
      });
    } catch (error) {
      return failure(`Git filters cannot be confined: ${formatError(error)}`);
    } finally {
      for (const descriptor of opened.ok ? opened.value : []) closeSync(descriptor);
      finish({ failed: false, output: '' });
      giveBack();
    }
  };
}

/** Git starts them at the top of the files it works on, which need not be the checkout. */
const inside = 'cd "$cadre_place" && eval "$cadre_filter"';

interface Stores {
  stores: string[];
  /** Removes what was made here and nothing was put into: the user's own Git LFS is set up for every repository. */
  giveBack(): void;
}

/** Git LFS makes its store with the first file, for which the sandbox would not let it. */
function openStores(top: string, commands: FilterCommands): Stores {
  const store = locateLargeFiles(top);
  if (store === undefined) return { stores: [], giveBack() {} };
  const isUsed = [...commands.keys()].some((name) => name.startsWith('filter.lfs.'));
  const isMade = isUsed && attempt(() => mkdirSync(store));
  return {
    stores: [store],
    giveBack() {
      if (isMade) attempt(() => rmdirSync(store));
    },
  };
}

/** One that exists already is left as it is; if it is anything but a directory it is not opened. */
function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** A filter that works on one file is started for each, and every start reads them from the beginning: see `writeScript`. */
function openFiles(files: readonly LaunchFile[]): Result<number[]> {
  return files.every((file, index) => file.place || index + firstDescriptor < 10)
    ? openLaunchFiles(files)
    : failure('Git filters cannot be confined: a protected file here has a name that is not valid UTF-8.');
}

/** The shell opens numbers of one digit. */
const firstDescriptor = 3;

/** Of git's own variables, those that name places of ours would only mislead a git that a filter starts. */
function writeScript({ file, args, env, cwd, files }: ConfinedLaunch, launch: Launch): string {
  const added = Object.entries(env).filter(([name, value]) => launch.env[name] !== value);
  const opened = files.flatMap((one, index) =>
    one.place ? [] : [`${index + firstDescriptor}<${quote(one.path)}`],
  );
  return [
    'cadre_place=$(pwd -P); export cadre_place',
    'unset GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES',
    ...added.map(([name, value]) => `export ${name}=${quote(value)}`),
    `cd ${quote(cwd)} && exec ${[file, ...args].map(quote).join(' ')} ${opened.join(' ')}`,
    '',
  ].join('\n');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
