import { expect, test } from 'bun:test';
import { mkdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeExposure, lostLinks } from '../../../src/sandbox/exposure.ts';
import { Kept } from '../../../src/sandbox/guard/kept.ts';
import { putCopyBack, putLinkBack } from '../../../src/sandbox/guard/take-away.ts';
import { resolveRealPath } from '../../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../../support/index.ts';

const never = Number.POSITIVE_INFINITY;

test('what a link in a directory above leads to is never kept, so that it is never put back into the workspace', () => {
  const top = resolveRealPath(temporaryDirectory().path);
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

test('a directory with more than can be kept is not kept at all, and none of its files is taken for a command’s', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  const large = join(top, '.vscode');
  mkdirSync(large);
  for (let index = 0; index < 600; index++) writeFileSync(join(large, `f${index}`), '');
  writeFileSync(join(top, '.npmrc'), 'x');
  const kept = new Kept();
  kept.keep(large);
  kept.keep(join(top, '.npmrc'));
  expect([kept.holds(large), kept.holds(join(top, '.npmrc'))]).toEqual([false, true]);
  writeFileSync(join(large, 'fresh'), '');
  expect(kept.changesSince(0)).toEqual({ changed: [], foreign: [] });
});

test('a directory that the user lets grow too large is kept no more', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  const large = join(top, '.vscode');
  mkdirSync(large);
  writeFileSync(join(large, 'first'), '');
  const kept = new Kept();
  kept.keep(large);
  expect(kept.holds(large)).toBe(true);
  for (let index = 0; index < 600; index++) writeFileSync(join(large, `f${index}`), '');
  kept.changesSince(never);
  expect(kept.holds(large)).toBe(false);
  expect(kept.changesSince(0)).toEqual({ changed: [], foreign: [] });
});

test('a link whose target is not UTF-8 is put back as it was', () => {
  const top = resolveRealPath(temporaryDirectory().path);
  const [path, target] = [join(top, '.npmrc'), Buffer.from('caf\xe9', 'latin1')];
  symlinkSync(target, path);
  const kept = new Kept();
  kept.keep(path);
  const before = describeExposure([path]);
  unlinkSync(path);
  const [copy] = kept.changesSince(0).changed;
  expect(copy && putCopyBack(copy)).toBeUndefined();
  expect(readlinkSync(path, { encoding: 'buffer' })).toEqual(target);
  unlinkSync(path);
  const [lost] = lostLinks(before, describeExposure([path]));
  expect(lost && putLinkBack(path, lost.target)).toBeUndefined();
  expect(readlinkSync(path, { encoding: 'buffer' })).toEqual(target);
});
