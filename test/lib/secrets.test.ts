import { expect, test } from 'bun:test';
import { Secrets } from '../../src/lib/secrets/secrets.ts';

const key = 'sk-live-4f9A/b+c"7d2E1';

function known(...values: [name: string, value: string][]): Secrets {
  const secrets = new Secrets();
  secrets.add(values.map(([name, value]) => ({ name, value })));
  return secrets;
}

test('a secret becomes a mark with its name, the same every time', () => {
  const secrets = known(['STRIPE_KEY', key]);
  expect(secrets.hide(`a ${key} b ${key}`)).toBe('a [masked: STRIPE_KEY] b [masked: STRIPE_KEY]');
  expect(secrets.hide('[masked: STRIPE_KEY]')).toBe('[masked: STRIPE_KEY]');
});

test('a text without a secret is the same text', () => {
  const secrets = known(['A', key]);
  for (const text of ['', 'short', 'x'.repeat(10_000), key.slice(1), key.slice(0, -1)])
    expect(secrets.hide(text)).toBe(text);
  expect(new Secrets().hide(key)).toBe(key);
});

test('the forms that programs print are found: JSON, percent-encoded, base64 at any place', () => {
  const secrets = known(['K', key]);
  const forms = [JSON.stringify({ key }), `?k=${encodeURIComponent(key)}`];
  for (let before = 0; before < 6; before++)
    forms.push(Buffer.from(`${'u'.repeat(before)}${key}${'p'.repeat(before)}`).toString('base64'));
  forms.push(Buffer.from(key).toString('base64url'));
  for (const form of forms)
    expect([form, secrets.hide(form)]).toEqual([form, expect.stringContaining('[masked: K]')]);
});

test('of two secrets of which one begins the other the longer one is found', () => {
  const secrets = known(['SHORT', 'abcdefgh1'], ['LONG', 'abcdefgh123456']);
  expect(secrets.hide('abcdefgh123456 abcdefgh1')).toBe('[masked: LONG] [masked: SHORT]');
});

test('a key of several lines is found with numbers before its lines', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7';
  const secrets = known([
    'PEM',
    `-----BEGIN PRIVATE KEY-----\n${line}\n${line.toLowerCase()}\n-----END PRIVATE KEY-----`,
  ]);
  const shown = secrets.hide(`1→-----BEGIN PRIVATE KEY-----\n2→${line}\n3→${line.toLowerCase()}`);
  expect(shown).toBe('1→-----BEGIN PRIVATE KEY-----\n2→[masked: PEM]\n3→[masked: PEM]');
});

test('values shorter than eight characters are left alone', () => {
  expect(known(['PIN', '1234567']).hide('1234567')).toBe('1234567');
});

test('every position, every length: as a plain search finds it', () => {
  const values = ['aabaabaab', 'baabaabaa', 'abababababab', 'aaaaaaaaaa'];
  const secrets = known(...values.map((value, index): [string, string] => [`N${index}`, value]));
  let seed = 7;
  for (let round = 0; round < 300; round++) {
    let text = '';
    for (let at = 0; at < 60; at++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      text += seed % 3 === 0 ? 'b' : 'a';
    }
    const isHeld = values.some((value) => text.includes(value));
    const shown = secrets.hide(text);
    expect([text, shown !== text]).toEqual([text, isHeld]);
    expect(values.some((value) => shown.includes(value))).toBe(false);
  }
});

test('a secret that comes in pieces is found, wherever it is split', () => {
  const secrets = known(['K', key], ['Ü', 'schlüssel-größe']);
  const whole = Buffer.from(`before ${key} between schlüssel-größe after sk-li`);
  for (let split = 0; split <= whole.length; split++) {
    const stream = secrets.openStream();
    const parts = [stream.add(whole.subarray(0, split)), stream.add(whole.subarray(split)), stream.end()];
    expect(Buffer.concat(parts).toString()).toBe('before [masked: K] between [masked: ] after sk-li');
  }
});

test('a stream holds nothing back that cannot begin a secret, and leaves bytes that are no text as they are', () => {
  const stream = known(['K', key]).openStream();
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  expect(stream.add(bytes)).toBe(bytes);
  expect(Buffer.from(stream.add(Buffer.from('listening on sk'))).toString()).toBe('listening on ');
  expect(Buffer.from(stream.add(Buffer.from('y\n'))).toString()).toBe('sky\n');
});

test('a JSON value is masked in its strings and keys', () => {
  const secrets = known(['K', key]);
  expect<unknown>(secrets.hideIn({ a: [key, 7, null], [key]: true })).toEqual({
    a: ['[masked: K]', 7, null],
    '[masked: K]': true,
  });
});

test('a mark in a text is recognised', () => {
  const secrets = known(['K', key]);
  expect(secrets.findMark('x=[masked: K]')).toBe('[masked: K]');
  expect(secrets.findMark('x=[masked: OTHER]')).toBeUndefined();
});

test('ten megabytes against 200 secrets are searched in time that grows with the text', () => {
  const secrets = new Secrets();
  secrets.add(
    Array.from({ length: 200 }, (_, index) => ({
      name: `N${index}`,
      value: `tok-${index}-${'x7Kq'.repeat(6)}`,
    })),
  );
  const text = 'const value = compute(first, second); // tok-19 and so on\n'.repeat(180_000);
  // What grows with the square takes longer than a test may.
  expect(secrets.hide(text)).toBe(text);
});
