import { describe, expect, test as plain } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { whyNotEntered } from '../../../src/permissions/sandbox/why-not-entered.ts';
import type { PathEntry, SandboxPolicy } from '../../../src/protocol/sandbox.ts';
import { needs } from '../../support/index.ts';
import { room, run } from './support.ts';

const test = needs('bwrap');

describe('the hint that a command was refused something', () => {
  for (const command of [
    'touch /usr/x 2>&1 | tail -1',
    'touch /usr/x 2>&1 | cat; echo done',
    'touch /usr/x || true',
    'python3 -c "import socket; socket.create_connection((\'192.0.2.1\', 80), 1)" 2>&1 | tail -1',
    'touch /usr/x &\nwait; true',
  ])
    test(`is there although the exit code is 0: ${command}`, async () => {
      const { code, notes } = await run(room(), command);
      expect([code, notes.join()]).toEqual([0, expect.stringContaining('It ran in a sandbox')]);
    });

  for (const command of [
    'true',
    'echo a | cat',
    'echo "permission denied" | cat',
    "echo 'Read-only file system'",
  ])
    test(`is not there: ${command}`, async () => {
      expect((await run(room(), command)).notes).toEqual([]);
    });

  test('whoever is asked to let the line out sees what was refused', async () => {
    const at = room();
    await run(at, 'touch /usr/x 2>&1 | tail -1');
    expect(at.sandbox.refusalOf?.('touch /usr/x 2>&1 | tail -1')).toContain('Read-only file system');
  });
});

describe('where a command cannot start', () => {
  const entry = (path: string, access: PathEntry['access']): PathEntry => ({
    path,
    access,
    isDirectory: true,
  });
  const policy: SandboxPolicy = {
    paths: [entry('/home/u', 'none'), entry('/home/u/code', 'read'), entry('/tmp/work', 'write')],
    ...{ temporary: '/x', links: [], network: 'none', unixSockets: false, localBinding: false },
  };
  for (const path of ['/home/u', '/home/u/.ssh', '/home/u/codes', '/tmp', '/tmp/other'])
    plain(path, () => expect(whyNotEntered(path, policy)).toBeDefined());
  for (const path of ['/home/u/code', '/home/u/code/a', '/tmp/work/a', '/usr', '/'])
    plain(`not so: ${path}`, () => expect(whyNotEntered(path, policy)).toBeUndefined());

  test('a command that is not started for it leaves nothing behind', async () => {
    const at = room();
    mkdirSync(join(at.userHome, '.ssh'));
    expect(run(at, 'true', { in: join(at.userHome, '.ssh') })).rejects.toThrow('sandbox');
    expect((await run(at, 'mkdir .vscode')).notes.join()).toContain('.vscode');
  });
});
