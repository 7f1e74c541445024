import { accessSync, constants } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { entryAt } from '../lib/entry-at.ts';
import { readBeginning } from '../lib/read-bounded.ts';
import { isWithin } from '../workspace/paths.ts';
import { realPathOf } from '../workspace/real-path.ts';

/**
 * Version managers (asdf, pyenv, mise, volta …) put a small program in the place of each tool, which looks in the working
 * directory and above for what to run. Returns the file of the workspace that would decide about a program, if there is
 * one; those above the workspace are the user's own.
 */
export function openShims(
  environment: Readonly<Record<string, string | undefined>>,
): (name: string, directory: string, roots: readonly string[]) => string | undefined {
  const known = new Map<string, boolean>();
  const isShimmed = (name: string) => {
    const found = known.get(name) ?? isShim(name, environment.PATH ?? '');
    known.set(name, found);
    return found;
  };
  return (name, directory, roots) => (isShimmed(name) ? findVersionFile(directory, roots) : undefined);
}

function isShim(name: string, searchPath: string): boolean {
  if (name === '' || name.includes('/')) return false;
  const path = searchPath
    .split(delimiter)
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, name))
    .find(isExecutable);
  if (path === undefined) return false;
  return (
    basename(dirname(path)) === 'shims' || managers.has(basename(realPathOf(path))) || startsManager(path)
  );
}

const managers: ReadonlySet<string> = new Set(
  'asdf mise rtx volta volta-shim proto proto-shim aqua-proxy fnm nodenv pyenv rbenv jenv goenv'.split(' '),
);

/** Their scripts hand over to themselves within a few lines. */
function startsManager(path: string): boolean {
  const beginning = readBeginning(path, 1024);
  const head = beginning.state === 'read' ? beginning.bytes.toString('latin1') : '';
  return head.startsWith('#!') && /\b(?:asdf|mise|rtx|volta|proto|[a-z]+env)"?\s+exec\b/.test(head);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const versionFiles: readonly string[] = [
  ...['.tool-versions', '.python-version', '.node-version', '.nvmrc', '.ruby-version', '.java-version'],
  ...['.go-version', '.php-version', '.perl-version', '.terraform-version', '.sdkmanrc', '.prototools'],
  ...['mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml', '.mise', 'mise', '.rtx.toml'],
  ...['.config/mise.toml', '.config/mise'],
];

function findVersionFile(directory: string, roots: readonly string[]): string | undefined {
  if (!roots.some((root) => isWithin(directory, root))) return undefined;
  const found = versionFiles.map((name) => join(directory, name)).find((path) => entryAt(path) !== undefined);
  return found ?? findVersionFile(dirname(directory), roots);
}
