import { joinTold, type Told, untold } from '../../lib/told.ts';

const maxAddresses = 256;

/**
 * A text, and the addresses that curl makes of those in it with its own patterns, `{one,two}`, `[a-z]` and `[1-100:2]`.
 * Untold where a host would be one of too many.
 */
export function expandAddresses(text: string): Told<readonly string[]> {
  if (!/[{[]/.test(text)) return [text];
  const words = text.split(/[\s'"`;|&()<>]+/).filter((word) => /[{[]/.test(word));
  return joinTold([text], ...words.map(expandHost));
}

/** Without a scheme, most words with such signs are no addresses at all. */
function expandHost(word: string): Told<readonly string[]> {
  const [host = ''] = /^(?:[^/?#]*:\/\/)?[^/?#]*/.exec(word) ?? [];
  const many = host.includes('://') ? untold : [];
  const waiting = [host];
  const done: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [whole = '', set, range = ''] = pattern.exec(next) ?? [];
    const choices = whole === '' ? [] : set === undefined ? expandRange(range) : set.split(',');
    if (choices === untold || done.length + waiting.length + choices.length > maxAddresses) return many;
    const [before, behind] = [
      next.slice(0, next.indexOf(whole)),
      next.slice(next.indexOf(whole) + whole.length),
    ];
    if (whole === '') done.push(next);
    else waiting.push(...choices.map((choice) => before + choice + behind));
  }
  return done;
}

/** The brackets of an IPv6 address hold a colon, but no dash. */
const pattern = /\{([^{}]*)\}|\[(\w+-\w+(?::\d+)?)\]/;

/** Every letter or number of a range: a step leaves some out. */
function expandRange(text: string): Told<string[]> {
  const [, from = '', to = ''] = /^(\w+)-(\w+)/.exec(text) ?? [];
  if (/^\d+$/.test(from) && /^\d+$/.test(to)) {
    const count = Number(to) - Number(from) + 1;
    if (count > maxAddresses) return untold;
    return Array.from({ length: Math.max(0, count) }, (_, index) =>
      String(Number(from) + index).padStart(from.startsWith('0') ? from.length : 0, '0'),
    );
  }
  if (!/^[A-Za-z]$/.test(from) || !/^[A-Za-z]$/.test(to)) return [];
  const count = to.charCodeAt(0) - from.charCodeAt(0) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    String.fromCharCode(from.charCodeAt(0) + index),
  );
}
