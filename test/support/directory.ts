import { afterAll } from 'bun:test';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  /** Absolute, with no symlink in it, so that it compares equal to what programs report. */
  readonly path: string;
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * A fresh private directory. Made inside a test or `beforeEach` it goes with the test, made at the top of a
 * file it goes with the file; `dispose` removes it earlier, and twice does no harm. Not for `beforeAll`: Bun
 * takes that hook's own end as the end.
 */
export function temporaryDirectory(parent = tmpdir()): TemporaryDirectory {
  const path = realpathSync(mkdtempSync(join(parent, 'cadre-test-')));
  chmodSync(path, 0o700);
  const dispose = () => rmSync(path, { recursive: true, force: true });
  afterAll(dispose);
  return { path, dispose, [Symbol.dispose]: dispose };
}
