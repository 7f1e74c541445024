/**
 * Keeps git from running programs named by the repository it reads: file-system monitors, hooks, filters, merge and diff
 * drivers, pagers, signers, editors, and planted bare repositories.
 */

/** Settings that no repository changes. */
export const neutralSettings: readonly [string, string][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
  ['core.askPass', 'true'],
  ['safe.bareRepository', 'explicit'],
  ['diff.autoRefreshIndex', 'false'],
  ['diff.external', ''],
  ['protocol.ext.allow', 'never'],
  ['log.showSignature', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['submodule.recurse', 'false'],
  // Otherwise git could silently move files to other directories.
  ['merge.directoryRenames', 'conflict'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Git LFS would ask the server that a file of a commit names, or start ssh for it. What is not here stays a pointer.
  ['lfs.url', 'file:///dev/null'],
  ['lfs.skipdownloaderrors', 'true'],
  ['lfs.transfer.maxretries', '1'],
];

/** Inherited git variables could point it at another repository or program; only names of people stay. */
export function neutralEnvironment(
  env: Record<string, string>,
  config: readonly [string, string][],
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || isPerson(name));
  const settings = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(settings),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    // A repository that lacks objects would fetch them with a program of its choice.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // `git replace` would give other content under the same name.
    GIT_NO_REPLACE_OBJECTS: '1',
    // `info/grafts` would give commits other parents. A name that cannot exist: git has a hint for one that does.
    GIT_GRAFT_FILE: '/dev/null/none',
    LC_ALL: 'C.UTF-8',
  };
}

export function isPerson(name: string): boolean {
  return name.startsWith('GIT_AUTHOR_') || name.startsWith('GIT_COMMITTER_');
}

const withDiff = new Set([
  'diff',
  'show',
  'log',
  'whatchanged',
  'format-patch',
  'diff-tree',
  'diff-index',
  'diff-files',
]);
const withTextconv = new Set([...withDiff, 'blame', 'annotate', 'grep']);
/** Reading a submodule would run git there with the submodule's own configuration. */
const withSubmodules = new Set(['status', 'diff', 'diff-index', 'diff-files']);

export function neutralArguments(args: readonly string[]): string[] {
  const [command, ...rest] = args;
  if (command === undefined) return ['--no-pager'];
  const flags = [
    ...(withDiff.has(command) ? ['--no-ext-diff'] : []),
    ...(withTextconv.has(command) ? ['--no-textconv'] : []),
    ...(withSubmodules.has(command) ? ['--ignore-submodules=dirty'] : []),
  ];
  return ['--no-pager', command, ...flags, ...rest];
}

const readsOnlyItsStore = new Set([
  'rev-parse',
  'rev-list',
  'merge-base',
  'symbolic-ref',
  'for-each-ref',
  'branch',
  'config',
  'ls-tree',
  'cat-file',
  'version',
]);

/** Commands that compare or write files of the work tree use the repository's filters and drivers. */
export function runsConfiguredPrograms(args: readonly string[]): boolean {
  return !readsOnlyItsStore.has(args[0] ?? '') && !readsOnlyNames(args);
}

/** Whether files may be converted. Trees, commits, references and the index are what they are. */
export function runsFilters(args: readonly string[]): boolean {
  const [command = '', ...rest] = args;
  if (!runsConfiguredPrograms(args) || convertsNothing.has(command)) return false;
  if (command === 'worktree') return !['list', 'lock', 'unlock'].includes(rest[0] ?? '');
  if (command === 'read-tree') return rest.some((word) => word.startsWith('-') && word !== '--empty');
  return command !== 'update-index' || !rest.includes('--index-info');
}

const convertsNothing = new Set([
  'check-attr',
  'commit-tree',
  'diff-tree',
  'log',
  'show-ref',
  'update-ref',
  'var',
  'write-tree',
]);

/** Whether it lists names and rules of the work tree and opens no other file in it: with `--modified` it would compare content. */
function readsOnlyNames([command = '', ...rest]: readonly string[]): boolean {
  const known = optionsForNames.get(command);
  if (known === undefined) return false;
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  return options.every((option) => known.has(option.replace(/^(--exclude(?:-from)?=).*$/s, '$1')));
}

const optionsForNames: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'ls-files',
    new Set([
      ...['-z', '-v', '--stage', '--others', '--ignored', '--directory'],
      ...['--exclude-standard', '--exclude=', '--exclude-from='],
    ]),
  ],
  ['check-ignore', new Set(['-z', '--stdin'])],
]);
