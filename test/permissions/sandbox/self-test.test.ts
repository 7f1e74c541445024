import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok } from '../../../src/lib/result.ts';
import { proveSandbox } from '../../../src/sandbox/bwrap/prove.ts';
import { chooseSandbox } from '../../../src/sandbox/choose.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { explainRoot } from '../../../src/sandbox/root-notice.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs } from '../../support/index.ts';
import { type Room, room } from './support.ts';

const test = needs('bwrap');

describe('a wall that does not hold', () => {
  /** Hands a sandbox on with a wall less. */
  const weakened = (take: (args: readonly string[]) => string[]): Room => {
    const at = room();
    const { home, userHome, directory } = at;
    const settings = noSettings().sandbox;
    const notices: string[] = [];
    const sandbox = openSandbox({
      ...{ settings, home, userHome, directory, environment: {}, isRoot: process.getuid?.() === 0 },
      given: () => [],
      notify: (text) => notices.push(text),
      async choose() {
        const whole = await chooseSandbox({ settings, platform: 'linux', arch: process.arch, directory });
        return {
          ...whole,
          async confine(launch, policy) {
            const confined = await whole.confine(launch, policy);
            return confined.ok ? ok({ ...confined.value, args: take(confined.value.args) }) : confined;
          },
        };
      },
    });
    return { ...at, sandbox, notices };
  };

  const without = (args: readonly string[], first: string, count: number) => {
    const start = args.indexOf(first);
    return [...args.slice(0, start), ...args.slice(start + count)];
  };

  for (const [name, take, said] of [
    [
      'the filter',
      (args: readonly string[]) => without(args, '--seccomp', 2),
      'no filter for system calls; the first process inside can be taken over (ptrace 16); the first process inside can be taken over (ptrace 16902)',
    ],
    [
      'the network',
      (args: readonly string[]) => [...args.slice(0, 1), '--share-net', ...args.slice(1)],
      'a network can be seen',
    ],
    [
      'a read-only /proc',
      (args: readonly string[]) => without(args, '--remount-ro', 2),
      '/proc/self/oom_score_adj can be written',
    ],
    [
      'a covered first process',
      (args: readonly string[]) => {
        const start = args.indexOf('/proc/1') - 3;
        return [...args.slice(0, start), ...args.slice(start + 6)];
      },
      'the first process inside can be seen (/proc/1)',
    ],
  ] as const)
    test(`makes it no sandbox: ${name}`, async () => {
      const at = weakened(take);
      expect(await at.sandbox.ready()).toBeUndefined();
      expect(at.notices.join()).toContain('The sandbox is not secure on this machine');
      expect(at.notices.join()).toContain(said);
    });

  test('is looked for once, and again when something has changed', async () => {
    const at = room();
    expect((await at.sandbox.probe()).ok).toBe(true);
    const kept = readFileSync(join(at.home, '.walls-proven'), 'utf8');
    expect((await at.sandbox.probe()).ok).toBe(true);
    expect(readFileSync(join(at.home, '.walls-proven'), 'utf8')).toBe(kept);
    expect(readdirSync(at.home).filter((name) => name.startsWith('self-test'))).toEqual([]);
  });

  test('is not read from anything but a file', async () => {
    const at = room();
    execFileSync('mkfifo', [join(at.home, '.walls-proven')]);
    expect((await at.sandbox.probe()).ok).toBe(true);
    expect(lstatSync(join(at.home, '.walls-proven')).isFile()).toBe(true);
  });
});

test('walls are tried again when they are built in another way, of the same version', async () => {
  const { home, userHome, directory } = room();
  const settings = noSettings().sandbox;
  const whole = await chooseSandbox({ settings, platform: 'linux', arch: process.arch, directory });
  const options = { settings, home, userHome, environment: {}, isRoot: process.getuid?.() === 0 };
  let tries = 0;
  const built = (shape: string) => ({
    ...whole,
    shape: () => shape,
    confine: (...given: Parameters<typeof whole.confine>) => {
      tries++;
      return whole.confine(...given);
    },
  });
  for (const shape of ['one', 'one', 'other', 'other']) await proveSandbox(built(shape), options);
  expect(tries).toBe(2);
  const shape = whole.shape?.() ?? '';
  for (const part of ['--unshare-all', '--cap-drop', '--remount-ro', 'mountinfo'])
    expect(shape).toContain(part);
});

test('root is told what that means, outside a container', () => {
  const no = () => false;
  expect(explainRoot(true, true, no)).toContain('a confined command is still root');
  expect(explainRoot(true, false, no)).toContain('nothing confines shell commands');
  expect([explainRoot(false, true, no), explainRoot(true, true, () => true)]).toEqual([undefined, undefined]);
});
