import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cadre, newPlace, type Place, type Running, start } from './support.ts';

/** Played once, with what it made left for a look. */
const keptPlace = newPlace();
let kept: ReturnType<typeof play> | undefined;

function playKept(): ReturnType<typeof play> {
  kept ??= play(keptPlace);
  return kept;
}

async function play(place: Place) {
  const ended = await cadre(['demo', '--keep'], { place, env: { TMPDIR: place.userHome } });
  const directory = /^Kept: (.+)$/m.exec(ended.out)?.[1] ?? '';
  const repository = join(directory, 'degrees');
  const run = (file: string, ...args: string[]) => {
    const { status, stdout } = spawnSync(file, args, { cwd: repository, encoding: 'utf8' });
    return { status, out: stdout };
  };
  return { ended, directory, run };
}

test('the demo: four look and one of them is stopped, two write apart, one conflict goes back to its owner, and the final tree passes its tests', async () => {
  const { ended, run } = await playKept();
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  expect(run('sh', 'test.sh')).toEqual({
    status: 0,
    out: 'ok      32 F is 0 C\nok      212 F is 100 C\nok      32 F is 273 K\nok      212 F is 373 K\n',
  });
  expect(ended.out.match(/│ conflict {2}kelvin/g)).toHaveLength(1);
  expect(ended.out).toContain('denied: this agent does not have the tool Bash because it is the coordinator');
  expect(ended.out).toContain('SendMessage kelvin Merge main and fix the conflict');

  // The user's branch moved once for each landing, and never held a half of anything.
  const moves = run('git', 'reflog', '--format=%gs', 'main').out.trim().split('\n');
  expect(moves).toHaveLength(3);
  const commits = run('git', 'rev-list', 'main').out.trim().split('\n');
  for (const commit of commits) expect(run('git', 'grep', '-q', '<<<<<<<', commit).status).toBe(1);
  expect(run('git', 'status', '--porcelain').out).toBe('');
  expect(run('git', 'worktree', 'list').out.trim().split('\n')).toHaveLength(1);
  expect(run('git', 'branch', '--format=%(refname:short)').out).toBe('main\n');
});

test('the demo leaves nothing behind, and is the same on a second play, but for names that are one of a kind', async () => {
  const place = newPlace();
  const ended = await cadre(['demo'], { place, env: { TMPDIR: place.userHome } });
  expect(ended.code).toBe(0);
  expect(readdirSync(place.userHome)).toEqual([]);
  expect(readdirSync(place.cwd)).toEqual([]);
  const told = listTold(ended.out);
  expect(told.length).toBeGreaterThan(15);
  expect(told).toEqual(listTold((await playKept()).ended.out));
});

function listTold(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('model (scripted)') || line.startsWith('?'));
}

function said({ child }: Running, words: string): Promise<void> {
  let text = '';
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes(words)) resolve();
    });
  });
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`the demo cut off by ${signal} clears its directory away`, async () => {
    const place = newPlace();
    const running = start(['demo'], { place, env: { TMPDIR: place.userHome } });
    await said(running, 'model (scripted)');
    process.kill(running.pid, signal);
    expect((await running.ended).code).toBe(code);
    expect(readdirSync(place.userHome)).toEqual([]);
  });

test('what a demo leaves that was killed is cleared by the next one; what was kept, or still plays, is not', async () => {
  const { directory } = await playKept();
  const place = keptPlace;
  const env = { TMPDIR: place.userHome };
  const killed = start(['demo'], { place, env });
  await said(killed, 'model (scripted)');
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended;
  expect(readdirSync(place.userHome)).toHaveLength(2);
  mkdirSync(join(place.userHome, 'cadre-demo-unmarked'));
  await cadre(['demo'], { place, env });
  expect(readdirSync(place.userHome).sort()).toEqual([basename(directory), 'cadre-demo-unmarked'].sort());
});

for (const PATH of ['/nowhere', ''])
  test(`the demo without git says what it needs: PATH=${PATH}`, async () => {
    const place = newPlace();
    const ended = await cadre(['demo'], { place, env: { TMPDIR: place.userHome, PATH } });
    expect(ended.code).toBe(2);
    expect(ended.err).toMatch(/^cadre: The demo needs git, sh and awk; .*git.* not found on PATH/);
    expect(ended.err).toContain('Install it with your package manager');
    expect(readdirSync(place.userHome)).toEqual([]);
  });

test('cadre demo teams: four teammates build it by a board, with a plan, a question and an agreed shutdown, and nothing is left', async () => {
  const place = newPlace();
  const ended = await cadre(['demo', 'teams'], { place, env: { TMPDIR: place.userHome } });
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  const told = [
    '● TeamCreate degrees',
    '✉ team-lead → tester broadcast',
    '✉ kelvin → team-lead plan approval request',
    '✉ team-lead → kelvin plan approval response',
    '▢ Fix Celsius completed, fixer',
    '▢ Add Kelvin in progress, kelvin',
    '? writer@degrees asks: Bash git add -A && git commit',
    '  yes says the user (scripted)',
    '▢ Test everything completed, tester',
    '✉ team-lead → fixer shutdown request',
    'The team degrees has ended. fixer, kelvin, writer, tester shut down.',
    'completed: 4 teammates',
  ];
  const places = told.map((words) => ended.out.indexOf(words));
  expect(told.filter((_, index) => places[index] === -1)).toEqual([]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(readdirSync(place.userHome)).toEqual([]);
});

test('a story that the demo does not have is refused, with those that it has', async () => {
  const ended = await cadre(['demo', 'nothing'], { place: newPlace() });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('coordinator, teams');
});

test('cadre demo workflow: a run is suspended, resumed, and pays for no finished call twice; nothing is left', async () => {
  const place = newPlace();
  const ended = await cadre(['demo', 'workflow'], { place, env: { TMPDIR: place.userHome } });
  expect(ended.code).toBe(0);
  expect(ended.out).toContain('suspended. 4 calls: 3 ok, 1 interrupted (3 executed, 1 halted)');
  expect(ended.out).toContain('completed. 4 calls: 4 ok (1 executed, 3 replayed)');
  expect(ended.out).toContain('Worth fixing: to_celsius');
  expect(ended.err).toContain('ok REPLAYED lib/convert.sh');
  expect(readdirSync(place.userHome).filter((name) => name.startsWith('cadre-demo-'))).toEqual([]);
});
