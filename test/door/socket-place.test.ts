import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { connectSession } from '../../src/door/door-client.ts';
import { findSocket, sweepSockets } from '../../src/door/socket-place.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { temporaryDirectory } from '../support/index.ts';

test('sockets that nobody listens on are swept; those of living sessions and other files are not', () => {
  const { path: home } = temporaryDirectory();
  const alive = findSocket({ home, sessionId: 'alive', pid: 2 });
  const directory = dirname(alive);
  sweepSockets(home, () => true);
  mkdirSync(directory);
  const dead = [
    findSocket({ home, sessionId: 'alive', pid: 1 }),
    findSocket({ home, sessionId: 'dead', pid: 2 }),
  ];
  for (const path of [alive, ...dead, `${directory}/README`]) writeFileSync(path, '');
  sweepSockets(home, (sessionId, pid) => sessionId === 'alive' && pid === 2);
  expect(readdirSync(directory).sort()).toEqual(['README', 'alive-2.sock']);
});

test('a socket on which nothing listens is a problem that names it', async () => {
  const session = { home: temporaryDirectory().path, sessionId: 'gone', pid: 1 };
  const connected = await connectSession(session, { client: 'test', clock: systemClock, patienceMs: 30_000 });
  expect(connected).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(findSocket(session)) },
  });
});
