import { resolve } from 'node:path';
import { untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { isWithin } from '../../workspace/paths.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { openCover } from '../rules/rule-cover.ts';
import { findGitSubcommand, gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { gitPlaces, joinMoves } from './moves.ts';
import { type Pathspec, readPathspecs } from './pathspecs.ts';
import { splitGit } from './writes.ts';

/**
 * A rule that refuses changing a tracked file, where a git command puts files of the work tree back, or
 * brings those of another commit, without naming them.
 * Named files are judged like any other.
 */
export function findOverwritten(
  { command }: JudgedCommand,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const { look, realPath } = workspace;
  const refusing = rules.filter((rule) => rule.tool === 'Edit' && !isWholeTool(rule));
  if (refusing.length === 0 || !look) return undefined;
  if (readLiteral(command.words[0])?.replace(/^.*\//s, '') !== 'git') return undefined;
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const reached = findReached(name, rest);
  if (reached === undefined || !findGitSubcommand(name)) return undefined;
  for (const place of gitPlaces(
    moves.length > 0 ? joinMoves(moves) : undefined,
    command.directories,
    workspace,
  )) {
    const kept = look.tracked(place);
    if (kept === untold) return refusing[0];
    const top = look.findCheckout(place) ?? place;
    const tops =
      reached === 'all'
        ? ['/']
        : reached.map(({ path, isFromTop }) => resolve(isFromTop ? top : place, path));
    const changed = kept.filter((path) => tops.some((top) => isWithin(path, top)));
    const found = refusing.find((rule) => {
      const isAbout = openCover(rule, 'write', workspace);
      return changed.some((path) => isAbout(path, realPath(path)));
    });
    if (found) return found;
  }
  return undefined;
}

/** What of the work tree it puts back: paths, or all of it; undefined for nothing. */
function findReached(name: string, rest: readonly ShellWord[]): readonly Pathspec[] | 'all' | undefined {
  const texts = rest.map(readLiteral);
  const has = (form: RegExp) => texts.some((text) => text === undefined || form.test(text));
  const begins = (form: RegExp) => form.test(texts[0] ?? '');
  switch (name) {
    case 'reset':
      return has(/^--(?:h|m|k|rec)/) ? 'all' : undefined;
    case 'switch':
      return has(/^(?:-\w*f|--f|--d)/) || !onlyNamesBranch(texts) ? 'all' : undefined;
    case 'stash':
      return begins(/^(?:list|show|drop|clear|create|store)$/) ? undefined : 'all';
    case 'restore':
      if (has(/^(?:--st|-\w*S)/) && !has(/^(?:--w|-\w*W)/)) return undefined;
      return readPaths(texts);
    case 'checkout':
      if (has(/^(?:-\w*f|--f)/)) return 'all';
      if (texts.length === 0 || onlyNamesBranch(texts)) return undefined;
      return namesPaths(texts) ? readPaths(texts) : 'all';
    case 'checkout-index':
      return has(/^(?:-\w*[az]|--)/) ? 'all' : readPaths(texts);
    case 'sparse-checkout':
      return begins(/^(?:list|check-rules)$/) ? undefined : 'all';
    case 'read-tree':
      return has(/^(?:-\w*u|--res)/) ? 'all' : undefined;
    case 'submodule':
      return begins(/^(?:|init|status|summary|sync|set-branch|set-url)$/) ? undefined : 'all';
    case 'bisect':
      return begins(/^(?:log|terms)$/) ? undefined : 'all';
    case 'rerere':
      return begins(/^(?:clear|status|diff|remaining|gc)$/) ? undefined : 'all';
    case 'rebase':
      return begins(/^--(?:show-current-patch|edit-todo|quit)$/) ? undefined : 'all';
    case 'merge':
    case 'cherry-pick':
    case 'revert':
    case 'am':
      return begins(/^--(?:show-current-patch|quit)$/) ? undefined : 'all';
    default:
      return leaving.has(name) || leavingTraits.some((trait) => gitIs(name, trait)) ? undefined : 'all';
  }
}

const leavingTraits = ['keeps', 'hooks', 'store'] as const;

/** `-b NAME` and `-c NAME` alone: a new branch where the checkout is, which changes no file. */
function onlyNamesBranch(texts: readonly (string | undefined)[]): boolean {
  return texts.length === 2 && /^(?:-[bBcC]|--create)$/.test(texts[0] ?? '') && !!texts[1]?.match(/^[^-]/);
}

/** Other words may be the commit to go to: `main`, `main --`, and `:/text` by its message. */
function namesPaths(texts: readonly (string | undefined)[]): boolean {
  const separator = texts.indexOf('--');
  if (separator !== -1) return separator < texts.length - 1;
  return texts.every((text) => text !== undefined && /^:[^/]/.test(text));
}

/** They change only what their words name, or only the index. */
const leaving: ReadonlySet<string> = new Set(
  (
    'clone worktree mv rm clean apply stage update-index write-tree merge-file grep ls-files annotate hash-object ' +
    'check-attr check-ignore diff-files diff-index'
  ).split(' '),
);

function mayBePath(text: string | undefined): boolean {
  return text === undefined || !text.startsWith('-');
}

/** Words that may be paths. A computed one may be any, and so may names in a file. */
function readPaths(texts: readonly (string | undefined)[]): readonly Pathspec[] | 'all' {
  const paths = texts.filter(mayBePath);
  const known = paths.filter((text) => text !== undefined);
  const isListed = texts.some((text) => text?.startsWith('--pathspec-from'));
  return known.length === paths.length && !isListed ? readPathspecs(known) : 'all';
}
