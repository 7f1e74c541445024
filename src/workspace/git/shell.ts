import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLossy } from '../../lib/text/utf8.ts';
import { findRoot } from '../workspace.ts';
import { type GitOptions, nameable, ownSettings, runGit } from './git.ts';
import { parseSubmodules } from './names.ts';
import { neutralSettings } from './neutral.ts';
import { isHarmlessSetting } from './own.data.ts';
import { readSettings } from './settings.ts';

/**
 * Variables under which git commands of a shell run no program that the repositories of these directories name, open no file
 * that they name, and reach no other machine: only the repository settings in a list stay. For commands that were allowed
 * because they only read. A repository that names a program to compare with, or is elsewhere, is judged before:
 * `git-stays.ts`.
 */
export async function neutralGitVariables(
  directories: readonly string[],
  options: Omit<GitOptions, 'cwd'>,
): Promise<Record<string, string>> {
  const settings = new Map<string, string>([...neutralSettings, ...forShell]);
  // If empty, it makes git fail instead of comparing itself; so only where the repository sets one.
  settings.delete('diff.external');
  const isSet = new Set([...settings.keys()].map((name) => name.toLowerCase()));
  let hasOwnNotes = false;
  for (const cwd of directories) {
    if (isLossy(cwd)) return notAtAll;
    if (!existsSync(cwd)) {
      // The command itself may create one: as `.git` only if asked, but without that name from ordinary files.
      settings.set('safe.bareRepository', 'explicit');
      continue;
    }
    const place = { ...options, cwd };
    const [own, ignores] = await Promise.all([ownSettings(place), listSubmoduleIgnores(place)]);
    if (!own.ok || !ignores) return notAtAll;
    // A list, to which another value would only be added.
    if (own.value.includes('notes.displayref')) hasOwnNotes = true;
    const emptied = nameable(
      own.value.filter((name) => name !== 'notes.displayref' && !isHarmlessSetting(name)),
      place,
    );
    const ignoring = nameable([...selectIgnores(own.value), ...ignores], place);
    if (!emptied.ok || !ignoring.ok) return notAtAll;
    for (const name of emptied.value)
      if (!isSet.has(name.toLowerCase())) settings.set(name, neutralShellValue(name));
    for (const name of ignoring.value) settings.set(name, 'dirty');
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
    // The content of a revision is judged by its own objects.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // A repository that lacks objects would fetch them with a program of its choice.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/** Some empty values would make git stop; a filter that must succeed would fail. */
function neutralShellValue(name: string): string {
  if (name === 'diff.orderfile') return '/dev/null';
  if (name === 'log.diffmerges') return 'off';
  // A format may have signatures checked.
  if (/^(?:format\.pretty$|pretty\.)/.test(name)) return 'medium';
  return name.endsWith('.required') ? 'false' : '';
}

/** Signatures are checked by a program; submodules are read by a git that does not inherit these settings. */
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

/** Where the settings cannot be read or named git must not start: with this, no directory is a repository. */
const notAtAll = { GIT_DIR: '/dev/null' };

function selectIgnores(names: readonly string[]): string[] {
  return names.filter((name) => /^submodule\..*\.ignore$/s.test(name));
}

/**
 * The settings that keep git out of submodules. It takes their names from the work tree, from the index where the file is
 * missing, or else from the last commit, and up to the first error: every name from any of them is included. Undefined where
 * they are unknown, for example when git is killed before it has answered.
 */
async function listSubmoduleIgnores(options: GitOptions): Promise<string[] | undefined> {
  const root = findRoot(options.cwd);
  if (root === undefined) return [];
  const input = ':.gitmodules\nHEAD:.gitmodules\n';
  const kept = await runGit(['cat-file', '--batch'], neutralSettings, { ...options, input, bytes: true });
  const described = readSettings(join(root, '.gitmodules'));
  if (!kept.ok || !described) return undefined;
  // The lines between the two hold no section.
  const names = [described, Buffer.from(kept.value, 'latin1')].flatMap(parseSubmodules);
  return names.map((name) => `submodule.${name}.ignore`);
}
