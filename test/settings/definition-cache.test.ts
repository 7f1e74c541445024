import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { throughCache } from '../../src/settings/definition-cache.ts';
import { temporaryDirectory } from '../support/index.ts';

function world() {
  const { path } = temporaryDirectory();
  const folder = join(path, 'files');
  mkdirSync(folder);
  const file = join(folder, 'a.md');
  writeFileSync(file, 'one');
  let loads = 0;
  const later = () => Date.now() + 10_000;
  const load = (clock = later, hasLinks = false) =>
    throughCache(
      path,
      'skills',
      { of: folder },
      async (visited) => {
        visited.paths.add(folder).add(file).add(join(path, 'missing'));
        visited.files = 20;
        visited.hasLinks = hasLinks;
        return { loads: ++loads };
      },
      undefined,
      clock,
    );
  return { path, folder, file, load };
}

describe('what was read from many files', () => {
  test('is kept for the next start, for nobody else to read', async () => {
    const { path, load } = world();
    expect(await load()).toEqual({ loads: 1 });
    expect(await load()).toEqual({ loads: 1 });
    const [name = ''] = readdirSync(join(path, 'cache'));
    expect(statSync(join(path, 'cache', name)).mode & 0o777).toBe(0o600);
  });

  test('is read again when a file changes, also where its size and time are made to look the same', async () => {
    const { file, load } = world();
    const before = statSync(file);
    await load();
    writeFileSync(file, 'two');
    utimesSync(file, before.atime, before.mtime);
    expect(await load()).toEqual({ loads: 2 });
  });

  test('is read again when a file comes, or a place that was not there', async () => {
    const { path, folder, load } = world();
    await load();
    writeFileSync(join(folder, 'b.md'), 'new');
    expect(await load()).toEqual({ loads: 2 });
    mkdirSync(join(path, 'missing'));
    expect(await load()).toEqual({ loads: 3 });
  });

  test('is not kept while files are so young that they may still change unnoticed, nor behind links', async () => {
    const { load } = world();
    await load(Date.now);
    expect(await load(Date.now)).toEqual({ loads: 2 });
    await load(undefined, true);
    expect(await load(undefined, true)).toEqual({ loads: 4 });
  });

  test('is kept later where nobody is to wait for it, and not if something changed until then', async () => {
    const { path, file } = world();
    const waiting: (() => void)[] = [];
    const load = (value: number) =>
      throughCache(
        path,
        'skills',
        'key',
        async (visited) => {
          visited.paths.add(file);
          visited.files = 20;
          return value;
        },
        (act) => void waiting.push(act),
        () => statSync(file).ctimeMs + 3_000,
      );
    expect(await load(1)).toBe(1);
    waiting.shift()?.();
    expect(await load(2)).toBe(1);
    writeFileSync(file, 'another');
    expect(await load(3)).toBe(3);
    const later = new Date(Date.now() + 60_000);
    utimesSync(file, later, later);
    waiting.shift()?.();
    expect(await load(4)).toBe(4);
  });

  test('is read again where what was kept is damaged', async () => {
    const { path, load } = world();
    await load();
    const [name = ''] = readdirSync(join(path, 'cache'));
    for (const text of ['', '{', 'null', '{"stamps":1}']) {
      writeFileSync(join(path, 'cache', name), text);
      expect(await load()).toHaveProperty('loads');
    }
  });
});
