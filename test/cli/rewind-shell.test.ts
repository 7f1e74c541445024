import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { type Ground, repository } from '../session/undo-ground.ts';
import { needs } from '../support/index.ts';
import { cadre, start, unconfined, until } from './support.ts';

const id = '11111111-1111-4111-8111-111111111111';
const prune = 'git reflog expire --expire=now --all; git gc -q --prune=now';
const free = ['--permission-mode', 'bypassPermissions'];

/** The same place, as the program's tests know it. */
function placeOf({ cwd, home, environment }: Ground) {
  return { cwd, home, userHome: environment.HOME ?? '' };
}

async function run(ground: Ground, command: string, flags: readonly string[]) {
  await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
  const place = placeOf(ground);
  const ended = await cadre(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
  expect([ended.code, ended.err]).toEqual([0, '']);
  return (...args: string[]) => cadre(['sessions', 'rewind', id, ...args], { place });
}

for (const [where, flags, tested] of [
  ['without a sandbox', [...free, ...unconfined], test],
  ['in the sandbox', free, needs('bwrap')],
] as const)
  describe(where, () => {
    tested('what a command removed and changed comes back', async () => {
      const ground = repository();
      const before = ground.tree();
      const rewind = await run(
        ground,
        'rm -rf src; sed -i s/read/write/ README.md; echo x > made.txt',
        flags,
      );
      expect((await rewind()).out).toMatch(/ 10 files {2}go\n/);
      const { code, out } = await rewind('--to', '1', '--files');
      expect(out).toContain(`restored: ${ground.file('src/a.txt')}\n`);
      expect(out).toContain(`removed: ${ground.file('made.txt')}\n`);
      expect(code).toBe(0);
      expect(ground.tree()).toEqual(before);
    });

    tested(
      'git objects that a command empties: result, notice and report say so, and the report ends with 1',
      async () => {
        const ground = repository();
        const place = placeOf(ground);
        // Too large to be copied: with another name of it the content is gone as well.
        ground.write('large', randomBytes(100_000).toString('base64'));
        ground.git('add', 'large');
        ground.git('commit', '-qm', 'Large');
        ground.git('gc', '-q');
        const command = 'chmod -R u+w .git/objects; truncate -s 0 .git/objects/pack/*; rm README.md';
        await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
        const ended = await cadre(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
        const lost = 'git can no longer read the whole repository';
        expect(ended.err).toContain(lost);
        expect(JSON.stringify(provider.requests.at(-1))).toContain(lost);
        const { code, out } = await cadre(['sessions', 'rewind', id, '--to', '1', '--files'], { place });
        expect(out).toContain(lost);
        expect(out).toContain('Other files may be missing or changed: see below.');
        expect(code).toBe(1);
      },
    );

    tested('git objects that a command removes are put back, and the files come back', async () => {
      const ground = repository();
      const before = ground.tree();
      const place = placeOf(ground);
      const command = 'find .git/objects -type f -delete; rm README.md';
      await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
      const ended = await cadre(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
      expect(ended.err).toContain('They were put back');
      expect(ground.git('fsck', '--full', '--no-dangling')).toBe('');
      expect((await cadre(['sessions', 'rewind', id, '--to', '1', '--files'], { place })).code).toBe(0);
      expect(ground.tree()).toEqual(before);
    });

    tested('commits and branches that a command prunes come back', async () => {
      const ground = repository();
      ground.write('a.txt', 'committed, not pushed\n');
      ground.git('add', 'a.txt');
      ground.git('commit', '-qm', 'Mine');
      ground.git('branch', 'feature', ground.git('commit-tree', '-m', 'only here', 'HEAD^{tree}').trim());
      const [before, references] = [ground.tree(), ground.git('for-each-ref')];
      const command = `git branch -D feature; git reset -q --hard HEAD~1; ${prune}`;
      const rewind = await run(ground, command, flags);
      const dry = await rewind('--to', '1', '--dry-run', '--files');
      expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('git update-ref refs/heads/feature')]);
      const { code, out } = await rewind('--to', '1', '--files');
      expect(code).toBe(0);
      expect(ground.tree()).toEqual(before);
      for (const [, command = ''] of out.matchAll(/\((git update-ref [^()]*)\)/g))
        ground.git(...command.split(' ').slice(1));
      expect(ground.git('for-each-ref')).toBe(references);
      expect(ground.git('fsck', '--full', '--no-dangling')).toBe('');
    });

    tested('what only git had is named although no file changed', async () => {
      const ground = repository();
      ground.git('notes', 'add', '-m', 'a note');
      ground.write('README.md', 'staged only\n');
      ground.git('add', 'README.md');
      ground.write('README.md', 'and changed again\n');
      const rewind = await run(ground, `git update-ref -d refs/notes/commits; git reset -q; ${prune}`, flags);
      const { code, out } = await rewind('--to', '1', '--files');
      expect(out).toContain('(git update-ref refs/notes/commits ');
      expect(out).toMatch(/staged content of README.md is no longer staged \(git -C '.*' update-index /);
      expect(out).not.toContain('No known changes');
      expect(code).toBe(0);
      for (const [, command = ''] of out.matchAll(/\((git [^()]*)\)/g))
        Bun.spawnSync(['sh', '-c', command], ground);
      expect(ground.git('notes', 'show').trim()).toBe('a note');
      expect(ground.git('show', ':README.md')).toBe('staged only\n');
    });

    tested('killed with -9 after a command pruned the only copies', async () => {
      const ground = repository();
      ground.write('a.txt', 'staged, in no commit\n');
      ground.git('add', 'a.txt');
      const before = ground.tree();
      const place = placeOf(ground);
      const command = `git reset -q --hard; ${prune}; touch up; sleep 600`;
      await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
      const running = start(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
      await until(() => existsSync(join(place.cwd, 'up')));
      running.child.kill('SIGKILL');
      await running.ended;
      const { code } = await cadre(['sessions', 'rewind', id, '--to', '1', '--files'], { place });
      expect(code).toBe(0);
      expect(ground.tree()).toEqual(before);
    });

    tested('a branch that a command empties gets its commit back, and the result says so', async () => {
      const ground = repository();
      const commit = ground.git('rev-parse', 'HEAD');
      const place = placeOf(ground);
      const command = 'dd if=/dev/null of=.git/refs/heads/main';
      await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
      const ended = await cadre(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
      expect(ended.err).toContain('was restored');
      expect(JSON.stringify(provider.requests.at(-1))).toContain('was restored');
      expect(ground.git('rev-parse', 'HEAD')).toBe(commit);
    });

    tested('killed with -9 while a command runs: what it did by then comes back', async () => {
      const ground = repository();
      const before = ground.tree();
      const place = placeOf(ground);
      const command = 'rm -rf src; echo x > README.md; touch up; sleep 600';
      await using provider = await fakeProvider({ script: [call('Bash', { command }), say('Done.')] });
      const running = start(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
      await until(() => existsSync(join(place.cwd, 'up')));
      running.child.kill('SIGKILL');
      await running.ended;
      const rewind = (...args: string[]) => cadre(['sessions', 'rewind', id, ...args], { place });
      expect((await rewind()).out).toMatch(/ 10 files {2}go\n/);
      expect((await rewind('--to', '1', '--dry-run')).out).toContain('would be restored');
      expect(existsSync(ground.file('src'))).toBe(false);
      const { code, out } = await rewind('--to', '1', '--files');
      expect([code, out]).toEqual([0, expect.stringContaining('src/new.txt')]);
      expect(ground.tree()).toEqual(before);
    });
  });

test('after a crash the session goes on, and what the command did is of the prompt before', async () => {
  const ground = repository();
  const before = ground.tree();
  const place = placeOf(ground);
  const flags = [...free, ...unconfined];
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'rm -rf src; touch up; sleep 600' }), say('Done.'), say('Hi.')],
  });
  const running = start(['-p', ...flags, '--session-id', id, 'go'], { place, provider });
  await until(() => existsSync(join(place.cwd, 'up')));
  running.child.kill('SIGKILL');
  await running.ended;
  await cadre(['-p', ...flags, '-c', 'go on'], { place, provider });
  const list = await cadre(['sessions', 'rewind', id], { place });
  expect(list.out).toMatch(/ 9 files {2}go\n.* no files {2}go on\n/);
  expect((await cadre(['sessions', 'rewind', id, '--to', '1', '--files'], { place })).code).toBe(0);
  expect(ground.tree()).toEqual(before);
});

test('a prompt whose command may have changed files is not said to have changed none', async () => {
  const ground = repository();
  ground.write('ignored/x', 'x');
  const rewind = await run(ground, 'python3 -c "pass"; sed -i s/x/y/ ignored/x', [...free, ...unconfined]);
  const list = await rewind();
  expect(list.out).not.toMatch(/no files|0 files/);
  const { out } = await rewind('--to', '1', '--dry-run');
  expect(out).not.toContain('No files were changed');
  expect(out).toContain('ignored');
});

test('a change by hand since the command is kept, with exit code 1', async () => {
  const ground = repository();
  const rewind = await run(ground, 'echo x > README.md', [...free, ...unconfined]);
  writeFileSync(ground.file('README.md'), 'by hand\n');
  const { code, out } = await rewind('--to', '1', '--files');
  expect([code, out]).toEqual([1, expect.stringContaining('not restored')]);
  expect(readFileSync(ground.file('README.md'), 'utf8')).toBe('by hand\n');
});

test("a person's own change is not overwritten by going back in two steps, and --force says where it is", async () => {
  const ground = repository();
  const place = placeOf(ground);
  const flags = [...free, ...unconfined];
  const rewind = await run(ground, 'echo 22 > src/a.txt', flags);
  writeFileSync(ground.file('src/a.txt'), '22 and mine\n');
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'echo 3 > src/a.txt' }), say('Done.')],
  });
  expect((await cadre(['-p', ...flags, '-c', 'more'], { place, provider })).code).toBe(0);
  expect((await rewind('--to', '2')).code).toBe(0);
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('22 and mine\n');
  const { code, out } = await rewind('--to', '1');
  expect([code, out]).toEqual([1, expect.stringContaining('you or another program changed it between')]);
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('22 and mine\n');
  const forced = await rewind('--to', '1', '--force', '--json');
  const [copy] = JSON.parse(forced.out).copies;
  expect(readFileSync(copy.copy, 'utf8')).toBe('22 and mine\n');
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('first of a.txt\n');
});

test('a home as the workspace: the report says that it is never recorded, and ends with 1', async () => {
  const ground = repository();
  const place = { ...placeOf(ground), userHome: ground.cwd };
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'rm README.md' }), say('Done.')],
  });
  const flags = [...free, ...unconfined, '--session-id', id];
  const ended = await cadre(['-p', ...flags, 'go'], { place, provider });
  expect(ended.err).toContain('a whole home directory');
  const { code, out } = await cadre(['sessions', 'rewind', id, '--to', '1', '--files'], { place });
  expect(out).toContain(`a whole home directory (${ground.cwd}) is never recorded as a working directory`);
  expect(code).toBe(1);
});
