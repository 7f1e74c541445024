import { Ends, findAlphabetEnd, findAlphabetStart, isInAlphabet, isVaried } from './token-alphabets.ts';

/** A token in a string. `end` may move when more text arrives. */
export interface FoundToken {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Tokens known by their shape around a run of letters, and not by a prefix alone. */
export function findShape(text: string, start: number, end: number): FoundToken | undefined {
  return (
    findJwt(text, start) ??
    findDiscordToken(text, start, end) ??
    afterColon(text, start, end) ??
    findAzureSecret(text, start) ??
    findAirtableToken(text, start, end) ??
    findMailchimpKey(text, start, end)
  );
}

/** Header and body are JSON, so both begin alike. A signature may be missing. */
function findJwt(text: string, start: number): FoundToken | undefined {
  if (!text.startsWith('eyJ', start)) return undefined;
  const head = findAlphabetEnd(text, start, 'name');
  if (!text.startsWith('.eyJ', head)) return undefined;
  return { start, end: findAlphabetEnd(text, head, 'dotted'), name: 'JSON web token' };
}

function findDiscordToken(text: string, start: number, end: number): FoundToken | undefined {
  const length = end - start;
  if (length < 23 || length > 28 || !/[MNO]/.test(text[start] ?? '') || text[end] !== '.') return undefined;
  const second = findAlphabetEnd(text, end + 1, 'name');
  if (second - end < 6 || second - end > 8 || text[second] !== '.') return undefined;
  const third = findAlphabetEnd(text, second + 1, 'name');
  return third - second > 26 ? { start, end: third, name: 'Discord token' } : undefined;
}

/** Telegram's `123456789:AA…` and Asana's `1/1234567890123:…`. */
function afterColon(text: string, start: number, end: number): FoundToken | undefined {
  if (text[start - 1] !== ':') return undefined;
  const first = findAlphabetStart(text, start - 1, 'hex', Math.max(0, start - 24));
  const number = text.slice(first, start - 1);
  const bot = /\d{8,11}$/.exec(number);
  if (text.startsWith('AA', start) && end - start >= 33 && bot)
    return { start: first + bot.index, end, name: 'Telegram token' };
  const isAsana =
    /^\d{13,20}$/.test(number) && text[first - 1] === '/' && findAlphabetEnd(text, start, 'hex') === end;
  return isAsana && end - start === 32 ? { start, end, name: 'Asana token' } : undefined;
}

/** `abc8Q~…`: a client secret of an application. */
function findAzureSecret(text: string, start: number): FoundToken | undefined {
  if (text[start - 1] !== '~' || text[start - 2] !== 'Q') return undefined;
  const first = findAlphabetStart(text, start - 1, 'letters', Math.max(0, start - 6));
  if (start - 1 - first !== 5) return undefined;
  let end = findAlphabetEnd(text, start, 'dotted');
  while (text[end] === '~') end = findAlphabetEnd(text, end + 1, 'dotted');
  return end - start >= 30 ? { start: first, end, name: 'Azure secret' } : undefined;
}

function findAirtableToken(text: string, start: number, end: number): FoundToken | undefined {
  if (end - start !== 17 || !text.startsWith('pat', start) || text[end] !== '.') return undefined;
  const last = findAlphabetEnd(text, end + 1, 'hex');
  return last - end - 1 === 64 ? { start, end: last, name: 'Airtable token' } : undefined;
}

function findMailchimpKey(text: string, start: number, end: number): FoundToken | undefined {
  if (end - start > 38 || !/^[0-9a-f]{32}-us\d{1,2}$/.test(text.slice(start, end))) return undefined;
  return { start, end, name: 'Mailchimp key' };
}

interface Context {
  readonly name: string;
  readonly word: string;
  readonly least: number;
}

/** Values without a distinctive format, known by the text before them. */
const contexts: readonly Context[] = [
  { name: 'AWS secret', word: 'ecretAccessKey', least: 36 },
  { name: 'AWS secret', word: 'ecret_access_key', least: 36 },
  { name: 'AWS secret', word: 'ECRET_ACCESS_KEY', least: 36 },
  { name: 'AWS token', word: 'ession_token', least: 60 },
  { name: 'AWS token', word: 'ESSION_TOKEN', least: 60 },
  { name: 'Azure key', word: 'AccountKey=', least: 40 },
  { name: 'Azure key', word: 'SharedAccessKey=', least: 40 },
  { name: 'Azure signature', word: 'sig=', least: 40 },
  { name: 'WireGuard key', word: 'PrivateKey', least: 42 },
  { name: 'bearer token', word: 'earer ', least: 20 },
  // In capital letters a checkout on a CI machine keeps it in git's configuration.
  ...['uthorization: Basic ', 'uthorization: basic ', 'UTHORIZATION: Basic ', 'UTHORIZATION: basic '].map(
    (word) => ({ name: 'password', word, least: 12 }),
  ),
];

/** All names besides those of formats. */
export const shapeNames: readonly string[] = [
  ...['JSON web token', 'Discord token', 'Telegram token', 'Asana token', 'Azure secret', 'Airtable token'],
  ...['Mailchimp key', 'webhook', 'password', 'private key', ...contexts.map(({ name }) => name)],
];

/** Maximum distance between a value and the words before it that say what it is. */
export const maxContextLength = 64;

const separators = /[\s"'`:=\\>]{0,8}/y;

export function contextTokens(text: string, from: number): FoundToken[] {
  return contexts.flatMap(({ name, word, least }) => {
    const found: FoundToken[] = [];
    const ends = new Ends(text);
    for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + word.length)) {
      separators.lastIndex = at + word.length;
      const start = at + word.length + (separators.exec(text)?.[0].length ?? 0);
      const end = ends.of(start, 'base64');
      const body = text.slice(start, Math.min(end, start + 64));
      if (end - start >= least && /\d/.test(body) && isVaried(body, false)) found.push({ start, end, name });
    }
    return found;
  });
}

const webhooks: readonly string[] = [
  ...['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'discord.com/api/webhooks/'],
  ...['discordapp.com/api/webhooks/', 'outlook.office.com/webhook/'],
];

const maxAddressLength = 512;

/** `scheme://user:password@host`, and addresses that themselves grant the right to post. */
export function addressTokens(text: string, from: number, isPlain: (value: string) => boolean): FoundToken[] {
  const found: FoundToken[] = [];
  for (let at = text.indexOf('://', from); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const hook = webhooks.find((one) => text.startsWith(one, start));
    if (hook !== undefined) {
      const end = findAlphabetEnd(text, start + hook.length, 'base64');
      if (end - start - hook.length > 20) found.push({ start: start + hook.length, end, name: 'webhook' });
      continue;
    }
    const password = findAddressPassword(text, start);
    if (password && !isPlain(text.slice(password.start, password.end))) found.push(password);
  }
  return found;
}

function findAddressPassword(text: string, start: number): FoundToken | undefined {
  let colon = -1;
  for (let at = start; at < text.length && at < start + maxAddressLength; at++) {
    const sign = text[at] ?? '';
    if (sign === '@') return colon < 0 ? undefined : { start: colon + 1, end: at, name: 'password' };
    if (sign === ':' && colon < 0) colon = at;
    if (/[\s/?#"'`<>\\{}$]/.test(sign)) return undefined;
  }
  return undefined;
}

const maxKeyLength = 16 * 1024;
const keyHead = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** The lines of a private key. Where it is shown with numbers or escapes between them, each line separately. */
export function keyTokens(text: string, from: number): FoundToken[] {
  if (text.indexOf('-----BEGIN', from) < 0) return [];
  const found: FoundToken[] = [];
  keyHead.lastIndex = from;
  for (let head = keyHead.exec(text); head; head = keyHead.exec(text)) {
    const start = head.index + head[0].length;
    const foot = text.slice(start, start + maxKeyLength).indexOf('-----END');
    const end = Math.min(text.length, start + (foot < 0 ? maxKeyLength : foot));
    found.push(...keyLines(text, start, end));
    keyHead.lastIndex = end;
  }
  return found;
}

/** Headers may come before the first line; between two lines there is at most a number. */
const maxGap = { first: 200, next: 24 };

function keyLines(text: string, start: number, end: number): FoundToken[] {
  const lines: FoundToken[] = [];
  let last = start;
  for (let at = start; at < end && at - last <= (lines.length === 0 ? maxGap.first : maxGap.next); ) {
    const line = Math.min(findAlphabetEnd(text, at, 'key'), end);
    // The last line is short.
    if (line - at >= (lines.length === 0 ? 32 : 8)) {
      lines.push({ start: at, end: line, name: 'private key' });
      last = line;
    }
    at = line + 1;
  }
  return lines;
}

/** The start of the last private key without an end; undefined where there is none. */
export function findOpenKey(text: string): number | undefined {
  const at = text.lastIndexOf('-----BEGIN ');
  if (at < 0 || text.length - at > maxKeyLength || text.indexOf('-----END', at) >= 0) return undefined;
  return text.length - at < 60 || /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text.slice(at, at + 70))
    ? at
    : undefined;
}

/** Whether a character may be the one before a token. */
export function isBoundary(text: string, at: number): boolean {
  return at === 0 || !isInAlphabet(text.charCodeAt(at - 1), 'letters') || text[at - 3] === '%';
}
