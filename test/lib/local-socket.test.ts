import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connectOnBun, listenOnBun } from '../../src/lib/local-socket/bun-socket.ts';
import type { Accept, ConnectionHandler, LocalConnection } from '../../src/lib/local-socket/connection.ts';
import { connectLocally, listenLocally } from '../../src/lib/local-socket/local-socket.ts';
import { connectInMemory } from '../../src/lib/local-socket/memory-connection.ts';
import { connectOnNode, listenOnNode } from '../../src/lib/local-socket/node-socket.ts';
import { needsThat, temporaryDirectory, until } from '../support/index.ts';

/** One end of a connection, with what it heard. */
class End implements ConnectionHandler {
  connection: LocalConnection | undefined;
  readonly pieces: Uint8Array[] = [];
  drains = 0;
  closes = 0;

  readonly accept: Accept = (connection) => {
    this.connection = connection;
    return this;
  };

  get heard(): Buffer {
    return Buffer.concat(this.pieces);
  }

  data(bytes: Uint8Array): void {
    this.pieces.push(bytes.slice());
  }

  drained(): void {
    this.drains++;
  }

  closed(): void {
    this.closes++;
  }
}

interface Pair {
  near: End & { connection: LocalConnection };
  far: End & { connection: LocalConnection };
}

type Join = (near: Accept, far: Accept) => Promise<unknown>;

function path(): string {
  return join(temporaryDirectory().path, 's');
}

const subjects: Record<string, Join> = {
  'in memory': async (near, far) => connectInMemory(near, far),
  'on Bun': async (near, far) => {
    const at = path();
    listenOnBun(at, far);
    return connectOnBun(at, near);
  },
  'on Node': async (near, far) => {
    const at = path();
    await listenOnNode(at, far);
    return connectOnNode(at, near);
  },
};

async function pair(join: Join): Promise<Pair> {
  const near = new End();
  const far = new End();
  await join(near.accept, far.accept);
  await until(() => near.connection !== undefined && far.connection !== undefined);
  return { near, far } as Pair;
}

for (const [name, join] of Object.entries(subjects)) {
  test(`a connection ${name} carries bytes both ways, in order`, async () => {
    const { near, far } = await pair(join);
    near.connection.write(Buffer.from('one '));
    near.connection.write(Buffer.from('two'));
    far.connection.write(Buffer.from('three'));
    await until(() => far.heard.length === 7 && near.heard.length === 5);
    expect([far.heard.toString(), near.heard.toString()]).toEqual(['one two', 'three']);
    near.connection.end();
    await until(() => near.closes + far.closes === 2);
  });

  test(`a connection ${name} that is full says so, loses nothing and tells when it is not`, async () => {
    const { near, far } = await pair(join);
    far.connection.pause();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    for (let isTaken = true; isTaken && sent < 100; sent++) isTaken = near.connection.write(piece);
    expect(sent).toBeLessThan(100);
    expect(near.drains).toBe(0);
    far.connection.resume();
    await until(() => near.drains === 1 && far.heard.length === sent * piece.length);
    near.connection.destroy();
    await until(() => far.closes === 1);
  });

  test(`the end of a connection ${name} comes after what was written, and is told once at both ends`, async () => {
    const { near, far } = await pair(join);
    near.connection.write(Buffer.alloc(3 * 1024 * 1024, 'y'));
    near.connection.end();
    near.connection.end();
    await until(() => far.closes === 1 && near.closes === 1);
    expect(far.heard).toHaveLength(3 * 1024 * 1024);
    near.connection.write(Buffer.from('late'));
    near.connection.destroy();
    far.connection.destroy();
    expect([near.closes, far.closes]).toEqual([1, 1]);
  });
}

test('a socket is for its owner alone, in a directory for its owner alone, and goes when it is closed', async () => {
  const at = join(temporaryDirectory().path, 'sockets', 's');
  const listening = listenLocally(at, new End().accept);
  expect(existsSync(at)).toBe(true);
  const listener = await listening;
  expect((statSync(at).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(dirname(at)).mode & 0o777).toString(8)).toBe('700');
  if (listener.ok) listener.value.close();
  expect(existsSync(at)).toBe(false);
});

test('a path that is too long for a socket works all the same, and nothing of that stays behind', async () => {
  const at = join(temporaryDirectory().path, 'l'.repeat(200), 's'.repeat(60));
  const far = new End();
  const listener = await listenLocally(at, far.accept);
  const near = new End();
  expect((await connectLocally(at, near.accept)).ok).toBe(true);
  near.connection?.write(Buffer.from('hello'));
  await until(() => far.heard.toString() === 'hello');
  near.connection?.end();
  expect((statSync(at).mode & 0o777).toString(8)).toBe('600');
  if (listener.ok) listener.value.close();
  expect(readdirSync('/tmp').filter((name) => leadsTo(join('/tmp', name, 'd'), dirname(at)))).toEqual([]);
});

function leadsTo(link: string, target: string): boolean {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
}

test('where nothing listens, or nothing can, the problem names the path', async () => {
  const { path: directory } = temporaryDirectory();
  const gone = await connectLocally(join(directory, 'gone'), new End().accept);
  expect(gone).toMatchObject({ ok: false, problem: { message: expect.stringContaining('gone') } });
  writeFileSync(join(directory, 'file'), '');
  const refused = await listenLocally(join(directory, 'file', 's'), new End().accept);
  expect(refused).toMatchObject({ ok: false, problem: { message: expect.stringContaining('file') } });
  mkdirSync(join(directory, 'taken'));
  expect((await listenLocally(join(directory, 'taken'), new End().accept)).ok).toBe(false);
});

needsThat(process.platform === 'linux', 'Linux')('the process at the other end is known', async () => {
  const { far } = await pair(subjects['on Bun'] as Join);
  expect(far.connection.readPeer()).toEqual({ pid: process.pid, uid: process.getuid?.() ?? -1 });
});
