import { expect, test } from 'bun:test';
import { judge, shell } from './cases.ts';

const under = (command: string, ...deny: string[]) =>
  judge({ accesses: [shell(command)], allow: ['Bash(curl:*)', 'Bash(wget:*)'], deny }).behaviour;

test('a rule about a host holds for what curl makes of its own patterns', () => {
  for (const address of [
    'http://local{host,x}:1/',
    'http://localhos[s-t]:1/',
    'http://{a,localhost}/',
    'http://[k-m]ocal{h,x}ost/',
    'local{host,x}:1/',
  ])
    expect([address, under(`curl '${address}'`, 'WebFetch(domain:localhost)')]).toEqual([address, 'deny']);
  for (const address of ['http://127.0.0.{1,2}:1/', 'http://127.0.0.[1-9]:1/', 'http://[120-127].0.0.1/'])
    expect([address, under(`curl "${address}"`, 'WebFetch(domain:127.0.0.1)')]).toEqual([address, 'deny']);
  for (const address of [
    'http://{a,b}.example.com/',
    'http://a.example/[1-9999].png',
    'http://a.example/{x,y}',
  ])
    expect([address, under(`curl -s "${address}"`, 'WebFetch(domain:localhost)')]).toEqual([
      address,
      'allow',
    ]);
});

test('a host that is one of too many is refused by a rule about hosts', () => {
  expect(under('curl "http://10.0.[0-255].[0-255]/"', 'WebFetch(domain:10.0.0.7)')).toBe('deny');
});

test('a rule about an IPv4 address holds for its form in IPv6', () => {
  for (const program of ['curl', 'wget -O -'])
    for (const host of [
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::FFFF:7F00:0001]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
    ])
      expect([host, under(`${program} 'http://${host}/'`, 'WebFetch(domain:127.0.0.1)')]).toEqual([
        host,
        'deny',
      ]);
  expect(under("curl 'http://[::ffff:127.0.0.2]/'", 'WebFetch(domain:127.0.0.1)')).toBe('allow');
});
