import { type Told, untold } from '../../lib/told.ts';
import { joinPath } from '../../workspace/paths.ts';
import { type Effect, type PathUse, unknown } from './effect.ts';
import { type ReadArguments, readArguments } from './flags.ts';
import { curlFlags, ddOperands, tarWriter, wgetFlags } from './transfers.data.ts';
import { literalOf, literalValue, literalWord, type ShellWord, tellText } from './types.ts';
import { filesOf, readWriter, written } from './writer-uses.ts';

/** The files of programs that bring data from one place to another. */
export function grantedTransfer(name: 'dd' | 'tar' | 'curl' | 'wget', words: readonly ShellWord[]): Effect {
  if (name === 'dd') return readDd(words);
  if (name === 'tar') return readTar(words);
  const flags = name === 'curl' ? curlFlags : wgetFlags;
  const read = readArguments(words, {
    ...{ why: '', flags, operands: 'text', allowed: true },
  });
  if (typeof read === 'string') return unknown(`${name}: ${read}`);
  return name === 'curl' ? readCurl(read) : readWget(read);
}

function readDd(words: readonly ShellWord[]): Effect {
  const uses: PathUse[] = [];
  for (const word of words) {
    const [, name = '', value = ''] = /^"?([a-z]+)=(.*)$/s.exec(literalOf(word) ?? word.text) ?? [];
    const kind = Object.hasOwn(ddOperands, name) ? ddOperands[name] : undefined;
    if (!kind || !word.single) return unknown(`dd: the operand ${word.text} is not known`);
    const target =
      literalOf(word) === undefined ? { text: word.text, single: word.single } : literalWord(value);
    if (kind === 'write') uses.push(written(target));
    if (kind === 'read') uses.push({ kind, word: target });
  }
  return { known: true, uses };
}

/** What is extracted has names that only the archive knows. The old form has no dash. */
function readTar(words: readonly ShellWord[]): Effect {
  const [first, ...rest] = words;
  const text = literalOf(first) ?? '';
  const isOld = /^[A-Za-z]+$/.test(text);
  if (isOld && /f./.test(text)) return unknown('tar: the order of its letters is not known');
  const given = isOld ? [literalWord(`-${text}`), ...rest] : words;
  const effect = moveUses(readWriter('tar', tarWriter, given), given);
  if (!effect.known) return effect;
  const isListing = isOld
    ? text.includes('t')
    : words.some((word) => /^(?:-\w*t|--list)/.test(literalOf(word) ?? ''));
  return isListing ? { known: true, uses: effect.uses.map((use) => ({ ...use, kind: 'read' })) } : effect;
}

/** Behind `-C` names count from there; the archive and what stands before it count from here. */
function moveUses(effect: Effect, words: readonly ShellWord[]): Effect {
  const values = words.flatMap((word, index) => {
    const text = literalOf(word) ?? '';
    const joined = /^(?:-C|--directory=)(.+)$/s.exec(text)?.[1];
    if (joined !== undefined) return [literalWord(joined)];
    return /^(?:-C|--directory)$/.test(text) ? (words[index + 1] ?? []) : [];
  });
  if (!effect.known || values.length === 0) return effect;
  const places = values.map(literalOf);
  if (places.some((place) => place === undefined)) return unknown('tar: where it goes is not in the text');
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

function readCurl(read: ReadArguments): Effect {
  const { values, operands, flags } = read;
  const uses = filesOf(read);
  if (read.outputs.some((word) => literalOf(word)?.includes('#')))
    return unknown('curl: an output with # in it has several names');
  if (flags.has('-J')) return unknown('curl: the server chooses the name of the file');
  const directory = lastValue(values, ['--output-dir']);
  if (directory === untold) return unknown('curl: the text does not say which directory --output-dir is');
  for (const [flag, , word] of values) {
    const fault = word && faultOfValue(flag, word);
    if (fault) return unknown(`curl: ${fault}`);
    const file = word && fileInValue(flag, literalOf(word) ?? '');
    if (file !== undefined) uses.push({ kind: 'read', word: literalWord(file) });
  }
  const urls = [...operands, ...values.flatMap(([flag, , word]) => (flag === '--url' && word ? [word] : []))];
  for (const url of urls) uses.push(...usesOfUrl(url));
  if (['-O', '--remote-name', '--remote-name-all'].some((flag) => flags.has(flag)))
    uses.push(...urls.map((url) => written(nameFrom(url, directory))));
  const isMoved = directory !== '.' && read.outputs.length > 0;
  return isMoved ? unknown('curl: --output-dir together with an output') : { known: true, uses };
}

function lastValue(values: ReadArguments['values'], flags: readonly string[]): Told<string> {
  const last = values.findLast(([flag]) => flags.includes(flag));
  return last ? last[1] : '.';
}

/** What a value may do that is computed: of a text that begins in sight it is known that it names no file. */
function faultOfValue(flag: string, word: ShellWord): string | undefined {
  const text = tellText(word);
  if (/^(?:-w|--write-out)$/.test(flag) && (text === untold || /^@|%output/.test(text)))
    return 'the format may write a file';
  if (/^(?:-F|--form)$/.test(flag) && text !== untold && /^[^=]*=[@<].*[",]/s.test(text))
    return 'a quoted file name, or several, in a form field';
  if (text !== untold || !mayNameFile.test(flag)) return undefined;
  const [begins = ''] = /^"?[^$`"'\\*?[{~]*/.exec(word.text) ?? [];
  const start = begins.replace(/^"/, '');
  const isForm = /^(?:-F|--form|--data-urlencode|--url-query|-b|--cookie)$/.test(flag);
  const isText = isForm ? /^[^=@]*=[^@<]/.test(start) : /^[^@]/.test(start);
  return isText ? undefined : `the value of ${flag} is computed, and may name a file`;
}

const mayNameFile =
  /^(?:-H|--header|-d|--data|--data-ascii|--data-binary|--json|-F|--form|--data-urlencode|--url-query|-b|--cookie)$/;

/** `-d @file`, `-F name=@file`, `-F name=<file`, `--data-urlencode name@file`, `-b file`. */
function fileInValue(flag: string, value: string): string | undefined {
  if (/^(?:-H|--header|-d|--data|--data-ascii|--data-binary|--json)$/.test(flag))
    return /^@(.+)$/s.exec(value)?.[1];
  if (flag === '--data-urlencode' || flag === '--url-query') return /^[^=]*?@(.+)$/s.exec(value)?.[1];
  if (flag === '-F' || flag === '--form') return /^[^=]*=[@<]([^;]+)/s.exec(value)?.[1];
  if (flag === '-b' || flag === '--cookie') return value.includes('=') ? undefined : value || undefined;
  return flag === '--url' ? /^@(.+)$/s.exec(value)?.[1] : undefined;
}

function usesOfUrl(word: ShellWord): PathUse[] {
  const text = literalOf(word);
  // curl expands braces and brackets by itself, in the scheme too.
  if (text !== undefined && /[[\]{}]/.test(text) && !/^https?:\/\//i.test(text))
    return [{ kind: 'read', word: { text, single: true } }];
  if (text === undefined) return /^"?https?:\/\//i.test(word.text) ? [] : [{ kind: 'read', word }];
  const path = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(text)?.[1];
  return path === undefined ? [] : [{ kind: 'read', word: literalWord(safeDecode(path)) }];
}

/** wget writes what it gets under the last part of the address, unless it is told a name. */
function readWget(read: ReadArguments): Effect {
  const { values, operands, flags } = read;
  const directory = lastValue(values, ['-P', '--directory-prefix']);
  if (directory === untold) return unknown('wget: the text does not say which directory it writes to');
  const isNamed = flags.has('-O') || flags.has('--output-document') || flags.has('--spider');
  const uses = filesOf(read);
  return {
    known: true,
    uses: isNamed ? uses : [...uses, ...operands.map((url) => written(nameFrom(url, directory)))],
  };
}

function nameFrom(url: ShellWord, directory: string): ShellWord {
  const text = literalOf(url);
  if (text === undefined) return { text: url.text, single: true };
  const path = text.replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const name = path.slice(path.lastIndexOf('/') + 1) || 'index.html';
  return literalWord(`${directory}/${safeDecode(name)}`);
}

function safeDecode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
