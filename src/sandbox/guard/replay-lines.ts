import { dirname, join, resolve } from '../../lib/files/exact-paths.ts';
import { readPointer } from '../../workspace/git/directory.ts';
import { isEntryName } from '../../workspace/git/names.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { type Identities, isWithinReach } from './identities.ts';
import { statEntry } from './look.ts';
import { isProtectedName } from './names.ts';

/** A file from which git takes what it does next, in a git directory. */
export interface ReplayFile {
  readonly folder: string;
  readonly name: string;
  readonly kind: keyof typeof allowed;
}

/** Where a list is, and what a command could write. */
export interface ReplayPlace {
  /** The git directory. */
  directory: string;
  /** Unknown before a command. */
  held?: Identities;
}

/** Lines that run nothing but git's own commands, and lead git to nothing that a command could not change itself. */
const allowed = {
  todo: isGitStep,
  strategy: (line: string) => line.trim() === '' || isStrategy(line.trim()),
  options: isPlainOption,
  applying: isPlainApplying,
  resolutions: isPlainResolution,
  autostash: isOfMerge,
};

export const replayFiles: readonly ReplayFile[] = [
  { folder: 'rebase-merge', name: 'git-rebase-todo', kind: 'todo' },
  { folder: 'rebase-merge', name: 'git-rebase-todo.backup', kind: 'todo' },
  { folder: 'sequencer', name: 'todo', kind: 'todo' },
  { folder: 'rebase-merge', name: 'strategy', kind: 'strategy' },
  { folder: 'rebase-apply', name: 'strategy', kind: 'strategy' },
  { folder: 'sequencer', name: 'opts', kind: 'options' },
  { folder: 'rebase-apply', name: 'apply-opt', kind: 'applying' },
  { folder: '', name: 'MERGE_RR', kind: 'resolutions' },
  { folder: '', name: 'MERGE_AUTOSTASH', kind: 'autostash' },
];

export function isUnwantedLine(kind: ReplayFile['kind'], line: string, place: ReplayPlace): boolean {
  return !allowed[kind](line, place);
}

/** Names of files may have newlines in them. */
export function chooseSeparator(kind: ReplayFile['kind']): string {
  return kind === 'resolutions' ? '\0' : '\n';
}

/** Every command but `exec`. A line that does not begin with a letter is a comment, or git refuses it. */
const steps: ReadonlySet<string> = new Set([
  ...['pick', 'p', 'revert', 'reword', 'r', 'edit', 'e', 'squash', 's', 'fixup', 'f', 'drop', 'd'],
  ...['break', 'b', 'label', 'l', 'reset', 't', 'merge', 'm', 'update-ref', 'u', 'noop'],
]);

function isGitStep(line: string): boolean {
  const [first = ''] = line.replace(/^[ \t]+/, '').split(/[ \t\r]/);
  return !/^[a-z]/i.test(first) || steps.has(first);
}

/** Git runs `git-merge-<name>` for any other, and one with a slash in it from the work tree. */
function isStrategy(name: string): boolean {
  return ['ort', 'recursive', 'resolve', 'octopus', 'ours', 'subtree'].includes(name);
}

/** As git writes them: one to a line, in a file like its configuration. */
function isPlainOption(line: string): boolean {
  if (/^\s*(?:\[options\]\s*)?$/.test(line)) return true;
  const [, name = '', value = ''] = /^\s*([a-z-]+) = ([\w=:., <>@+-]*)$/i.exec(line) ?? [];
  if (name === '') return false;
  return name.toLowerCase() === 'strategy' ? isStrategy(value) : true;
}

/** Options of `git apply`, quoted for a shell. Some others write files anywhere. */
function isPlainApplying(line: string): boolean {
  const words = line.trim().split(/\s+/).filter(Boolean);
  return words.every((word) =>
    /^'(?:-[pC]\d+|--whitespace=[\w-]+|--ignore-[\w-]+|--reject|--(?:directory|exclude|include)=[\w./*-]+)'$/.test(
      word,
    ),
  );
}

/**
 * A conflict that `git rerere` is to learn from: with the next commit git reads and writes the file that is named, wherever
 * that leads.
 */
function isPlainResolution(record: string, { directory, held }: ReplayPlace): boolean {
  if (record === '') return true;
  const name = /^[0-9a-f]{40,64}(?:\.\d+)?\t([\s\S]+)$/.exec(record)?.[1];
  const top = findWorkTree(directory);
  if (name === undefined || top === undefined) return false;
  const parts = Buffer.from(name, 'latin1').toString('utf8').split('/');
  if (!parts.every(isEntryName)) return false;
  const path = join(top, ...parts);
  const isProtected = parts.some((part, index) => isProtectedName(join(top, ...parts.slice(0, index)), part));
  const isLed =
    resolveRealPath(dirname(path)) !== dirname(path) || statEntry(path)?.isSymbolicLink() === true;
  return !isProtected && !isLed && (held === undefined || isWithinReach(path, held));
}

function findWorkTree(directory: string): string | undefined {
  if (directory.endsWith('/.git')) return resolveRealPath(dirname(directory));
  const back = readPointer(join(directory, 'gitdir'));
  return back === undefined ? undefined : resolveRealPath(dirname(resolve(directory, back)));
}

/** Git applies it with the next commit, whether a merge put it there or not. */
function isOfMerge(line: string, { directory }: ReplayPlace): boolean {
  return line.trim() === '' || statEntry(join(directory, 'MERGE_HEAD')) !== undefined;
}
