import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, hang, say, type Turn } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place, start, until } from './support.ts';

function git(place: Place, ...args: string[]): string {
  const { stdout } = spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: place.cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  return stdout;
}

function repository(): Place {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'a.txt'), 'one\n');
  git(place, 'init', '--quiet', '--initial-branch=main');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Start');
  return place;
}

/** Runs an agent in a worktree that writes one file. */
async function work(place: Place, name: string, file: string, content: string): Promise<void> {
  const script: Turn[] = [
    call('Agent', { description: `Write ${name}`, prompt: 'Work', isolation: 'worktree', name }),
    call('Write', { file_path: file, content }),
    say('Written.'),
    say('Done.'),
  ];
  await using provider = await fakeProvider({ script });
  const ended = await cadre(['-p', 'Go'], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'Done.\n' });
}

test('WT4 list, diff, land and drop, as text and as JSON', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'work\n');
  await work(place, 'second', 'other.txt', 'more\n');
  const listed = await cadre(['worktree', 'list'], { place });
  expect(listed.out).toMatch(
    /^[0-9a-f]{8}\/first-\w+ \(agent first, a\w+, new, idle\): 1 file, \+1 -0\. Write first\n/,
  );
  const rows = JSON.parse((await cadre(['worktree', '--json'], { place })).out);
  expect(rows).toMatchObject([
    { agentName: 'first', files: 1 },
    { agentName: 'second', state: 'idle' },
  ]);
  expect((await cadre(['worktree', 'diff', 'first'], { place })).out).toContain('+work');
  expect((await cadre(['worktree', 'forecast'], { place })).out).toContain('1 changed: other.txt');

  const unasked = await cadre(['worktree', 'land'], { place });
  expect(unasked).toMatchObject({ code: 2, out: '' });
  expect(unasked.err).toContain('Nothing was landed: stdin is not a terminal, so there is no way to ask.');
  expect(git(place, 'log', '--format=%s')).toBe('Start\n');

  const landed = await cadre(['worktree', 'merge', 'first', '--yes', '--json'], { place });
  expect(landed.code).toBe(0);
  expect(JSON.parse(landed.out)).toMatchObject({
    target: 'main',
    landings: [{ status: 'landed', files: ['new.txt'] }],
  });
  expect(git(place, 'log', '--format=%s')).toBe('Write first\nStart\n');

  expect(await cadre(['worktree', 'drop', 'second', '--yes'], { place })).toMatchObject({ code: 0 });
  expect((await cadre(['worktree'], { place })).out).toBe('There are no worktrees.\n');
  expect(git(place, 'branch', '--list', 'cadre/*')).toBe('');
});

test('a name that two sessions used is refused with both; session/name is one of them', async () => {
  const place = repository();
  await work(place, 'A', 'first.txt', 'first\n');
  await work(place, 'A', 'second.txt', 'second\n');
  const rows: { id: string; session: string; name: string; path: string }[] = JSON.parse(
    (await cadre(['worktree', '--json'], { place })).out,
  );
  const [first, second] = rows;
  expect(first?.id).toBe(`${first?.session.slice(0, 8)}/${first?.name}`);
  for (const action of [['land'], ['drop'], ['diff']]) {
    const yes = action[0] === 'diff' ? [] : ['--yes'];
    const ended = await cadre(['worktree', ...action, 'A', ...yes], { place });
    expect([ended.code, ended.out]).toEqual([2, '']);
    expect(ended.err).toContain(`"A" matches 2 worktrees: ${first?.id}, ${second?.id}.`);
  }
  const landed = await cadre(['worktree', 'land', `${second?.session}/A`, '--yes'], { place });
  expect(landed.code).toBe(0);
  expect(existsSync(join(place.cwd, 'second.txt'))).toBe(true);
  expect(existsSync(join(place.cwd, 'first.txt'))).toBe(false);
  expect(await cadre(['worktree', 'drop', first?.id ?? '', '--yes'], { place })).toMatchObject({ code: 0 });
  expect(existsSync(first?.path ?? '')).toBe(false);
});

test('landing in a worktree of ours is refused with where to do it', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'x\n');
  await work(place, 'second', 'other.txt', 'x\n');
  const [first] = JSON.parse((await cadre(['worktree', '--json'], { place })).out);
  const inside = { ...place, cwd: first.path };
  const ended = await cadre(['worktree', 'land', '--yes'], { place: inside });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(`This is Cadre's worktree ${first.name}.`);
  expect(ended.err).toContain(`Run this in ${place.cwd}`);
  expect((await cadre(['worktree', 'land', '--onto', 'main', '--yes'], { place: inside })).code).toBe(0);
  expect(existsSync(join(place.cwd, 'other.txt'))).toBe(true);
});

test('locks that killed processes left in a repository are cleared by the next start', async () => {
  const place = repository();
  const dead = `${JSON.stringify({ pid: 2 ** 22 + 1, start: '0', token: 'x' })}\n`;
  const names = ['cadre-worktrees.lock', 'cadre-landing.lock', 'cadre-landing.lock.abcdef'];
  for (const name of names) writeFileSync(join(place.cwd, '.git', name), dead);
  await using provider = await fakeProvider({ script: [say('Hi.')] });
  expect(await cadre(['-p', 'Go'], { place, provider })).toMatchObject({ code: 0 });
  expect(readdirSync(join(place.cwd, '.git')).filter((name) => name.includes('cadre'))).toEqual([]);
});

test('a required git filter of the repository keeps agents from being isolated until it is trusted', async () => {
  const place = repository();
  writeFileSync(join(place.cwd, '.gitattributes'), '*.key filter=turn\n');
  for (const [key, value] of Object.entries({ clean: 'rev', smudge: 'rev', required: 'true' }))
    git(place, 'config', `filter.turn.${key}`, value);
  writeFileSync(join(place.cwd, 'a.key'), 'secret\n');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Key');
  const delegate = call('Agent', { description: 'x', prompt: 'Work', isolation: 'worktree' });
  await using provider = await fakeProvider({ script: [delegate, say('No.')] });
  await cadre(['-p', 'Go'], { place, provider });
  expect(JSON.stringify(provider.requests.at(-1))).toContain('a.key needs the git filter turn');
  const shown = await cadre(['trust', '--json'], { place });
  expect(shown.out).toContain('"git-filter"');
  await cadre(['trust', '--yes'], { place });
  await work(place, 'first', 'b.key', 'abc\n');
  expect((await cadre(['worktree', 'land', '--yes'], { place })).code).toBe(0);
  expect(git(place, 'cat-file', 'blob', 'HEAD:b.key')).toBe('cba\n');
});

test('WT4 a conflict is exit 1 with the hunks; the branch is whole', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'first\n');
  await work(place, 'second', 'new.txt', 'second\n');
  const landed = await cadre(['worktree', 'land', '--yes'], { place });
  expect(landed.code).toBe(1);
  expect(landed.out).toContain('<<<<<<< main');
  expect(landed.out).toContain('agent second');
  expect(git(place, 'status', '--porcelain')).toBe('');
  const again = JSON.parse((await cadre(['worktree', 'land', '--yes', '--json'], { place })).out);
  expect(again).toMatchObject({ landings: [{ status: 'conflict' }] });
  // Nobody asked for it to be returned.
  expect(again).not.toHaveProperty('returned');
});

test('with --yes and no terminal all lands but what changes protected paths, which is named with the way', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'x\n');
  await work(place, 'second', 'other.txt', 'x\n');
  const rows: { name: string; path: string }[] = JSON.parse(
    (await cadre(['worktree', '--json'], { place })).out,
  );
  const guarded = rows.find(({ name }) => name.startsWith('first'));
  mkdirSync(join(guarded?.path ?? '', '.vscode'));
  writeFileSync(join(guarded?.path ?? '', '.vscode/tasks.json'), '{}\n');
  const landed = await cadre(['worktree', 'land', '--yes'], { place });
  expect(landed.code).toBe(1);
  expect(landed.out).toContain('.vscode/tasks.json');
  expect(landed.out).toContain(`at a terminal: cadre worktree land ${guarded?.name}`);
  expect(git(place, 'log', '--format=%s')).toBe('Write second\nStart\n');
  const alone = await cadre(['worktree', 'land', 'first', '--yes'], { place });
  expect([alone.code, alone.out]).toEqual([1, expect.stringContaining('.vscode/tasks.json')]);
});

test('a gate from the repository runs only once it is trusted, and one from the user always', async () => {
  const place = repository();
  mkdirSync(join(place.cwd, '.cadre'));
  writeFileSync(join(place.cwd, '.cadre/settings.json'), '{"worktree":{"gate":"echo no-way; exit 1"}}');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Gate');
  await work(place, 'first', 'new.txt', 'x\n');
  const held = await cadre(['worktree', 'land', '--yes', '--keep'], { place });
  expect(held.code).toBe(0);
  expect(held.err).toContain('worktree.gate in');
  await work(place, 'second', 'other.txt', 'x\n');
  await cadre(['trust', '--yes'], { place });
  // It may take long, and nobody could answer.
  const unanswered = await cadre(['worktree', 'land', 'second'], { place });
  expect(unanswered.code).toBe(2);
  expect(unanswered.err).not.toContain('gate: running');
  const gated = await cadre(['worktree', 'land', 'second', '--yes'], { place });
  expect(gated.code).toBe(1);
  expect(gated.out).toContain('no-way');
  expect(gated.err).toContain('gate: running echo no-way; exit 1 …\n');
});

test.each([
  [['worktree', 'land', 'none', '--yes'], 'There is no worktree "none".'],
  [['worktree', 'drop', 'none', '--yes'], 'There is no worktree "none".'],
  [['worktree', 'drop'], "missing required argument 'names'"],
  [['worktree', 'land', '--onto', 'nowhere', '--yes'], 'There is no branch nowhere.'],
])('%j is wrong usage and says what is wrong', async (args, message) => {
  const ended = await cadre(args, { place: repository() });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(message);
});

test('outside git the reason says so', async () => {
  const ended = await cadre(['worktree', 'list'], { place: newPlace() });
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.err).toContain('is not in a git repository');
});

test('an agent cannot agree in the place of a person', async () => {
  const ended = await cadre(['worktree', 'land', '--yes'], {
    place: repository(),
    env: { CADRE_OWNER: 's' },
  });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('An agent cannot land');
});

test('R14 killed while an agent works in a worktree: its work is kept and named, doctor agrees, and it lands', async () => {
  const place = repository();
  const delegate = { description: 'x', prompt: 'Dirty', isolation: 'worktree', run_in_background: true };
  await using provider = await fakeProvider({
    script: (request) => {
      const text = JSON.stringify(request.messages);
      if (text.includes('toolu_write') || text.includes('toolu_agent')) return hang();
      return text.includes('"Dirty"')
        ? call('Write', { file_path: 'w.txt', content: 'w' }, 'toolu_write')
        : call('Agent', delegate, 'toolu_agent');
    },
  });
  const running = start(['-p', 'Go'], { place, provider });
  const directory = join(place.cwd, '.cadre/worktrees');
  for (let tries = 0; tries < 300; tries++) {
    const [name] = existsSync(directory) ? readdirSync(directory) : [];
    if (name && existsSync(join(directory, name, 'w.txt'))) break;
    await Bun.sleep(20);
  }
  running.child.kill('SIGKILL');
  await running.ended;
  const doctor = await cadre(['doctor'], { place });
  expect(doctor.out).toContain('(no longer used by any process)');
  const fixed = await cadre(['doctor', '--fix'], { place });
  expect(fixed.out).toContain('is no longer used by any session and contains work');
  expect((await cadre(['doctor'], { place })).out).toContain('1; cadre worktree list shows those here');
  expect(git(place, 'worktree', 'list', '--porcelain')).not.toContain('locked');
  expect((await cadre(['worktree', 'land', '--yes'], { place })).code).toBe(0);
  expect(existsSync(join(place.cwd, 'w.txt'))).toBe(true);
});

test('doctor names a worktree that git knows where ours stand and that there is no record of', async () => {
  const place = repository();
  git(place, 'worktree', 'add', '--quiet', '.cadre/worktrees/stray');
  const known = '.cadre/worktrees/stray (known to git, but Cadre has no record of it';
  expect((await cadre(['doctor'], { place })).out).toContain(known);
  expect((await cadre(['doctor', '--fix'], { place })).out).toContain(known);
});

test('doctor names a worktree that was moved with its repository, and what makes git know it', async () => {
  const place = repository();
  git(place, 'worktree', 'add', '--quiet', '.cadre/worktrees/stray');
  const moved = { ...place, cwd: `${place.cwd}-moved` };
  renameSync(place.cwd, moved.cwd);
  const stray = join(moved.cwd, '.cadre/worktrees/stray');
  const { out } = await cadre(['doctor'], { place: moved });
  expect(out).toContain(`git worktree repair ${stray}`);
  git(moved, 'worktree', 'repair', stray);
  expect((await cadre(['doctor'], { place: moved })).out).toContain(`${stray} (known to git`);
});

test('commands in a worktree have the local settings of the main checkout, as sessions there have', async () => {
  const place = repository();
  const local = join(place.cwd, '.cadre', 'settings.local.json');
  mkdirSync(join(place.cwd, '.cadre'));
  writeFileSync(local, '{ "effort": "low" }');
  git(place, 'worktree', 'add', '--quiet', '../side');
  const side = { ...place, cwd: join(place.cwd, '../side') };
  expect((await cadre(['doctor'], { place: side })).out).toContain(local);
});

function slowGate(place: Place): string {
  const started = join(place.userHome, 'started');
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  const settings = { worktree: { gate: `touch ${started}; sleep 60` }, sandbox: { enabled: false } };
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify(settings));
  return started;
}

function isCleared(place: Place): void {
  expect(readdirSync(join(place.cwd, '.cadre/worktrees'))).toHaveLength(1);
  expect(git(place, 'branch', '--list', 'cadre/landing-*')).toBe('');
  expect(git(place, 'worktree', 'list', '--porcelain')).not.toContain('locked');
  expect(existsSync(join(place.cwd, '.git/cadre-landing.lock'))).toBe(false);
  expect(git(place, 'log', '--format=%s')).toBe('Start\n');
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} while the gate runs ends the gate, clears up behind it and exits ${code}`, async () => {
    const place = repository();
    await work(place, 'first', 'new.txt', 'work\n');
    const started = slowGate(place);
    const running = start(['worktree', 'land', '--yes'], { place });
    while (!existsSync(started)) await Bun.sleep(20);
    process.kill(running.pid, signal);
    const ended = await running.ended;
    expect(ended.code).toBe(code);
    expect(ended.err).toContain('interrupted; nothing was landed');
    isCleared(place);
  });

  test(`${signal} while the gate runs leaves a program the outcome in JSON`, async () => {
    const place = repository();
    await work(place, 'first', 'new.txt', 'work\n');
    const started = slowGate(place);
    const running = start(['worktree', 'land', '--yes', '--json'], { place });
    await until(() => existsSync(started));
    process.kill(running.pid, signal);
    const ended = await running.ended;
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.out)).toEqual({
      landings: [],
      refusal: { reason: 'Landing was interrupted; nothing was landed.', files: [] },
    });
  });

  test(`${signal} while an agent lands does the same`, async () => {
    const place = repository();
    await work(place, 'first', 'new.txt', 'work\n');
    const started = slowGate(place);
    await using provider = await fakeProvider({ script: [call('Land', { action: 'land' }), say('Done.')] });
    const running = start(['-p', 'Land it', '--continue', '--allowedTools', 'Land'], { place, provider });
    await until(() => existsSync(started));
    process.kill(running.pid, signal);
    expect((await running.ended).code).toBe(code);
    isCleared(place);
  });
}

test('WT4 SIGINT ends a forecast with 130, and nothing of it is left', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'work\n');
  git(place, 'commit', '--quiet', '--allow-empty', '--message=Meanwhile');
  const slow = join(place.userHome, 'bin');
  mkdirSync(slow);
  const text =
    '#!/bin/sh\ncase "$*" in *merge-tree*) touch "$HOME/up"; sleep 60 ;; esac\nexec /usr/bin/git "$@"\n';
  writeFileSync(join(slow, 'git'), text, { mode: 0o755 });
  const running = start(['worktree', 'forecast'], { place, env: { PATH: `${slow}:/usr/bin:/bin` } });
  await until(() => existsSync(join(place.userHome, 'up')));
  expect(readdirSync(join(place.home, 'looks'))).not.toHaveLength(0);
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ code: 130, out: '' });
  expect(existsSync(join(place.home, 'looks'))).toBe(false);
});
