import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedClaim } from '../../src/protocol/receipt.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { createLayout } from '../../src/store/layout.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { open, type Place, place, recordsOf } from '../session/support.ts';

const check = 'sh check.sh';
const tested = { kind: 'check', expect: 'tests passed' };
const report = call('Report', { summary: 'The tests pass.', claims: [tested] });

/** A project whose tests are one small command. */
function project(at: Place = place()): Place {
  mkdirSync(join(at.cwd, 'src'), { recursive: true });
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ checks: { tests: check } }));
  writeFileSync(join(at.cwd, 'check.sh'), 'echo ok\n');
  writeFileSync(join(at.cwd, 'src', 'a.js'), 'one\n');
  writeFileSync(join(at.cwd, 'src', 'b.js'), 'two\n');
  return at;
}

/** What the claim comes to when this happens after the tests ran, outside of any call; also when the run is verified. */
async function judgeAfter(
  at: Place,
  happens: (at: Place) => void,
  { before = [call('Bash', { command: check })], after = [] }: { before?: Turn[]; after?: Turn[] } = {},
): Promise<ResolvedClaim | undefined> {
  const opened = await open(at, [...before, say('Tested.'), ...after, report, say('Done.')], {
    permissionMode: 'bypassPermissions',
    tools: ['Bash', 'Read', 'Write', 'Report'],
  });
  await opened.prompt('Test it');
  happens(at);
  await opened.prompt('Report');
  const records = await recordsOf(opened.session);
  const { id } = opened.session.info();
  await opened.session.close();
  const told = records.findLast((record) => record.type === 'report')?.report.claims[0];
  const located = await locateRun(createLayout(at.home), at.cwd, id);
  if (!located.ok) throw new Error(located.problem.message);
  const [verified] = (await verifyRun(located.value)).reports.flatMap(({ claims }) => claims);
  expect({ verdict: verified?.verdict, reason: verified?.reason }).toEqual({
    verdict: told?.verdict as ResolvedClaim['verdict'],
    reason: told?.reason as string,
  });
  return told;
}

function commitAll(cwd: string): void {
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message=Tests');
}

const append = (name: string) => (at: Place) => appendFileSync(join(at.cwd, name), 'x\n');

test('G12: tests that passed before another program changed, added or removed a file are not confirmed', async () => {
  for (const [happens, name] of [
    [append('src/a.js'), 'src/a.js'],
    [append('src/new.js'), 'src/new.js'],
    [(one: Place) => rmSync(join(one.cwd, 'src', 'b.js')), 'src/b.js'],
  ] as const) {
    const at = project();
    expect(await judgeAfter(at, happens)).toMatchObject({
      verdict: 'unsupported',
      reason: `${join(at.cwd, name)} was changed after it ran.`,
    });
  }
  expect(await judgeAfter(project(), () => {})).toMatchObject({ verdict: 'confirmed' });
});

test('G12: a tracked file that another program removed, or one with its old times put back, is seen', async () => {
  for (const happens of [
    (at: Place) => rmSync(join(at.cwd, 'src', 'a.js')),
    (at: Place) => {
      writeFileSync(join(at.cwd, 'src', 'a.js'), 'two\n');
      utimesSync(join(at.cwd, 'src', 'a.js'), 1, 1);
    },
  ]) {
    const at = project(repository());
    commitAll(at.cwd);
    expect(await judgeAfter(at, happens)).toMatchObject({
      verdict: 'unsupported',
      reason: expect.stringContaining('src/a.js'),
    });
  }
});

test('G12: a file that an agent edited before the tests and another program after them is seen', async () => {
  const at = project();
  const before = [
    call('Write', { file_path: 'src/c.js', content: 'three\n' }),
    call('Bash', { command: check }),
  ];
  expect(await judgeAfter(at, append('src/c.js'), { before })).toMatchObject({ verdict: 'unsupported' });
});

test('HO8: reading, touching a file that the agent wrote, and a file elsewhere leave a check confirmed', async () => {
  const at = project();
  const before = [
    call('Write', { file_path: 'src/c.js', content: 'three\n' }),
    call('Bash', { command: check }),
  ];
  const happens = ({ cwd, home }: Place) => {
    writeFileSync(join(cwd, 'src', 'c.js'), 'three\n');
    writeFileSync(join(home, 'elsewhere'), 'x\n');
    readFileSync(join(cwd, 'src', 'a.js'));
  };
  const after = [call('Read', { file_path: join(at.cwd, 'src', 'a.js') })];
  expect(await judgeAfter(at, happens, { before, after })).toMatchObject({ verdict: 'confirmed' });
});

test('G12: a file that git ignores counts, what is in an ignored directory and caches do not', async () => {
  const ignoring = () => {
    const at = project(repository());
    writeFileSync(join(at.cwd, '.gitignore'), '.env\n*.log\ndist/\n');
    mkdirSync(join(at.cwd, 'dist'));
    commitAll(at.cwd);
    return at;
  };
  const at = ignoring();
  expect(await judgeAfter(at, append('.env'))).toMatchObject({
    verdict: 'unsupported',
    reason: `${join(at.cwd, '.env')} was changed after it ran.`,
  });
  const built = (one: Place) => {
    append('dist/out.js')(one);
    append('run.log')(one);
  };
  expect(await judgeAfter(ignoring(), built)).toMatchObject({ verdict: 'confirmed' });
});

test('G12: the tests of an agent in a worktree are compared with the files there', async () => {
  const at = project(repository());
  commitAll(at.cwd);
  const tree = join(at.cwd, '.cadre', 'worktrees', 'one');
  git(at.cwd, 'worktree', 'add', '--quiet', '-b', 'one', tree);
  const there = { ...at, cwd: tree };
  expect(await judgeAfter(there, () => {})).toMatchObject({ verdict: 'confirmed' });
  expect(await judgeAfter(there, append('src/a.js'))).toMatchObject({ verdict: 'unsupported' });
});
