import { describe, expect, test } from 'bun:test';
import { findAddressFamily, isPublicAddress } from '../../src/lib/addresses.ts';
import { formatHost, isLocalName, matchesDomain, parseDomain, parseHost } from '../../src/lib/hosts.ts';

describe('public addresses', () => {
  const open = [
    ...[
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '128.0.0.1',
      '169.253.255.255',
    ],
    ...['172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2606:4700::1111', '2a00:1450:4001::5', '2001:200::1', '3ffe::1', '64:ff9b::101:101', '2003::1'],
  ];
  for (const address of open) test(`${address} is`, () => expect(isPublicAddress(address)).toBe(true));

  const closed = [
    ...[
      '0.0.0.0',
      '10.0.0.1',
      '10.255.255.255',
      '100.64.0.1',
      '100.100.100.200',
      '127.0.0.1',
      '127.255.255.254',
    ],
    ...[
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.192',
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
    ],
    ...[
      '198.51.100.7',
      '203.0.113.9',
      '224.0.0.1',
      '239.1.1.1',
      '240.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
    ],
    ...[
      '::',
      '::1',
      '::ffff:1.1.1.1',
      '::ffff:7f00:1',
      '::7f00:1',
      'fe80::1',
      'fec0::1',
      'fc00::1',
      'fd00:ec2::254',
    ],
    ...[
      'ff02::1',
      '100::1',
      '2001::1',
      '2001:1ff::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '3fff::1',
      '64:ff9b::7f00:1',
    ],
    ...[
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::1',
      'fe80::1%eth0',
      '',
      'localhost',
      '1.2.3',
      '1.2.3.256',
      '2606::4700::1',
    ],
  ];
  for (const address of closed)
    test(`${address || 'nothing'} is not`, () => expect(isPublicAddress(address)).toBe(false));

  test('the family of an address is told from its form', () => {
    expect(['1.2.3.4', '::1', '::ffff:1.2.3.4', 'a.b', '1.2.3', '::1%lo', ''].map(findAddressFamily)).toEqual(
      [4, 6, 6, 0, 0, 0, 0],
    );
  });
});

describe('hosts', () => {
  const cases: [string, string | undefined][] = [
    ['https://Example.COM./x', 'example.com'],
    ['http://bücher.example:8080', 'xn--bcher-kva.example:8080'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://[0:0::1]:99/', '[::1]:99'],
    ['https://a.example:443/', 'a.example'],
    ['ftp://a.example/', undefined],
    ['file:///etc/passwd', undefined],
    ['https://user@a.example/', undefined],
    ['https://:word@a.example/', undefined],
    ['a.example', undefined],
    ['', undefined],
  ];
  for (const [url, expected] of cases)
    test(`${url || 'nothing'} is ${expected}`, () => {
      const host = parseHost(url);
      expect(host && formatHost(host)).toBe(expected);
    });

  test('names that only a machine or a network knows', () => {
    const local = ['localhost', 'a.localhost', 'printer', 'nas.local', 'metadata.google.internal', 'x.lan'];
    expect(local.filter((name) => !isLocalName(name))).toEqual([]);
    expect(['example.com', 'local.example.com', '127.0.0.1'].filter(isLocalName)).toEqual([]);
  });
});

describe('domain patterns', () => {
  const fits = (pattern: string, url: string, refuses = false) => {
    const host = parseHost(url);
    const parsed = parseDomain(pattern);
    if (!host || !parsed) throw new Error(`${pattern} or ${url} cannot be read`);
    return matchesDomain(parsed, host, refuses);
  };
  const cases: [pattern: string, url: string, allows: boolean, refuses: boolean][] = [
    ['example.com', 'https://EXAMPLE.com./', true, true],
    ['example.com', 'https://www.example.com/', false, false],
    ['example.com', 'https://notexample.com/', false, false],
    ['Example.COM.', 'http://example.com:8080/', true, true],
    ['example.com:8080', 'http://example.com:8080/', true, true],
    ['example.com:8080', 'http://example.com/', false, false],
    ['example.com:443', 'https://example.com/', true, true],
    ['*.example.com', 'https://a.b.example.com/', true, true],
    ['*.example.com', 'https://example.com/', false, true],
    ['*.example.com', 'https://example.com.evil/', false, false],
    ['*.bücher.example', 'https://x.xn--bcher-kva.example/', true, true],
    ['*', 'http://anything/', true, true],
    ['*:3000', 'http://anything:3000/', true, true],
    ['*:3000', 'http://anything/', false, false],
    ['::1', 'http://[::1]:5/', true, true],
    ['[::1]:5', 'http://[0::1]:5/', true, true],
    ['127.0.0.1', 'http://0x7f000001/', true, true],
  ];
  for (const [pattern, url, allows, refuses] of cases)
    test(`${pattern} and ${url}: ${allows}, refusing: ${refuses}`, () => {
      expect([fits(pattern, url), fits(pattern, url, true)]).toEqual([allows, refuses]);
    });

  const unreadable = [
    '',
    '.',
    '*.',
    '*x.com',
    'a.*.com',
    'https://a.com',
    'a.com/x',
    'a b',
    'u@a.com',
    'a.com:1:2',
  ];
  for (const pattern of unreadable)
    test(`${pattern || 'nothing'} cannot be read`, () => expect(parseDomain(pattern)).toBeUndefined());
});
