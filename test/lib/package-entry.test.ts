import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleModule } from '../../src/lib/bundle.ts';
import { findPackageFile } from '../../src/lib/package-entry.ts';
import { temporaryDirectory } from '../support/index.ts';

test('the first condition that holds counts, in the order of the package', () => {
  const root = rootWith(
    'a',
    { exports: { '.': { browser: './b.js', node: { import: './n.mjs', require: './n.cjs' } } } },
    ['b.js', 'n.mjs', 'n.cjs'],
  );
  expect(findPackageFile('a', root, root)).toBe(join(root, 'node_modules/a/n.mjs'));
  expect(findPackageFile('a', root, root, 'require')).toBe(join(root, 'node_modules/a/n.cjs'));
});

test('paths below a package are found by name and by pattern, and no others', () => {
  const root = rootWith('@s/a', { exports: { './v4': './four.js', './lib/*': './deep/*.js' } }, [
    'four.js',
    'deep/x.js',
  ]);
  expect(findPackageFile('@s/a/v4', root, root)).toBe(join(root, 'node_modules/@s/a/four.js'));
  expect(findPackageFile('@s/a/lib/x', root, root)).toBe(join(root, 'node_modules/@s/a/deep/x.js'));
  expect(findPackageFile('@s/a', root, root)).toBeUndefined();
  expect(findPackageFile('@s/a/four.js', root, root)).toBeUndefined();
});

test('without exports main counts, else index.js', () => {
  expect(findPackageFile('a', ...twice(rootWith('a', { main: 'lib/m' }, ['lib/m.js'])))).toEndWith(
    '/lib/m.js',
  );
  expect(findPackageFile('b', ...twice(rootWith('b', {}, ['index.js'])))).toEndWith('/b/index.js');
});

test('nothing above the root and nothing outside of the package is taken', () => {
  const root = rootWith('a', { main: '../../outside.js' }, ['index.js']);
  writeFileSync(join(root, 'outside.js'), '');
  expect(findPackageFile('a', root, root)).toBeUndefined();
  const below = join(root, 'deeper');
  mkdirSync(below);
  expect(findPackageFile('a', below, below)).toBeUndefined();
  const linked = rootWith('b', { main: 'link.js' }, []);
  symlinkSync(join(root, 'outside.js'), join(linked, 'node_modules/b/link.js'));
  expect(findPackageFile('b', linked, linked)).toBeUndefined();
});

test('a module is bundled with what it imports by name, and told why when that fails', async () => {
  const root = rootWith('a', { main: 'index.js' }, []);
  writeFileSync(join(root, 'node_modules/a/index.js'), "module.exports.word = 'found';");
  writeFileSync(join(root, 'entry.js'), "import { word } from 'a'; export const said = word;");
  const bundle = await bundleModule(join(root, 'entry.js'), root);
  expect(bundle).toMatchObject({ ok: true, value: expect.stringContaining('found') });
  writeFileSync(join(root, 'broken.js'), 'export const = ;');
  const broken = await bundleModule(join(root, 'broken.js'), root);
  expect(broken).toMatchObject({ ok: false, problem: { message: expect.stringContaining('broken.js') } });
});

function rootWith(name: string, described: object, files: string[]): string {
  const { path } = temporaryDirectory();
  const home = join(path, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, ...described }));
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), '');
  }
  return path;
}

function twice(root: string): [string, string] {
  return [root, root];
}
