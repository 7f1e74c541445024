import { dirname } from 'node:path';
import { isLossy } from '../../lib/text/utf8.ts';
import { untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { isWholeTool } from '../../places/names.ts';
import { leadsElsewhere, listTwinNames, matchesPathRule } from '../../places/path-rules.ts';
import { foldName, resolvePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { isWithin } from '../../workspace/paths.ts';
import { readLiteral } from '../grammar/types.ts';
import type { GitLook } from '../programs/effect.ts';
import { listLiterals } from '../rules/rule-cover.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { commonDirectory } from './around.ts';
import { findPast, mayBeOther, printsCommits } from './history.ts';
import { gitPlaces, joinMoves } from './moves.ts';
import { mayShow, widenLook } from './shows.ts';
import { splitGit } from './writes.ts';

/**
 * A rule that refuses or asks about reading a tracked file, where a command shows tracked files without naming them. Named
 * paths are judged like any other.
 */
export function findKept(
  one: JudgedCommand,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const git = findGitLook(one);
  const refusing = rules.filter(
    (rule) => rule.tool === 'Read' && rule.behaviour !== 'allow' && !isWholeTool(rule),
  );
  if (refusing.length === 0 || !workspace.look) return undefined;
  if (bringsOther(one, workspace, workspace.look)) return refusing[0];
  if (!git || !mayShowFiles(git)) return undefined;
  if (git.words.some((word) => !word.values)) return refusing[0];
  for (const place of gitPlaces(git.move, one.command.directories, workspace)) {
    if (printsCommits(git, place, workspace.look)) continue;
    const past = findPast(git, place, workspace.look);
    if (typeof past === 'string') return refusing[0];
    if (git.shows !== 'contents') continue;
    const kept = workspace.look.tracked(place);
    const wide = widenLook(git, place, workspace.look);
    const isShown = (rule: Rule) => (path: string) =>
      covers(rule, path, workspace) && mayShow(wide, path, place);
    const linked = workspace.look.linked(place);
    if (kept === untold || linked === untold) return refusing[0];
    const isSame = (rule: Rule) => (path: string) =>
      kept.includes(path) && isRefused(rule, path, workspace) && mayShow(wide, path, place);
    const found = refusing.find(
      (rule) => kept.some(isShown(rule)) || past.some(isShown(rule)) || linked.some(isSame(rule)),
    );
    if (found) return found;
  }
  return undefined;
}

/**
 * Whether it may bring files out of something else than a commit: in a tree of a directory they have other paths, which no
 * rule about the directory covers.
 */
function bringsOther({ command }: JudgedCommand, workspace: CallWorkspace, look: Look): boolean {
  if (readLiteral(command.words[0])?.replace(/^.*\//s, '') !== 'git') return false;
  const { name, rest, moves } = splitGit(command.words.slice(1));
  if (!/^(?:checkout|restore|reset)$/.test(name)) return false;
  const texts = rest.map(readLiteral);
  const end = texts.indexOf('--');
  const named = (end < 0 ? texts : texts.slice(0, end)).map((text) =>
    text?.replace(/^(?:--source=|-s(?=.))/, ''),
  );
  if (named.includes(undefined)) return true;
  const names = named.filter((text) => text !== undefined && !text.startsWith('-')) as string[];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  return places.some((place) => {
    const kinds = names.length === 0 ? [] : look.objectKinds(place, names);
    return !kinds || names.some((name, index) => mayBeOther(name, kinds[index]));
  });
}

/** The tracked files that a command shows, as far as known. */
export function findGitLook(one: JudgedCommand): GitLook | undefined {
  return one.effect.known ? one.effect.git : findUnread(one);
}

/**
 * A git command that is not fully known, run under a rule: it may show any file, unless it is one of those that show none
 * without an option for it.
 */
function findUnread({ command, effect }: JudgedCommand): GitLook | undefined {
  const texts = command.words.map(readLiteral);
  if (texts[0]?.replace(/^.*\//s, '') !== 'git') return undefined;
  const move = effect.git?.move;
  const subcommand = texts.findIndex((text, at) => at > 0 && text !== undefined && gitIs(text, 'quiet'));
  const isSilent =
    subcommand > 0 && !texts.slice(subcommand).some((text) => text !== undefined && showing.test(text));
  if (isSilent) return undefined;
  return { shows: 'contents', words: [], history: true, opensObjects: true, ...(move ? { move } : {}) };
}

/** Options by which these show more than names and counts. */
const showing = /^(?:-[a-zA-Z]*[pivo]|--(?:pat|int|verb|edit|show|format|contains)|-.*=.*%)/;

function mayShowFiles({ shows, opensObjects, showsNotes }: GitLook): boolean {
  return shows === 'contents' || opensObjects === true || showsNotes === true;
}

/** Whether a rule may apply to a tracked file, by any of its names. */
export function mayBeAboutKept(rule: Rule, place: string, workspace: CallWorkspace): boolean {
  const kept = workspace.look?.tracked(place);
  if (kept === undefined || kept === untold) return true;
  return kept.some((path) => matchesPathRule(rule, resolvePath(path, workspace), 'read', workspace));
}

/** Why a git command may show files of another place, according to its repository's own data. */
export function findStray({ effect, command }: JudgedCommand, workspace: CallWorkspace): string | undefined {
  if (!effect.known || !effect.git) return undefined;
  const all = [...command.words, ...effect.git.words];
  const isKnown = all.every((word) => word.values);
  const words = isKnown ? all.flatMap(({ values = [] }) => values.map(({ text }) => text)) : undefined;
  const { compares, comparesFiles, entersSubmodules, expandsIndex } = effect.git;
  const view = { isNeeded: comparesFiles === true, words, compares, entersSubmodules, expandsIndex };
  for (const place of gitPlaces(effect.git.move, command.directories, workspace)) {
    const stray =
      workspace.look?.gitStray(place, view) ??
      (effect.git.opensFiles ? findLinked(effect.git, place, workspace) : undefined);
    if (stray !== undefined) return `git in ${place}: ${stray}`;
  }
  return undefined;
}

/** A tracked file in a directory that is now a link: git would read the link's target. */
function findLinked(git: GitLook, place: string, workspace: CallWorkspace): string | undefined {
  const kept = workspace.look?.tracked(place);
  if (kept === undefined || kept === untold) return 'its tracked files are unknown';
  const opened = kept.filter((path) => isWithin(path, place) || mayShow(git, path, place));
  const top = commonDirectory([`${place}/x`, ...opened]);
  const real = workspace.realPath(top);
  const directories = new Set(opened.map((path) => dirname(path)));
  const isLinked = (path: string) =>
    isLossy(path)
      ? isBehindLink(path, place, workspace)
      : workspace.realPath(path) !== `${real}${path.slice(top.length)}`;
  const linked = [...directories].find(isLinked);
  return linked === undefined ? undefined : `${linked} points elsewhere`;
}

/** A name that is not valid UTF-8 can only be searched among all links. */
function isBehindLink(path: string, place: string, { look }: CallWorkspace): boolean {
  const below = look?.below(place);
  return below === undefined || below === untold || below.links.some((link) => isWithin(path, link));
}

/** Whether a rule is about a path. Most names share nothing with the rule, and are quickly excluded. */
export function covers(rule: Rule, path: string, workspace: CallWorkspace): boolean {
  const literals = leadsElsewhere(rule, workspace) ? [] : listLiterals(rule);
  const mayBeAbout = (name: string) => literals.every((piece) => foldName(name).includes(piece));
  if (!listTwinNames({ given: path, real: path }, workspace).some(mayBeAbout)) return false;
  return isRefused(rule, path, workspace);
}

function isRefused(rule: Rule, path: string, workspace: CallWorkspace): boolean {
  return matchesPathRule(rule, { given: path, real: path }, 'read', workspace);
}
