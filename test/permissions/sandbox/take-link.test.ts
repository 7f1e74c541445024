import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onlyLinksAmong } from '../../../src/sandbox/guard/protected-places.ts';
import { quarantine } from '../../../src/sandbox/guard/quarantine.ts';
import { takeLinkAway } from '../../../src/sandbox/guard/take-away.ts';
import { resolveRealPath } from '../../../src/workspace/real-path.ts';
import { describeTree, needs, temporaryDirectory } from '../../support/index.ts';

function ground() {
  const top = resolveRealPath(temporaryDirectory().path);
  const [git, taken] = [join(top, 'work/.git'), join(top, 'taken')];
  for (const path of [git, taken]) mkdirSync(path, { recursive: true });
  return { top, git, taken };
}

test('a link in a git directory is taken away', () => {
  const { git, taken } = ground();
  symlinkSync('/etc', join(git, 'objects'));
  expect(takeLinkAway(join(git, 'objects'), join(taken, '1'))).toBeUndefined();
  expect(describeTree(taken)).toEqual({ 1: '-> /etc' });
  expect(describeTree(git)).toEqual({});
});

test('a directory or file that stands where a link was seen stays', () => {
  const { top, git } = ground();
  mkdirSync(join(git, 'objects'));
  writeFileSync(join(git, 'objects/kept'), 'kept');
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  const fresh = [join(git, 'objects'), join(git, 'HEAD')];
  const onlyLinks = onlyLinksAmong(fresh, [{ directory: git, guarded: [join(git, 'hooks')] }]);
  const said = quarantine({ fresh, onlyLinks, links: [], copies: [] }, join(top, 'home'));
  expect(said.join()).toContain('it was no longer a link or pipe');
  expect(Object.keys(describeTree(git))).toEqual(['HEAD', 'objects', 'objects/kept']);
});

test('what another look has taken meanwhile is not reported, and all else is taken', () => {
  const { top } = ground();
  const [gone, goneAbove, there] = ['a/.github/workflows', 'gone/.github/workflows', 'b/.npmrc'].map((name) =>
    join(top, 'work', name),
  ) as [string, string, string];
  for (const path of [gone, there]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(there, 'x');
  const wrongs = { onlyLinks: new Set([goneAbove]), links: [], copies: [] };
  const said = quarantine({ ...wrongs, fresh: [gone, goneAbove, there] }, join(top, 'home'));
  expect(said).toEqual([expect.stringMatching(/were moved to [^:]*: [^,]*\.npmrc$/)]);
  expect(quarantine({ ...wrongs, fresh: [gone, goneAbove] }, join(top, 'home'))).toEqual([]);
  expect(existsSync(there)).toBe(false);
});

test('what cannot be taken because a link leads elsewhere is reported', () => {
  const { top } = ground();
  mkdirSync(join(top, 'elsewhere'));
  symlinkSync(join(top, 'elsewhere'), join(top, 'work/a'));
  const fresh = [join(top, 'work/a/.npmrc')];
  const said = quarantine({ fresh, onlyLinks: new Set(), links: [], copies: [] }, join(top, 'home'));
  expect(said.join()).toContain('could not be repaired');
});

test('what is protected by its name is taken whatever it is', () => {
  const git = '/w/.git';
  const places = [{ directory: git, guarded: [`${git}/hooks`] }];
  const paths = [
    `${git}/hooks`,
    '/w/.vscode',
    '/w/.github/workflows',
    '/w/a/HEAD',
    '/w/.github',
    `${git}/refs`,
  ];
  expect([...onlyLinksAmong(paths, places)]).toEqual(['/w/.github', `${git}/refs`]);
});

const swapper = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
os.symlink('/etc', 'spare')
open('up', 'w').close()
while not os.path.exists('go'): libc.renameat2(-100, b'objects', -100, b'spare', 2)
`;

needs('python3')('a directory that is swapped with a link all the time is never gone', async () => {
  const { git, taken } = ground();
  mkdirSync(join(git, 'objects'));
  writeFileSync(join(git, 'objects/kept'), 'kept');
  for (let round = 0; round < 5; round++) {
    const racing = Bun.spawn(['python3', '-c', swapper], { cwd: git });
    while (!existsSync(join(git, 'up'))) await Bun.sleep(2);
    for (let call = 0; call < 300; call++)
      takeLinkAway(join(git, 'objects'), join(taken, `${round}-${call}`));
    writeFileSync(join(git, 'go'), '');
    await racing.exited;
    const real = Object.values(describeTree(git)).filter((what) => what.endsWith(' directory'));
    expect(real).toHaveLength(1);
    for (const name of ['up', 'go']) Bun.spawnSync(['rm', '-f', join(git, name)]);
    Bun.spawnSync(
      [
        'sh',
        '-c',
        'if [ -d spare ] && [ ! -L spare ]; then rm -f objects; mv spare objects; fi; rm -f spare',
      ],
      {
        cwd: git,
      },
    );
  }
  for (const what of Object.values(describeTree(taken))) expect(what).toStartWith('-> ');
});
