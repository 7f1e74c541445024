import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOtherCommands } from '../../../src/sandbox/guard/other-commands.ts';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { SharedHomes } from '../../../src/sandbox/guard/shared-homes.ts';
import { aTick, needs, temporaryDirectory } from '../../support/index.ts';
import { begin, pretendKilled, put, type Room, room, roomIn, run } from './support.ts';

const test = needs('bwrap');

/** Each command says by a file how far it is, and waits for one: the order is theirs, whatever the machine does. */
const until = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
const forever = 'tail -f /dev/null';

async function reached({ cwd }: Room, name: string): Promise<void> {
  while (!existsSync(join(cwd, name))) await Bun.sleep(5);
}

const signal = ({ cwd }: Room, name: string) => writeFileSync(join(cwd, name), '');

function workspace(): Room {
  const at = room();
  put(at, { 'a.txt': 'a', 'q/r/a.txt': 'a', 'vendor/p/a.txt': 'a' });
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  return at;
}

/** What a command makes, as a script with a word for its content, and where it is then. */
const plants: Record<string, { make: (word: string) => string; paths: string[] }> = {
  'files and directories on top': {
    make: (word) =>
      `mkdir -p .vscode .github/workflows .husky; for f in .vscode/tasks.json .envrc .npmrc .github/workflows/ci.yml .husky/pre-commit; do echo ${word} > $f; done`,
    paths: ['.vscode', '.envrc', '.npmrc', '.github/workflows', '.husky'],
  },
  'files and directories below': {
    make: (word) =>
      `mkdir -p q/r/.vscode q/n/.github/workflows; for f in q/r/.vscode/x q/r/.npmrc q/n/.github/workflows/x vendor/p/.npmrc; do echo ${word} > $f; done`,
    paths: ['q/r/.vscode', 'q/r/.npmrc', 'q/n/.github/workflows', 'vendor/p/.npmrc'],
  },
  'what leads git elsewhere': {
    make: (word) =>
      `mkdir -p eg/objects eg/refs .git/info; echo "[core] fsmonitor = ${word}" > eg/config; echo ../eg > .git/commondir; echo "* filter=${word}" > .git/info/attributes`,
    paths: ['.git/commondir', '.git/info/attributes'],
  },
  repositories: {
    make: (word) =>
      `for d in sub q/r/sub; do git init -q $d; echo ${word} > $d/.git/hooks/pre-commit; echo "[core] fsmonitor = ${word}" >> $d/.git/config; done`,
    paths: ['sub/.git', 'q/r/sub/.git'],
  },
  'a link': { make: () => 'ln -sfn q .vscode; ln -sfn ../q q/.github', paths: ['.vscode', 'q/.github'] },
};

const left = ({ cwd }: Room, paths: readonly string[]) =>
  paths.filter((path) =>
    execFileSync('ls', ['-a', dirname(join(cwd, path))])
      .toString()
      .split('\n')
      .includes(path.split('/').at(-1) ?? ''),
  );

const owners = ['one session', 'two sessions', 'two homes'] as const;

for (const [place, [what, { make, paths }]] of Object.entries(plants).entries())
  describe(`${what}, made by overlapping commands`, () => {
    const ways: Record<string, (at: Room, other: Room) => Promise<unknown>> = {
      'the second makes them again when those of the first were taken away': async (at, other) => {
        const first = await begin(at, `${make('first')}; touch one; ${forever}`);
        await reached(at, 'one');
        const second = await begin(other, `${until('go')}; ${make('EVIL')}; touch two; ${forever}`);
        await first.end();
        signal(at, 'go');
        await reached(at, 'two');
        return second.end();
      },
      'the second makes them when the first removed its own and ended': async (at, other) => {
        const first = await begin(
          at,
          `${make('first')}; touch one; ${until('started')}; rm -rf ${paths.join(' ')}; touch removed; ${forever}`,
        );
        await reached(at, 'one');
        const second = await begin(
          other,
          `touch started; ${until('go')}; ${make('EVIL')}; touch two; ${forever}`,
        );
        await reached(at, 'removed');
        await first.end();
        signal(at, 'go');
        await reached(at, 'two');
        return second.end();
      },
      'the second ends before the first': async (at, other) => {
        const first = await begin(
          at,
          `${make('first')}; touch one; ${until('go')}; ${make('EVIL')}; touch two; ${forever}`,
        );
        await reached(at, 'one');
        const second = await begin(other, forever);
        await second.end();
        signal(at, 'go');
        await reached(at, 'two');
        return first.end();
      },
      'three in a row, each begun while the one before has its own': async (at, other) => {
        const first = await begin(at, `${make('first')}; touch one; ${forever}`);
        await reached(at, 'one');
        const second = await begin(other, `${until('go')}; ${make('second')}; touch two; ${forever}`);
        await first.end();
        signal(at, 'go');
        await reached(at, 'two');
        const third = await begin(at, `${until('on')}; ${make('EVIL')}; touch three; ${forever}`);
        await second.end();
        signal(at, 'on');
        await reached(at, 'three');
        return third.end();
      },
      'the first is killed with its Cadre': async (at, other) => {
        await begin(at, `${make('first')}; touch one; ${until('go')}; touch gone`);
        await reached(at, 'one');
        pretendKilled(at);
        const second = await begin(other, `${until('on')}; ${make('EVIL')}; touch two; ${forever}`);
        signal(at, 'go');
        await reached(at, 'gone');
        recoverConfined(at.home);
        signal(at, 'on');
        await reached(at, 'two');
        return second.end();
      },
    };
    for (const [turn, [way, happen]] of Object.entries(ways).entries()) {
      // Every two of what is made, the way and the owner meet; all three together would be three times as many.
      const whose = owners[(place + turn) % owners.length] ?? 'one session';
      test(`${way}, in ${whose}`, async () => {
        const at = workspace();
        await run(at, 'true > x');
        const other = openOther(at, whose);
        await happen(at, other);
        expect(left(at, paths)).toEqual([]);
        await run(other, 'true > y');
        await run(at, 'true > y');
        expect(left(at, paths)).toEqual([]);
      });
    }
  });

/** A second session in the same workspace; with another home it finds nothing in the first one's. */
function openOther(at: Room, whose: (typeof owners)[number]): Room {
  if (whose === 'one session') return at;
  if (whose === 'two sessions') return roomIn(dirname(at.cwd));
  return { ...roomIn(temporaryDirectory().path), cwd: at.cwd };
}

describe('while commands overlap, the user’s own', () => {
  const own = {
    '.npmrc': 'mine',
    '.vscode/tasks.json': 'mine',
    'q/r/.npmrc': 'mine',
    'vendor/p/.npmrc': 'mine',
  };
  const contents = ({ cwd }: Room) => Object.keys(own).map((path) => readFileSync(join(cwd, path), 'utf8'));

  for (const whose of owners)
    test(`protected files stay, in ${whose}`, async () => {
      const at = workspace();
      put(at, own);
      const other = openOther(at, whose);
      const first = await begin(
        at,
        `${plants['files and directories below']?.make('x')}; touch one; ${forever}`,
      );
      await reached(at, 'one');
      const second = await begin(other, `touch q/r/n two; ${forever}`);
      await reached(at, 'two');
      await first.end();
      await second.end();
      expect(contents(at)).toEqual(['mine', 'mine', 'mine', 'mine']);
    });

  test('changes of protected files survive, in place and by a rename', async () => {
    const at = workspace();
    put(at, own);
    const first = await begin(at, `touch one; ${forever}`);
    const second = await begin(at, `touch two; ${forever}`);
    put(at, { '.npmrc': 'edited', '.vscode/tasks.json': 'edited', 'q/new': 'edited' });
    renameSync(join(at.cwd, 'q/new'), join(at.cwd, 'q/r/.npmrc'));
    execFileSync('git', ['config', 'user.name', 'Ann'], { cwd: at.cwd });
    await first.end();
    await second.end();
    expect(contents(at).slice(0, 3)).toEqual(['edited', 'edited', 'edited']);
    expect(readFileSync(join(at.cwd, '.git/config'), 'utf8')).toContain('Ann');
  });

  test('repository that was there is put right, not that of a command', async () => {
    const at = workspace();
    const first = await begin(at, `git init -q sub; touch one; ${forever}`);
    await reached(at, 'one');
    const second = await begin(at, `${until('go')}; rm .git/HEAD; touch two; ${forever}`);
    await first.end();
    signal(at, 'go');
    await reached(at, 'two');
    await second.end();
    expect([existsSync(join(at.cwd, '.git/HEAD')), existsSync(join(at.cwd, 'sub/.git'))]).toEqual([
      true,
      false,
    ]);
  });

  test('new files after the commands stay', async () => {
    const at = workspace();
    const first = await begin(at, `echo x > .npmrc; touch one; ${forever}`);
    await reached(at, 'one');
    const second = await begin(at, forever);
    await first.end();
    await second.end();
    await aTick();
    put(at, own);
    await aTick();
    await run(at, 'true > x');
    await run(roomIn(dirname(at.cwd)), 'true > x');
    expect(contents(at)).toEqual(['mine', 'mine', 'mine', 'mine']);
  });
});

test('a path is known as the work of a running command also while that has taken it away for a moment', async () => {
  const at = workspace();
  put(at, { '.npmrc': 'mine', 'sub/a.txt': '', '.github/a.txt': '' });
  execFileSync('git', ['init', '-q', 'sub'], { cwd: at.cwd });
  const command = await begin(at, `touch one; ${forever}`);
  const { made } = findOtherCommands(new SharedHomes(at.home), [at.cwd]);
  const isMade = (path: string, now?: string) => made(join(at.cwd, path), now);
  const theirs = ['.envrc', '.vscode', '.github/workflows', '.git/commondir', '.git/info/attributes'];
  expect(theirs.filter((path) => !isMade(path))).toEqual([]);
  expect([isMade('.github', 'link q'), isMade('.git/logs', 'link q')]).toEqual([true, true]);
  const users = [
    '.npmrc',
    '.git',
    '.git/config',
    '.git/hooks',
    'sub/.git',
    'sub/.git/config',
    'q',
    '.github',
  ];
  expect(users.filter((path) => isMade(path))).toEqual([]);
  await command.end();
  expect(findOtherCommands(new SharedHomes(at.home), [at.cwd]).made(join(at.cwd, '.envrc'))).toBe(false);
});

test('what other homes of a user hold is seen as soon as it is there, by one that has looked before too', async () => {
  const { path } = temporaryDirectory();
  const [mine, theirs] = [join(path, 'mine'), join(path, 'theirs')];
  for (const home of [mine, theirs]) mkdirSync(join(home, 'confined'), { recursive: true, mode: 0o700 });
  const [homes, others] = [new SharedHomes(mine), new SharedHomes(theirs)];
  const look = () =>
    homes
      .listFolder('confined', [path])
      .filter((one) => one.startsWith(path))
      .map((one) => one.slice(path.length + 1));
  expect(look()).toEqual([]);
  others.note();
  for (let round = 0; round < 3; round++) {
    await aTick();
    expect([look(), look()]).toEqual([[], []]);
    writeFileSync(join(theirs, 'confined', 'a.json'), '');
    expect([look(), look()]).toEqual([['theirs/confined/a.json'], ['theirs/confined/a.json']]);
    rmSync(join(theirs, 'confined', 'a.json'));
    expect(look()).toEqual([]);
  }
  writeFileSync(join(theirs, 'confined', 'a.json'), '');
  chmodSync(theirs, 0o777);
  expect(look()).toEqual([]);
});
