import { test } from 'bun:test';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

type Test = (name: string, body: () => void, timeoutMs?: number) => void;

/**
 * The `test` to use where a system program is needed: `needs('tmux')('opens a pane', …)`. A skipped test
 * counts as passed, so in CI a missing program is an error; elsewhere the test is skipped and says why.
 */
export function needs(program: string): Test {
  return needsThat(isInstalled(program), program);
}

/** The same for anything else that a machine may lack: `needsThat(canMount(), 'the right to mount')`. */
export function needsThat(present: boolean, what: string): Test {
  if (present) return test;
  if (process.env.CI === 'true') {
    throw new Error(`Tests need ${what}, which this machine lacks. Run: npm run setup:test`);
  }
  return (name, body, timeoutMs) =>
    test.skip(`${name} (skipped: ${what} is missing; npm run setup:test)`, body, timeoutMs);
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
