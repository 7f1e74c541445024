import { listKnown } from '../../lib/told.ts';
import { resolvePath } from '../../places/paths.ts';
import { holdsOwnSecret, isOwnSecret } from '../../places/protected.ts';
import { deny } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { findGitLook } from '../git/rules.ts';
import { splitGit } from '../git/writes.ts';
import { everything, readLiteral, type SimpleCommand } from '../grammar/types.ts';
import { asFound } from '../walk/broken-names.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { judgePlace } from './judge-place.ts';
import { readCommandName } from './line-texts.ts';
import type { OpenCase } from './shell-case.ts';
import { resolveUses } from './uses.ts';

/* Files that git stores or stashes, with everything in them. From then on git shows them itself. */

/** Our own keys are stored nowhere. */
export function judgeStored(given: OpenCase, { command }: JudgedCommand): Decision[] {
  const { workspace } = given.call;
  const met = (given.inside ? [] : storedPlaces(command, workspace))
    .map((path) => resolvePath(path, workspace))
    .find((path) => holdsOwnSecret(path, workspace) || isOwnSecret(path, workspace));
  return met
    ? [deny('protected-path', `${met.given} holds Cadre's own keys, which no command may read`)]
    : [];
}

/** A part of the line that shows tracked files also shows what an earlier part stored: a rule may refuse it. */
export function judgeShownLater(given: OpenCase, one: JudgedCommand, script: Script): Decision[] {
  if (findGitLook(one)?.shows !== 'contents' || given.refusing.length === 0) return [];
  // Parts that run concurrently, or repeatedly, have no order.
  const isOrdered = script.parsed.overlaps.length === 0;
  const before = isOrdered ? script.all.slice(0, script.all.indexOf(one)) : script.all;
  return before
    .filter((other) => other !== one)
    .flatMap(({ command }) => storedPlaces(command, given.call.workspace))
    .map((path) => judgePlace(given, { kind: 'search', path, sweep: everything }))
    .filter(({ behaviour, by }) => behaviour !== 'allow' && by === 'rule');
}

function storedPlaces(command: SimpleCommand, workspace: CallWorkspace): string[] {
  if (readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const isGiven = (pattern: RegExp) => rest.some((word) => pattern.test(readLiteral(word) ?? ''));
  const isStash = name === 'stash' && isGiven(/^-\w*[ua]|^--(?:inc|all)/);
  if (!isStash && name !== 'add' && name !== 'stage') return [];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  const isAll = isStash || isGiven(/^-\w*A|^--a|^:[/(]/);
  const named = rest
    .filter((word) => !readLiteral(word)?.startsWith('-'))
    .flatMap((word) => listKnown(resolveUses({ kind: 'read', word: asFound(word) }, places, workspace)))
    .map(({ path }) => path);
  return [...(isAll ? places : []), ...named];
}
