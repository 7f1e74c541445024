import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { git, repository } from './repository.ts';
import { open, type Place } from './support.ts';

const confinedTest = needs('bwrap');
const secret = 'SECRET-1';

/** A repository with these files, tracked or ignored, and `.worktreeinclude` for all that is ignored. */
function checkout(tracked: readonly string[], ignored: readonly string[] = []): Place {
  const at = repository();
  write(at.cwd, { '.gitignore': ignored.map((path) => `/${path}\n`).join(''), '.worktreeinclude': '*\n' });
  for (const path of [...tracked, ...ignored]) write(at.cwd, { [path]: `${secret}\n` });
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=More');
  return at;
}

function write(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** What a command says is judged; what a script in it does is not, and only the sandbox holds it. */
function script(at: Place, text: string): void {
  write(at.cwd, { 'look.sh': `${text}\n` });
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Script');
}

/** The results of calls made one after the other. */
async function run(at: Place, calls: Turn[], options: SessionOptions = {}): Promise<string[]> {
  const opened = await open(at, [...calls, say('Done.')], {
    onQuestion: async () => ({ behaviour: 'allow' }),
    ...options,
  });
  await opened.prompt('Go');
  await opened.session.close();
  return opened.model.requests.slice(1).map((request) => toolResultText(request as ModelRequest));
}

const rules = (...deny: string[]) => ({ settings: JSON.stringify({ permissions: { deny } }) });
const enter = call('EnterWorktree', { name: 'w' });
const read = (file_path: string) => call('Read', { file_path });

/** Ways to write a rule about `one` in the checkout. */
const spellings: [string, (cwd: string, userHome: string) => string][] = [
  ['absolute', (cwd) => `Read(/${cwd}/one/**)`],
  ['absolute, of one file', (cwd) => `Read(/${cwd}/one/k)`],
  ['absolute, as a pattern', (cwd) => `Read(/${cwd}/**/k)`],
  ['from the home', (_, userHome) => `Read(~/../${userHome.includes('/user') ? 'work' : ''}/one/**)`],
  ['from the settings', () => 'Read(/one/**)'],
  ['from the start', () => 'Read(./one/**)'],
  ['as a name', () => 'Read(one/**)'],
];

for (const [name, spell] of spellings)
  test(`a deny rule, ${name}, holds for the file in a worktree, for each tool`, async () => {
    const at = checkout(['one/k']);
    const rule = spell(at.cwd, at.environment.HOME ?? '');
    const [, inside, found, shown] = await run(
      at,
      [
        enter,
        read('one/k'),
        call('Grep', { pattern: 'SECRET', output_mode: 'content' }),
        call('Bash', { command: 'cat one/k' }),
      ],
      rules(rule),
    );
    for (const result of [inside, found, shown]) expect(result).not.toContain(secret);
    expect(inside).toContain('Read(');
  });

test('the lead does not read in an agent’s worktree what a rule denies in the checkout', async () => {
  const at = checkout(['one/k']);
  const [, , inside, found, shown] = await run(
    at,
    [
      enter,
      call('ExitWorktree', { action: 'keep' }),
      read('.cadre/worktrees/w/one/k'),
      call('Grep', { pattern: 'SECRET', path: '.cadre/worktrees/w', output_mode: 'content' }),
      call('Bash', { command: 'cat .cadre/worktrees/w/one/k' }),
    ],
    rules(`Read(/${at.cwd}/one/**)`),
  );
  for (const result of [inside, found, shown]) expect(result).not.toContain(secret);
});

test('a session that starts in a directory below the top: its rules hold at the same place in a worktree', async () => {
  const at = checkout(['sub/one/k', 'sub/a.txt']);
  const inSub = { ...at, cwd: join(at.cwd, 'sub') };
  const [, inside] = await run(inSub, [enter, read('sub/one/k')], rules('Read(./one/**)'));
  expect(inside).not.toContain(secret);
  const [, upward] = await run(
    inSub,
    [call('EnterWorktree', { name: 'v' }), read('sub/one/k')],
    rules('Read(../sub/one/**)'),
  );
  expect(upward).not.toContain(secret);
});

test('in a worktree of the user’s own, what rules say about it holds in worktrees made from it', async () => {
  const at = checkout(['one/k']);
  const linked = join(dirname(at.cwd), 'linked');
  git(at.cwd, 'worktree', 'add', '--quiet', linked, '-b', 'other');
  const [, inside] = await run(
    { ...at, cwd: linked },
    [enter, read('one/k')],
    rules(`Read(/${linked}/one/**)`),
  );
  expect(inside).not.toContain(secret);
  const [again] = await run(
    at,
    [read(join(at.cwd, '.cadre/worktrees/w/one/k')), call('EnterWorktree', { name: 'w' })],
    rules(`Read(/${linked}/one/**)`),
  );
  expect(again).not.toContain(secret);
});

test('a worktree gets no ignored file that a rule, a setting or Cadre’s own directory closes, and the result says so', async () => {
  const at = checkout([], ['one', 'two', 'three', 'state', 'open.txt', '.env']);
  const state = join(at.cwd, 'state');
  const own = { ...at, home: state, environment: { ...at.environment, CADRE_HOME: state } };
  git(at.cwd, 'rm', '--quiet', '--cached', '--ignore-unmatch', 'state');
  for (const path of ['one', 'two', 'three']) {
    rmSync(join(at.cwd, path));
    write(at.cwd, { [`${path}/k`]: secret });
  }
  rmSync(state);
  write(state, { 'keys.json': `{"x":"${secret}"}` });
  const settings = JSON.stringify({
    permissions: { deny: [`Read(/${at.cwd}/one/**)`, 'Read(two/**)'] },
    sandbox: { filesystem: { denyRead: [`/${join(at.cwd, 'three')}`] } },
  });
  const [entered] = await run(own, [enter], { settings });
  const tree = join(at.cwd, '.cadre/worktrees/w');
  for (const path of ['one/k', 'two/k', 'three/k', 'state/keys.json'])
    expect({ path, there: existsSync(join(tree, path)) }).toEqual({ path, there: false });
  expect(entered).toContain('one/k');
  expect(entered).toContain('not copied');
});

test('what agents may read is copied, a file with credentials of the project too', async () => {
  const at = checkout([], ['open.txt', '.env']);
  await run(at, [enter, call('Write', { file_path: 'b.txt', content: 'b' })], rules('Read(other/**)'));
  for (const path of ['open.txt', '.env'])
    expect(readFileSync(join(at.cwd, '.cadre/worktrees/w', path), 'utf8')).toContain(secret);
});

confinedTest('a confined command finds neither a denied file nor its copies in worktrees', async () => {
  const at = checkout(['one/k', 'four/k', 'three/k']);
  script(at, 'grep -r SECRET "$1" 2>&1 | head -5; cat *ne/k *our/k *ree/k; echo end');
  const settings = JSON.stringify({
    permissions: { deny: [`Read(/${at.cwd}/one/**)`, 'Read(four/**)'] },
    sandbox: { filesystem: { denyRead: [join(at.cwd, 'three')] } },
  });
  const look = call('Bash', { command: 'sh look.sh .' });
  const results = await run(
    at,
    [
      call('EnterWorktree', { name: 'other' }),
      call('Write', { file_path: 'b.txt', content: 'b' }),
      call('ExitWorktree', { action: 'keep' }),
      enter,
      look,
      call('Bash', { command: `sh look.sh ${at.cwd}` }),
      call('Write', { file_path: 'b.txt', content: 'b' }),
      call('ExitWorktree', { action: 'keep' }),
      look,
    ],
    { sandbox: true, permissionMode: 'acceptEdits', settings },
  );
  for (const at of [4, 5, 8]) {
    expect(results[at]).toContain('end');
    expect(results[at]).not.toContain(secret);
  }
});

confinedTest('a home that is a repository: a worktree of it hides what the home hides', async () => {
  const at = checkout(['.bash_history', '.config/other/token', 'notes.txt'], ['.ssh', '.cadre/keys.json']);
  const home = { ...at, home: join(at.cwd, '.cadre') };
  home.environment = { ...at.environment, HOME: at.cwd, CADRE_HOME: home.home };
  rmSync(join(at.cwd, '.ssh'));
  write(at.cwd, { '.ssh/id_rsa': secret, '.gitconfig': '[user]\n\tname = T\n\temail = t@example.invalid\n' });
  const files = '.bash_history .config/other/token .ssh/id_rsa .cadre/keys.json';
  script(at, `cat ${files}; cat notes.txt; echo end`);
  const [entered, shown] = await run(home, [enter, call('Bash', { command: 'sh look.sh' })], {
    sandbox: true,
  });
  expect(entered).toContain('now works in');
  expect(shown).toContain('end');
  expect(shown?.split(secret).length).toBe(2);
  const tree = join(at.cwd, '.cadre/worktrees/w');
  expect(existsSync(join(tree, '.ssh/id_rsa'))).toBe(false);
  expect(existsSync(join(tree, '.cadre/keys.json'))).toBe(false);
});

confinedTest(
  'what agents may not change in the checkout they change neither in a worktree nor by landing it',
  async () => {
    const at = checkout(['locked/f', 'open/f']);
    const settings = JSON.stringify({
      permissions: { deny: [`Edit(/${at.cwd}/locked/**)`], allow: ['Land'] },
    });
    script(at, 'echo x > locked/f; echo x > locked/g; echo x > open/f');
    const results = await run(
      at,
      [
        enter,
        call('Write', { file_path: 'locked/h', content: 'x' }),
        call('Bash', { command: 'sh look.sh' }),
        call('ExitWorktree', { action: 'keep' }),
      ],
      { sandbox: true, permissionMode: 'acceptEdits', settings },
    );
    expect(results[1]).toContain('Edit(');
    const tree = join(at.cwd, '.cadre/worktrees/w');
    expect(readFileSync(join(tree, 'locked/f'), 'utf8')).toContain(secret);
    expect(existsSync(join(tree, 'locked/g'))).toBe(false);
    expect(readFileSync(join(tree, 'open/f'), 'utf8')).toBe('x\n');
  },
);

test('work that changes a denied file of the checkout does not land, and the report names file and rule', async () => {
  const at = checkout(['locked/f', 'open/f']);
  const settings = JSON.stringify({ permissions: { deny: [`Edit(/${at.cwd}/locked/**)`], allow: ['Land'] } });
  await run(at, [
    enter,
    call('Bash', { command: 'echo x > locked/f; git commit -qam x' }),
    call('ExitWorktree', { action: 'keep' }),
  ]);
  const resume = { from: 'latest' } as const;
  const [landed] = await run(at, [call('Land', { action: 'land' })], { settings, resume });
  expect(landed).toContain('locked/f');
  expect(landed).toContain(`Edit(/${at.cwd}/locked/**)`);
  expect(readFileSync(join(at.cwd, 'locked/f'), 'utf8')).toContain(secret);
});

test('uncommitted changes that agents may not read are not carried along, not even as an object', async () => {
  const at = checkout(['one/k', 'a b/c']);
  write(at.cwd, { 'one/k': 'SECRET-2', 'one/new': 'SECRET-2', 'a b/c': 'changed', 'b.txt': 'new' });
  const settings = JSON.stringify({
    permissions: { deny: [`Read(/${at.cwd}/one/**)`] },
    worktree: { uncommitted: true },
  });
  await run(at, [enter, call('Write', { file_path: 'd.txt', content: 'd' })], { settings });
  const tree = join(at.cwd, '.cadre/worktrees/w');
  expect(readFileSync(join(tree, 'a b/c'), 'utf8')).toBe('changed');
  expect(readFileSync(join(tree, 'b.txt'), 'utf8')).toBe('new');
  expect(readFileSync(join(tree, 'one/k'), 'utf8')).toContain(secret);
  expect(existsSync(join(tree, 'one/new'))).toBe(false);
  const objects = git(at.cwd, 'cat-file', '--batch-all-objects', '--batch');
  expect(objects).not.toContain('SECRET-2');
});

confinedTest(
  'an agent with its own worktree, and one that it starts, find no denied file of the checkout',
  async () => {
    const at = checkout(['one/k']);
    script(at, 'cat *ne/k; echo end');
    const agent = call('Agent', {
      description: 'x',
      prompt: 'x',
      subagent_type: 'general-purpose',
      isolation: 'worktree',
    });
    const look = call('Bash', { command: 'sh look.sh' });
    const results = await run(
      at,
      [agent, look, read('one/k'), agent, look, read('one/k'), say('Inner done.'), say('Outer done.')],
      { sandbox: true, ...rules(`Read(/${at.cwd}/one/**)`) },
    );
    expect(results.filter((result) => result.includes('No such file') && result.includes('end')).length).toBe(
      2,
    );
    expect(results.filter((result) => result.includes('denies it')).length).toBe(2);
    expect(results.join('\n')).not.toContain(secret);
  },
);
