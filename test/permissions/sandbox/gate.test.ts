import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { behindGate } from '../../../src/permissions/sandbox/bwrap.ts';
import { temporaryDirectory } from '../../support/index.ts';

/** Whether a command runs whose starter has done this to the pipe before the command came so far. */
function runsAfter(steps: string): boolean {
  const { path } = temporaryDirectory();
  const script = `mkfifo pipe; exec 9<>pipe 12<pipe; ${steps}; "$@"`;
  spawnSync('bash', ['-c', script, 'starter', ...behindGate(12, ['touch', 'ran'])], {
    cwd: path,
    timeout: 20_000,
  });
  return existsSync(join(path, 'ran'));
}

test('a command runs once its starter lets it', () => {
  expect(runsAfter('printf . >&9')).toBe(true);
});

test('a command does not run whose starter was killed before it let it', () => {
  expect(runsAfter('exec 9>&-')).toBe(false);
});

test('a command does not run whose starter was killed right after it let it', () => {
  expect(runsAfter('printf . >&9; exec 9>&-')).toBe(false);
});

test('a command that runs does not have the pipe', () => {
  const { path } = temporaryDirectory();
  const script = 'mkfifo pipe; exec 9<>pipe 12<pipe; printf . >&9; "$@"';
  const command = behindGate(12, ['bash', '-c', 'ls -l /proc/$$/fd']);
  const { stdout } = spawnSync('bash', ['-c', script, 'starter', ...command], {
    ...{ cwd: path, timeout: 20_000, encoding: 'utf8' },
  });
  expect(stdout).toContain('9 -> ');
  expect(stdout).not.toContain('12 -> ');
});
