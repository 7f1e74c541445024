import { isPlace, isPlain } from '../fields/plain-values.ts';
import { findTokenName } from './find-tokens.ts';
import type { NamedSecret } from './secrets.ts';

/** Whether a variable's name says that its value is secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

const secretName =
  /(?:^|_)(?:API_?KEY|\w*KEY|\w*TOKEN|\w*SECRETS?|PASS|\w*PASSWORD|PASSWD|PASSPHRASE|PWD_?HASH|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIES?|PAT|JWT|DSN|PIN|OTP|BEARER|SIGNATURE|WEBHOOK(?:_URL)?|CONNECTION_?STRING)(?:_?(?:ID|BASE64|B64|VALUE|JSON|V?\d+))?$/i;

/**
 * The values of variables that must not be shown, including passwords in addresses (`https://user:password@host`). If the
 * name says nothing, only values that look like a secret are included.
 */
export function listSecretValues(variables: Iterable<readonly [name: string, value: string]>): NamedSecret[] {
  return [...variables].flatMap(([name, value]) => {
    const password = findPassword(value);
    const isWhole = isSecretName(name) ? !isPlain(value) : looksRandom(value);
    return [
      ...(isWhole || password !== undefined ? [{ name, value }] : []),
      ...(password === undefined || isPlain(password) ? [] : [{ name, value: password }]),
    ];
  });
}

/** `scheme://user:password@host`. */
export function findPassword(value: string): string | undefined {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/i.exec(value)?.[1];
  return found === undefined || found === '' ? undefined : found;
}

/**
 * A token of a known format, or letters of both cases and digits without words: a generated value. Not a hash: those are in
 * every log.
 */
function looksRandom(value: string): boolean {
  if (findTokenName(value) !== undefined) return true;
  if (value.length < 20 || !/^[\w+/=.~-]+$/.test(value) || isPlace(value)) return false;
  // Seven in a hundred random strings of forty characters have six small letters in a row.
  const word = value.length < 32 ? /[a-z]{6}/ : /[a-z]{8}/;
  return (
    /[a-z]/.test(value) && /[A-Z]/.test(value) && (value.match(/\d/g)?.length ?? 0) >= 3 && !word.test(value)
  );
}
