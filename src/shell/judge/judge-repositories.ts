import { basename } from 'node:path';
import { joinTold, type Told, untold } from '../../lib/told.ts';
import { isInside, resolvePath } from '../../places/paths.ts';
import { ask } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import type { OtherRepository } from '../../workspace/git/other-repositories.ts';
import { findAddresses, type GitAddresses } from '../git/addresses.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { splitGit } from '../git/writes.ts';
import { everything, type ShellWord } from '../grammar/types.ts';
import type { FileChange } from '../walk/file-changes.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { judgePlace } from './judge-place.ts';
import { askUntold, type OpenCase, skipsQuestions } from './shell-case.ts';
import { resolveUses } from './uses.ts';

/**
 * Repositories that a git command which a rule or the mode allows would work in or talk to. A directory of plain files can
 * be one, and its hooks and settings run programs: a rule for git is not a rule for those. `isSpelled`: the rule has every
 * word of the command. In the sandbox these programs are confined.
 */
export function judgeRepositories(given: OpenCase, one: JudgedCommand, isSpelled: boolean): Decision[] {
  const { command, effect } = one;
  const { workspace } = given.call;
  const { look } = workspace;
  if (given.inside || !look || readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  const isFree = skipsQuestions(given);
  const roots = [workspace.cwd, ...workspace.directories];
  const embedded =
    isFree || (isSpelled && moves.length > 0)
      ? []
      : places.flatMap((place) => judgeEmbedded(given, one, place, look.embeddedRepository(place, roots)));
  const addresses = effect.known ? undefined : findAddresses(name, rest);
  if (!addresses) return embedded;
  const unclear =
    addresses.unclear !== undefined && !isSpelled && !isFree
      ? [askUntold(given, `it is unclear which repository ${addresses.unclear} refers to`)]
      : [];
  const later = foresee(addresses, given.before.get(one) ?? []);
  const reached = places.map((place) => (later ? reachRepositories(later, place, workspace) : untold));
  if (reached.includes(untold) && !isFree)
    unclear.push(askUntold(given, 'it is unclear which repositories it would reach'));
  const found = reached.flatMap((list) => (list === untold ? [] : list));
  return [
    ...embedded,
    ...unclear,
    ...found.flatMap((other) => judgeOther(given, other, later ?? addresses, isSpelled)),
  ];
}

/**
 * The addresses as they may be once other parts of the line have run; undefined where these cannot be told. What a program
 * does that only its rule is known of is the user's decision.
 */
function foresee(addresses: GitAddresses, changes: readonly FileChange[]): GitAddresses | undefined {
  const sets = changes.flatMap((change) => (change.sets === undefined ? [] : [change.sets]));
  if (sets.includes(null)) return undefined;
  const anyPath = changes.some((change) => change.sets === undefined && !change.byProgram);
  return {
    ...{ ...addresses, anyPath, anyName: sets.length > 0 },
    named: [...addresses.named, ...sets.flatMap((texts) => texts ?? [])],
  };
}

/** The repositories on this machine that a git command in a directory talks to. */
export function reachRepositories(
  addresses: GitAddresses,
  place: string,
  workspace: CallWorkspace,
): Told<readonly OtherRepository[]> {
  const filled = joinTold(...addresses.patterns.map((word) => expandWord(word, place, workspace)));
  if (filled === untold || !workspace.look) return untold;
  return workspace.look.otherRepositories(place, {
    ...addresses,
    named: [...addresses.named, ...filled],
  });
}

function expandWord(word: ShellWord, place: string, workspace: CallWorkspace): Told<readonly string[]> {
  const meant = resolveUses({ kind: 'read', word }, [place], workspace);
  if (meant === untold) return untold;
  return joinTold(
    ...meant.map(({ path, pattern }) =>
      pattern === undefined ? [path] : (workspace.look?.expand(path, pattern) ?? []),
    ),
  );
}

/** A directory that git takes for its repository, or below the workspace one that another part of the line may have made so. */
function judgeEmbedded(
  given: OpenCase,
  one: JudgedCommand,
  place: string,
  embedded: string | undefined,
): Decision[] {
  if (embedded !== undefined)
    return [
      ask(
        'protected-path',
        `git treats ${embedded} as a separate repository, whose settings and hooks run programs`,
      ),
    ];
  const { cwd, directories } = given.call.workspace;
  const isRoot = [cwd, ...directories].includes(place);
  const isBrought = given.before.get(one)?.some(({ makesLinks }) => makesLinks) === true;
  return isRoot || !isBrought
    ? []
    : [
        ask(
          'protected-path',
          `another part of the line may bring a repository to ${place}, where git would run`,
        ),
      ];
}

function judgeOther(
  given: OpenCase,
  { path, isConfigured }: OtherRepository,
  { writes, anyPath }: GitAddresses,
  isSpelled: boolean,
): Decision[] {
  const ruled = [
    judgePlace(given, { kind: 'search', path, sweep: everything, byGit: true }),
    ...(writes
      ? ['', '/objects/x', '/refs/x'].map((part) => judgePlace(given, { kind: 'write', path: path + part }))
      : []),
  ].filter(({ behaviour, by }) => behaviour !== 'allow' && by === 'rule');
  const isAnswered = skipsQuestions(given) || (isSpelled && !isConfigured);
  const mayRun = isOpenToAgents(path, given.call.workspace)
    ? writes || basename(path) !== '.git'
    : writes && !isConfigured;
  if (!mayRun || isAnswered) return ruled;
  const doing = writes ? 'pushing to it changes it and runs its hooks' : 'its settings may run programs';
  const isOne = anyPath ? 'is a git directory, or may be one by then' : 'is a git directory';
  return [...ruled, ask('protected-path', `${path} ${isOne}: ${doing}`)];
}

/** Where a clone or an agent may have put it. */
function isOpenToAgents(path: string, workspace: CallWorkspace): boolean {
  const { cwd, directories, writable = [], scratchpad } = workspace;
  const own = writable.flatMap((place) => [place.path, place.real]);
  const places = [cwd, ...directories, ...own, ...(scratchpad === undefined ? [] : [scratchpad])];
  const resolved = resolvePath(path, workspace);
  return places.some(
    (place) =>
      isInside(resolved, [place], workspace) ||
      isInside({ given: resolved.real, real: resolved.real }, [place], workspace),
  );
}
