import { expect, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimWorkDirectory } from '../../src/commands/worker/claim-directory.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { createLayout } from '../../src/store/layout.ts';
import { get } from '../remote/support.ts';
import { temporaryDirectory } from '../support/index.ts';

test('G5 what a killed worker has left goes when one begins in its directory, and nothing else', () => {
  const userHome = temporaryDirectory().path;
  const home = join(userHome, '.cadre');
  const files = join(userHome, '.cadre-worker', 'jobs', 'j1', 'files');
  const { projectDirectory } = createLayout(home);
  const left = [join(files, 'src'), projectDirectory(files), projectDirectory(join(files, 'src'))];
  const others = [projectDirectory(userHome), projectDirectory(files.replace('j1', 'j12'))];
  for (const path of [...left, ...others]) mkdirSync(path, { recursive: true });
  const claimed = get(
    claimWorkDirectory(undefined, { home, userHome, machine: systemMachine, clock: systemClock }),
  );
  for (const path of left) expect([path, existsSync(path)]).toEqual([path, false]);
  for (const path of others) expect([path, existsSync(path)]).toEqual([path, true]);
  claimed.release();
});
