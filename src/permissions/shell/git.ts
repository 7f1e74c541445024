import { type Effect, here, type PathUse } from './effect.ts';
import { readArguments } from './flags.ts';
import { gitCommands, gitListFlags, gitListingOperands, gitListings } from './git.data.ts';
import { gitLookOf, gitUses } from './git-shows.ts';
import { readSpec } from './read-spec.ts';
import type { ToolSpec } from './tool-spec.ts';
import { literalOf, type ShellWord, type SimpleCommand } from './types.ts';

/** Options before the subcommand that change nothing. `-c` and `--config-env` set what runs; `--exec-path` too. */
const harmless: ReadonlySet<string> = new Set([
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '-P',
]);

export function classifyGit(command: SimpleCommand): Effect {
  const words = command.words.slice(1);
  const moves: ShellWord[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const text = literalOf(words[at]);
    const directory = words[at + 1];
    if (text === '-C' && directory) {
      moves.push(directory);
      at++;
    } else if (text === undefined || !harmless.has(text)) break;
  }
  const name = literalOf(words[at]);
  if (name === undefined) return { known: false, reason: 'git without a subcommand that is in the text' };
  const rest = words.slice(at + 1);
  const effect = classifySubcommand(name, rest);
  const read = readArguments(rest, specOf(name) ?? noOptions);
  if (!effect.known || typeof read === 'string') return effect;
  const git = gitLookOf(name, read, moves);
  const places: PathUse[] = (moves.length > 0 ? moves : [here]).map((word) => ({
    ...{ kind: 'list', word, sweep: 'none' },
  }));
  return { ...effect, uses: [...places, ...effect.uses, ...gitUses(git)], git };
}

const noOptions: ToolSpec = { why: '', flags: '', operands: 'text' };

function specOf(name: string): ToolSpec | undefined {
  if (Object.hasOwn(gitCommands, name)) return gitCommands[name];
  return Object.hasOwn(gitListings, name) ? gitListings[name] : undefined;
}

function classifySubcommand(name: string, words: SimpleCommand['words']): Effect {
  if (Object.hasOwn(gitCommands, name)) return readSpec(`git ${name}`, gitCommands[name], words);
  const listing = Object.hasOwn(gitListings, name) ? gitListings[name] : undefined;
  if (!listing) return { known: false, reason: `git ${name} is not known to change nothing` };
  const read = readArguments(words, listing);
  if (typeof read === 'string') return { known: false, reason: `git ${name}: ${read}` };
  const [first] = read.operands;
  const wanted = gitListingOperands[name];
  const isListing = wanted
    ? wanted.test(first === undefined ? 'none' : (literalOf(first) ?? ''))
    : first === undefined || name === 'config' || [...read.flags].some((flag) => gitListFlags.has(flag));
  if (!isListing)
    return { known: false, reason: `git ${name} ${first?.text ?? ''} is not known to change nothing` };
  return readSpec(`git ${name}`, listing, words);
}
