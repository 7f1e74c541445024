import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { aTick, needs } from '../../support/index.ts';
import { begin, held, pretendKilled, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** What one command prepares under harmless names, and the next one moves to where it is protected. */
const moves: Record<string, { first: string; next: string; gone: string[] }> = {
  'a directory to the first part of a name': {
    first: 'for d in g/workflows m/fish n/bin; do mkdir -p q/r/$d; echo x > q/r/$d/x.yml; done',
    next: 'mv q/r/g q/r/.github; mv q/r/m q/r/.config; mv q/r/n q/r/.local',
    gone: ['q/r/.github/workflows', 'q/r/.config/fish', 'q/r/.local/bin'],
  },
  'a directory to the first part of a name in another case': {
    first: 'mkdir -p q/g/workflows; echo x > q/g/workflows/x.yml',
    next: 'mv q/g q/.GitHub',
    gone: ['q/.GitHub/workflows'],
  },
  'a directory, and then the one around it': {
    first: 'mkdir -p q/r/g/workflows; echo x > q/r/g/workflows/x.yml',
    next: 'mv q/r/g q/r/.github; mv q p; mkdir q',
    gone: ['p/r/.github/workflows'],
  },
  'a directory from where its names are branches': {
    first:
      'mkdir -p .git/objects/zz/a; echo x > .git/objects/zz/a/Jenkinsfile; echo x > .git/objects/zz/lefthook.yml',
    next: 'mv .git/objects/zz q/zz',
    gone: ['q/zz/a/Jenkinsfile', 'q/zz/lefthook.yml'],
  },
  'a directory in the place of another': {
    first: 'mkdir -p .git/objects/zz q/there; echo x > .git/objects/zz/Jenkinsfile',
    next: 'rmdir q/there; mv .git/objects/zz q/there',
    gone: ['q/there/Jenkinsfile'],
  },
  'a directory below a name that is not text': {
    first: "mkdir -p $'q/\\xff/g/workflows'; echo x > $'q/\\xff/g/workflows/x.yml'",
    next: "mv $'q/\\xff/g' $'q/\\xff/.github'; cp -r $'q/\\xff' q/copy 2>/dev/null || true; rm -rf q/copy",
    gone: [],
  },
};

function workspace(): Room {
  const at = room();
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  put(at, { 'q/a.txt': '', 'src/b.txt': '' });
  return at;
}

const protectedFiles = ({ cwd }: Room) =>
  execFileSync('find', [cwd, '-path', '*/.git', '-prune', '-o', '-type', 'f', '-print'], {
    encoding: 'latin1',
  })
    .split('\n')
    .filter((path) => /x\.yml|Jenkinsfile|lefthook|HEAD/.test(path));

describe('moved to a protected name by a later command', () => {
  for (const [what, { first, next, gone }] of Object.entries(moves)) {
    test(what, async () => {
      const at = workspace();
      expect((await run(at, first)).notes).toEqual([]);
      await aTick();
      const { notes } = await run(at, next);
      expect(notes.join()).toContain('were moved to');
      expect(gone.filter((path) => !held(at).includes(join(at.cwd, path)))).toEqual([]);
      expect(protectedFiles(at)).toEqual([]);
    });

    test(`${what}, and Cadre is killed`, async () => {
      const at = workspace();
      await run(at, first);
      await aTick();
      const command = await begin(at, `${next}; touch done; tail -f /dev/null`);
      while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setImmediate(resolve));
      pretendKilled(at);
      expect(recoverConfined(at.home).join()).toContain('were moved to');
      expect(protectedFiles(at)).toEqual([]);
      await command.end();
    });
  }
});

describe('the user’s own', () => {
  test('protected file stays when a command makes another file beside it', async () => {
    const at = workspace();
    put(at, { 'node_modules/a/.npmrc': 'mine', 'src/.github/workflows/x.txt': 'mine' });
    await run(at, 'true');
    put(at, { 'q/.npmrc': 'mine', 'q/.github/workflows/x.txt': 'mine' });
    await aTick();
    const { notes } = await run(at, 'touch q/n q/.github/n node_modules/a/n src/.github/n');
    expect([notes, held(at)]).toEqual([[], []]);
  });

  test('directory that was moved between two commands stays', async () => {
    const at = workspace();
    put(at, { 'q/r/.npmrc': 'mine' });
    await run(at, 'true');
    renameSync(join(at.cwd, 'q'), join(at.cwd, 'p'));
    await aTick();
    const { notes } = await run(at, 'touch p/n p/r/n');
    expect([notes, readFileSync(join(at.cwd, 'p/r/.npmrc'), 'utf8')]).toEqual([[], 'mine']);
  });

  test('protected file that was known stays when Cadre is killed', async () => {
    const at = workspace();
    put(at, { 'node_modules/a/.npmrc': 'mine', 'q/.github/workflows/x.txt': 'mine' });
    await aTick();
    const command = await begin(at, 'touch q/.github/n node_modules/a/n done; tail -f /dev/null');
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setImmediate(resolve));
    pretendKilled(at);
    expect(recoverConfined(at.home)).toEqual([]);
    await command.end();
    expect(held(at)).toEqual([]);
  });
});
