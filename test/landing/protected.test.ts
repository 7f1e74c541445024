import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forecast } from '../../src/landing/forecast.ts';
import { land } from '../../src/landing/land.ts';
import { landTool } from '../../src/landing/land-tool.ts';
import type { LandingPlan } from '../../src/landing/plan.ts';
import { renderForecast } from '../../src/landing/render.ts';
import { renderPlan } from '../../src/landing/render-plan.ts';
import { ok } from '../../src/lib/result.ts';
import { call, toolContextForTests } from '../tools/support.ts';
import { expectOk, type Field, field } from './support.ts';

const workflow = '.github/workflows/ci.yml';

/** Ways for a commit to hold what the work tree never showed, or does not show any more. */
const ways: Record<string, (git: Field['repository']['git'], path: string) => Promise<void>> = {
  'written and committed': async (git, path) => {
    mkdirSync(join(path, dirname(workflow)), { recursive: true });
    writeFileSync(join(path, workflow), 'x');
    await git('-C', path, 'add', '--all');
    await git('-C', path, 'commit', '--quiet', '--message=x');
  },
  'through the index alone': async (git, path) => {
    await addToIndex(git, path, workflow);
    await git('-C', path, 'commit', '--quiet', '--message=x');
    await git('-C', path, 'checkout', '--', '.');
  },
  'through the index, and hidden from the work tree': async (git, path) => {
    await addToIndex(git, path, workflow);
    await git('-C', path, 'commit', '--quiet', '--message=x');
    await git('-C', path, 'update-index', '--skip-worktree', workflow);
  },
  'in a commit that a later one takes out again': async (git, path) => {
    await addToIndex(git, path, workflow);
    await git('-C', path, 'commit', '--quiet', '--message=in');
    await git('-C', path, 'rm', '--quiet', '--cached', workflow);
    await git('-C', path, 'commit', '--quiet', '--allow-empty', '--message=out');
    writeFileSync(join(path, 'more.txt'), 'x');
  },
  'by commit-tree and update-ref': async (git, path) => {
    await addToIndex(git, path, workflow);
    const tree = (await git('-C', path, 'write-tree')).trim();
    const head = (await git('-C', path, 'rev-parse', 'HEAD')).trim();
    const commit = (await git('-C', path, 'commit-tree', tree, '-p', head, '-m', 'x')).trim();
    await git('-C', path, 'update-ref', 'HEAD', commit);
    await git('-C', path, 'checkout', '--', '.');
  },
  'by another way to write its name': async (git, path) => {
    await addToIndex(git, path, 'deep/.GitHub/Workflows/ci.yml');
    await git('-C', path, 'commit', '--quiet', '--message=x');
    await git('-C', path, 'checkout', '--', '.');
  },
};

async function addToIndex(git: Field['repository']['git'], path: string, name: string): Promise<void> {
  writeFileSync(join(path, 'content.tmp'), 'x');
  const blob = (await git('-C', path, 'hash-object', '-w', 'content.tmp')).trim();
  await git('-C', path, 'update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
  await git('-C', path, 'clean', '--quiet', '--force', 'content.tmp');
}

for (const [way, make] of Object.entries(ways))
  describe(`a protected path in a worktree: ${way}`, () => {
    const prepared = async () => {
      const at = await field({ 'a.txt': 'a\n' });
      const { path } = await at.work('writer', { 'b.txt': 'b\n' }, { commit: 'b' });
      await make(at.repository.git, path);
      return at;
    };

    test('the forecast and the plan name it', async () => {
      const at = await prepared();
      expect(renderForecast(expectOk(await forecast(at.landing)))).toMatch(/protected path: .*ci\.yml/);
      let plan = '';
      const agree = async (shown: LandingPlan) => {
        plan = renderPlan(shown);
        return false;
      };
      await land(at.landing, { agree });
      expect(plan).toMatch(/protected path: .*ci\.yml/);
    });

    test('the tool leaves it where it is, and lands the others', async () => {
      const at = await prepared();
      await at.work('other', { 'c.txt': 'c\n' }, { commit: 'c' });
      const result = await call(
        landTool(async () => ok(at.landing)),
        { action: 'land' },
        toolContextForTests(),
      );
      expect(result.text).toMatch(/failed {4}writer.*protected paths \(.*ci\.yml/);
      expect(existsSync(at.repository.file('c.txt'))).toBe(true);
      expect(existsSync(at.repository.file('b.txt'))).toBe(false);
      expect(await at.repository.git('log', '--all-match', '--format=%s', 'main')).not.toContain('in');
    });
  });

test('what the target has already is not its change', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  const { path } = await at.work('writer', { 'b.txt': 'b\n' }, { commit: 'b' });
  mkdirSync(join(at.repository.path, dirname(workflow)), { recursive: true });
  writeFileSync(join(at.repository.path, workflow), 'by the user');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=ci');
  await at.repository.git('-C', path, 'merge', '--quiet', '--no-edit', 'main');
  const seen = expectOk(await forecast(at.landing));
  expect(seen.worktrees[0]?.protected).toBeUndefined();
});

test('a script that the configuration of git names is protected too', async () => {
  const at = await field({ 'a.txt': 'a\n', 'tools/hooks/pre-commit': 'old\n' });
  await at.repository.git('config', 'core.hooksPath', 'tools/hooks');
  await at.work('writer', { 'tools/hooks/pre-commit': 'new\n' }, { commit: 'b' });
  const seen = expectOk(await forecast(at.landing));
  expect(seen.worktrees[0]?.protected).toEqual(['tools/hooks/pre-commit']);
});

test('a script that a hook of the main checkout is a link to is protected too', async () => {
  const at = await field({ 'a.txt': 'a\n', 'scripts/hook.sh': 'old\n', 'scripts/free.sh': 'old\n' });
  mkdirSync(join(at.repository.path, '.git/hooks'), { recursive: true });
  symlinkSync('../../scripts/hook.sh', join(at.repository.path, '.git/hooks/pre-commit'));
  await at.work('writer', { 'scripts/hook.sh': 'new\n', 'scripts/free.sh': 'new\n' }, { commit: 'b' });
  const seen = expectOk(await forecast(at.landing));
  expect(seen.worktrees[0]?.protected).toEqual(['scripts/hook.sh']);
});

test('a link in the place of a directory that holds protected ones, and a git directory under another name', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  const { path } = await at.work('writer', { 'b.txt': 'b\n' });
  symlinkSync('elsewhere', join(path, '.github'));
  mkdirSync(join(path, 'bare/objects'), { recursive: true });
  for (const name of ['HEAD', 'config', 'objects/x', 'refs']) writeFileSync(join(path, 'bare', name), 'x');
  const seen = expectOk(await forecast(at.landing));
  expect(seen.worktrees[0]?.protected).toEqual(['.github', 'bare/HEAD']);
});
