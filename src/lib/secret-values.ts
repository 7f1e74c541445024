import type { NamedSecret } from './secrets.ts';

/** Whether a variable's name says that its value is nobody's business. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

const secretName =
  /(?:^|_)(?:API_?KEY|\w*KEY|\w*TOKEN|\w*SECRETS?|PASS|\w*PASSWORD|PASSWD|PASSPHRASE|PWD_?HASH|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIES?|PAT|JWT|DSN|PIN|OTP|BEARER|SIGNATURE|WEBHOOK(?:_URL)?|CONNECTION_?STRING)(?:_?(?:ID|BASE64|B64|VALUE|JSON|V?\d+))?$/i;

/**
 * The values of variables that must not be shown, with those hidden in addresses (`https://user:password@host`). Of a
 * name that says nothing only a value counts that looks like a secret by itself.
 */
export function secretsOf(variables: Iterable<readonly [name: string, value: string]>): NamedSecret[] {
  return [...variables].flatMap(([name, value]) => {
    const password = passwordIn(value);
    const isWhole = isSecretName(name) ? !isPlain(value) : looksRandom(value);
    return [
      ...(isWhole || password !== undefined ? [{ name, value }] : []),
      ...(password === undefined || isPlain(password) ? [] : [{ name, value: password }]),
    ];
  });
}

/** `scheme://user:password@host`. */
export function passwordIn(value: string): string | undefined {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/i.exec(value)?.[1];
  return found === undefined || found === '' ? undefined : found;
}

/** Words, paths, addresses, numbers: masked, they would be missed everywhere else. */
function isPlain(value: string): boolean {
  if (value.length < 8 || /^[\d.,:_-]+$/.test(value)) return true;
  if (/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[-_. ](?:[a-z]+|[A-Z][a-z]+|\d{1,4}))*$/.test(value))
    return value.length < 24;
  return isPlace(value);
}

function isPlace(value: string): boolean {
  if (/^(?:~|\.{1,2})?\/[^\s]*$/.test(value) && !/[+=]/.test(value)) return true;
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i.test(value) && !/[?#].*=/.test(value);
}

const knownForms =
  /^(?:sk-|sk_|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|pypi-|hf_|dop_v1_|SG\.|shpat_|lin_api_|-----BEGIN [A-Z ]*PRIVATE KEY)/;

/** Letters of both cases and digits without a word in it: what a machine made up. Not a hash: those are in every log. */
function looksRandom(value: string): boolean {
  if (knownForms.test(value)) return value.length >= 16;
  if (value.length < 20 || !/^[\w+/=.~-]+$/.test(value) || isPlace(value)) return false;
  return (
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    (value.match(/\d/g)?.length ?? 0) >= 3 &&
    !/[a-z]{6}/.test(value)
  );
}
