import { listKnown, untold } from '../../lib/told.ts';
import { allow, ask } from '../../places/reasons.ts';
import type { Decision } from '../../protocol/permission.ts';
import { isAround } from '../git/around.ts';
import { isSocketName } from '../grammar/sockets.ts';
import type { PathUse } from '../programs/effect.ts';
import { findOptionName } from '../programs/option-names.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { judgeOpened } from './judge-found.ts';
import { judgeHeeded } from './judge-heeded.ts';
import { judgePlace } from './judge-place.ts';
import {
  askAbout,
  askUntold,
  type GrantCover,
  isFirm,
  mayMeetRule,
  type OpenCase,
  skipsQuestions,
} from './shell-case.ts';
import {
  describeSocket,
  describeUnclear,
  isAbout,
  isCritical,
  type ResolvedUse,
  resolveUses,
} from './uses.ts';

/** Empty for a use that is fine, or that the command's own grant covers. */
export function judgeUse(
  given: OpenCase,
  { command }: JudgedCommand,
  use: PathUse,
  cover: GrantCover,
): Decision[] {
  if (use.isOpen) return judgeOpen(given, use);
  const isGranted = cover !== 'nothing';
  const { workspace } = given.call;
  const places = resolveUses(use, command.directories, workspace);
  const guesses = use.word.guesses
    ? resolveUses({ ...use, word: { ...use.word, values: use.word.guesses } }, command.directories, workspace)
    : untold;
  const meant = listKnown(places === untold ? guesses : places);
  const known = meant.filter(({ path }) => !isSocketName(path));
  const found = judgePlaces(given, known, isGranted);
  // No rule about files covers a connection, and none for a program that reads them.
  if (known.length < meant.length && cover !== 'everything') found.push(askAbout(given, describeSocket(use)));
  const heeded = judgeHeeded(given, use, known, command.directories);
  found.push(...heeded.filter((one) => !isGranted || isFirm(one)));
  // Another command opens what find finds.
  const opened = command.inner.length > 0 ? known.filter(({ kind }) => kind === 'list') : [];
  found.push(...opened.flatMap((place) => judgeOpened(given, place, command.directories)));
  const isUnclear = places === untold || command.isAstray === true;
  const met =
    isUnclear && !skipsQuestions(given) ? given.refusing.find((rule) => isAbout(rule, use)) : undefined;
  if (met) found.push(mayMeetRule(met));
  const option = findOptionName(use, command.directories, workspace.look);
  if (option !== undefined) found.push(...judgeOption(given, use, option, isGranted));
  if (places === untold) found.push(...judgeUntold(given, use, cover));
  return found;
}

/** A grant covers the option, but not a file that a rule refuses and that the program may read then. */
function judgeOption(given: OpenCase, use: PathUse, option: string, isGranted: boolean): Decision[] {
  return isGranted ? judgeOpen(given, use) : [askAbout(given, `${option} would be parsed as an option`)];
}

/** A grant covers them, in every mode, unless a rule refuses some file. */
export function judgeOpen(given: OpenCase, use: PathUse): Decision[] {
  const rule = given.refusing.find((one) => isAbout(one, use));
  return rule ? [mayMeetRule(rule)] : [];
}

/** The file is unknown. In the sandbox, files that no rule for a program covers are read-only or hidden. */
function judgeUntold(given: OpenCase, use: PathUse, cover: GrantCover): Decision[] {
  if (cover === 'nothing') return [askAbout(given, describeUnclear(use))];
  const isOpened = use.kind !== 'list' && use.kind !== 'enter';
  return cover === 'program' && isOpened && !given.inside ? [askUntold(given, describeUnclear(use))] : [];
}

function judgePlaces(given: OpenCase, places: readonly ResolvedUse[], isGranted: boolean): Decision[] {
  return distinct(places).flatMap((place) => {
    if (isCritical(place, given.call.workspace))
      return [ask('protected-path', `removing ${place.path} is always asked about`)];
    const judged = judgePlace(given, place);
    const isElsewhere = judged.behaviour === 'ask' && judged.by === 'workspace';
    const decision =
      place.ofGit && isElsewhere && isAround(place.path, given.call.workspace)
        ? aroundIt(place.path)
        : judged;
    if (decision.behaviour === 'allow') return isGranted ? [] : [decision];
    return isFirm(decision) || !isGranted ? [decision] : [];
  });
}

function aroundIt(path: string): Decision {
  return allow('workspace', `git tracks ${path} in the repository around the workspace`);
}

/** Without a separate search a place is the same by its text. */
function distinct(places: readonly ResolvedUse[]): readonly ResolvedUse[] {
  if (places.length < 2 || places.some(({ pieces, sweep }) => pieces || (sweep && sweep !== 'none')))
    return places;
  return [...new Map(places.map((place) => [`${place.path}\0${place.pattern ?? ''}`, place])).values()];
}
