import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import { readLiteral, type ShellWord, type Value } from '../grammar/types.ts';

/*
 * Words of curl have their own syntax: braces and brackets in addresses and in files to upload, form fields, and a password
 * after the name of a certificate.
 */

/** `{a,b}` and `[1-9]` as curl expands them, in an address or in the name of a file that is sent. */
export function expandCurl(word: ShellWord, isLiteral: boolean): ShellWord {
  const text = readLiteral(word);
  if (text === undefined || isLiteral || !/[[{]/.test(text)) return word;
  const texts = spread(text);
  return texts ? { text, values: texts.map(fileValue), single: true } : { text, single: true };
}

/** The files that an address of the scheme `file` means: by any scheme that a pattern may become as well. */
export function listAddressFiles(word: ShellWord, isLiteral: boolean): ShellWord[] {
  const text = readLiteral(word);
  if (text === undefined) return /^"?https?:\/\//i.test(word.text) ? [] : [word];
  const texts = isLiteral ? [text] : spread(text);
  if (!texts) return /^https?:\/\//i.test(text) ? [] : [{ text, single: true }];
  const values = texts.flatMap((one) => listAddressPaths(one).map(fileValue));
  return values.length > 0 ? [{ text, values, single: true }] : [];
}

/** `-F name=@FILE;headers=@FILE`; undefined where it contains quotes or several names. */
export function listFieldFiles(text: string): string[] | undefined {
  const [, content = ''] = /^[^=]*=(.*)$/s.exec(text) ?? [];
  const [first = '', ...more] = content.split(';');
  const files = [first, ...more.map((part) => /^\s*headers=(.*)$/is.exec(part)?.[1] ?? '')]
    .map((part) => part.trim())
    .filter((part) => /^"?[@<]/.test(part));
  if (files.length > 0 && /[",\\]/.test(content)) return undefined;
  return files.map((part) => part.slice(1).trim());
}

/** `FILE:PASSWORD`, where a backslash keeps a colon in the name: all possible names. */
export function listCertificateFiles(text: string): string[] {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const names = [text, ...colons.map((at) => text.slice(0, at))].filter((name) => name !== '');
  return [...new Set(names.flatMap((name) => [name, name.replace(/\\([\\:])/g, '$1')]))];
}

/** Represents the result of a range. */
const wild = '\uE000';
const maxTexts = 64;
const maxLetters = 8;

/** Undefined where there are too many. Ranges become letters or numbers, never a dot or a slash. */
function spread(text: string): string[] | undefined {
  let texts = [''];
  const pieces = text.match(/\\[{}[\]]|\{[^{}]*\}|\[[^[\]]*\]|[\s\S]/g) ?? [];
  for (const piece of pieces) {
    const choices = readPiece(piece);
    texts = texts.flatMap((before) => choices.map((choice) => before + choice));
    if (texts.length > maxTexts) return undefined;
  }
  return [...new Set(texts)];
}

function readPiece(piece: string): string[] {
  if (piece.length === 1) return [piece];
  if (piece.startsWith('\\')) return [piece.slice(1)];
  // An IPv6 address is in brackets too.
  if (piece.startsWith('['))
    return [...(listLetters(piece) ?? [wild]), ...(piece.includes(':') ? [piece] : [])];
  return piece.slice(1, -1).split(',');
}

/** A few letters are listed one by one; those that a step leaves out are included as well. */
function listLetters(piece: string): string[] | undefined {
  const [, from = '', to = ''] = /^\[([A-Za-z])-([A-Za-z])(?::\d+)?\]$/.exec(piece) ?? [];
  const count = from === '' ? 0 : to.charCodeAt(0) - from.charCodeAt(0) + 1;
  if (count < 1 || count > maxLetters) return undefined;
  return Array.from({ length: count }, (_, at) => String.fromCharCode(from.charCodeAt(0) + at));
}

function listAddressPaths(text: string): string[] {
  const [, scheme = '', path = ''] = /^([^:/?#]*):(?:\/\/[^/]*)?(\/.*)$/s.exec(text) ?? [];
  const isFile = scheme !== '' && mayMatchName(foldName(scheme).replaceAll(foldName(wild), '*'), 'file');
  if (!isFile) return [];
  return [...new Set([path, path.replace(/[?#].*$/s, '')])].map(safeDecode);
}

function fileValue(text: string): Value {
  const glob = text.replace(/[\\*?[\]]/g, '\\$&').replaceAll(wild, '*');
  return { text: text.replaceAll(wild, '*'), glob, isPattern: text.includes(wild) };
}

function safeDecode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
