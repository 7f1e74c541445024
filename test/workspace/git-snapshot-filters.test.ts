import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { gitSnapshot } from '../../src/workspace/git/snapshot.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');
const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
const names = ['a.key', 'b.key', 'sub/c "d" ä.key'];

interface Ground {
  cwd: string;
  write(name: string, text: string): void;
  run(...args: string[]): string;
  /** What git itself says with its filters, and what agents are told. */
  compare(below?: string): Promise<{ said: string[]; told: string[] }>;
}

/** A repository with files behind a filter, whose index is as old as they are: git then compares their content. */
function ground(): Ground {
  const { path: cwd } = temporaryDirectory();
  const options = { cwd, stdio: 'pipe', encoding: 'utf8', env: { ...env, GIT_OPTIONAL_LOCKS: '0' } } as const;
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], options);
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  mkdirSync(join(cwd, 'sub'));
  run('init', '-q', '-b', 'main');
  for (const half of ['clean', 'smudge']) run('config', `filter.rotate.${half}`, 'tr a-z n-za-m');
  write('.gitattributes', '*.key filter=rotate\n');
  write('plain.txt', 'plain\n');
  for (const name of names) write(name, 'secret\n');
  run('add', '--all');
  run('commit', '-qm', 'Keys');
  return {
    cwd,
    write,
    run,
    async compare(below = '.') {
      utimesSync(join(cwd, '.git/index'), 1_000, 1_000);
      const said = run('status', '--porcelain').split('\n').slice(0, -1);
      const found = await gitSnapshot({ cwd: join(cwd, below), env, clock: systemClock, limitMs: 60_000 });
      return { said, told: found.ok ? found.value.changes : [found.problem.message] };
    },
  };
}

describe('AG11 a file behind a filter counts as changed only if it was written since git looked', () => {
  gitTest('a clean checkout is clean, seen from below its top too', async () => {
    const at = ground();
    expect(await at.compare()).toEqual({ said: [], told: [] });
    expect((await at.compare('sub')).told).toEqual([]);
  });

  gitTest('every true change is told, of the same size too', async () => {
    const at = ground();
    at.write('b.key', 'public\n');
    at.write('plain.txt', 'other\n');
    at.write(names[2] ?? '', 'longer than before\n');
    const { said, told } = await at.compare();
    expect(told).toEqual(said);
    expect(told).toHaveLength(3);
  });

  gitTest('a staged file keeps the letter for what is staged', async () => {
    const at = ground();
    at.write('new.key', 'new\n');
    at.write('a.key', 'changed\n');
    at.run('add', '--all');
    expect(await at.compare()).toEqual({
      said: ['M  a.key', 'A  new.key'],
      told: ['M  a.key', 'A  new.key'],
    });
  });

  gitTest('nor does it where a git without the filters has written the index', async () => {
    const at = ground();
    utimesSync(join(at.cwd, '.git/index'), 1_000, 1_000);
    const off = ['clean', 'smudge'].flatMap((half) => ['-c', `filter.rotate.${half}=`]);
    at.write('plain.txt', 'other\n');
    at.run(...off, 'add', 'plain.txt');
    expect(at.run('ls-files', '--debug', 'a.key')).toContain('size: 0');
    expect(await at.compare()).toEqual({ said: ['M  plain.txt'], told: ['M  plain.txt'] });
  });
});

gitTest('no filter of the user runs for it either, be it in an included file or required', async () => {
  const at = ground();
  for (const half of ['clean', 'smudge']) at.run('config', '--unset', `filter.rotate.${half}`);
  const { path: home } = temporaryDirectory();
  const marker = join(home, 'ran');
  writeFileSync(join(home, '.gitconfig'), '[includeIf "gitdir:/"]\n\tpath = more\n');
  const filter = `clean = "touch ${marker}; cat"\n\tprocess = "touch ${marker}"\n\trequired`;
  writeFileSync(join(home, 'more'), `[filter "rotate"]\n\t${filter}\n`);
  utimesSync(join(at.cwd, '.git/index'), 1_000, 1_000);
  at.write('plain.txt', 'other\n');
  const user = { ...env, HOME: home };
  const found = await gitSnapshot({ cwd: at.cwd, env: user, clock: systemClock, limitMs: 60_000 });
  expect(found).toMatchObject({ ok: true, value: { changes: [' M plain.txt'] } });
  expect(existsSync(marker)).toBe(false);
});
