import { relative } from 'node:path';
import { untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import type { GitStore } from '../../workspace/git/object-stores.ts';
import { findAddresses } from '../git/addresses.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { covers } from '../git/rules.ts';
import { listKept } from '../git/stores.ts';
import { splitGit } from '../git/writes.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { holdsEverywhere } from './git-merges.ts';
import { reachRepositories } from './judge-repositories.ts';
import { readCommandName } from './line-texts.ts';
import { mayMeetRule, type OpenCase } from './shell-case.ts';

/**
 * Git takes files of another repository on this machine, or notes where that is. Checked out here they have other paths, which
 * a rule about certain directories does not name: asked about where a rule refuses a file there and would not refuse it here.
 */
export function judgeFetched(given: OpenCase, one: JudgedCommand, script: Script): Decision[] {
  const { command, effect } = one;
  const { workspace } = given.call;
  if (effect.known || !workspace.look || readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const rules = given.refusing.filter(
    (rule) => rule.tool === 'Read' && !isWholeTool(rule) && !holdsEverywhere(rule),
  );
  const addresses = gitIs(name, 'fetches') && name !== 'ls-remote' ? findAddresses(name, rest) : undefined;
  if (!addresses || rules.length === 0) return [];
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  const isNew = /^(?:clone|submodule)$/.test(name) || makesRepository(script);
  return places.flatMap((place) => {
    const isHere = !isNew && workspace.look?.isDirectory(place);
    const target = isHere ? workspace.look?.checkoutOf(place) : undefined;
    const reached = reachRepositories({ ...addresses, includesOwn: true }, place, workspace);
    if (reached === untold) return [];
    const lost = reached
      .flatMap(({ path }) => workspace.look?.storeOf(`${path}/objects`) ?? [])
      .map((store) => findLost(store, target, rules, workspace))
      .find((rule) => rule !== undefined);
    return lost ? [mayMeetRule(lost)] : [];
  });
}

/** By a part of the line another repository may be where the command runs. */
function makesRepository({ all }: Script): boolean {
  return all.some(
    ({ command }) =>
      readCommandName(command) === 'git' &&
      /^(?:init|clone|worktree|submodule)$/.test(splitGit(command.words.slice(1)).name),
  );
}

/** The rule that covers a file in a repository and does not cover it in the checkout that it would come to. */
function findLost(
  store: GitStore,
  target: string | undefined,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const { root } = store;
  // Files of a repository without a checkout have no paths that a rule could be about.
  if (root === undefined || root === target) return undefined;
  const kept = listKept(store, workspace.look);
  if (!kept) return rules[0];
  const isHeld = (rule: Rule, path: string) =>
    target !== undefined && covers(rule, `${target}/${relative(root, path)}`, workspace);
  return rules.find((rule) => kept.some((path) => covers(rule, path, workspace) && !isHeld(rule, path)));
}
