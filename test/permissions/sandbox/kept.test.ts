import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kept } from '../../../src/permissions/sandbox/kept.ts';
import { realPathOf } from '../../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../../support/index.ts';

const never = Number.POSITIVE_INFINITY;

test('what a link in a directory above leads to is never kept, so that it is never put back into the workspace', () => {
  const top = realPathOf(temporaryDirectory().path);
  const [home, dependency] = [join(top, 'home'), join(top, 'work/vendor/dep')];
  mkdirSync(home);
  mkdirSync(dependency, { recursive: true });
  writeFileSync(join(home, '.npmrc'), 'secret');
  writeFileSync(join(dependency, '.npmrc'), 'dummy');
  const kept = new Kept();
  kept.keep(join(dependency, '.npmrc'));
  rmSync(dependency, { recursive: true });
  symlinkSync(home, dependency);
  // As before a later command: whatever changed until now counts as the user's own.
  kept.changesSince(never);
  kept.keep(join(dependency, '.npmrc'));
  unlinkSync(dependency);
  mkdirSync(dependency);
  const { changed } = kept.changesSince(0);
  expect(changed.map(({ content }) => content?.toString() ?? '')).not.toContain('secret');
});
