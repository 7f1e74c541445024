import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, type FixedTurn, fakeProvider, lastUserText, say } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place, start, until } from './support.ts';

/** A published package at the version that the lock file pins: nobody here wrote it. */
const packageDirectory = join(import.meta.dir, '../../node_modules/commander');

/** What each worker does to its copy: 2 and 3 change one line, and 5 breaks a file that the gate reads. */
const jobs: Readonly<Record<string, string>> = {
  one: "sed -i '1s|^|// one\\n|' lib/command.js",
  two: "sed -i '1s|.*|// two|' lib/help.js",
  three: "sed -i '1s|.*|// three|' lib/help.js",
  four: "echo '// four' > lib/four.js",
  five: "echo 'const broken = ;' >> lib/option.js",
  six: "sed -i '1s|^|// six\\n|' lib/argument.js && git mv Readme.md README.md",
};

/** What they do when their work comes back. */
const mends: Readonly<Record<string, string>> = {
  three:
    "git add -A && git -c user.name=w -c user.email=w@x commit -qm three; git -c user.name=w -c user.email=w@x merge -q main; sed -i -e '/^<<<<<<<\\|^=======\\|^>>>>>>>/d' lib/help.js && git add -A && git -c user.name=w -c user.email=w@x commit -qm merged",
  five: "sed -i '$d' lib/option.js; echo '// five' >> lib/option.js",
};

function git(place: Place, ...args: string[]): string {
  const ran = spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: place.cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  return ran.stdout + ran.stderr;
}

function repository(): Place {
  const place = newPlace();
  cpSync(packageDirectory, place.cwd, { recursive: true });
  git(place, 'init', '--quiet', '--initial-branch=main');
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--message=Start');
  writeFileSync(join(place.cwd, 'my-notes.txt'), 'not for anybody\n');
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  const gate = 'sleep 1; for f in lib/*.js; do node --check "$f" || exit 1; done';
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ worktree: { gate } }), { mode: 0o600 });
  return place;
}

/** In the text of a request. */
const isEnd = /Agent \\+"(\w+)\\+" completed/g;

/** The coordinator starts all, lands when all have ended, sends back what did not land, and lands again. */
function direct(request: ModelRequest): FixedTurn {
  const all = JSON.stringify(request.messages);
  const [name = ''] = /Job (\w+)\./.exec(JSON.stringify(request.messages[0])) ?? [];
  if (name !== '') return work(name.slice(4, -1), request);
  const said = lastUserText(request);
  if (said.includes('Build it'))
    return calls(
      Object.keys(jobs).map((job) =>
        call('Agent', { description: job, name: job, prompt: `Job ${job}.`, isolation: 'worktree' }),
      ),
    );
  const ended = new Set([...all.matchAll(isEnd)].map(([, job]) => job));
  const landings = all.match(/"name":"Land"/g)?.length ?? 0;
  const sent = all.includes('"name":"SendMessage"');
  if (said.includes('Go on') || (ended.size === 6 && landings === 0)) return call('Land', { action: 'land' });
  if (landings > 0 && !sent && /conflict/.test(all) && /gate/.test(all))
    return calls(Object.keys(mends).map((job) => call('SendMessage', { to: job, message: 'Mend it.' })));
  const since = all.split('Mend it.').at(-1) ?? '';
  const mended = new Set([...since.matchAll(isEnd)].map(([, job]) => job));
  if (sent && mended.size === 2 && !since.includes('"name":"Land"')) return call('Land', { action: 'land' });
  return say('Waiting.');
}

function work(job: string, { messages }: ModelRequest): FixedTurn {
  const text = JSON.stringify(messages);
  const ran = text.match(/"tool_use"/g)?.length ?? 0;
  const isMending = text.includes('Mend it.');
  if (ran === 0) return call('Bash', { command: jobs[job] ?? 'true' });
  if (isMending && ran === 1) return call('Bash', { command: mends[job] ?? 'true' });
  return say(`Done: ${job}.`);
}

test('WT4 six workers with a conflict, a failing gate and a kill -9 in mid-landing: all of it lands, and nothing else changes', async () => {
  const place = repository();
  await using provider = await fakeProvider({ script: direct });
  const flags = ['--coordinator', '--allowedTools', 'Land'];
  const running = start(['-p', 'Build it', ...flags], { place, provider });
  await until(() => existsSync(join(place.cwd, '.git/cadre-landing.lock')));
  process.kill(running.pid, 'SIGKILL');
  await running.ended;
  const ended = await cadre(['-p', 'Go on', '--continue', ...flags], { place, provider });
  expect(ended).toMatchObject({ code: 0 });
  const read = (name: string) => readFileSync(join(place.cwd, name), 'utf8');
  expect(read('lib/command.js')).toStartWith('// one\n');
  expect(read('lib/help.js')).toContain('// two');
  expect(read('lib/help.js')).toContain('// three');
  expect(read('lib/four.js')).toBe('// four\n');
  expect(read('lib/option.js')).toEndWith('// five\n');
  expect(read('lib/argument.js')).toStartWith('// six\n');
  expect(existsSync(join(place.cwd, 'README.md'))).toBe(true);
  expect(read('my-notes.txt')).toBe('not for anybody\n');
  expect(git(place, 'status', '--short')).toBe('?? my-notes.txt\n');
  expect(git(place, 'fsck', '--full', '--strict')).not.toMatch(/error|missing|broken/);
  expect(git(place, 'branch', '--list', 'cadre/*')).toBe('');
}, 240_000);
