import type { Addresses } from '../../workspace/git/other-repositories.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { readArguments } from '../programs/flags.ts';
import { findGitRunner } from '../tables/git-runner.data.ts';

/** The repositories that a git command talks to, as its words name them. */
export interface GitAddresses extends Addresses {
  /** It changes them. */
  readonly writes: boolean;
  /** Words that the shell fills in with the names of files. */
  readonly patterns: readonly ShellWord[];
  /** A computed word that may name any repository. */
  readonly unclear?: string;
}

/** Undefined for a command that talks to no other repository. */
export function findAddresses(name: string, rest: readonly ShellWord[]): GitAddresses | undefined {
  if (silent.has(name)) return undefined;
  const read = readArguments(rest, {
    ...{ why: '', flags: findGitRunner(name).flags, operands: 'text', allowed: true },
  });
  const writes = !fetching.has(name);
  // By options that are not known any word may be an address.
  if (typeof read === 'string')
    return { named: rest.flatMap(findTexts), patterns: rest.filter(isPattern), usesConfigured: true, writes };
  const { operands, flags } = read;
  const takesMany = flags.has('--multiple') || (flags.has('--all') && name !== 'push');
  const words = takingOne.has(name) && !takesMany ? operands.slice(0, 1) : operands;
  const unclear = takingOne.has(name) ? words.find(({ values }) => !values) : undefined;
  const isConfiguring =
    name === 'remote' && !flags.has('-f') && configuring.test(readLiteral(operands[0]) ?? '');
  return {
    named: words.flatMap(findTexts),
    patterns: words.filter(isPattern),
    usesConfigured: !isConfiguring && (words.length === 0 || takesMany || !takingOne.has(name)),
    writes,
    ...(unclear ? { unclear: unclear.text } : {}),
  };
}

/** By these `git remote` only takes note of an address. */
const configuring = /^(?:add|set-url|rename|remove|rm|get-url|set-branches)$/;

function findTexts({ values = [] }: ShellWord): string[] {
  return values.flatMap(({ text }) => {
    const value = /^--?[\w-]+=(.*)$/s.exec(text)?.[1];
    return [text, ...(value === undefined ? [] : [value])];
  });
}

function isPattern({ values = [] }: ShellWord): boolean {
  return values.some((value) => value.isPattern);
}

const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Their first operand is a repository, and the others are references. */
const takingOne = split('push fetch pull ls-remote clone fetch-pack send-pack');
/** They only read the other repository. */
const fetching = split('fetch pull clone ls-remote remote submodule archive fetch-pack bundle');
/** They work in their own repository alone. */
const silent = split(
  'add stage commit tag branch checkout switch restore reset stash merge rebase cherry-pick revert mv rm clean init worktree ' +
    'config apply am format-patch notes gc prune reflog bisect sparse-checkout update-index update-ref symbolic-ref ' +
    'log show diff status blame grep rev-parse rev-list describe shortlog cat-file ls-files ls-tree for-each-ref show-ref merge-base',
);
