import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { behindGate, waitFirst } from '../../../src/permissions/sandbox/gate.ts';
import { temporaryDirectory } from '../../support/index.ts';

/** A script of bash behind a gate: before it in a shell of its own, as for any program, and in the same shell. */
const gates = {
  'a program': (script: string) => behindGate(12, ['bash', '-c', script]),
  'a line of bash': (script: string) => ['bash', '-c', `${waitFirst(12)} ${script}`],
};

/** What a script says whose starter has done this to the pipe before the script came so far. */
function sayAfter(command: string[], steps: string): string {
  const { path } = temporaryDirectory();
  const script = `mkfifo pipe; exec 9<>pipe 12<pipe; ${steps}; "$@"`;
  const { stdout } = spawnSync('bash', ['-c', script, 'starter', ...command], {
    ...{ cwd: path, timeout: 20_000, encoding: 'utf8', env: { ...process.env, REPLY: 'kept' } },
  });
  return stdout.trim();
}

for (const [name, gate] of Object.entries(gates)) {
  test(`${name} runs once its starter lets it`, () => {
    expect(sayAfter(gate('echo ran'), 'printf . >&9')).toBe('ran');
  });

  test(`${name} does not run whose starter was killed before it let it`, () => {
    expect(sayAfter(gate('echo ran'), 'exec 9>&-')).toBe('');
  });

  test(`${name} does not run whose starter was killed right after it let it`, () => {
    expect(sayAfter(gate('echo ran'), 'printf . >&9; exec 9>&-')).toBe('');
  });

  test(`${name} that runs does not have the pipe`, () => {
    const said = sayAfter(gate('ls -l /proc/$$/fd'), 'printf . >&9');
    expect(said).toContain('9 -> ');
    expect(said).not.toContain('12 -> ');
  });

  test(`${name} finds its shell as if there had been no gate`, () => {
    const script = 'echo $? $REPLY $LINENO; declare -F\necho $LINENO';
    expect(sayAfter(gate(script), 'printf . >&9')).toBe('0 kept 1\n2');
  });
}
