import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { room, run, unixSocket } from './support.ts';

const test = needs('bwrap');

let server: Server;
let port = 0;
let socketServer: Server;
const socketPath = join(temporaryDirectory().path, 'socket');

beforeAll(async () => {
  server = createServer((client) => client.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
  socketServer = createServer((client) => client.end('served'));
  await new Promise<void>((resolve) => socketServer.listen(socketPath, resolve));
});

afterAll(() => {
  server.close();
  socketServer.close();
});

const listed = { ...noSettings().sandbox.network, allowedDomains: ['example.com'] };

for (const [name, settings] of [
  ['bwrap', {}],
  ['bwrap with listed hosts', { network: listed }],
] as const)
  describe(`PE8 ${name}`, () => {
    test('works here', async () => {
      expect(await room(settings).sandbox.probe()).toEqual({ ok: true, value: undefined });
    });

    test('writes inside, nowhere else', async () => {
      const at = room(settings);
      const outside = join(at.userHome, 'x');
      const { text } = await run(at, `echo a > in; echo b > ${outside}; echo c > /etc/cadre-test; cat in`);
      expect(text).toContain('Read-only file system');
      expect(text).toEndWith('a\n');
      expect([existsSync(join(at.cwd, 'in')), existsSync(outside), existsSync('/etc/cadre-test')]).toEqual([
        ...[true, false, false],
      ]);
    });

    test('a link out of the workspace leads to what is read-only', async () => {
      const at = room(settings);
      writeFileSync(join(at.userHome, 'notes'), 'mine');
      symlinkSync(join(at.userHome, 'notes'), join(at.cwd, 'link'));
      const { code } = await run(at, 'ln -s ../user/notes other; echo x > link; echo x > other');
      expect(code).toBe(1);
      expect(readFileSync(join(at.userHome, 'notes'), 'utf8')).toBe('mine');
    });

    test('has a /tmp of its own that stays from command to command', async () => {
      const at = room(settings);
      await run(at, 'echo kept > /tmp/cadre-kept');
      expect((await run(at, 'cat /tmp/cadre-kept; echo $TMPDIR')).text).toBe('kept\n/tmp\n');
      expect(existsSync('/tmp/cadre-kept')).toBe(false);
      at.sandbox.close();
      expect(existsSync(join(at.directory, 'tmp'))).toBe(false);
    });

    test('reaches neither this machine nor any other', async () => {
      const { text } = await run(room(settings), `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`);
      expect(text).toContain('Connection refused');
    });

    test('connects to no Unix socket, by name or by number', async () => {
      const at = room(settings);
      expect((await run(at, unixSocket(socketPath))).text).toContain('Operation not permitted');
      expect((await run(at, unixSocket('\\0abstract'))).text).toContain('Operation not permitted');
      const pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))";
      expect((await run(at, `python3 -c "${pair}"`)).text).toBe("b'x'\n");
    });

    test('everything it started dies with it', async () => {
      const at = room(settings);
      const mark = `9${Date.now() % 1_000_000}`;
      const { code } = await run(at, `setsid sleep ${mark} & nohup sleep ${mark} & disown -a; sleep 0.1`);
      expect(code).toBe(0);
      expect(Bun.spawnSync(['pgrep', '-f', `sleep ${mark}`]).stdout.toString()).toBe('');
    });

    test('has none of the rights of root, and sees no other process', async () => {
      const { text } = await run(
        room(settings),
        'grep CapEff /proc/self/status; echo $$; ls -d /proc/[0-9]* | wc -l',
      );
      const [rights, own, processes] = text.trim().split('\n');
      expect(rights).toMatch(/0{16}$/);
      expect(Number(own)).toBeLessThan(10);
      expect(Number(processes)).toBeLessThan(10);
    });

    test('the code and the words of a command come through', async () => {
      const at = room(settings);
      const { code, text } = await run(at, `printf '%s|' "a b" "it's" 'x"y' '$z' "$HOME"; exit 7`);
      expect([code, text]).toEqual([7, `a b|it's|x"y|$z|${at.userHome}|`]);
    });

    test('runs where it is told to, also with a strange name', async () => {
      const at = room(settings);
      const strange = join(at.cwd, "a 'strange' $name\n.");
      mkdirSync(strange);
      await run(at, 'pwd > here', { in: strange });
      expect(readFileSync(join(strange, 'here'), 'utf8')).toBe(`${strange}\n`);
    });

    test('a read-only workspace can be read, not written', async () => {
      const at = room(settings);
      writeFileSync(join(at.cwd, 'a'), 'text');
      const { text } = await run(at, 'cat a; echo x > a', { scope: { writes: 'none' } });
      expect(text).toStartWith('text');
      expect(text).toContain('Read-only file system');
      expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
    });
  });

needs('socat')('only listed hosts are reached, through the proxy', async () => {
  const at = room({ network: { ...listed, allowedDomains: [`localhost:${port}`] } });
  const curl = (url: string) => `curl -sS -m 10 --noproxy '' ${url}`;
  const { text } = await run(
    at,
    [
      curl(`http://localhost:${port}/`),
      curl(`-p http://localhost:${port}/`),
      curl('http://other.test/'),
    ].join('; '),
  );
  expect(text).toBe(
    'served\nserved\nRefused by the sandbox: other.test is not among the hosts that the sandbox may reach.\n',
  );
  at.sandbox.close();
});

needs('socat')(
  'a listed port of this machine is reached by programs that take the proxy from the environment',
  async () => {
    const at = room({ network: { ...listed, allowedDomains: [`localhost:${port}`] } });
    const script = `python3 -c "import urllib.request as u; print(u.urlopen('http://localhost:${port}/').read().decode(), end='')"`;
    const { text } = await run(at, `curl -sS -m 10 http://localhost:${port}/; ${script}; echo $NO_PROXY`);
    expect(text).toBe('served\nserved\n127.0.0.1,::1\n');
    at.sandbox.close();
  },
);

test('Unix sockets can be allowed', async () => {
  const at = room({ network: { ...noSettings().sandbox.network, allowAllUnixSockets: true } });
  expect((await run(at, unixSocket(socketPath))).text).toContain('No such file');
  const own = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('own'); print('bound')";
  expect((await run(at, `python3 -c "${own}"`)).text).toBe('bound\n');
});

test('a program that is none is named, and nothing runs', async () => {
  const at = room({ bwrapPath: '/nowhere/bwrap' });
  expect(await at.sandbox.ready()).toBeUndefined();
  expect(at.notices).toEqual([
    expect.stringContaining('sandbox.bwrapPath: /nowhere/bwrap is not an executable file'),
  ]);
  expect(run(at, 'touch x')).rejects.toThrow('cannot be confined');
});

test('one that fails is told of once, with what it says', async () => {
  const { path } = temporaryDirectory();
  const fake = join(path, 'bwrap');
  writeFileSync(fake, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n', {
    mode: 0o755,
  });
  const at = room({ bwrapPath: fake });
  await at.sandbox.ready();
  await at.sandbox.ready();
  expect(at.notices).toHaveLength(1);
  expect(at.notices[0]).toContain('not confined');
  expect(at.notices[0]).toContain('No permissions to create new namespace');
});
