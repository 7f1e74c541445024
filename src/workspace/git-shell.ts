import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type GitOptions, ownSettings, runGit } from './git.ts';
import { neutralConfig } from './git-neutral.ts';
import { isHarmlessSetting } from './git-own.data.ts';
import { findRoot } from './workspace.ts';

/**
 * Variables under which git commands of a shell run no program that the repositories of these directories name, open no
 * file that they name, and reach no other machine: of their own settings only those in a list stay. For commands that
 * were allowed because they only look. Where a repository names a program to compare with, `git diff` fails under these,
 * and works with `--no-ext-diff --no-textconv`. Where a repository is elsewhere is judged before: `git-stays.ts`.
 */
export async function neutralGitVariables(
  directories: readonly string[],
  options: Omit<GitOptions, 'cwd'>,
): Promise<Record<string, string>> {
  const settings = new Map<string, string>([...neutralConfig([]), ...forShell]);
  // Emptied, it makes git fail rather than compare by itself; so only where the repository sets one.
  settings.delete('diff.external');
  const isSet = new Set([...settings.keys()].map((name) => name.toLowerCase()));
  let hasOwnNotes = false;
  for (const cwd of directories) {
    if (!existsSync(cwd)) {
      // The command itself may make it: as `.git` only if asked, but without that name from files like any others.
      settings.set('safe.bareRepository', 'explicit');
      continue;
    }
    const [own, submodules] = await Promise.all([
      ownSettings('.', { ...options, cwd }),
      submoduleNames({ ...options, cwd }),
    ]);
    // Where the settings cannot be seen git must not start: no directory is a repository then.
    if (!own.ok) return { GIT_DIR: '/dev/null' };
    // A list, to which another value would only be added.
    for (const name of own.value)
      if (name === 'notes.displayref') hasOwnNotes = true;
      else if (!isSet.has(name.toLowerCase()) && !isHarmlessSetting(name))
        settings.set(name, neutralShellValue(name));
    const ignores = own.value.filter((name) => /^submodule\..*\.ignore$/s.test(name));
    for (const name of [...ignores, ...submodules.map((one) => `submodule.${one}.ignore`)])
      settings.set(name, 'dirty');
  }
  return {
    GIT_CONFIG_COUNT: String(settings.size),
    ...Object.fromEntries(
      [...settings].flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(hasOwnNotes ? { GIT_NOTES_DISPLAY_REF: '' } : {}),
    // What a revision shows is judged by its own objects.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // A repository that lacks objects would fetch them with a program of its choice.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/** Some that are empty would make git stop; a filter that must succeed would fail. */
function neutralShellValue(name: string): string {
  if (name === 'diff.orderfile') return '/dev/null';
  if (name === 'log.diffmerges') return 'off';
  return name.endsWith('.required') ? 'false' : '';
}

/** Signatures are checked by a program; submodules are looked into by a git that does not inherit these settings. */
const forShell: [string, string][] = [
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['status.submoduleSummary', 'false'],
  ['diff.submodule', 'short'],
  // Whether files are shown is judged by the options.
  ['stash.showPatch', 'false'],
  ['core.alternateRefsCommand', 'false'],
  // It names packs by paths, which may lead to another repository.
  ['core.multiPackIndex', 'false'],
];

/** Git takes names of submodules from the work tree, or from the index where the file is missing. */
async function submoduleNames(options: GitOptions): Promise<string[]> {
  const root = findRoot(options.cwd);
  if (root === undefined) return [];
  const file = join(root, '.gitmodules');
  const from = existsSync(file) ? ['--file', file] : ['--blob', ':.gitmodules'];
  const args = ['config', ...from, '--null', '--name-only', '--get-regexp', '^submodule\\.'];
  const listed = await runGit(args, neutralConfig([]), options, [0, 1, 128]);
  const names = (listed.ok ? listed.value : '')
    .split('\0')
    .flatMap((key) => /^submodule\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)];
}
