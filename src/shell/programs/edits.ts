import { readLiteral, type ShellWord, tellText } from '../grammar/types.ts';
import { landings } from '../judge/landings.ts';
import type { Effect, PathUse } from './effect.ts';
import { readArguments } from './flags.ts';
import { findScriptsFault } from './sed.ts';
import type { ProgramSpec, ToolTable } from './tool-spec.ts';
import { findFollowed } from './writer-uses.ts';

/** Commands that change files and nothing else; each path they name is judged as a write. */
const editTools: ToolTable = {
  mkdir: { why: 'Makes directories.', flags: '-p -v --parents --verbose', operands: 'paths', inert: true },
  touch: { why: 'Makes files.', flags: '-a -c -m --no-create', operands: 'paths', inert: true },
  rm: {
    why: 'Removes.',
    flags: '-f -r -R -v -d --force --recursive --verbose --dir',
    operands: 'paths',
    inert: true,
  },
  rmdir: {
    why: 'Removes empty directories. -p also removes those above, anywhere.',
    flags: '-v --verbose',
    operands: 'paths',
    inert: true,
  },
  mv: { why: 'Moves.', flags: '-f -n -v --force --no-clobber --verbose', operands: 'paths', inert: true },
  cp: {
    why: 'Copies.',
    flags: '-r -R -a -p -f -n -v --recursive --archive --force --no-clobber --verbose',
    operands: 'paths',
    inert: true,
  },
  tee: { why: 'Writes its input.', flags: '-a --append', operands: 'paths', inert: true },
};

const inPlace: ProgramSpec = {
  why: 'Edits files in place, by a script that writes and runs nothing else. A suffix joined to -i names another file.',
  flags: '-i? -n -E -r -s -e: --in-place --quiet --silent --expression: --regexp-extended',
  values: { '-i': /^$/ },
  operands: 'pattern',
  patternFlags: '-e --expression',
};

export function classifyEdit(name: string, words: readonly ShellWord[]): Effect | undefined {
  if (name === 'sed') return classifyInPlace(words);
  const spec = Object.hasOwn(editTools, name) ? editTools[name] : undefined;
  if (!spec) return undefined;
  const read = readArguments(words, spec);
  if (typeof read === 'string') return { known: false, reason: `${name}: ${read}` };
  const { operands, flags } = read;
  if (name === 'rm' || name === 'rmdir')
    return { known: true, edits: true, uses: operands.map((word) => removal(word, isDeep(flags))) };
  if (name === 'tee')
    return { known: true, edits: true, uses: operands.map((word) => ({ kind: 'write', word, pours: true })) };
  const uses: PathUse[] = operands.map((word) => ({ kind: 'write', word }));
  // A source is read as well; a file that lands in a directory keeps its name, which may be a protected one.
  if (name === 'cp' || name === 'mv') {
    if (operands.length < 2 || operands.some((word) => !word.values))
      return { known: false, reason: `${name} with computed operands` };
    const sources = operands.slice(0, -1);
    const isMove = name === 'mv';
    if (!isMove) uses.splice(0, sources.length);
    // Under another name it could be read where this one cannot: moving it requires permission to read it.
    uses.push(...sources.map((word): PathUse => ({ kind: 'read', word, opensDirectories: true })));
    if (isMove) uses.push(...sources.map((word) => removal(word, true)));
    uses.push(...landings(operands));
  }
  const target = operands.at(-1);
  const isWhole = name === 'mv' || (name === 'cp' && wholeFlags.some((flag) => flags.has(flag)));
  const follows = findFollowed(name, read);
  const carries =
    isWhole && target
      ? { carries: { sources: operands.slice(0, -1), target, ...(follows ? { follows } : {}) } }
      : {};
  return { known: true, edits: true, uses, ...carries };
}

function removal(word: ShellWord, isWhole: boolean): PathUse {
  return { kind: 'remove', word, ...(isWhole ? { whole: true as const } : {}) };
}

function isDeep(flags: ReadonlySet<string>): boolean {
  return ['-r', '-R', '--recursive'].some((flag) => flags.has(flag));
}

const wholeFlags = ['-r', '-R', '-a', '--recursive', '--archive'];

/** Undefined when nothing is edited in place: that is a sed that only prints. */
function classifyInPlace(words: readonly ShellWord[]): Effect | undefined {
  if (!words.some((word) => /^(?:-\w*i|--i)/.test(readLiteral(word) ?? ''))) return undefined;
  const read = readArguments(words, inPlace);
  if (typeof read === 'string') return { known: false, reason: `sed: ${read}` };
  const { operands, patterns, flags } = read;
  if (!flags.has('-i') && !flags.has('--in-place')) return undefined;
  const hasScript = flags.has('-e') || flags.has('--expression');
  const fault = findScriptsFault(hasScript ? patterns : [tellText(operands[0])]);
  if (fault) return { known: false, reason: fault };
  const files = hasScript ? operands : operands.slice(1);
  return { known: true, edits: true, uses: files.map((word) => ({ kind: 'write', word })) };
}
