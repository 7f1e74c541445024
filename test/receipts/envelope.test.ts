import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeForSigning, openEnvelope, readKey, seal } from '../../src/receipts/envelope.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

test('HO8: the bytes that are signed are those of the DSSE specification', () => {
  const encoded = encodeForSigning('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(encoded.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

const algorithms = [
  ['ed25519', ['-algorithm', 'ed25519'], ['pkeyutl', '-rawin']],
  ['ecdsa', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], ['dgst', '-sha256']],
  ['rsa', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], ['dgst', '-sha256']],
] as const;

/** Another implementation of the encoding, by its specification alone: with the shell, wc and openssl. */
const encode = `
cd "$1"
printf %s "$PAYLOAD" | openssl base64 -d -A > payload
printf %s "$SIGNATURE" | openssl base64 -d -A > sig
{ printf 'DSSEv1 %s %s %s ' "\${#TYPE}" "$TYPE" "$(wc -c < payload | tr -d ' ')"; cat payload; } > pae
`;

for (const [name, made, [how, ...more]] of algorithms)
  needs('openssl')(`HO8: openssl accepts an envelope that was signed with ${name}, and so do we`, () => {
    const { path } = temporaryDirectory();
    const at = (file: string) => join(path, file);
    const openssl = (...args: string[]) =>
      execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
    openssl('genpkey', ...made, '-out', at('key.pem'));
    openssl('pkey', '-in', at('key.pem'), '-pubout', '-out', at('pub.pem'));
    const [secret, open] = [readKey(at('key.pem'), 'private'), readKey(at('pub.pem'), 'public')];
    if (!secret.ok || !open.ok) throw new Error('the keys were not read');
    const envelope = seal('{"é":1}', secret.value);
    expect(openEnvelope(envelope, open.value)).toMatchObject({ ok: true, value: '{"é":1}' });
    const [signature] = envelope.signatures;
    execFileSync('sh', ['-c', encode, 'sh', path], {
      env: {
        ...process.env,
        TYPE: envelope.payloadType,
        PAYLOAD: envelope.payload,
        SIGNATURE: signature?.sig,
      },
    });
    const checked =
      how === 'pkeyutl'
        ? openssl(
            how,
            '-verify',
            '-pubin',
            '-inkey',
            at('pub.pem'),
            ...more,
            '-in',
            at('pae'),
            '-sigfile',
            at('sig'),
          )
        : openssl(how, ...more, '-verify', at('pub.pem'), '-signature', at('sig'), at('pae'));
    expect(checked).toMatch(/Verified OK|Signature Verified Successfully/);
    const changed = { ...envelope, payload: Buffer.from('{"é":2}').toString('base64') };
    expect(openEnvelope(changed, open.value).ok).toBe(false);
    expect(openEnvelope({ ...envelope, payloadType: 'text/plain' }, open.value).ok).toBe(false);
  });

test('HO8: an OpenSSH key is refused, with the way to convert it', () => {
  const { path } = temporaryDirectory();
  const key = join(path, 'id');
  for (const text of ['-----BEGIN OPENSSH PRIVATE KEY-----\n', 'ssh-ed25519 AAAA user@host\n']) {
    writeFileSync(key, text);
    expect(readKey(key, 'private')).toMatchObject({
      problem: { kind: 'usage', hint: expect.stringContaining('openssl genpkey') },
    });
  }
});

test('HO8: what is not a key is refused', () => {
  const { path } = temporaryDirectory();
  const key = join(path, 'key.pem');
  writeFileSync(key, '-----BEGIN NONSENSE-----\n');
  expect(readKey(key, 'public')).toMatchObject({ ok: false, problem: { kind: 'usage' } });
});
