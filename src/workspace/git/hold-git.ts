import { join } from '../../lib/files/exact-paths.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { resolveRealPath } from '../real-path.ts';
import type { RunningCommands } from '../running-commands.ts';
import { isProgramPlace } from '../search-path.ts';
import { findRoot } from '../workspace.ts';
import { ConfigFiles, resolveGitPath } from './config-files.ts';
import { findCommonDirectory, findGitDirectory } from './directory.ts';
import { writesData } from './linked-data.ts';
import { listWritePlaces } from './write-places.ts';

/** One call of git, and where it works. */
export interface GitCall {
  args: readonly string[];
  subcommand: string;
  /** The program itself. */
  file: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  indexFile?: string;
  objects?: { own: string; shared?: string };
  workTree?: { gitDirectory: string; top: string };
  /** The shared directory, where a command could lead git to another. */
  common: string | undefined;
  /** Starts no filters, which write where the sandbox lets them, and reaches no other hosts. */
  isAlone: boolean;
}

/** Whether git, called like this, puts the content of files into its store, where every command can read it. */
export function storesFiles(subcommand: string): boolean {
  return subcommand === 'add';
}

/**
 * The words before git while confined commands run. Git finds by name what it reads and writes, and a command that swaps a
 * directory with a link leads it elsewhere: so it writes at its own places only, and where it stores what it reads, it sees
 * nothing but the work tree, the repository and its settings.
 */
export function holdGit(git: GitCall, running: RunningCommands): Result<readonly string[]> {
  const { hold } = running;
  if (!hold) return ok([]);
  const { args, subcommand, common, isAlone } = git;
  const top = git.workTree?.top ?? findRoot(git.cwd);
  if (top !== undefined && storesFiles(subcommand) && running.mayWorkIn(resolveRealPath(top))) {
    const own = git.workTree?.gitDirectory ?? findGitDirectory(top);
    if (!isAlone || own === undefined || !isProgramPlace(resolveRealPath(git.file))) return refuse(top);
    const shared = common ?? findCommonDirectory(own);
    const shown = [top, own, shared, ...listAlternates(shared), ...listSettingsPlaces(git)].map(
      resolveRealPath,
    );
    const { open, closed } = listWritePlaces(args, subcommand, git, resolveRealPath(shared));
    // A mount hides what is below it.
    return ok(hold({ open, closed, shown: [...new Set(shown)].sort(), linkless: resolveRealPath(top) }));
  }
  const isExposed = common !== undefined && writesData(subcommand);
  return ok(isExposed && isAlone ? hold(listWritePlaces(args, subcommand, git, common)) : []);
}

function refuse(top: string): Result<never> {
  return failure(
    `A confined command runs that can write in ${visibleLine(top, 300)}: git was not run, since that could lead it to other files, and with the filters that files there have, or with a git that is not the system's, it cannot be kept from them.`,
    'Try again when the command has ended, or stop it.',
  );
}

/** Other stores that the repository uses. Commands cannot write the list. */
function listAlternates(common: string): string[] {
  const objects = join(common, 'objects');
  const text = readBoundedText(join(objects, 'info/alternates'), maxList) ?? '';
  return text
    .split('\n')
    .flatMap((line) => (line === '' || line.startsWith('#') ? [] : [resolveGitPath(line, objects, '/')]));
}

const maxList = 64 * 1024;

/** What git reads of the user: settings, and the lists that these name. */
function listSettingsPlaces({ env }: Pick<GitCall, 'env'>): string[] {
  const home = env.HOME || '/';
  const configuration = env.XDG_CONFIG_HOME || join(home, '.config');
  const environment = env.XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME };
  const files = new ConfigFiles({ userHome: home, environment });
  const settings = files.readUsers();
  const named = settings.flatMap(({ section, name, value, directory }) =>
    section === 'core' && (name === 'excludesfile' || name === 'attributesfile')
      ? [resolveGitPath(value, directory ?? '/', home)]
      : [],
  );
  const usual = ['ignore', 'attributes'].map((name) => join(configuration, 'git', name));
  return [
    ...files.listUserFiles(),
    ...settings.map(({ source }) => source),
    ...named,
    ...usual,
    '/etc/gitattributes',
  ].filter((path) => path.startsWith('/'));
}
