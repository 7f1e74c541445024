import { joinPath } from '../../workspace/paths.ts';
import { literalValue, readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { listTexts, readCommandName } from '../judge/command-words.ts';
import type { PathUse } from '../programs/effect.ts';
import type { Script } from './script.ts';

/** The directories that a builtin enters, whatever else it does: below each entry of `CDPATH` as well. */
export function findEntered(command: SimpleCommand, script: Script): PathUse[] {
  if (!/^(?:cd|pushd|chdir)$/.test(readCommandName(command))) return [];
  const operands = command.words.slice(1).filter((word) => !/^[-+]/.test(readLiteral(word) ?? ''));
  const starts = script.all.flatMap(({ command: { assignments } }) =>
    assignments.flatMap(({ name, word }) => (name === 'CDPATH' && word ? listTexts(word) : [])),
  );
  const entries = starts.flatMap((text) => text.split(':')).filter((entry) => entry !== '');
  return operands.flatMap((word) =>
    [word, ...entries.flatMap((entry) => below(entry, word))].map(
      (one): PathUse => ({ kind: 'enter', word: one }),
    ),
  );
}

function below(entry: string, word: ShellWord): ShellWord[] {
  const values = (word.values ?? word.guesses)?.map(({ text }) => literalValue(joinPath(entry, text)));
  return values ? [{ ...word, values }] : [];
}
