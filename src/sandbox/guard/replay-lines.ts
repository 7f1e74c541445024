/** A file from which git takes what it does next, in a git directory. */
export interface ReplayFile {
  readonly folder: string;
  readonly name: string;
  readonly kind: keyof typeof allowed;
}

/** Lines that run nothing but git's own commands. */
const allowed = {
  todo: isGitStep,
  strategy: (line: string) => line.trim() === '' || isStrategy(line.trim()),
  options: isPlainOption,
  applying: isPlainApplying,
};

export const replayFiles: readonly ReplayFile[] = [
  { folder: 'rebase-merge', name: 'git-rebase-todo', kind: 'todo' },
  { folder: 'rebase-merge', name: 'git-rebase-todo.backup', kind: 'todo' },
  { folder: 'sequencer', name: 'todo', kind: 'todo' },
  { folder: 'rebase-merge', name: 'strategy', kind: 'strategy' },
  { folder: 'rebase-apply', name: 'strategy', kind: 'strategy' },
  { folder: 'sequencer', name: 'opts', kind: 'options' },
  { folder: 'rebase-apply', name: 'apply-opt', kind: 'applying' },
];

export function isUnwantedLine(kind: ReplayFile['kind'], line: string): boolean {
  return !allowed[kind](line);
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
