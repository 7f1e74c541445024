import { describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carryOutLanding, land, prepareLanding } from '../../src/landing/land.ts';
import { expectOk, type Field, field, yes } from './support.ts';

interface Scene {
  at: Field;
  /** The name of an object of the work, and of one that is not in it. */
  objects: Record<'tree' | 'otherTree' | 'blob' | 'otherBlob', string>;
}

/** A worktree that adds `d/good.txt`, and objects of a directory that nobody was shown. */
async function scene(): Promise<Scene> {
  const at = await field({ 'd/old.txt': 'old\n' });
  const { git } = at.repository;
  const { path } = await at.work('w', { 'd/good.txt': 'good\n' }, { commit: 'Good' });
  const name = async (what: string) => (await git('-C', path, 'rev-parse', what)).trim();
  const [tree, blob] = [await name('HEAD:d'), await name('HEAD:d/good.txt')];
  writeFileSync(join(path, 'evil'), 'evil\n');
  const otherBlob = (await git('-C', path, 'hash-object', '-w', 'evil')).trim();
  rmSync(join(path, 'evil'));
  const index = join(at.world.home, 'other-index');
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const run = (...args: string[]) => {
    const { stdout, exitCode, stderr } = Bun.spawnSync(['git', ...args], { cwd: path, env });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString().trim();
  };
  for (const file of ['good.txt', '.npmrc', '.vscode/tasks.json'])
    run('update-index', '--add', '--cacheinfo', `100644,${otherBlob},${file}`);
  return { at, objects: { tree, otherTree: run('write-tree'), blob, otherBlob } };
}

function locate({ at }: Scene, id: string): string {
  return join(at.repository.path, '.git/objects', id.slice(0, 2), id.slice(2));
}

/** As a command does that may write to git's store. */
function replace(scene: Scene, what: 'tree' | 'blob'): void {
  const { objects } = scene;
  const target = locate(scene, objects[what]);
  chmodSync(target, 0o644);
  copyFileSync(locate(scene, what === 'tree' ? objects.otherTree : objects.otherBlob), target);
}

function files({ at }: Scene): string[] {
  return readdirSync(join(at.repository.path, 'd'), { recursive: true }).map(String).sort();
}

describe('an object of the work that is replaced by another', () => {
  for (const what of ['tree', 'blob'] as const) {
    test(`a ${what}, while the question is open: nothing lands`, async () => {
      const one = await scene();
      const plan = expectOk(await prepareLanding(one.at.landing, {}));
      expect(plan.layers[0]?.stat.files.map(({ path }) => path)).toEqual(['d/good.txt']);
      replace(one, what);
      const landed = await carryOutLanding(plan, one.at.landing, {});
      expect(landed).toMatchObject({ ok: false });
      expect(landed.ok ? '' : landed.problem.message).toContain('not what their names say');
      expect(files(one)).toEqual(['old.txt']);
      expect(await one.at.repository.git('log', '--format=%s')).not.toContain('Good');
    });

    test(`a ${what}, before the plan: it is not planned`, async () => {
      const one = await scene();
      replace(one, what);
      await land(one.at.landing, { agree: yes });
      expect(files(one)).toEqual(['old.txt']);
    });

    for (const step of ['preparing', 'locked', 'staged', 'placed'])
      test(`a ${what}, during the landing (${step}): what was shown lands`, async () => {
        const one = await scene();
        const plan = expectOk(await prepareLanding(one.at.landing, {}));
        const at = { ...one.at.landing };
        let isDone = false;
        at.world = {
          ...at.world,
          step: (name) => {
            if (name !== step || isDone) return;
            isDone = true;
            replace(one, what);
          },
        };
        expectOk(await carryOutLanding(plan, at, {}));
        expect(isDone).toBe(true);
        expect(files(one)).toEqual(['good.txt', 'old.txt']);
        expect(readFileSync(join(one.at.repository.path, 'd/good.txt'), 'utf8')).toBe('good\n');
        const { git } = one.at.repository;
        expect(await git('show', '--format=', '--name-only', 'HEAD')).toBe('d/good.txt\n');
        expect(await git('show', 'HEAD:d/good.txt')).toBe('good\n');
        expect(await git('status', '--short')).toBe('');
      });
  }
});
