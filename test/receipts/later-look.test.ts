import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { ResolvedClaim } from '../../src/protocol/receipt.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { createLayout } from '../../src/store/layout.ts';
import { findChangedSince } from '../../src/store/snapshot/changed-since.ts';
import { call, type FixedTurn, say, type Turn } from '../../src/testing/index.ts';
import { git } from '../session/repository.ts';
import { open, type Place, place, recordsOf } from '../session/support.ts';
import { aTick } from '../support/a-tick.ts';

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
  const reported = async () => {
    await aTick();
    happens(at);
    return after[0] ?? report;
  };
  const turns = [...before, reported as Turn, ...after.slice(1), ...(after.length > 0 ? [report] : [])];
  const opened = await open(at, [...turns, say('Done.'), say('Heard.')], {
    permissionMode: 'bypassPermissions',
    tools: ['Bash', 'Read', 'Write', 'Report', 'TaskOutput'],
  });
  await opened.prompt('Test it');
  const records = await recordsOf(opened.session);
  const { id } = opened.session.info();
  await opened.session.close();
  const told = records.findLast((record) => record.type === 'report')?.report.claims[0];
  expect(await verifyClaim(at, id)).toEqual({ verdict: told?.verdict, reason: told?.reason });
  return told;
}

async function verifyClaim(at: Place, id: string) {
  const located = await locateRun(createLayout(at.home), at.cwd, id);
  if (!located.ok) throw new Error(located.problem.message);
  const [claim] = (await verifyRun(located.value)).reports.flatMap(({ claims }) => claims);
  return { verdict: claim?.verdict, reason: claim?.reason };
}

function commitAll(cwd: string): void {
  git(cwd, 'init', '--quiet', '--initial-branch=main');
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message=Tests');
}

const append = (name: string) => (at: Place) => appendFileSync(join(at.cwd, name), 'x\n');

const others: [what: string, happens: (at: Place) => void, name: string][] = [
  ['changed', append('src/a.js'), 'src/a.js'],
  ['added', append('src/new.js'), 'src/new.js'],
  ['removed', (at) => rmSync(join(at.cwd, 'src', 'b.js')), 'src/b.js'],
  [
    'gave its old times back to',
    (at) => {
      append('src/a.js')(at);
      utimesSync(join(at.cwd, 'src', 'a.js'), 1, 1);
    },
    'src/a.js',
  ],
];

for (const [what, happens, name] of others)
  test(`G12: tests that passed before another program ${what} a file are not confirmed`, async () => {
    const at = project();
    expect(await judgeAfter(at, happens)).toMatchObject({
      verdict: 'unsupported',
      reason: `${join(at.cwd, name)} was changed after it ran.`,
    });
  });

test('G12: a tracked file that another program removed is seen', async () => {
  const at = project();
  commitAll(at.cwd);
  expect(await judgeAfter(at, ({ cwd }) => rmSync(join(cwd, 'src', 'a.js')))).toMatchObject({
    verdict: 'unsupported',
    reason: expect.stringContaining('src/a.js'),
  });
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

function ignoring(): Place {
  const at = project();
  writeFileSync(join(at.cwd, '.gitignore'), '.env\n*.log\ndist/\n');
  mkdirSync(join(at.cwd, 'dist'));
  commitAll(at.cwd);
  return at;
}

test('G12: a file that git ignores counts as changed', async () => {
  const at = ignoring();
  expect(await judgeAfter(at, append('.env'))).toMatchObject({
    verdict: 'unsupported',
    reason: `${join(at.cwd, '.env')} was changed after it ran.`,
  });
});

test('HO8: what is in a directory that git ignores, and a log, do not count as changed', async () => {
  const built = (at: Place) => {
    append('dist/out.js')(at);
    append('run.log')(at);
  };
  expect(await judgeAfter(ignoring(), built)).toMatchObject({ verdict: 'confirmed' });
});

for (const [what, happens, verdict] of [
  ['are confirmed by', () => {}, 'confirmed'],
  ['are compared with', append('src/a.js'), 'unsupported'],
] as const)
  test(`G12: the tests of an agent in a worktree ${what} the files there`, async () => {
    const at = project();
    commitAll(at.cwd);
    const tree = join(at.cwd, '.cadre', 'worktrees', 'one');
    git(at.cwd, 'worktree', 'add', '--quiet', '-b', 'one', tree);
    expect(await judgeAfter({ ...at, cwd: tree }, happens)).toMatchObject({ verdict });
  });

test('G12: where more files changed than are looked at, it says so', async () => {
  const at = project();
  const given = { userHome: '/none', home: at.home, env: {}, spared: [], names: [], known: new Map() };
  const about = (directory: string, maxFiles: number) =>
    findChangedSince({ ...given, directories: [directory], since: Date.now() + 60_000, maxFiles });
  expect(await about(at.cwd, 3)).toEqual({ changed: [] });
  expect(await about(at.cwd, 2)).toEqual({ changed: [], unseen: 'only 2 files are looked at' });
  expect((await about('/', 2)).unseen).toContain('/ is too much to be looked at');
});

/** The tests in the background, and a turn that waits for their end. */
const inBackground: Turn[] = [
  call('Bash', { command: check, run_in_background: true }),
  ({ messages }) => {
    const [, task_id = ''] = /as task (\w+)/.exec(JSON.stringify(messages.at(-1))) ?? [];
    return call('TaskOutput', { task_id });
  },
];

for (const [said, script, verdict] of [
  ['that none ran', 'echo "ℹ pass 0"; echo "ℹ fail 0"', 'unsupported'],
  ['that one failed, and hide it', 'echo "ℹ pass 2"; echo "ℹ fail 1"; exit 0', 'unsupported'],
  ['by their exit code that they failed', 'echo "ℹ pass 2"; exit 1', 'contradicted'],
  ['that they passed', 'echo "ℹ pass 2"', 'confirmed'],
] as const)
  test(`G12: tests in the background that say ${said} are ${verdict}`, async () => {
    const at = project();
    writeFileSync(join(at.cwd, 'check.sh'), script);
    expect(await judgeAfter(at, () => {}, { before: inBackground })).toMatchObject({ verdict });
  });

test('G12: tests in the background that have not ended confirm nothing, also when the run is verified after their end', async () => {
  const at = project();
  const waiting = 'until test -e go; do sleep 0.05; done; echo "ℹ pass 2"';
  writeFileSync(join(at.cwd, 'check.sh'), waiting);
  const [begin, wait] = inBackground as [Turn, (request: ModelRequest) => FixedTurn];
  let started: ModelRequest | undefined;
  const claim: Turn = (request) => {
    started = request;
    return call('Report', { summary: 'They pass.', claims: [{ ...tested, call: check }] });
  };
  const release: Turn = () => {
    writeFileSync(join(at.cwd, 'go'), '');
    return wait(started as ModelRequest);
  };
  const opened = await open(at, [begin, claim, release, say('Done.'), say('Heard.')], {
    permissionMode: 'bypassPermissions',
    tools: ['Bash', 'Report', 'TaskOutput'],
  });
  await opened.prompt('Test it');
  const { id } = opened.session.info();
  await opened.session.close();
  expect(await verifyClaim(at, id)).toEqual({
    verdict: 'unsupported',
    reason: expect.stringContaining('has no recorded exit code'),
  });
});
