import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, fakeProvider, hang, say, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { needs, openPane, temporaryDirectory } from '../support/index.ts';
import { cadre, environmentOf, newPlace, type Place, program, start, until } from './support.ts';

const tmuxTest = needs('tmux');

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
    say('Written as asked.'),
    say('Done.'),
  ];
  await using provider = await fakeProvider({ script });
  expect(await cadre(['-p', 'Go'], { place, provider })).toMatchObject({ code: 0, out: 'Done.\n' });
}

const rowsOf = async (place: Place) => JSON.parse((await cadre(['worktree', '--json'], { place })).out);

tmuxTest('WT7 a diff at a terminal is in colour, whole, and in the pager of the user', async () => {
  const place = repository();
  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n');
  await work(place, 'long', 'new.txt', `${lines}\n\x1b[31mred\n`);
  const paged = join(temporaryDirectory().path, 'paged');
  const env = environmentOf({ place, env: { PAGER: `cat > ${paged}` } });
  const pane = openPane({ command: [program, 'worktree', 'diff', 'long'], cwd: place.cwd, env });
  await pane.shows('exit code 0');
  const shown = readFileSync(paged, 'utf8');
  expect(shown).toContain('\x1b[32m+line 0\x1b[m');
  expect(shown).toContain('\x1b[32m+line 2999\x1b[m');
  expect(shown).toContain('\x1b[36m@@ -0,0 +1,3001 @@\x1b[m');
  expect(shown).toContain('+\\x1b[31mred');
  pane.close();
  const plain = await cadre(['worktree', 'diff', 'long'], { place, env: { PAGER: 'false' } });
  expect(plain.out).toContain('\n+line 2999\n');
  expect(plain.out).not.toContain('\x1b[32m');
});

test('a run that leaves work in a worktree says so at its end, on standard error', async () => {
  const place = repository();
  const script = (name: string): Turn[] => [
    call('Agent', { description: 'Write', prompt: 'Work', isolation: 'worktree', name }),
    call('Write', { file_path: `${name}.txt`, content: 'work\n' }),
    say('Written.'),
    say('Done.'),
  ];
  const ended = async (name: string, ...flags: string[]) => {
    await using provider = await fakeProvider({ script: script(name) });
    return await cadre(['-p', 'Go', ...flags], { place, provider });
  };
  const plain = await ended('one');
  expect(plain).toMatchObject({ code: 0, out: 'Done.\n' });
  expect(plain.err).toMatch(/^cadre: Not landed: one-\w+\. Review it with cadre worktree diff, land it/m);
  const data = await ended('two', '--output-format', 'json');
  expect(JSON.parse(data.out)).toMatchObject({ result: 'Done.' });
  expect(data.err).toMatch(/^cadre: Not landed: two-\w+\./m);
  const hosted = await ended('three', '--output-format', 'stream-json', '--verbose');
  expect(hosted.err).not.toContain('Not landed');
  expect(await cadre(['worktree', 'land', '--yes'], { place })).toMatchObject({ code: 0 });
  await using provider = await fakeProvider({ script: ['Nothing left.'] });
  expect(await cadre(['-p', 'Go', '-c'], { place, provider })).toMatchObject({ code: 0, err: '' });
});

test('WT7 work that is returned while its session is closed is stored, and its agent goes on at the next resume', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'work\n');
  const [{ session, id, agentId, path }] = await rowsOf(place);
  const none = await cadre(['worktree', 'return', 'first'], { place });
  expect(none.code).toBe(2);
  expect(none.err).toContain('Nothing keeps first-');
  expect(none.err).toContain(`cadre worktree return ${id} "…"`);
  const stored = await cadre(['worktree', 'return', 'first', 'Say', '"more" there.', '--json'], { place });
  expect(JSON.parse(stored.out)).toMatchObject({ delivery: 'stored', session, agentId });
  expect(JSON.parse(stored.out).message).toContain(`cadre --resume ${session}`);
  await using provider = await fakeProvider({ script: mend('more\n', 'there.') });
  const ended = await cadre(['-p', 'Go on', '--resume', session], { place, provider });
  expect(ended.code).toBe(0);
  expect(readFileSync(join(path, 'mended.txt'), 'utf8')).toBe('more\n');
  let returned = 0;
  await using again = await fakeProvider({
    script(request) {
      if (isReturned(request)) returned++;
      return say('Fine.');
    },
  });
  await cadre(['-p', 'Go on', '--resume', session], { place, provider: again });
  expect(returned).toBe(0);
});

test('WT7 work that is dropped after it was returned does not come back: its agent hears nothing of it', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'work\n');
  const [{ session, path }] = await rowsOf(place);
  const stored = await cadre(['worktree', 'return', 'first', 'Say more.'], { place });
  expect(stored.code).toBe(0);
  expect(await cadre(['worktree', 'drop', 'first', '--yes'], { place })).toMatchObject({ code: 0 });
  let returned = 0;
  await using provider = await fakeProvider({
    script(request) {
      if (isReturned(request)) returned++;
      return say('Fine.');
    },
  });
  const ended = await cadre(['-p', 'Go on', '--resume', session], { place, provider });
  expect(ended).toMatchObject({ code: 0, out: 'Fine.\n', err: '' });
  expect(returned).toBe(0);
  expect(existsSync(path)).toBe(false);
});

const isReturned = (request: ModelRequest) =>
  request.messages.some(
    (message) =>
      message.role === 'user' &&
      textIn(message).includes('<teammate-message from="user"') &&
      textIn(message).includes('returns it to you'),
  );

function textIn({ content }: ModelRequest['messages'][number]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** The agent writes once it has read that its work is returned with these words; all others say something. */
function mend(content: string, words: string): TurnMaker {
  return (request) => {
    if (!isReturned(request)) return say('Fine.');
    expect(request.messages.map(textIn).join('\n')).toContain(words);
    const isDone = JSON.stringify(request.messages.at(-1)).includes('tool_result');
    return isDone ? say('Mended.') : call('Write', { file_path: 'mended.txt', content });
  };
}

test('WT7 a live session gets returned work at once, with the conflict that keeps it from landing', async () => {
  const place = repository();
  const asked = Promise.withResolvers<void>();
  const script: TurnMaker = (request) => {
    const said = JSON.stringify(request.messages);
    if (isReturned(request)) return mend('merged\n', '<<<<<<< main')(request);
    if (JSON.stringify(request.messages[0]).includes('Write it apart'))
      return said.includes('tool_result')
        ? say('Written.')
        : call('Write', { file_path: 'new.txt', content: 'a\n' });
    if (!said.includes('tool_result'))
      return call('Agent', {
        description: 'Write',
        prompt: 'Write it apart',
        isolation: 'worktree',
        name: 'first',
      });
    asked.resolve();
    return hang();
  };
  await using provider = await fakeProvider({ script });
  const running = start(['-p', 'Go'], { place, provider });
  await asked.promise;
  writeFileSync(join(place.cwd, 'new.txt'), 'b\n');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Meanwhile');
  const landed = await cadre(['worktree', 'land', '--yes'], { place });
  expect(landed.code).toBe(1);
  const [{ id, path }] = await rowsOf(place);
  expect(landed.out).toContain(`cadre worktree return ${id} sends it back to its agent.`);
  const sent = await cadre(['worktree', 'land', '--yes', '--return'], { place });
  expect(sent.code).toBe(1);
  expect(sent.out).toContain(`which continues in session ${id.slice(0, 8)} (process ${running.pid}).`);
  await until(() => existsSync(join(path, 'mended.txt')));
  running.child.kill('SIGTERM');
  await running.ended;
});

test('WT7 a failed gate is sent back with its output', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'bad\n');
  mkdirSync(place.home, { recursive: true });
  const gate = 'if [ -e new.txt ]; then echo the gate says no; exit 1; fi';
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ worktree: { gate } }));
  const [{ session, path }] = await rowsOf(place);
  const stored = await cadre(['worktree', 'return', 'first'], { place });
  expect([stored.code, stored.err]).toEqual([0, '']);
  await using provider = await fakeProvider({ script: mend('good\n', 'the gate says no') });
  expect((await cadre(['-p', 'Go on', '--resume', session], { place, provider })).code).toBe(0);
  expect(readFileSync(join(path, 'mended.txt'), 'utf8')).toBe('good\n');
});

test('WT7 where the gate fails on the branch itself nothing is sent back, and that is said', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'first\n');
  await work(place, 'second', 'new.txt', 'second\n');
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ worktree: { gate: 'false' } }));
  const landed = await cadre(['worktree', 'land', '--yes', '--return'], { place });
  expect(landed.code).toBe(1);
  expect(landed.out).toMatch(
    /^waiting {3}first-.*\nwaiting {3}second-.*\nNothing was landed on main: the gate/,
  );
  expect(landed.out).not.toContain('returned');
  const sent = await cadre(['worktree', 'return', 'first'], { place });
  expect(sent.code).toBe(2);
  expect(sent.err).toContain('the gate already fails on main:\n(no output; exit code 1)');
});

test('work of a session that is no longer stored is not returned, and says so', async () => {
  const place = repository();
  await work(place, 'first', 'new.txt', 'x\n');
  spawnSync('rm', ['-rf', join(place.home, 'projects')]);
  const ended = await cadre(['worktree', 'return', 'first', 'More'], { place });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('is no longer stored');
});

/** `gh` or `glab` that notes what it was asked, and a remote to push to. */
function forge(place: Place, name: 'gh' | 'glab', script: string) {
  const { path } = temporaryDirectory();
  const bare = join(path, 'remote.git');
  git(place, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  const host = name === 'gh' ? 'github.com' : 'gitlab.com';
  git(place, 'remote', 'add', 'origin', bare);
  git(place, 'push', '--quiet', 'origin', 'main');
  git(place, 'remote', 'set-url', 'origin', `https://${host}/owner/project.git`);
  git(place, 'remote', 'set-url', '--push', 'origin', bare);
  const bin = join(path, 'bin');
  mkdirSync(bin);
  const asked = join(path, 'asked');
  writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${asked}\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { bare, asked, env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` } };
}

test('WT8 a pull request is pushed on top of the remote and opened with gh, once the user has agreed', async () => {
  const place = repository();
  const { bare, asked, env } = forge(
    place,
    'gh',
    'case "$1" in pr) echo https://github.com/owner/project/pull/7;; esac',
  );
  writeFileSync(join(place.cwd, 'mine.txt'), 'not pushed\n');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Mine');
  await work(place, 'first', 'new.txt', 'work\n');
  const unasked = await cadre(['worktree', 'pr', 'first'], { place, env });
  expect(unasked.code).toBe(2);
  expect(unasked.err).toContain('Nothing was pushed');
  expect(git(place, '--git-dir', bare, 'branch', '--list', 'cadre/*')).toBe('');

  const opened = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  expect([opened.code, opened.err]).toEqual([0, '']);
  expect(opened.out).toContain('https://github.com/owner/project/pull/7');
  const [{ branch, session, agentId }] = await rowsOf(place);
  expect(git(place, '--git-dir', bare, 'log', '--format=%s', branch)).toBe('Write first\nStart\n');
  const words = readFileSync(asked, 'utf8');
  expect(words).toContain(
    `--repo=github.com/owner/project\n--head=${branch}\n--base=main\n--title=Write first\n`,
  );
  expect(words).toContain('--body=Written as asked.\n\n- Write first\n\n1 file changed');
  expect(words).toContain(
    `Cadre-Agent: first (${agentId})\nCadre-Task: Write first\nCadre-Session: ${session}`,
  );
});

test('WT8 glab opens a merge request on GitLab; again, its branch is replaced', async () => {
  const place = repository();
  const { bare, asked, env } = forge(
    place,
    'glab',
    'case "$1" in mr) [ -e "$0.had" ] && { echo already exists >&2; exit 1; }; touch "$0.had"; echo !3;; esac',
  );
  await work(place, 'first', 'new.txt', 'work\n');
  expect(
    (await cadre(['worktree', 'pr', 'first', '--yes', '--draft', '--title', 'Mine'], { place, env })).out,
  ).toContain('!3');
  expect(readFileSync(asked, 'utf8')).toContain('--repo=https://gitlab.com/owner/project\n');
  expect(readFileSync(asked, 'utf8')).toContain('--title=Mine\n');
  const [{ branch, path }] = await rowsOf(place);
  writeFileSync(join(path, 'new.txt'), 'better\n');
  const again = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('was open already');
  expect(git(place, '--git-dir', bare, 'show', `${branch}:new.txt`)).toBe('better\n');
});

test('WT8 a branch that somebody else has moved is not replaced, and what to look at is said', async () => {
  const place = repository();
  const { bare, env } = forge(
    place,
    'gh',
    'case "$1" in pr) echo https://github.com/owner/project/pull/7;; esac',
  );
  await work(place, 'first', 'new.txt', 'work\n');
  await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  const [{ branch }] = await rowsOf(place);
  git(place, '--git-dir', bare, 'update-ref', `refs/heads/${branch}`, 'main');
  const again = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  expect(again.code).toBe(1);
  expect(again.err).toContain(`Somebody else has moved the branch ${branch}`);
});

needs('git-lfs')(
  'WT8 a file that the work itself hands to Git LFS is not pushed without its content',
  async () => {
    const place = repository();
    const { bare, env } = forge(
      place,
      'gh',
      'case "$1" in pr) echo https://github.com/owner/project/pull/7;; esac',
    );
    await work(place, 'first', '.gitattributes', '*.bin filter=lfs -text\n');
    const [{ path }] = await rowsOf(place);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    writeFileSync(join(path, 'big.bin'), pointer);
    const held = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
    expect(held.code).toBe(2);
    expect(held.err).toContain('big.bin: files of Git LFS are not pushed');
    expect(git(place, '--git-dir', bare, 'branch', '--list', 'cadre/*')).toBe('');
  },
);

test('WT8 without gh and glab, or without a login, nothing is pushed and what is missing is said', async () => {
  const place = repository();
  const { bare, env } = forge(place, 'gh', 'echo "You are not logged in" >&2; exit 1');
  await work(place, 'first', 'new.txt', 'work\n');
  const none = await cadre(['worktree', 'pr', 'first', '--yes'], { place });
  expect([none.code, none.out]).toEqual([2, '']);
  expect(none.err).toContain('neither is installed');
  const out = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  expect(out.code).toBe(2);
  expect(out.err).toContain('gh auth login');
  git(place, 'config', 'core.sshCommand', 'touch /tmp/never');
  const held = await cadre(['worktree', 'pr', 'first', '--yes'], { place, env });
  expect(held.code).toBe(2);
  expect(held.err).toContain('core.sshcommand');
  expect(git(place, '--git-dir', bare, 'branch', '--list', 'cadre/*')).toBe('');
});
