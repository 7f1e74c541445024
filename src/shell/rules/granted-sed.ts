import { type Told, untold } from '../../lib/told.ts';
import { renameWord } from '../grammar/rename-word.ts';
import { type ShellWord, tellText } from '../grammar/types.ts';
import { type Effect, type PathUse, unknown } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { findScriptsFault } from '../programs/sed.ts';
import { textTools } from '../tables/text-tools.data.ts';

/** Scripts that write, read or run are asked about: the files they name are not parsed. */
export function grantedSed(words: readonly ShellWord[]): Effect {
  const read = readArguments(words, {
    ...{ why: '', operands: 'pattern', patternFlags: '-e --expression', allowed: true, abbreviates: true },
    flags: `${textTools.sed?.flags ?? ''} -i? --in-place? --follow-symlinks --debug --help --version`,
  });
  if (typeof read === 'string') return unknown(`sed: ${read}`);
  const hasScript = read.flags.has('-e') || read.flags.has('--expression');
  const fault = findScriptsFault(hasScript ? read.patterns : [tellText(read.operands[0])]);
  if (fault) return unknown(fault);
  const files = hasScript ? read.operands : read.operands.slice(1);
  const isInPlace = read.flags.has('-i') || read.flags.has('--in-place');
  const endings = read.values.flatMap(([flag, value]): Told<string>[] =>
    flag === '-i' || flag === '--in-place' ? [value] : [],
  );
  // A star or a slash in the suffix makes the backup another file.
  if (!endings.every((ending) => ending !== untold && !/[*/]/.test(ending)))
    return unknown('sed -i with such a backup may write any file');
  const backups = endings.flatMap((ending) =>
    ending === untold || plainEnding.test(ending)
      ? []
      : files.map((word) => renameWord(word, (name) => `${name}${ending}`)),
  );
  const uses = isInPlace
    ? [...files, ...backups].map((word): PathUse => ({ kind: 'write', word }))
    : files.map((word): PathUse => ({ kind: 'read', word }));
  return { known: true, uses };
}

/** With these a name is protected only if it is protected without them. */
const plainEnding = /^[.~_-]?(?:bak|backup|orig|old|tmp|~)?$/;
