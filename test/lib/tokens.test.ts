import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTokens } from '../../src/lib/secrets/find-tokens.ts';
import { maskTokens } from '../../src/lib/secrets/mask-tokens.ts';
import { listSecretValues } from '../../src/lib/secrets/secret-values.ts';
import { Secrets } from '../../src/lib/secrets/secrets.ts';
import { tokenFormats } from '../../src/lib/secrets/token-formats.data.ts';

const digits = '0123456789';
const small = 'abcdefghijklmnopqrstuvwxyz';
const alphabets = {
  hex: `${digits}abcdef`,
  upper: digits + small.toUpperCase(),
  letters: digits + small + small.toUpperCase(),
  base64: `${digits}${small}${small.toUpperCase()}+/`,
};

/** Made up at run time, the same in each run: no value that could be taken for a live one is in a file. */
function madeUp(of: keyof typeof alphabets, length: number, seed: string): string {
  let text = '';
  for (let round = 0; text.length < length; round++)
    for (const byte of createHash('sha256').update(`${seed} ${round}`).digest())
      text += alphabets[of][byte % alphabets[of].length];
  return text.slice(0, length);
}

/** Written down from what the services say, apart from our own table: the beginning in parts, what follows, how much. */
const samples: Record<string, () => string> = {};
const sample = (name: string, parts: string[], of: keyof typeof alphabets, length: number, end = '') => {
  samples[name] = () => parts.join('') + madeUp(of, length, name) + end;
};
for (const kind of ['p', 'o', 'u', 's', 'r']) sample(`GitHub gh${kind}`, ['gh', kind, '_'], 'letters', 36);
sample('GitHub fine-grained', ['github', '_pat_', madeUp('letters', 22, 'x'), '_'], 'letters', 59);
for (const kind of ['glpat', 'gldt', 'glrt', 'glptt', 'glft'])
  sample(`GitLab ${kind}`, [kind, '-'], 'letters', 20);
for (const kind of ['xoxb', 'xoxp', 'xoxa', 'xoxr', 'xoxs'])
  sample(`Slack ${kind}`, [kind, '-', madeUp('hex', 12, 'y').replace(/\D/g, '7'), '-'], 'letters', 24);
sample('Slack app', ['xa', 'pp-1-A', madeUp('upper', 10, 'z'), '-'], 'hex', 64);
sample('AWS access key', ['AK', 'IA'], 'upper', 16);
sample('AWS temporary key', ['AS', 'IA'], 'upper', 16);
sample('Google API', ['AI', 'za'], 'letters', 35);
sample('Google OAuth', ['ya', '29.'], 'letters', 60);
sample('Google client secret', ['GOC', 'SPX-'], 'letters', 28);
sample('OpenAI', ['s', 'k-'], 'letters', 48);
sample('OpenAI project', ['s', 'k-proj-'], 'letters', 74);
sample('Anthropic', ['s', 'k-ant-api03-'], 'letters', 93);
sample('Hugging Face', ['h', 'f_'], 'letters', 34);
sample('npm', ['np', 'm_'], 'letters', 36);
sample('PyPI', ['py', 'pi-', 'AgEI'], 'letters', 80);
sample('Stripe live', ['sk', '_live_'], 'letters', 24);
sample('Stripe restricted', ['rk', '_live_'], 'letters', 24);
sample('Stripe webhook', ['wh', 'sec_'], 'letters', 32);
sample('Twilio', ['S', 'K'], 'hex', 32);
samples.SendGrid = () => ['S', 'G.', madeUp('letters', 22, 'a'), '.', madeUp('letters', 43, 'b')].join('');
sample('Mailgun', ['ke', 'y-'], 'hex', 32);
sample('Mailchimp', [], 'hex', 32, '-us12');
samples.Discord = () =>
  [`M${madeUp('letters', 23, 'c')}`, madeUp('letters', 6, 'd'), madeUp('letters', 27, 'e')].join('.');
samples.Telegram = () => `${madeUp('hex', 9, 'f').replace(/\D/g, '4')}:AA${madeUp('letters', 33, 'g')}`;
for (const kind of ['dop', 'doo', 'dor']) sample(`DigitalOcean ${kind}`, [kind, '_v1_'], 'hex', 64);
sample('Linear', ['lin', '_api_'], 'letters', 40);
sample('Notion', ['sec', 'ret_'], 'letters', 43);
sample('Notion new', ['nt', 'n_'], 'letters', 46);
sample('Figma', ['fi', 'gd_'], 'letters', 40);
for (const kind of ['shpat', 'shpca', 'shppa', 'shpss']) sample(`Shopify ${kind}`, [kind, '_'], 'hex', 32);
sample('Square', ['sq', '0atp-'], 'letters', 22);
sample('Square secret', ['sq', '0csp-'], 'letters', 43);
sample('Databricks', ['da', 'pi'], 'hex', 32);
sample('Vault', ['hv', 's.'], 'letters', 90);
sample('Vault, old', ['s', '.'], 'letters', 24);
samples.Terraform = () => [madeUp('letters', 14, 'h'), '.atlas', 'v1.', madeUp('letters', 67, 'i')].join('');
sample('Doppler', ['dp', '.pt.'], 'letters', 43);
sample('Fly', ['fo', '1_'], 'letters', 43);
sample('Netlify', ['nf', 'p_'], 'letters', 36);
sample('Supabase', ['sb', 'p_'], 'hex', 40);
sample('PlanetScale', ['pscale', '_tkn_'], 'letters', 43);
samples.Postman = () => ['PM', 'AK-', madeUp('hex', 24, 'j'), '-', madeUp('hex', 34, 'k')].join('');
sample('Grafana', ['gl', 'sa_', madeUp('letters', 32, 'l'), '_'], 'hex', 8);
sample('Grafana cloud', ['gl', 'c_'], 'letters', 60);
sample('New Relic', ['NR', 'AK-'], 'upper', 27);
sample('Sentry', ['snt', 'rys_'], 'letters', 120);
sample('Sentry user', ['snt', 'ryu_'], 'hex', 64);
sample('Heroku', ['HR', 'KU-AA'], 'letters', 58);
sample('Atlassian', ['AT', 'ATT3xFfGF0'], 'letters', 170);
sample('Bitbucket', ['AT', 'BB'], 'letters', 32);
sample('Dropbox', ['s', 'l.'], 'letters', 136);
sample('Docker', ['dckr', '_pat_'], 'letters', 27);
sample('RubyGems', ['ruby', 'gems_'], 'hex', 48);
sample('crates.io', ['c', 'io'], 'letters', 32);
sample('Sourcegraph', ['sg', 'p_', madeUp('hex', 16, 'w'), '_'], 'hex', 40);
sample('Pulumi', ['pu', 'l-'], 'hex', 40);
sample('Groq', ['gs', 'k_'], 'letters', 52);
sample('Replicate', ['r', '8_'], 'letters', 37);
sample('Tailscale', ['ts', 'key-auth-'], 'letters', 40);
sample('age', ['AGE-SECRET', '-KEY-1'], 'upper', 58);
sample(
  'HubSpot',
  ['pat', '-na1-'],
  'hex',
  8,
  `-${madeUp('hex', 4, 'm')}-4abc-9def-${madeUp('hex', 12, 'n')}`,
);
samples.Airtable = () => ['pat', madeUp('letters', 14, 'o'), '.', madeUp('hex', 64, 'p')].join('');
samples['Azure AD'] = () => [madeUp('letters', 3, 'q'), '8Q', '~', madeUp('letters', 34, 'r')].join('');
samples.JWT = () => {
  const parts = [{ alg: 'HS256' }, { sub: '1' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, madeUp('letters', 43, 's')].join('.');
};
sample('CircleCI', ['CCI', 'PAT_'], 'letters', 22, `_${madeUp('hex', 40, 't')}`);
sample('SonarQube', ['sq', 'u_'], 'hex', 40);
sample('Brevo', ['xkey', 'sib-'], 'hex', 64, `-${madeUp('letters', 16, 'u')}`);
sample('Dynatrace', ['dt0', 'c01.', madeUp('upper', 24, 'v'), '.'], 'upper', 64);
sample('1Password', ['ops', '_eyJ'], 'letters', 250);
sample('Plaid', ['access-', 'production-'], 'hex', 8, '-1a2b-4c3d-9e8f-0a1b2c3d4e5f');

describe('a token of a known format', () => {
  test(`there are ${Object.keys(samples).length} samples, and more formats`, () => {
    expect(Object.keys(samples).length).toBeGreaterThan(75);
    expect(new Set(tokenFormats.flatMap(({ prefixes }) => prefixes)).size).toBeGreaterThan(150);
  });

  test.each(Object.entries(samples))('%s is masked wherever it is', (_, make) => {
    const value = make();
    const secrets = new Secrets();
    const around = [
      [`FOO=`, ''],
      ['{"x":"', '"}'],
      ['  12→', '\n'],
      ['--flag=', ' next'],
      ["const a = '", "';"],
      ['?q=a%3D', ''],
      ['example ', ' your EXAMPLE ... xxxxx'],
    ];
    for (const [before = '', after = ''] of around) {
      const shown = secrets.hide(before + value + after);
      expect(shown).not.toContain(value.slice(-12));
      expect(shown).toContain('[masked: ');
    }
  });

  test.each(Object.entries(samples))('%s is known in a variable with a neutral name', (_, make) => {
    expect(listSecretValues([['FOO', make()]])).toEqual([{ name: 'FOO', value: make() }]);
  });

  test.each(Object.entries(samples))('%s is masked in a stream, wherever it is split', (_, make) => {
    const value = make();
    const text = `before ${value} after\n`;
    for (let at = 1; at < text.length; at += 3) {
      const stream = new Secrets().openStream();
      const pieces = [text.slice(0, at), text.slice(at)].map((piece) => stream.add(Buffer.from(piece)));
      const shown = Buffer.concat([...pieces, stream.end()]).toString();
      expect(shown).not.toContain(value.slice(-10));
      expect(shown).toStartWith('before ');
      expect(shown).toEndWith(' after\n');
    }
  });
});

describe('a value that what is before it gives away', () => {
  const secret = madeUp('base64', 40, 'aws');
  const long = `${madeUp('base64', 86, 'azure')}==`;
  test.each([
    `aws_secret_access_key = ${secret}`,
    `AWS_SECRET_ACCESS_KEY=${secret}`,
    `"SecretAccessKey": "${secret}"`,
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${long};EndpointSuffix=x`,
    `Endpoint=sb://a/;SharedAccessKeyName=b;SharedAccessKey=${long}`,
    `https://a.blob.core.windows.net/c?sv=1&sig=${encodeURIComponent(long)}`,
    `Authorization: Bearer ${madeUp('letters', 40, 'bearer')}`,
    `Authorization: Basic ${Buffer.from(`user:${madeUp('letters', 16, 'basic')}`).toString('base64')}`,
    `extraheader = AUTHORIZATION: basic ${Buffer.from(`x-access-token:${madeUp('letters', 16, 'ci')}`).toString('base64')}`,
    `PrivateKey = ${madeUp('base64', 43, 'wireguard')}=`,
    `postgres://admin:${madeUp('letters', 16, 'db')}@db.example.com/x`,
    `https://hooks.slack.com/services/T0/B0/${madeUp('letters', 24, 'hook')}`,
    `https://discord.com/api/webhooks/123/${madeUp('letters', 68, 'webhook')}`,
  ])('%#', (text) => {
    const shown = maskTokens(text);
    expect(shown).toContain('[masked: ');
    const stream = new Secrets().openStream();
    const pieces = [...text].map((sign) => stream.add(Buffer.from(sign)));
    expect(Buffer.concat([...pieces, stream.end()]).toString()).toContain('[masked: ');
  });

  test('a private key, plain, numbered, in JSON and in pieces', () => {
    const lines = [64, 64, 64, 20].map((length, index) => madeUp('base64', length, `key ${index}`));
    const [head, foot] = ['BEGIN', 'END'].map((word) => `-----${word} RSA PRIVATE KEY-----`);
    const plain = [head, ...lines, foot].join('\n');
    const numbered = [head, ...lines, foot].map((line, index) => `${index + 1}→${line}`).join('\n');
    for (const text of [plain, numbered, JSON.stringify({ private_key: plain })]) {
      const shown = maskTokens(text);
      for (const line of lines) expect(shown).not.toContain(line);
      const stream = new Secrets().openStream();
      const pieces = (text.match(/[\s\S]{1,7}/g) ?? []).map((piece) => stream.add(Buffer.from(piece)));
      const streamed = Buffer.concat([...pieces, stream.end()]).toString();
      for (const line of lines) expect(streamed).not.toContain(line);
    }
  });
});

describe('what is no secret', () => {
  const hash = (kind: string, form: 'hex' | 'base64') => createHash(kind).update('x').digest(form);
  test.each([
    `commit ${hash('sha1', 'hex')}`,
    `sha256:${hash('sha256', 'hex')}`,
    `"integrity": "sha512-${hash('sha512', 'base64')}"`,
    'id 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    `data:image/png;base64,${Buffer.from(madeUp('letters', 4_000, 'image')).toString('base64')}`,
    'postgres://user:password@localhost/db and https://example.com:8080/a@b',
    `AKIA${'IOSFODNN7'}EXAMPLE and ghp_${'x'.repeat(36)} and sk-your-key-here-0123456789abcdefghij`,
    'sk-container-id-1 div.sk-toggleable__content',
    'npm_config_registry npm_package_dependencies_react_dom_server_node',
    'const s.thisIsAVeryLongPropertyName = b.anotherVeryLongName;',
    'The Bearer authentication-scheme-of-the-standard is meant',
    'secret_key_base_for_development_and_tests_only',
    'x-amz-request-id: 0123456789ABCDEF',
  ])('%#: %s', (text) => {
    expect(maskTokens(text)).toBe(text);
  });

  test('lock files and sources of this repository', () => {
    const top = join(import.meta.dirname, '../..');
    for (const name of [
      'package-lock.json',
      'CHANGELOG.md',
      'docs/secrets.md',
      'src/lib/secrets/token-formats.data.ts',
      'docs/permissions.md',
    ])
      expect(findTokens(readFileSync(join(top, name), 'utf8'))).toEqual([]);
  });

  test('a stream of other bytes passes unchanged', () => {
    const bytes = Buffer.concat(
      Array.from({ length: 50 }, (_, index) => createHash('sha256').update(`${index}`).digest()),
    );
    const stream = new Secrets().openStream();
    const pieces = [bytes.subarray(0, 700), bytes.subarray(700)].map((piece) => stream.add(piece));
    expect(Buffer.concat([...pieces, stream.end()]).equals(bytes)).toBe(true);
  });
});

test.each([
  'xapp-',
  'sk-',
  '://a:',
  '-----BEGIN PRIVATE KEY-----',
  'eyJaaaaaaaaaaaaaaaaaaaaa.',
  'sig=',
  'abc8Q~',
  'A',
  'AA:1',
])('a megabyte of %s is searched in time that grows with it', (piece) => {
  const text = piece.repeat(Math.ceil(1e6 / piece.length));
  // What grows with the square takes minutes, which is longer than a test may.
  findTokens(text);
});

test('a write that would put the mark of a token in its place is known', () => {
  const shown = maskTokens(samples.npm?.() ?? '');
  expect(new Secrets().findMark(`a ${shown} b`)).toBe(shown);
  expect(new Secrets().findMark('[masked: NAME]')).toBeUndefined();
});
