/** The replacement for a secret. A plain word: it may be part of a command, which is judged in a replay as well. */
export const hidden = 'hidden-secret';

/** Shorter ones would be found everywhere. */
const minSecretLength = 6;

/**
 * Keeps secrets off a tape, and makes a tape independent of directories: paths are replaced by names. The recorded run
 * sees its real secrets; its replay sees a word in their place.
 */
export interface Mask {
  readonly secrets: readonly string[];
  hide(text: string): string;
  /** Any JSON value without secrets. */
  hideIn<T>(value: T): T;
  hideInBytes(bytes: Uint8Array): Uint8Array;
  /** Without secrets, and with names for places. */
  toTape<T>(value: T): T;
  /** With the places of this machine. */
  fromTape<T>(value: T): T;
}

/**
 * `places` are strings of this machine by name: the working directory, the home. `token` makes the names unmistakable.
 */
export function openMask(
  secrets: readonly string[],
  places: Readonly<Record<string, string>>,
  token: string,
  /** Goes first: text that the run itself masks has the run's own mark on the tape. */
  hideFirst: (text: string) => string = (text) => text,
): Mask {
  const known = longestFirst(secrets.filter((secret) => secret.length >= minSecretLength));
  const named = Object.entries(places)
    .filter(([, place]) => place.length > 1)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name, place]) => ({ place, name: `{${name}:${token}}` }));
  const hide = (text: string) =>
    known.reduce((shown, secret) => shown.replaceAll(secret, hidden), hideFirst(text));
  const nameAll = (text: string) =>
    named.reduce((all, { place, name }) => all.replaceAll(place, name), hide(text));
  const placeAll = (text: string) =>
    named.reduce((all, { place, name }) => all.replaceAll(name, place), text);
  return {
    secrets: known,
    hide,
    hideInBytes: (bytes) => {
      const given = Buffer.from(bytes);
      return known.some((secret) => given.includes(secret))
        ? Buffer.from(hide(given.toString('utf8')))
        : given;
    },
    hideIn: (value) => (known.length === 0 ? value : mapStrings(value, hide)),
    toTape: (value) => mapStrings(value, nameAll),
    fromTape: (value) => mapStrings(value, placeAll),
  };
}

function longestFirst(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

function mapStrings<T>(value: T, change: (text: string) => string): T {
  const map = (part: unknown): unknown => {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(map);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [change(key), map(inner)]));
  };
  return map(value) as T;
}
