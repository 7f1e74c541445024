import { expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { confineFilters } from '../../src/workspace/git/confine-filters.ts';
import { room } from '../permissions/sandbox/support.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Field, field, landAll, reasonOf, states } from './support.ts';

/** The same ground for a user who trusts the repository's filters, in a session with a sandbox. */
function confined(at: Field): Field {
  const { sandbox } = room();
  const startFilters = confineFilters({
    sandbox,
    home: at.home,
    rules: () => [],
    pick: (env) => ({ ...env }),
  });
  for (const world of [at.world, at.landing.world])
    Object.assign(world, { trustsFilter: () => true, startFilters });
  return at;
}

const stored = (at: Field, path: string) => at.repository.git('cat-file', 'blob', `main:${path}`);

for (const scope of ['--local', '--skip-repo'])
  needs('git-lfs')(
    `Git LFS, by install ${scope}: work lands as a pointer, with the content beside it`,
    async () => {
      const at = confined(
        await field({ 'a.txt': 'a\n', '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' }),
      );
      const env = { ...process.env, HOME: at.home };
      expect(Bun.spawnSync(['git', 'lfs', 'install', scope], { cwd: at.repository.path, env }).exitCode).toBe(
        0,
      );
      rmSync(at.repository.file('.git/lfs'), { recursive: true, force: true });
      await at.work('one', { 'big.bin': 'large\n'.repeat(500) });
      expect(states(await landAll(at))).toEqual({ one: 'landed' });
      expect(await stored(at, 'big.bin')).toStartWith('version https://git-lfs');
      expect(readFileSync(at.repository.file('big.bin'), 'utf8')).toBe('large\n'.repeat(500));
    },
  );

needs('git-lfs')("a repository without files of Git LFS gets nothing of Cadre's into .git", async () => {
  const at = confined(await field({ 'a.txt': 'a\n' }));
  const env = { ...process.env, HOME: at.home };
  Bun.spawnSync(['git', 'lfs', 'install', '--skip-repo'], { cwd: at.repository.path, env });
  await at.work('one', { 'b.txt': 'b\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(readdirSync(at.repository.file('.git')).filter((name) => /lfs|cadre/.test(name))).toEqual([]);
});

needs('git-lfs')('a store of Git LFS that leads elsewhere is not written', async () => {
  const at = confined(
    await field({ 'a.txt': 'a\n', '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' }),
  );
  const env = { ...process.env, HOME: at.home };
  Bun.spawnSync(['git', 'lfs', 'install', '--skip-repo'], { cwd: at.repository.path, env });
  const { path: elsewhere } = temporaryDirectory();
  rmSync(at.repository.file('.git/lfs'), { recursive: true, force: true });
  symlinkSync(elsewhere, at.repository.file('.git/lfs'));
  await at.work('one', { 'big.bin': 'large\n'.repeat(500) });
  expect(reasonOf(await landAll(at), 'one')).toContain('big.bin');
  expect([existsSync(join(elsewhere, 'objects')), existsSync(join(elsewhere, 'tmp'))]).toEqual([
    false,
    false,
  ]);
});

needs('git-crypt')('git-crypt: files lie open in a worktree, and land encrypted', async () => {
  const at = confined(
    await field({ 'a.txt': 'a\n', '.gitattributes': 'secret* filter=git-crypt diff=git-crypt\n' }),
  );
  await at.repository.git('crypt', 'init');
  await at.repository.write('secret.txt', 'hush\n');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Secret');
  await at.work('one', { 'secret.txt': 'hush, hush\n', 'secret-2.txt': 'new\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  for (const path of ['secret.txt', 'secret-2.txt'])
    expect(await stored(at, path)).toStartWith('\0GITCRYPT\0');
  expect(await at.repository.read('secret.txt')).toBe('hush, hush\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

/** A filter of the repository's own that turns letters around. */
async function rotating(): Promise<Field> {
  const at = confined(
    await field({
      '.gitattributes': '*.key filter=rotate\n',
      'a/rotate': "#!/bin/sh\ntr 'a-zA-Z' 'n-za-mN-ZA-M'\n",
    }),
  );
  chmodSync(at.repository.file('a/rotate'), 0o755);
  for (const key of ['clean', 'smudge'])
    await at.repository.git('config', `filter.rotate.${key}`, at.repository.file('a/rotate'));
  await at.repository.git('config', 'filter.rotate.required', 'true');
  for (const name of ['b.key', 'c.key', 'd.key']) await at.repository.write(name, 'secret\n');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Keys');
  return at;
}

test('a filter that is started for each file works on all of them', async () => {
  const at = await rotating();
  await at.work('one', { 'b.key': 'changed\n', 'new.key': 'hidden\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect([await stored(at, 'b.key'), await stored(at, 'new.key')]).toEqual(['punatrq\n', 'uvqqra\n']);
});
