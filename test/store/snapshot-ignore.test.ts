import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import { anchorAll } from '../../src/store/snapshot/ignore.ts';
import { WorkspaceSnapshot } from '../../src/store/snapshot/workspace-snapshot.ts';
import { aTick, temporaryDirectory } from '../support/index.ts';

/** A repository with a snapshot of it; each command is a function that changes files. */
function ground() {
  const { path } = temporaryDirectory();
  const work = join(path, 'work');
  mkdirSync(work);
  const records: (FileHistoryRecord | CommandFilesRecord)[] = [];
  const file = (name: string) => join(work, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text);
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  write('a.txt', 'a');
  write('sub/b.txt', 'b');
  write('.gitignore', 'ignored/\n*.log\n');
  write('ignored/x', 'x');
  write('own.log', 'x');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'first');
  const snapshot = new WorkspaceSnapshot({
    ...{
      directory: join(path, 'kept'),
      journal: join(path, 'session', 'snapshot.jsonl'),
      roots: () => [work],
    },
    ...{ env: { PATH: process.env.PATH ?? '', HOME: path }, userHome: path, clock: systemClock },
    append: (record) => ok(void records.push(record)),
    ...{ isEdited: () => false, isApart: () => false },
  });
  let count = 0;
  /** Returns what is known of it, by path: `made`, `changed` or `removed`. */
  const command = async (act: () => void) => {
    const from = records.length;
    const begun = await snapshot.begin(`t${++count}`, null);
    act();
    begun.end();
    await snapshot.settle();
    return records.slice(from).flatMap((record) => {
      if (record.type !== 'file-history') return [];
      const what = record.before === null ? 'made' : record.after === null ? 'removed' : 'changed';
      return [`${what} ${record.path.slice(work.length + 1)}`];
    });
  };
  const told = () => records.filter((record) => record.type === 'command-files').at(-1);
  return { work, path, file, write, git, command, told };
}

/** Ways for a command to have git ignore what is not ignored. */
const ways: Record<string, (at: ReturnType<typeof ground>) => void> = {
  'info/exclude': ({ write }) => write('.git/info/exclude', '*\n'),
  'a new .gitignore that ignores itself': ({ write }) => write('sub/.gitignore', '*\n'),
  'a changed .gitignore': ({ write }) => write('.gitignore', '*\n'),
  'a .gitignore of a directory that it makes again': ({ file, write }) => {
    renameSync(file('sub'), file('old'));
    mkdirSync(file('sub'));
    renameSync(file('old/b.txt'), file('sub/b.txt'));
    write('sub/.gitignore', '*\n');
    rmSync(file('old'), { recursive: true });
  },
};

describe('rules that a command makes do not take later work out of what is covered', () => {
  for (const [way, ignore] of Object.entries(ways))
    test(way, async () => {
      const at = ground();
      await at.command(() => ignore(at));
      at.write('sub/notes.md', 'by the user');
      at.write('sub/deep/er.md', 'by the user');
      await at.command(() => at.write('a.txt', 'other'));
      const known = await at.command(() => {
        rmSync(at.file('sub/notes.md'));
        rmSync(at.file('sub/deep'), { recursive: true });
        at.write('sub/made.md', 'by the command');
      });
      expect(known.toSorted()).toEqual([
        'made sub/made.md',
        'removed sub/deep/er.md',
        'removed sub/notes.md',
      ]);
    });

  test('in the same command', async () => {
    const at = ground();
    expect(
      await at.command(() => {
        at.write('sub/.gitignore', '*\n');
        at.write('sub/made.md', 'by the command');
      }),
    ).toContain('made sub/made.md');
  });

  test('what was ignored before stays so, whatever becomes of the rules', async () => {
    const at = ground();
    const known = await at.command(() => {
      rmSync(at.file('.gitignore'));
      at.write('.git/info/exclude', '');
      at.write('ignored/y', 'y');
      at.write('new.txt', 'new');
    });
    expect(known.toSorted()).toEqual(['made new.txt', 'removed .gitignore']);
  });

  test('packages that a command installs and ignores are not covered', async () => {
    const at = ground();
    const known = await at.command(() => {
      at.write('.gitignore', 'ignored/\n*.log\nnode_modules/\n');
      at.write('node_modules/x/index.js', 'x');
    });
    expect(known).toEqual(['changed .gitignore']);
  });

  test('the rules of the user count, also those made since', async () => {
    const at = ground();
    await at.command(() => at.write('a.txt', 'other'));
    at.write('.gitignore', 'ignored/\n*.log\n*.tmp\n');
    await aTick();
    const known = await at.command(() => at.write('made.tmp', 'x'));
    expect(known).toEqual([]);
  });
});

describe('a named pipe in the place of a .gitignore', () => {
  const pipe = (path: string) => {
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
  };

  test('from before the session: git does not wait for it, and other rules count', async () => {
    const { file, write, command, told } = ground();
    pipe(file('sub/.gitignore'));
    const known = await command(() => {
      rmSync(file('a.txt'));
      write('new.txt', 'x');
      write('new.log', 'x');
    });
    expect(known).toEqual(['removed a.txt', 'made new.txt']);
    expect(told()?.unseen).toBeUndefined();
  });

  test('made by a command: what it does next is known', async () => {
    const { file, write, command } = ground();
    await command(() => pipe(file('.gitignore')));
    expect(await command(() => write('new.txt', 'x'))).toEqual(['made new.txt']);
  });
});

describe('a command that breaks the repository', () => {
  for (const parts of [['HEAD', 'objects', 'refs'], ['.']])
    test(`nothing that was there passes for its work: ${parts.join(' ')} removed`, async () => {
      const at = ground();
      at.write('untracked.txt', 'u');
      await at.command(() => at.write('a.txt', 'other'));
      const known = await at.command(() => {
        for (const part of parts) rmSync(join(at.file('.git'), part), { recursive: true, force: true });
        at.write('new.txt', 'new');
        at.write('ignored/y', 'y');
        rmSync(at.file('untracked.txt'));
      });
      expect(known.filter((one) => /\.git\/|ignored\/x|own\.log/.test(one))).toEqual([]);
      expect(known).toContain('made new.txt');
      expect(known).toContain('removed untracked.txt');
      expect(at.told()).toMatchObject({ unseen: expect.stringContaining('no longer read the repository') });
    });
});

test('a pattern of a directory reads the same from the top', () => {
  const { work, write, git } = ground();
  const rules = [
    '*.tmp',
    '/only',
    'a/b',
    '!keep.tmp',
    'dir/',
    '\\#x',
    '\\!y',
    '**/any',
    '# comment',
    '',
    'x[12]',
  ];
  const directory = 'sub [1] *';
  const names = [
    'a.tmp',
    'keep.tmp',
    'only',
    'in/only',
    'a/b',
    'in/a/b',
    'dir/f',
    'in/dir/f',
    '#x',
    '!y',
    'in/any',
    'x1',
  ];
  for (const name of names) {
    write(join(directory, name), '');
    write(join('other', name), '');
  }
  const list = (...args: string[]) =>
    git('ls-files', '--others', ...args)
      .split('\n')
      .toSorted();
  const anchored = anchorAll(rules.join('\n'), directory).map((rule) => `--exclude=${rule}`);
  const listed = list(...anchored, '--exclude=.gitignore');
  rmSync(join(work, '.gitignore'));
  write(join(directory, '.gitignore'), `${rules.join('\n')}\n.gitignore\n`);
  expect(listed).toEqual(list('--exclude-per-directory=.gitignore'));
});
