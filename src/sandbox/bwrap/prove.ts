import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { systemDisk } from '../../lib/files/disk.ts';
import { statTarget } from '../../lib/files/entry-at.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { readSmallText, removeQuietly } from '../../lib/files/small-files.ts';
import { hashBytes } from '../../lib/hash.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { version } from '../../lib/version.ts';
import type { Sandbox } from '../../protocol/sandbox.ts';
import { shownInHome } from '../home.data.ts';
import { closedCalls, knownCalls } from './calls.data.ts';
import type { SelfTestOptions } from './self-test.ts';
import { selfTestScript } from './self-test-script.ts';
import { hiddenFromRoot, hiddenParts } from './system.data.ts';

/**
 * Whether a sandbox works here, and confines what it should. This is tested from inside once for each boot of the machine,
 * and again when Cadre, its arguments to `bwrap`, `bwrap` itself, the kernel, the user or the settings have changed; the
 * result is kept in our own directory. If any test fails, the sandbox is not used.
 */
export async function proveSandbox(sandbox: Sandbox, options: SelfTestOptions): Promise<Result<void>> {
  const works = await sandbox.probe();
  if (!works.ok || sandbox.program === undefined) return works;
  const path = join(options.home, provenFile);
  const key = buildProofKey(sandbox.program, sandbox.shape?.() ?? '', options);
  if (readSmallText(path, key.length, systemDisk) === key) return ok(undefined);
  const { testWalls } = await import('./self-test.ts');
  const first = await testWalls(sandbox, options);
  // Another process may remove a path while the sandbox is built.
  const found = first.ok ? first : await testWalls(sandbox, options);
  if (!found.ok || found.value.length > 0) {
    // A test without room for its files says nothing about the walls.
    const room = writeAtomic(join(options.home, `${provenFile}-room`), Buffer.alloc(roomBytes));
    removeQuietly(join(options.home, `${provenFile}-room`), systemDisk);
    if (!room.ok && room.problem.passing) return room;
  }
  if (!found.ok) return found;
  if (found.value.length > 0) return failure(explainWalls(found.value), wallsHint);
  // If it cannot be saved, the test runs again next time.
  writeAtomic(path, key);
  return ok(undefined);
}

const provenFile = '.walls-proven';
/** More than all files of a test. */
const roomBytes = 256 * 1024;
const wallsHint =
  'Run cadre doctor to test it again. Until then commands are judged as if there were no sandbox.';

export function explainWalls(lines: readonly string[]): string {
  return `The sandbox is not secure on this machine: ${lines.join('; ')}.`;
}

function buildProofKey(
  program: string,
  shape: string,
  { settings, userHome, isRoot }: SelfTestOptions,
): string {
  const { size, mtimeMs } = statTarget(program) ?? {};
  const boot = readTextOrEmpty('/proc/sys/kernel/random/boot_id').trim();
  const { deniedDomains: _, ...network } = settings.network;
  const facts = [version, program, size, mtimeMs, release(), boot, process.getuid?.(), userHome, isRoot];
  const tables = [closedCalls, knownCalls, shownInHome, hiddenParts, hiddenFromRoot];
  return hashBytes(
    JSON.stringify([...facts, shape, selfTestScript, network, settings.filesystem.allowRead, tables]),
  );
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
