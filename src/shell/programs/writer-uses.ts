import { renameWord } from '../grammar/rename-word.ts';
import { everything, literalValue, readLiteral, type ShellWord } from '../grammar/types.ts';
import { landings } from '../judge/landings.ts';
import { askingFlags } from '../rules/granted-reads.ts';
import type { Operands, Writer } from '../tables/writers.data.ts';
import type { Carrying, Effect, PathUse } from './effect.ts';
import { findYamlFault } from './filters.ts';
import { type ReadArguments, readArguments } from './flags.ts';
import { listTold, passing } from './sweeps.ts';

/** Checks a command against what is known about a program that writes. */
export function readWriter(name: string, writer: Writer, words: readonly ShellWord[]): Effect {
  const { flags, values, letters, ordered, unless } = writer;
  const read = readArguments(words, {
    ...{ why: '', flags: `${flags} ${askingFlags}`, operands: 'paths', allowed: true, abbreviates: true },
    ...(values ? { values } : {}),
    ...(letters ? { letters } : {}),
    ...(ordered ? { ordered } : {}),
  });
  if (typeof read === 'string') return { known: false, reason: `${name}: ${read}` };
  const { named, local } = writer;
  if (named && !read.operands.every((word) => named.test(readLiteral(word) ?? '')))
    return { known: false, reason: `${name}: the files it would write are unknown` };
  const isFar = (word: ShellWord) => local && word.values?.some(({ text }) => !local.test(text));
  if (read.operands.slice(0, -1).some(isFar))
    return { known: false, reason: `${name}: the other machine chooses the names of the files` };
  const isOther = unless?.flags.split(' ').some((flag) => read.flags.has(flag));
  const fault = name === 'yq' ? findYamlFault(read.operands.map(readLiteral)) : undefined;
  if (fault) return { known: false, reason: `yq: ${fault}` };
  const passed = passing([
    ...listTold(read.values, ['--exclude']),
    ...(read.flags.has('--exclude-vcs') ? ['.git'] : []),
  ]);
  const given = listUses(unless && isOther ? unless.operands : writer.operands, read, name);
  const opened = findFollowed(name, read) === 'all' ? given.map(followed) : given;
  const uses = [
    ...listFileUses(read),
    ...(passed.passesGit ? opened.map((use) => passGit(use)) : opened),
    ...listRemoved(name, read),
  ];
  const carries = findCarrying(name, read, isOther === true);
  const links = isLinking(name) ? { links: true as const } : {};
  return { known: true, uses, ...(carries ? { carries } : {}), ...links };
}

function passGit(use: PathUse): PathUse {
  const sweep = use.sweep === undefined || use.sweep === 'none' ? everything : use.sweep;
  return use.kind === 'read' ? { ...use, sweep: { ...sweep, passesGit: true } } : use;
}

function followed(use: PathUse): PathUse {
  return use.kind === 'read' && use.opensDirectories
    ? { ...use, sweep: { ...everything, follows: true } }
    : use;
}

/** Whether it takes what links lead to; behind a slash it does so for a source. */
export function findFollowed(name: string, { flags, operands }: ReadArguments): Carrying['follows'] {
  const has = (...some: readonly string[]) => some.some((flag) => flags.has(flag));
  const isBehind = ({ values = [] }: ShellWord) => values.some(({ text }) => /\/\.?$/.test(text));
  switch (name) {
    case 'cp':
      if (has('-L', '--dereference')) return 'all';
      return has('-H') || operands.slice(0, -1).some(isBehind) ? 'sources' : undefined;
    case 'rsync':
      return operands.slice(0, -1).some(isBehind) ? 'sources' : undefined;
    case 'tar':
      return has('-h', '--dereference') ? 'all' : undefined;
    case 'zip':
      return has('-y', '--symlinks') ? undefined : 'all';
    default:
      return undefined;
  }
}

export function listFileUses({ files, outputs }: ReadArguments): PathUse[] {
  return [
    ...files.map((word): PathUse => ({ kind: 'read', word })),
    ...outputs.filter((word) => readLiteral(word) !== '-').map((word) => written(word)),
  ];
}

export function written(word: ShellWord): PathUse {
  return { kind: 'write', word, pours: true };
}

function listUses(how: Operands, given: ReadArguments, name: string): PathUse[] {
  const { operands } = given;
  const read = (word: ShellWord): PathUse => ({ kind: 'read', word, opensDirectories: true });
  const [first, ...rest] = operands;
  switch (how) {
    case 'read':
      return operands.map(read);
    case 'write':
      return operands.map(written);
    case 'whole':
      return operands.map((word) => ({ kind: 'remove', word, whole: true }));
    case 'altered':
      return operands.map((word) => ({ kind: 'write', word, whole: true }));
    case 'in-out':
      return [...(first ? [read(first)] : []), ...rest.map(written)];
    case 'out-in':
      return [
        ...(first ? [written(first), written(renameWord(first, (name) => `${name}.zip`))] : []),
        ...rest.map(read),
      ];
    case 'packed':
      if (given.flags.has('-r') || given.flags.has('--recursive'))
        return [...operands.map(read), ...listUses('altered', given, name)];
      return operands.flatMap((word): PathUse[] => [
        read(word),
        ...[word, ...(unpacks(name, given) ? [renameWord(word, unpackedName)] : packedNames(word))].map(
          (one): PathUse => ({ kind: 'remove', word: one }),
        ),
      ]);
    case 'into':
      return usesInto(name, operands);
    case 'text':
      return [];
  }
}

/** Other files that options remove: everything that is only at the target, or the sources once they are copied or packed. */
function listRemoved(name: string, { flags, operands }: ReadArguments): PathUse[] {
  const removed = (word: ShellWord): PathUse => ({ kind: 'remove', word, whole: true });
  const has = (pattern: RegExp) => [...flags].some((flag) => pattern.test(flag));
  if (name === 'tar') return has(/^--remove-files$/) ? operands.map(removed) : [];
  if (name !== 'rsync') return [];
  return [
    ...(has(/^--del/) ? operands.slice(-1).map(removed) : []),
    ...(has(/^--remove-source-files$/) ? operands.slice(0, -1).map(removed) : []),
  ];
}

/** A link with one operand is created here, under the same name. The target of a link is changed through it. */
function usesInto(name: string, operands: readonly ShellWord[]): PathUse[] {
  const isLink = isLinking(name);
  const all = isLink && operands.length === 1 ? [...operands, hereWord] : operands;
  const target = all.at(-1);
  if (!target) return [];
  const sources = all.slice(0, -1);
  return [
    ...sources.map((word): PathUse => ({ kind: 'read', word, opensDirectories: true })),
    ...(name === 'mv' ? sources.map((word): PathUse => ({ kind: 'remove', word, whole: true })) : []),
    ...(isLink ? sources.map((word): PathUse => ({ kind: 'write', word })) : []),
    { kind: 'write', word: target },
    ...landings(all),
  ];
}

function isLinking(name: string): boolean {
  return name === 'ln' || name === 'link';
}

const hereWord: ShellWord = { text: '.', values: [literalValue('.')], single: true };

function findCarrying(name: string, given: ReadArguments, isOther: boolean): Carrying | undefined {
  const { operands, flags } = given;
  const target = operands.at(-1);
  const isWhole = name === 'mv' || (/^(?:cp|rsync)$/.test(name) && recursive.some((flag) => flags.has(flag)));
  const follows = findFollowed(name, given);
  return isWhole && !isOther && target
    ? { sources: operands.slice(0, -1), target, ...(follows ? { follows } : {}) }
    : undefined;
}

const recursive = ['-r', '-R', '-a', '--recursive', '--archive'];

function unpacks(name: string, { flags }: ReadArguments): boolean {
  return (
    /^(?:gun|bun|un)/.test(name) || ['-d', '--decompress', '--uncompress'].some((flag) => flags.has(flag))
  );
}

/** With such a suffix a name that a pattern finds is protected only if it is protected without it. */
function packedNames(word: ShellWord): ShellWord[] {
  if (word.values?.some(({ isPattern }) => isPattern)) return [];
  return ['.gz', '.bz2', '.xz'].map((ending) => renameWord(word, (name) => name + ending));
}

function unpackedName(name: string): string {
  return name.replace(/\.(?:gz|bz2|xz|lzma|Z|z)$/, '').replace(/\.t(?:gz|az|bz2?|xz)$/, '.tar');
}
