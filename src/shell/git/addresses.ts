import type { Addresses } from '../../workspace/git/other-repositories.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { readArguments } from '../programs/flags.ts';
import { findGitFlags, gitIs } from '../tables/git-subcommands.data.ts';

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
  if (gitIs(name, 'local')) return undefined;
  const read = readArguments(rest, {
    ...{ why: '', flags: findGitFlags(name), operands: 'text', allowed: true },
  });
  const writes = !gitIs(name, 'fetches');
  const takesOne = gitIs(name, 'address');
  // By options that are not known any word may be an address.
  if (typeof read === 'string')
    return { named: rest.flatMap(findTexts), patterns: rest.filter(isPattern), usesConfigured: true, writes };
  const { operands, flags } = read;
  const takesMany = flags.has('--multiple') || (flags.has('--all') && name !== 'push');
  const words = takesOne && !takesMany ? operands.slice(0, 1) : operands;
  const unclear = takesOne ? words.find(({ values }) => !values) : undefined;
  const isConfiguring =
    name === 'remote' && !flags.has('-f') && configuring.test(readLiteral(operands[0]) ?? '');
  return {
    named: words.flatMap(findTexts),
    patterns: words.filter(isPattern),
    usesConfigured: !isConfiguring && (words.length === 0 || takesMany || !takesOne),
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
