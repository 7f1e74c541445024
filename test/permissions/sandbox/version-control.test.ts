import { describe, expect } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProtectedName } from '../../../src/places/protected-names.ts';
import { aTick, needs } from '../../support/index.ts';
import { held, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');
const control = ['hgrc', 'hgrc-not-shared', 'requires', 'sharedpath', 'shared'];

/** As `hg init` leaves it. */
function mercurial(at: Room, top = ''): void {
  put(at, {
    [`${top}.hg/requires`]: 'dotencode\nfncache\nstore\n',
    [`${top}.hg/store/00changelog.i`]: '',
    [`${top}.hg/hgrc`]: '[paths]\n',
  });
}

const exists = (at: Room, path: string) => existsSync(join(at.cwd, path));

describe('what leads Mercurial to configuration', () => {
  for (const top of ['', 'deep/below/'])
    test(`in a repository that exists${top && ', deep below'}: it is read-only, or taken away`, async () => {
      const at = room();
      mercurial(at, top);
      const all = control.map((name) => `echo share-safe >> ${top}.hg/${name}; rm -f ${top}.hg/${name}`);
      await run(at, `${all.join('; ')}; echo ../data > ${top}.hg/sharedpath; echo x > ${top}.hg/shared`);
      expect(readFileSync(join(at.cwd, `${top}.hg/requires`), 'utf8')).toBe('dotencode\nfncache\nstore\n');
      expect(readFileSync(join(at.cwd, `${top}.hg/hgrc`), 'utf8')).toBe('[paths]\n');
      expect(control.filter((name) => exists(at, `${top}.hg/${name}`))).toEqual(['hgrc', 'requires']);
    });

  test('its own data can be written: commits work', async () => {
    const at = room();
    mercurial(at);
    const { code, notes } = await run(
      at,
      'echo x > .hg/store/00changelog.i; echo x > .hg/dirstate; echo x > .hg/wlock',
    );
    expect({ code, notes }).toEqual({ code: 0, notes: [] });
  });

  test('in a new repository, however it comes to its name', async () => {
    const at = room();
    const make = (directory: string) =>
      `mkdir -p ${directory}; for f in ${control.join(' ')}; do echo x > ${directory}/$f; done`;
    await run(at, make('a/.hg'));
    await run(at, make('b/plain'));
    await aTick();
    await run(at, 'mv b/plain b/.HG');
    for (const path of ['a/.hg', 'b/.HG'])
      expect(control.filter((name) => exists(at, `${path}/${name}`))).toEqual([]);
    expect(held(at).length).toBe(2 * control.length);
  });

  test('a link in the place of the directory', async () => {
    const at = room();
    await run(at, 'mkdir data; echo share-safe > data/requires; ln -s data .hg');
    expect(exists(at, '.hg')).toBe(false);
    expect(exists(at, 'data/requires')).toBe(true);
  });
});

test('checkouts of other systems that a command makes are taken away', async () => {
  const at = room();
  const names = ['.svn', '.jj', '.sl', '.bzr', '.pijul', '_darcs', '_FOSSIL_', '.fslckout', '.p4config'];
  await run(
    at,
    `mkdir -p sub/CVS; echo x > sub/CVS/Root; for n in ${names.join(' ')}; do mkdir $n; echo x > $n/x; done`,
  );
  expect([...names, 'sub/CVS/Root'].filter((name) => exists(at, name))).toEqual([]);
});

test('the same names are asked about before they are written', () => {
  for (const path of [
    '.hg/requires',
    '.hg/sharedpath',
    'a/.hg/shared',
    '.svn/wc.db',
    'x/CVS/Root',
    '.p4config',
  ])
    expect(findProtectedName(`/work/${path}`, '/work')?.reason).toContain('version control');
  for (const path of ['.hg/store/00changelog.i', '.hgignore', 'x/CVS/Entries', 'cvs.ts'])
    expect(findProtectedName(`/work/${path}`, '/work')).toBeUndefined();
});
