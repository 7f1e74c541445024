import { describe, expect, test } from 'bun:test';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import { startPlainly } from '../../src/workspace/git/filter-start.ts';
import type { TrustsFilter } from '../../src/workspace/git/filters.ts';
import { gitSnapshot } from '../../src/workspace/git/snapshot.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { expectOk, type Field, field, landAll, reasonOf, states, yes } from './support.ts';

const trusted: TrustsFilter = () => true;
const untrusted: TrustsFilter = () => false;

/** The same ground for a user who trusts the repository's filters, or does not. */
function withTrust(at: Field, trustsFilter: TrustsFilter): Field {
  Object.assign(at.world, { trustsFilter, startFilters: startPlainly });
  Object.assign(at.landing.world, { trustsFilter, startFilters: startPlainly });
  return at;
}

async function stored(at: Field, path: string, commit = 'main'): Promise<string> {
  return at.repository.git('cat-file', 'blob', `${commit}:${path}`);
}

/** What agents are told about the checkout, by a git that runs no filter. */
async function readTold({ repository, landing: { world } }: Field): Promise<string[]> {
  const look = { cwd: repository.path, env: world.env, clock: world.clock, limitMs: 60_000 };
  return expectOk(await gitSnapshot(look)).changes;
}

/** A filter that turns letters around, as a stand-in for one that encrypts. */
async function rotating(required: boolean): Promise<Field> {
  const script = join(temporaryDirectory().path, 'rotate');
  writeFileSync(script, "#!/bin/sh\ntr 'a-zA-Z' 'n-za-mN-ZA-M'\n");
  chmodSync(script, 0o755);
  const at = await field({ 'a.txt': 'a\n', '.gitattributes': '*.key filter=rotate\n' });
  for (const [key, value] of [
    ['clean', script],
    ['smudge', script],
    ['required', String(required)],
  ] as const)
    await at.repository.git('config', `filter.rotate.${key}`, value);
  await at.repository.write('old.key', 'secret\n');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Key');
  return at;
}

test('a trusted clean filter runs: what lands is what git would have stored, and the files follow through its other half', async () => {
  const at = withTrust(await rotating(true), trusted);
  expect(await stored(at, 'old.key')).toBe('frperg\n');
  const one = await at.work('one', { 'old.key': 'changed\n', 'new.key': 'hidden\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await stored(at, 'new.key')).toBe('uvqqra\n');
  expect(await stored(at, 'old.key')).toBe('punatrq\n');
  expect(await at.repository.read('new.key')).toBe('hidden\n');
  expect(await readTold(at)).toEqual([]);
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(one.slug).toBe('one');
});

test('a worktree of a repository whose required filter is not trusted is refused with the way', async () => {
  const at = withTrust(await rotating(true), untrusted);
  const made = await createWorktree(at.order('one'), at.world);
  expect(made.ok ? '' : `${made.problem.message} ${made.problem.hint}`).toMatch(
    /old\.key needs the git filter rotate, .* not trusted\. cadre trust shows them and asks\./,
  );
  expect(await at.listed()).toEqual([]);
});

test('so is one of another branch that uses the filter, and one of a branch that does not is made', async () => {
  const at = withTrust(await rotating(true), untrusted);
  await at.repository.git('branch', 'filtered');
  await at.repository.git('rm', '--quiet', '.gitattributes', 'old.key');
  await at.repository.git('commit', '--quiet', '--message=Without');
  const made = await createWorktree(at.order('one', { from: 'filtered' }), at.world);
  expect(made.ok ? '' : made.problem.message).toContain('old.key needs the git filter rotate');
  await at.repository.git('branch', 'plain');
  await at.repository.git('switch', '--quiet', 'filtered');
  expectOk(await createWorktree(at.order('two', { from: 'plain' }), at.world));
});

test('work that needs a required filter whose trust ended stays where it is, with the reason', async () => {
  const at = withTrust(await rotating(true), trusted);
  await at.work('one', { 'new.key': 'hidden\n' });
  await at.work('two', { 'two.txt': '2\n' });
  withTrust(at, untrusted);
  const report = await landAll(at);
  expect(states(report).one).toBe('failed');
  expect(reasonOf(report, 'one')).toContain('new.key');
  expect(await at.repository.git('log', '--all', '--format=%s', '--', 'new.key')).toBe('');
});

test('a required filter whose program is missing is refused with what git says', async () => {
  const at = withTrust(await rotating(true), trusted);
  await at.work('one', { 'new.key': 'hidden\n' });
  await at.repository.git('config', 'filter.rotate.clean', '/nowhere/rotate');
  const report = await landAll(at);
  expect(reasonOf(report, 'one')).toMatch(/filter.*rotate|rotate.*filter/);
});

describe('git-crypt', () => {
  const cryptTest = needs('git-crypt');
  const crypt = async () => {
    const at = await field({ 'a.txt': 'a\n', '.gitattributes': 'secret* filter=git-crypt diff=git-crypt\n' });
    await at.repository.git('crypt', 'init');
    await at.repository.write('secret.txt', 'hush\n');
    await at.repository.git('add', '--all');
    await at.repository.git('commit', '--quiet', '--message=Secret');
    return at;
  };

  cryptTest('files lie open in a worktree, and land encrypted', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'secret.txt': 'hush, hush\n', 'secret-2.txt': 'new\n' });
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
    for (const path of ['secret.txt', 'secret-2.txt'])
      expect(await stored(at, path)).toStartWith('\0GITCRYPT\0');
    expect(await at.repository.read('secret.txt')).toBe('hush, hush\n');
    expect(await at.repository.git('status', '--porcelain')).toBe('');
    expect(one.slug).toBe('one');
  });

  cryptTest('what was committed in plain text never lands, whoever committed it', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'b.txt': 'b\n' });
    writeFileSync(join(one.path, 'secret-2.txt'), 'in the open\n');
    const off = ['-c', 'filter.git-crypt.clean=', '-c', 'filter.git-crypt.required=false'];
    await at.repository.git('-C', one.path, ...off, 'add', '--all');
    await at.repository.git('-C', one.path, ...off, 'commit', '--quiet', '--message=Leak');
    const report = await landAll(at);
    expect(reasonOf(report, 'one')).toMatch(/secret-2\.txt.* did not go through the git filter git-crypt/);
    expect(await at.repository.git('log', 'main', '--format=%s')).not.toContain('Leak');
  });

  cryptTest('in a locked clone work on such a file stays where it is', async () => {
    const at = withTrust(await crypt(), trusted);
    await at.repository.git('crypt', 'lock', '--force').catch(() => '');
    await at.work('one', { 'secret.txt': 'in the open\n' });
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret\.txt did not go through the git filter/);
  });

  /** As a clone without the key has it. */
  const locked = async () => {
    const at = withTrust(await crypt(), trusted);
    await at.repository.write('secret.txt', 'hush, hush\n');
    await at.repository.git('commit', '--quiet', '--all', '--message=More');
    await at.repository.git('crypt', 'lock', '--force');
    return at;
  };

  cryptTest('plain text behind the encrypted bytes of a locked clone does not land', async () => {
    const at = await locked();
    const one = await at.work('one', { 'b.txt': 'b\n' });
    appendFileSync(join(one.path, 'secret.txt'), 'PASSWORD\n');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret\.txt .*not made by git-crypt.* unlock/);
    expect(await at.repository.git('log', 'main', '--format=%s', '-1')).toBe('More\n');
  });

  cryptTest('nor do bytes that only look encrypted, in a clone that is open', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'b.txt': 'b\n' });
    writeFileSync(join(one.path, 'secret-2.txt'), '\0GITCRYPT\0 PASSWORD\n');
    const off = ['-c', 'filter.git-crypt.clean=', '-c', 'filter.git-crypt.required=false'];
    await at.repository.git('-C', one.path, ...off, 'add', 'secret-2.txt');
    await at.repository.git('-C', one.path, ...off, 'commit', '--quiet', '--message=Leak');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret-2\.txt .*not made by git-crypt/);
  });

  for (const change of [
    ['rm', '--quiet', 'secret.txt'],
    ['mv', 'secret.txt', 'secret-2.txt'],
    ['checkout', '--quiet', 'HEAD~', '--', 'secret.txt'],
  ])
    cryptTest(`what git ${change[0]} makes of a file lands from a locked clone`, async () => {
      const at = await locked();
      const one = await at.work('one', { 'b.txt': 'b\n' });
      await at.repository.git('-C', one.path, ...change);
      await at.repository.git('-C', one.path, 'commit', '--quiet', '--message=Changed');
      expect(states(await landAll(at))).toEqual({ one: 'landed' });
    });

  cryptTest('plain text that another file has too does not land under a name that is encrypted', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'b.txt': 'b\n' });
    for (const name of ['a-copy.txt', 'secret-2.txt']) writeFileSync(join(one.path, name), 'in the open\n');
    const off = ['-c', 'filter.git-crypt.clean=', '-c', 'filter.git-crypt.required=false'];
    await at.repository.git('-C', one.path, ...off, 'add', 'a-copy.txt', 'secret-2.txt');
    await at.repository.git('-C', one.path, ...off, 'commit', '--quiet', '--message=Leak');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret-2\.txt.* did not go through/);
  });

  const off = ['-c', 'filter.git-crypt.clean=', '-c', 'filter.git-crypt.required=false'];

  cryptTest('plain text in a commit does not land because a later one takes the filter away', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'b.txt': 'b\n' });
    writeFileSync(join(one.path, 'secret-2.txt'), 'in the open\n');
    await at.repository.git('-C', one.path, ...off, 'add', '--all');
    await at.repository.git('-C', one.path, ...off, 'commit', '--quiet', '--message=Leak');
    await at.repository.git('-C', one.path, 'rm', '--quiet', '--force', 'secret-2.txt');
    writeFileSync(join(one.path, '.gitattributes'), '');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret-2\.txt.* did not go through the git filter/);
    expect(await at.repository.git('log', 'main', '--format=%s')).not.toContain('Leak');
  });

  cryptTest(
    'work that takes the filter away does not land the files of the branch that it then opens',
    async () => {
      const at = withTrust(await crypt(), trusted);
      await at.work('one', { '.gitattributes': '', 'secret-2.txt': 'in the open\n' });
      expect(reasonOf(await landAll(at), 'one')).toMatch(
        /secret-2\.txt.* did not go through .*\.gitattributes/,
      );
    },
  );

  cryptTest('attributes that git does not keep do not take the filter away', async () => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { '.gitignore': 'sub/.gitattributes\n', 'b.txt': 'b\n' });
    mkdirSync(join(one.path, 'sub'));
    writeFileSync(join(one.path, 'sub', '.gitattributes'), '* -filter\n');
    writeFileSync(join(one.path, 'sub', 'secret.txt'), 'in the open\n');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/sub\/secret\.txt did not go through the git filter/);
  });

  cryptTest('a filter that the branch no longer names does not hold what comes after', async () => {
    const at = withTrust(await crypt(), trusted);
    await at.repository.write('.gitattributes', '# none\n');
    await at.repository.git('commit', '--quiet', '--all', '--message=Open');
    await at.work('one', { 'secret-2.txt': 'open by now\n' });
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
  });

  /** A repository with a key, in which nothing is encrypted yet. */
  const opened = async () => {
    const at = await field({ 'a.txt': 'a\n' });
    await at.repository.git('crypt', 'init');
    return withTrust(at, trusted);
  };
  const attributes = 'secret* filter=git-crypt diff=git-crypt\n';

  const encrypt = async (at: Field) => {
    await at.repository.write('.gitattributes', attributes);
    await at.repository.git('add', '--all');
    await at.repository.git('commit', '--quiet', '--message=Encrypt');
  };

  for (const commit of [undefined, 'Leak'])
    cryptTest(
      `a file that the branch encrypts since the work began does not land open, ${commit ? 'committed' : 'not committed'}`,
      async () => {
        const at = await opened();
        await at.work('one', { 'secret.txt': 'in the open\n' }, commit ? { commit } : {});
        await at.work('two', { 'b.txt': 'b\n' });
        await encrypt(at);
        const report = await landAll(at);
        expect(states(report)).toEqual({ one: 'failed', two: 'landed' });
        expect(reasonOf(report, 'one')).toMatch(/secret\.txt did not go through .*merge the branch/);
      },
    );

  cryptTest('nor on another branch that encrypts it', async () => {
    const at = await opened();
    await at.repository.git('branch', 'open');
    await encrypt(at);
    await at.repository.git('branch', 'closed');
    await at.repository.git('switch', '--quiet', 'open');
    await at.work('one', { 'secret.txt': 'in the open\n' });
    const report = expectOk(await land(at.landing, { agree: yes, onto: 'closed' }));
    expect(reasonOf(report, 'one')).toMatch(/secret\.txt did not go through/);
  });

  cryptTest('nor behind work of another that has it encrypted', async () => {
    const at = await opened();
    await at.work('one', { '.gitattributes': attributes });
    await at.work('two', { 'secret.txt': 'in the open\n' });
    const report = await landAll(at);
    expect(states(report)).toEqual({ one: 'landed', two: 'failed' });
    expect(reasonOf(report, 'two')).toMatch(/secret\.txt did not go through/);
  });

  cryptTest('nor under the name that a file was given on the branch since', async () => {
    const at = await opened();
    const lines = 'a line that stays\n'.repeat(20);
    await at.repository.write('open.txt', lines);
    await at.repository.git('add', '--all');
    await at.repository.git('commit', '--quiet', '--message=Open');
    await at.work('one', { 'open.txt': `${lines}PASSWORD\n` });
    await at.repository.git('mv', 'open.txt', 'secret.txt');
    await at.repository.git('commit', '--quiet', '--message=Rename');
    await at.repository.write('.gitattributes', attributes);
    await at.repository.git('add', '.gitattributes');
    await at.repository.git('commit', '--quiet', '--message=Encrypt');
    expect(reasonOf(await landAll(at), 'one')).toMatch(/secret\.txt did not go through/);
  });

  cryptTest('merged with the branch and added again, it lands encrypted', async () => {
    const at = await opened();
    const one = await at.work('one', { 'secret.txt': 'in the open\n' }, { commit: 'Leak' });
    await encrypt(at);
    await at.repository.git('-C', one.path, 'merge', '--quiet', 'main');
    await at.repository.git('-C', one.path, 'add', '--renormalize', '.');
    await at.repository.git('-C', one.path, 'commit', '--quiet', '--message=Encrypted');
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
    expect(await stored(at, 'secret.txt')).toStartWith('\0GITCRYPT\0');
    expect(await at.repository.git('log', '--format=%s', 'main')).not.toContain('Leak');
  });

  const changeAttributes = async (times: number) => {
    const at = withTrust(await crypt(), trusted);
    const one = await at.work('one', { 'b.txt': 'b\n' });
    const directory = 'f'.repeat(40);
    mkdirSync(join(one.path, directory));
    for (let count = 1; count <= times; count++) {
      writeFileSync(join(one.path, directory, '.gitattributes'), `# ${count}\n`);
      await at.repository.git('-C', one.path, 'add', '--all');
      await at.repository.git('-C', one.path, 'commit', '--quiet', `--message=${count}`);
    }
    return await landAll(at);
  };

  cryptTest('work that changes attributes often lands', async () => {
    expect(states(await changeAttributes(20))).toEqual({ one: 'landed' });
  });

  cryptTest('work that changes attributes more often than is checked stays, and says so', async () => {
    expect(reasonOf(await changeAttributes(101), 'one')).toMatch(/101 of its commits change \.gitattributes/);
  });
});

describe('Git LFS', () => {
  const lfsTest = needs('git-lfs');
  for (const scope of ['--local', '--skip-repo'])
    lfsTest(`files land as pointers, with the filter set up by install ${scope}`, async () => {
      const at = withTrust(
        await field({ 'a.txt': 'a\n', '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' }),
        trusted,
      );
      const env = { ...process.env, HOME: at.home };
      const run = Bun.spawnSync(['git', 'lfs', 'install', scope], { cwd: at.repository.path, env });
      expect(run.exitCode).toBe(0);
      const one = await at.work('one', { 'big.bin': 'large\n'.repeat(500) });
      expect(states(await landAll(at))).toEqual({ one: 'landed' });
      expect(await stored(at, 'big.bin')).toStartWith('version https://git-lfs');
      expect(readFileSync(at.repository.file('big.bin'), 'utf8')).toBe('large\n'.repeat(500));
      expect(one.slug).toBe('one');
    });

  lfsTest('a file that the branch keeps elsewhere since the work began stays where it is', async () => {
    const at = withTrust(await field({ 'a.txt': 'a\n' }), trusted);
    await at.work('one', { 'big.bin': 'large\n'.repeat(500) });
    await at.repository.write('.gitattributes', '*.bin filter=lfs -text\n');
    await at.repository.git('add', '--all');
    await at.repository.git('commit', '--quiet', '--message=LFS');
    expect(reasonOf(await landAll(at), 'one')).toContain('big.bin did not go through the git filter lfs');
  });

  lfsTest('without the filter such a file stays where it is', async () => {
    const at = withTrust(
      await field({ 'a.txt': 'a\n', '.gitattributes': '*.bin filter=lfs -text\n' }),
      trusted,
    );
    for (const key of ['process', 'clean']) await at.repository.git('config', `filter.lfs.${key}`, '');
    await at.repository.git('config', 'filter.lfs.required', 'false');
    await at.work('one', { 'big.bin': 'large\n'.repeat(500) });
    expect(reasonOf(await landAll(at), 'one')).toContain('big.bin did not go through the git filter lfs');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    await at.work('two', { 'two.bin': `${pointer}PASSWORD\n` });
    await at.work('three', { 'three.bin': pointer });
    const report = await landAll(at, ['two', 'three']);
    expect(reasonOf(report, 'two')).toContain('two.bin did not go through the git filter lfs');
    expect(states(report).three).toBe('landed');
  });
});

test('the content of a filter is what is trusted', async () => {
  const at = await rotating(true);
  const seen: string[] = [];
  withTrust(at, ({ name, settings }) => {
    seen.push(`${name} ${settings.required}`);
    return false;
  });
  const made = await createWorktree(at.order('one'), at.world);
  expect(made.ok).toBe(false);
  expect(seen).toContain('rotate true');
  expectOk(await createWorktree(at.order('two'), { ...at.world, trustsFilter: trusted }));
});
