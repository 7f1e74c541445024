import { untold } from '../../lib/told.ts';
import { isCredential } from '../../places/credentials.ts';
import { matchesName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import { ask, strictness } from '../../places/reasons.ts';
import type { Decision } from '../../protocol/permission.ts';
import { literalWord, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { judgePlace } from './judge-place.ts';
import { mayMatter } from './removed-below.ts';
import { isFirm, type OpenCase } from './shell-case.ts';
import { resolveUses } from './uses.ts';

/**
 * A pattern that the shell leaves alone, and that a program may expand itself, as in `prettier --write '.vsco*'`. Files below
 * that it may match, and that are protected or refused, are treated as named. Programs read patterns in many ways, so the
 * widest is assumed: each sign crosses slashes and matches dots. A pattern for everything is ignored.
 */
export function judgeFilled(given: OpenCase, command: SimpleCommand, word: ShellWord): Decision[] {
  const texts = (word.values ?? []).flatMap(({ text, isPattern }) => (isPattern ? [] : findPatterns(text)));
  return [...new Set(texts)].flatMap((text) => judgePattern(given, command, text));
}

/** As it is, as the value of an option, and after a character that separates values. */
function findPatterns(text: string): string[] {
  if (!signs.test(text) || text.length > maxPattern || /[\n;]/.test(text)) return [];
  const parts = [text, ...(text.startsWith('-') ? [text.slice(2)] : []), ...text.split(/[=:]/).slice(1)];
  const named = parts.map((part) => part.replace(magic, '').replace(/^!(?!\()/, ''));
  return named.filter((part) => signs.test(part)).flatMap(spread);
}

/** `:(top)` and `:/`, which tell git how to read a path. */
export const magic = /^:(?:\([^)]*\)|[/!^]+)/;
const signs = /[*?[{(]/;
const maxPattern = 1000;
const maxAlternatives = 64;

/** `{a,b}` and `@(a|b)` as several patterns; with too many of them, or nested ones, a star represents all. */
function spread(pattern: string): string[] {
  let patterns = [pattern];
  for (;;) {
    const open = patterns.findIndex((one) => group.test(one));
    if (open < 0) return patterns.map((one) => one.replace(/[{}()]/g, '*'));
    const one = patterns[open] ?? '';
    const [all = '', inside = ''] = group.exec(one) ?? [];
    const choices =
      patterns.length < maxAlternatives && !inside.includes('..') ? inside.split(/[,|]/) : ['*'];
    // The part between the signs may be missing, or repeat.
    const isLoose = /^[?*+!]/.test(all);
    const filled = (isLoose ? ['*'] : choices).map((choice) => one.replace(all, () => choice));
    patterns = [...patterns.slice(0, open), ...filled, ...patterns.slice(open + 1)];
  }
}

const group = /(?:[@?*+!](?=\())?[{(]([^{}()]*)[)}]/;

function judgePattern(given: OpenCase, command: SimpleCommand, pattern: string): Decision[] {
  const loose = loosen(pattern);
  if (/^[*/]*$/.test(loose)) return [];
  const { workspace } = given.call;
  const fixed = /^(?:[^*/]*\/)*/.exec(loose)?.[0] ?? '';
  const use = { kind: 'read', word: literalWord(fixed || '.') } as const;
  const places = resolveUses(use, command.directories, workspace);
  if (places === untold) return [];
  const matches = openMatcher(loose.slice(fixed.length));
  const isRuled = given.refusing.some(
    ({ specifier, tool }) => specifier !== undefined && /^(?:Read|Edit)$/.test(tool),
  );
  return places.flatMap(({ path }): Decision[] => {
    const held = workspace.look?.held(path) ?? [];
    if (held === untold)
      return [ask('protected-path', `${path} is too large to check what ${pattern} matches`)];
    const inPlace = (inner: string) => `${path}/${inner}`;
    const isWithinKept = isFirm(judgePlace(given, { kind: 'write', path }));
    const named = held.filter(
      (inner) => matches(inner) && (isRuled || isWithinKept || mayBeKept(path, inner)),
    );
    const found = named.flatMap((inner) =>
      (['read', 'write'] as const).map((kind) => judgePlace(given, { kind, path: inPlace(inner) })),
    );
    return found
      .filter(isFirm)
      .sort((a, b) => strictness(b) - strictness(a))
      .slice(0, 1);
  });
}

/** Protected, in a directory that is, or a credential file: the rest is not affected by a grant. */
function mayBeKept(directory: string, inner: string): boolean {
  const names = inner.split('/');
  const ways = names.map((_, index) => names.slice(0, index + 1).join('/'));
  return isCredential(`${directory}/${inner}`) || ways.some((way) => mayMatter(way, `${directory}/${way}`));
}

/** With stars only: sets, single signs and escapes become one. */
function loosen(pattern: string): string {
  return pattern
    .replace(/\\(.?)/gs, '$1*')
    .replace(/\[[^\]]*\]?|[?\]]/g, '*')
    .replace(/\*[*/]*(?=\*)/g, '');
}

/** Whether a pattern may match a path, or a directory that it is in. */
function openMatcher(loose: string): (path: string) => boolean {
  const flat = (text: string) => foldName(text).replaceAll('/', '\u0001');
  const pattern = flat(loose.replace(/\*\//g, '*').replace(/\/+$/, ''));
  return (path) => matchesName(pattern, flat(path)) || matchesName(`${pattern}\u0001*`, flat(path));
}
