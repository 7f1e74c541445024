import { expect } from 'bun:test';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import { reachListedHost, type SeenWithHosts } from './listed-hosts-inside.ts';

const test = needs('socat');

for (const who of ['the user of the tests', 'an ordinary user'])
  test(`listed hosts are reached from a sandbox that passes its self-test, by ${who}`, async () => {
    const seen =
      who === 'an ordinary user'
        ? await asUser<SeenWithHosts>('listed-hosts-inside.ts', 'reachListedHost')
        : await reachListedHost(temporaryDirectory().path);
    expect(seen).toEqual({ notices: [], network: true, text: 'served\n2\n' });
  });
