import { relative } from 'node:path';
import { listKnown } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { findAddresses } from '../git/addresses.ts';
import { gitPlaces, joinMoves } from '../git/moves.ts';
import { covers } from '../git/rules.ts';
import { listKept } from '../git/stores.ts';
import { splitGit } from '../git/writes.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { holdsEverywhere } from './git-merges.ts';
import { reachRepositories } from './judge-repositories.ts';
import { mayMeetRule, type OpenCase } from './shell-case.ts';

/**
 * Git takes files of another repository on this machine, sends some there, or notes where it is. Checked out in another place
 * they have other paths, which a rule about certain directories does not name: asked about where a rule refuses a file in the
 * one and would not refuse it in the other.
 */
export function judgeFetched(given: OpenCase, one: JudgedCommand, script: Script): Decision[] {
  const { command, effect } = one;
  const { workspace } = given.call;
  const { look } = workspace;
  if (effect.known || !look || readCommandName(command) !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const rules = given.refusing.filter(
    (rule) => rule.tool === 'Read' && !isWholeTool(rule) && !holdsEverywhere(rule),
  );
  const isAbout = name === 'push' || (gitIs(name, 'fetches') && name !== 'ls-remote');
  const addresses = isAbout && rules.length > 0 ? findAddresses(name, rest) : undefined;
  if (!addresses) return [];
  const isMade = makesRepository(script);
  const isNew = isMade || /^(?:clone|submodule)$/.test(name);
  const places = gitPlaces(moves.length > 0 ? joinMoves(moves) : undefined, command.directories, workspace);
  return places.flatMap((place) => {
    const own = isNew || !look.isDirectory(place) ? undefined : look.findCheckout(place);
    const reached = reachRepositories({ ...addresses, includesOwn: true }, place, workspace);
    const others = listKnown(reached).map(({ path, isConfigured }) => ({
      root: look.findStore(`${path}/objects`)?.root,
      isConfigured,
    }));
    const ways =
      name === 'push'
        ? listSent(own ?? look.findCheckout(place), others, isMade || addresses.named.some(mayBePath))
        : // Of a repository without a checkout it is unknown whether its files are those of this one.
          others.map(({ root }) => ({ from: root ?? look.findCheckout(workspace.cwd), to: own }));
    const lost = ways.map((way) => findLost(way, rules, workspace)).find((rule) => rule !== undefined);
    return lost ? [mayMeetRule(lost)] : [];
  });
}

/** Files go from one checkout to another; undefined is a place that nothing is known of. */
interface Way {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A repository without a checkout that the configuration names is the user's own, and shows no files. */
function listSent(
  from: string | undefined,
  others: readonly { root: string | undefined; isConfigured: boolean }[],
  isAnywhere: boolean,
): readonly Way[] {
  const named = others.filter(({ root, isConfigured }) => root !== undefined || !isConfigured);
  const ways = named.map(({ root }) => ({ from, to: root }));
  return isAnywhere && named.length === 0 ? [{ from, to: undefined }] : ways;
}

/** By its text the address of a place on this machine, which need not be there yet. */
function mayBePath(address: string): boolean {
  return /^(?:file:|[./~]|[^:]*\/)/.test(address) && !/^(?!file:)[\w+.-]+:\/\//.test(address);
}

/** By a part of the line another repository may be where the command runs. */
function makesRepository({ all }: Script): boolean {
  return all.some(
    ({ command }) =>
      readCommandName(command) === 'git' &&
      /^(?:init|clone|worktree|submodule)$/.test(splitGit(command.words.slice(1)).name),
  );
}

/** The rule that covers a file in one checkout and does not cover it in the other. */
function findLost({ from, to }: Way, rules: readonly Rule[], workspace: CallWorkspace): Rule | undefined {
  if (from === undefined || from === to) return undefined;
  const kept = listKept({ path: from, root: from }, workspace.look);
  if (!kept) return rules[0];
  const isHeld = (rule: Rule, path: string) =>
    to !== undefined && covers(rule, `${to}/${relative(from, path)}`, workspace);
  return rules.find((rule) => kept.some((path) => covers(rule, path, workspace) && !isHeld(rule, path)));
}
