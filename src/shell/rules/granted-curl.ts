import { type Told, untold } from '../../lib/told.ts';
import { literalWord, readLiteral, type ShellWord, tellText } from '../grammar/types.ts';
import { listAlwaysRead } from '../programs/always-read.ts';
import {
  expandCurl,
  listAddressFiles,
  listCertificateFiles,
  listFieldFiles,
} from '../programs/curl-words.ts';
import { type Effect, type PathUse, unknown } from '../programs/effect.ts';
import type { ReadArguments } from '../programs/flags.ts';
import { networkOnly } from '../programs/name-lists.ts';
import { written } from '../programs/writer-uses.ts';
import { joinName, nameByCurl } from './address-names.ts';

/** The files that curl sends and writes. */
export function readCurl(read: ReadArguments): Effect {
  const { values, operands, flags, outputs } = read;
  if (outputs.some((word) => readLiteral(word)?.includes('#')))
    return unknown('curl: an output with # in it has several names');
  if (flags.has('-J')) return unknown('curl: the server chooses the name of the file');
  if (values.some(([flag, text]) => flag === '--url' && text !== untold && text.startsWith('@')))
    return unknown('curl: a file says which addresses it uses');
  const directory = lastValue(values, ['--output-dir']);
  if (directory === untold) return unknown('curl: the directory of --output-dir is unknown');
  if (directory !== '.' && outputs.length > 0) return unknown('curl: --output-dir together with an output');
  const isLiteral = flags.has('-g') || flags.has('--globoff');
  const uses = [
    ...listAlwaysRead('curl'),
    ...outputs.filter((word) => readLiteral(word) !== '-').map(written),
  ];
  for (const [flag, value, word] of values) {
    // By a redirect, or an address without a scheme, it may read any file.
    if (word && flag.startsWith('--proto') && (value === untold || !networkOnly.test(value)))
      uses.push(
        { kind: 'read', word, isOpen: true },
        { kind: 'read', word: { text: word.text, single: true } },
      );
    // It takes over what the file says before it writes the file anew.
    if (keepingFiles.test(flag) && word && value !== '') uses.push({ kind: 'read', word });
    const files = word && filesInValue(flag, word, isLiteral);
    if (typeof files === 'string') return unknown(`curl: ${files}`);
    uses.push(...(files ?? []).map((file): PathUse => ({ kind: 'read', word: file })));
  }
  const urls = [...operands, ...values.flatMap(([flag, , word]) => (flag === '--url' && word ? [word] : []))];
  for (const url of urls)
    uses.push(...listAddressFiles(url, isLiteral).map((word): PathUse => ({ kind: 'read', word })));
  if (['-O', '--remote-name', '--remote-name-all'].some((flag) => flags.has(flag)))
    uses.push(...urls.map((url) => written(joinName(url, directory, nameByCurl))));
  return { known: true, uses };
}

const keepingFiles = /^--(?:hsts|alt-svc)$/;

export function lastValue(values: ReadArguments['values'], flags: readonly string[]): Told<string> {
  const last = values.findLast(([flag]) => flags.includes(flag));
  return last ? last[1] : '.';
}

/** The files that the value of an option names; a string says why they are unknown. */
function filesInValue(flag: string, word: ShellWord, isLiteral: boolean): readonly ShellWord[] | string {
  const text = tellText(word);
  if (/^(?:-w|--write-out)$/.test(flag))
    return text === untold || /^@|%output/.test(text) ? 'the format may write a file' : [];
  if (/^(?:-T|--upload-file)$/.test(flag))
    return text === '-' || text === '.' ? [] : [expandCurl(word, isLiteral)];
  if (plainFiles.test(flag)) return [word];
  if (text === untold) return findComputedFault(flag, word) ?? [];
  if (/^(?:-E|--cert)$/.test(flag)) return listCertificateFiles(text).map(literalWord);
  if (/^(?:-F|--form)$/.test(flag))
    return listFieldFiles(text)?.map(literalWord) ?? 'a form field with a quoted file name or several files';
  const file = fileInText(flag, text);
  return file === undefined ? [] : [literalWord(file)];
}

const plainFiles = /^--(?:etag-compare|key|cacert|capath|netrc-file)$/;

/** Possible effects of a computed value: text with a visible beginning is known to name no file. */
function findComputedFault(flag: string, word: ShellWord): string | undefined {
  if (!mayNameFile.test(flag)) return undefined;
  const [begins = ''] = /^"?[^$`"'\\*?[{~]*/.exec(word.text) ?? [];
  const start = begins.replace(/^"/, '');
  const isText = formLike.test(flag)
    ? !/^(?:-F|--form)$/.test(flag) && /^[^=@]*=[^@<]/.test(start)
    : !/^(?:-E|--cert)$/.test(flag) && /^[^@]/.test(start);
  return isText ? undefined : `the value of ${flag} is computed, and may name a file`;
}

const formLike = /^(?:-F|--form|--data-urlencode|--url-query|-b|--cookie)$/;
const mayNameFile =
  /^(?:-H|--header|-d|--data|--data-ascii|--data-binary|--json|-F|--form|--data-urlencode|--url-query|-b|--cookie|-E|--cert)$/;

/** `-d @file`, `--data-urlencode name@file`, `-b file`. */
function fileInText(flag: string, value: string): string | undefined {
  if (/^(?:-H|--header|-d|--data|--data-ascii|--data-binary|--json)$/.test(flag))
    return /^@(.+)$/s.exec(value)?.[1];
  if (flag === '--data-urlencode' || flag === '--url-query') return /^[^=]*?@(.+)$/s.exec(value)?.[1];
  if (flag === '-b' || flag === '--cookie') return value.includes('=') ? undefined : value || undefined;
  return undefined;
}
