import { statEntry } from '../../lib/files/entry-at.ts';
import { dirname, join, resolve } from '../../lib/files/exact-paths.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { resolveRealPath } from '../real-path.ts';
import type { RunningCommands } from '../running-commands.ts';
import { findRoot } from '../workspace.ts';
import { ConfigFiles, type FoundSetting, includedFile } from './config-files.ts';
import { findCommonDirectory, findGitDirectory, listGitDirectories } from './directory.ts';
import type { ConfiguredPlace } from './every-setting.ts';

/**
 * Variables that hold git to the repository that is there, while commands run that can write in it. Git would look for it
 * again and again: a `.git` nearer to the directory, a `commondir` that leads to other settings. A failure where git would
 * use what such a command made, or could make before git reads it.
 */
export function pinRepository(
  place: ConfiguredPlace,
  running: RunningCommands,
): Result<Record<string, string>> {
  const found = findRepositoryAt(place, running);
  if (!found) return mayAppear(place.cwd, running) ? ok({ GIT_DIR: '/dev/null' }) : ok({});
  const { path, own, top } = found;
  if (running.made(path)) return refuse(path, 'it was not there');
  // A command may keep one there for a moment: it is not read, whatever it says.
  const pointer = join(own, 'commondir');
  const common = running.made(pointer) ? own : resolveRealPath(findCommonDirectory(own));
  const isSought = top !== undefined && isSoughtElsewhere(place.cwd, top, running);
  // A command in one worktree cannot lead git astray in another.
  if (!isSought && ![path, own, common].some(running.mayWrite)) return ok({});
  const settings = readSettings({ own, common }, place);
  const unsafe = listSettingsFiles({ own, common }, settings, place).find((file) => running.made(file));
  if (unsafe !== undefined) return refuse(unsafe, 'git reads its settings there, and it was not there');
  if (top === undefined) return ok({ GIT_COMMON_DIR: common });
  if (own === common && settings.some((setting) => leadsElsewhere(setting, own, top)))
    return failure(
      `Git was not run: the settings in ${visibleLine(own, 300)} say by core.worktree or core.bare where its files are, which is not supported while a confined command runs.`,
      later,
    );
  if (!isSought) return ok({ GIT_COMMON_DIR: common });
  // Git does not ask whose it is where it is told.
  const isOwn = [top, path, own].every((one) => statEntry(one)?.uid === process.geteuid?.());
  return isOwn || openFiles(place).isSafe(top)
    ? ok({ GIT_COMMON_DIR: common, GIT_DIR: own, GIT_WORK_TREE: top })
    : failure(`Git was not run: ${visibleLine(top, 300)} belongs to another user.`, later);
}

const later = 'Try again when the command has ended, or stop it.';

interface Found {
  /** By which it is found. */
  path: string;
  /** Its own data. */
  own: string;
  /** The top of its checkout, if git looks for it. */
  top?: string;
}

function findRepositoryAt(
  { cwd, gitDirectory }: ConfiguredPlace,
  running: RunningCommands,
): Found | undefined {
  if (gitDirectory !== undefined) {
    const own = resolveRealPath(gitDirectory);
    return { path: own, own };
  }
  const top = findRoot(resolveRealPath(cwd));
  if (top === undefined) return undefined;
  const path = join(top, '.git');
  const own = findGitDirectory(top);
  // Git would look further up.
  if (own === undefined) return running.made(path) ? { path, own: path, top } : undefined;
  return { path, own: resolveRealPath(own), top };
}

/** Whether git could find a repository in a moment where there is none now. */
function mayAppear(cwd: string, running: RunningCommands): boolean {
  return listUpwards(resolveRealPath(cwd)).some((directory) => running.mayWrite(join(directory, '.git')));
}

/** Whether git could find another one on its way, or in the place of a link. */
function isSoughtElsewhere(cwd: string, top: string, running: RunningCommands): boolean {
  const path = join(top, '.git');
  if (statEntry(path)?.isSymbolicLink() && running.mayWrite(path)) return true;
  const way = listUpwards(resolveRealPath(cwd));
  return way.slice(0, way.indexOf(top)).some((directory) => running.mayWrite(join(directory, '.git')));
}

function listUpwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...listUpwards(above)];
}

interface Directories {
  own: string;
  common: string;
}

function openFiles({ env }: ConfiguredPlace): ConfigFiles {
  const environment = env.XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME };
  return new ConfigFiles({ userHome: env.HOME || '/', environment });
}

function readSettings({ own, common }: Directories, place: ConfiguredPlace): FoundSetting[] {
  const files = openFiles(place);
  return [...files.readUsers(), ...files.readOwn(listGitDirectories({ own, shared: common }))];
}

/** The files of settings that git would read, whether they exist or not. */
function listSettingsFiles(
  { own, common }: Directories,
  settings: readonly FoundSetting[],
  { env }: ConfiguredPlace,
): string[] {
  const included = settings.flatMap((setting) => includedFile(setting, env.HOME || '/') ?? []);
  const isExtended = settings.some(
    ({ section, name }) => section === 'extensions' && name === 'worktreeconfig',
  );
  const extended = isExtended ? [join(own, 'config.worktree')] : [];
  return [join(common, 'config'), ...extended, ...included];
}

/** With a pinned directory git does not heed these. Those of a submodule lead back to its checkout. */
function leadsElsewhere({ section, name, value }: FoundSetting, own: string, top: string): boolean {
  if (section !== 'core') return false;
  if (name === 'worktree') return resolveRealPath(resolve(own, value)) !== top;
  return name === 'bare' && !/^(?:false|no|off|0|)$/i.test(value);
}

function refuse(path: string, why: string): Result<never> {
  return failure(
    `Git was not run: ${visibleLine(path, 300)} may be the work of a confined command that still runs (${why} when the command began).`,
    later,
  );
}
