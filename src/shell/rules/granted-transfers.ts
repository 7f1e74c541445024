import { untold } from '../../lib/told.ts';
import { joinPath } from '../../workspace/paths.ts';
import { literalValue, literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';
import { type Effect, type PathUse, unknown } from '../programs/effect.ts';
import { type ReadArguments, readArguments } from '../programs/flags.ts';
import { listFileUses, readWriter, written } from '../programs/writer-uses.ts';
import { curlFlags, curlValues, ddOperands, tarWriter, wgetFlags } from '../tables/transfers.data.ts';
import { joinName, nameByWget } from './address-names.ts';
import { lastValue, readCurl } from './granted-curl.ts';

/** The files of programs that transfer data from one place to another. */
export function grantedTransfer(name: 'dd' | 'tar' | 'curl' | 'wget', words: readonly ShellWord[]): Effect {
  if (name === 'dd') return readDd(words);
  if (name === 'tar') return readTar(words);
  const flags = name === 'curl' ? curlFlags : wgetFlags;
  const read = readArguments(words, {
    ...{ why: '', flags, operands: 'text', allowed: true },
    ...(name === 'curl' ? { values: curlValues } : {}),
  });
  if (typeof read === 'string') return unknown(`${name}: ${read}`);
  return name === 'curl' ? readCurl(read) : readWget(read);
}

function readDd(words: readonly ShellWord[]): Effect {
  const uses: PathUse[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = /^"?([a-z]+)=(.*)$/s.exec(readLiteral(word) ?? word.text) ?? [];
    const kind = Object.hasOwn(ddOperands, name) ? ddOperands[name] : undefined;
    if (!kind || !word.single) return unknown(`dd: the operand ${word.text} is unknown`);
    const target =
      readLiteral(word) === undefined ? { text: word.text, single: word.single } : literalWord(value);
    if (kind === 'write') uses.push(written(target));
    if (kind === 'read') uses.push({ kind, word: target });
  }
  return { known: true, uses };
}

/** Extracted files have names that only the archive knows. The old form has no dash. */
function readTar(words: readonly ShellWord[]): Effect {
  const [first, ...rest] = words;
  const text = readLiteral(first) ?? '';
  const isOld = /^[A-Za-z]+$/.test(text);
  if (isOld && /f./.test(text)) return unknown('tar: the order of its letters is unknown');
  const given = isOld ? [literalWord(`-${text}`), ...rest] : words;
  const effect = moveUses(readWriter('tar', tarWriter, given), given);
  if (!effect.known) return effect;
  const isListing = isOld
    ? text.includes('t')
    : words.some((word) => /^(?:-\w*t|--list)/.test(readLiteral(word) ?? ''));
  return isListing ? { known: true, uses: effect.uses.map((use) => ({ ...use, kind: 'read' })) } : effect;
}

/** After `-C` names are relative to that directory; the archive and words before it are relative to this one. */
function moveUses(effect: Effect, words: readonly ShellWord[]): Effect {
  const values = words.flatMap((word, index) => {
    const text = readLiteral(word) ?? '';
    const joined = /^(?:-C|--directory=)(.+)$/s.exec(text)?.[1];
    if (joined !== undefined) return [literalWord(joined)];
    return /^(?:-C|--directory)$/.test(text) ? (words[index + 1] ?? []) : [];
  });
  if (!effect.known || values.length === 0) return effect;
  const places = values.map(readLiteral);
  if (places.some((place) => place === undefined)) return unknown('tar: its directory is computed');
  const bases = places.map((_, index) =>
    places.slice(0, index + 1).reduce((before, place) => joinPath(before ?? '.', place ?? ''), '.'),
  );
  const moved = effect.uses.flatMap((use) =>
    bases.map((base) => ({
      ...use,
      word: {
        ...use.word,
        ...(use.word.values
          ? { values: use.word.values.map((value) => literalValue(joinPath(base ?? '.', value.text))) }
          : {}),
      },
    })),
  );
  return { ...effect, uses: [...effect.uses, ...moved] };
}

/** wget writes the download under the last part of the address, unless it is given a name. */
function readWget(read: ReadArguments): Effect {
  const { values, operands, flags } = read;
  const directory = lastValue(values, ['-P', '--directory-prefix']);
  if (directory === untold) return unknown('wget: the directory it writes to is unknown');
  const isNamed = flags.has('-O') || flags.has('--output-document') || flags.has('--spider');
  const uses = listFileUses(read);
  return {
    known: true,
    uses: isNamed ? uses : [...uses, ...operands.map((url) => written(joinName(url, directory, nameByWget)))],
  };
}
