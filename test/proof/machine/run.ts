import { spawn } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { As, WardenOptions } from './protocol.ts';

/**
 * Runs a driver inside a machine of its own, as root or as a user in it, and returns what it reports. Needs root, since
 * a whole machine's files can only be watched with its rights.
 */
export async function runInMachine<T>(
  driver: string,
  options: { as: As; full: boolean; seed: number },
): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'cadre-machine-'));
  const given: WardenOptions = { ...options, driver, base };
  const warden = spawn(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', process.execPath],
      ...[join(import.meta.dirname, 'warden.ts'), JSON.stringify(given)],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  warden.stdout.on('data', (chunk) => {
    output += chunk;
  });
  warden.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4000);
  });
  const code = await new Promise((resolve) => warden.once('close', resolve));
  rmdirSync(base);
  if (code !== 0) throw new Error(`the machine broke down (exit ${code}): ${errors}`);
  return JSON.parse(output.trim()) as T;
}

export function canHaveMachine(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}
