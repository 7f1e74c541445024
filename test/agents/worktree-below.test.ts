import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, textOf } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { open, type Place } from '../session/support.ts';
import { needs } from '../support/index.ts';
import { openStory, type Story } from './support.ts';

const confinedTest = needs('bwrap');

/** A repository of several packages, opened in one of them. */
function inPackage(): Place & { top: string } {
  const at = repository();
  for (const name of ['web', 'api']) {
    mkdirSync(join(at.cwd, 'packages', name), { recursive: true });
    writeFileSync(join(at.cwd, 'packages', name, 'index.js'), `// ${name}\n`);
  }
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Packages');
  return { ...at, top: at.cwd, cwd: join(at.cwd, 'packages/web') };
}

const yes: Answer = { behaviour: 'allow' };

const apart = { description: 'Mend it', prompt: 'Work', isolation: 'worktree' };

async function run(at: Place, agent: Turn[], options: SessionOptions = {}): Promise<Story> {
  const lead = [call('Agent', apart), say('Ok.')];
  const story = await openStory({ lead, agents: { Work: agent } }, options, at);
  await story.prompt('Go');
  return story;
}

function lastResult(story: Story): string {
  const content = story.requestsOf('Work').at(-1)?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])).join('\n');
}

function pathIn(story: Story): string {
  return (story.toolData()[0] as { worktreePath: string }).worktreePath;
}

test('started in a subdirectory, an isolated worker stands in the same one of its worktree', async () => {
  const at = inPackage();
  const story = await run(at, [
    call('Write', { file_path: 'new.txt', content: 'work\n' }),
    call('Bash', { command: 'pwd' }),
    say('Done.'),
  ]);
  const path = pathIn(story);
  expect(path).toStartWith(join(at.top, '.cadre/worktrees/mend-it-'));
  expect(readFileSync(join(path, 'packages/web/new.txt'), 'utf8')).toBe('work\n');
  expect(lastResult(story).trim()).toBe(join(realpathSync(path), 'packages/web'));
  await story.session.close();
});

test('and is held to the workspace of its session: the other packages are not its to write', async () => {
  const at = inPackage();
  const story = await run(
    at,
    [call('Write', { file_path: '../api/evil.txt', content: 'x\n' }), say('Done.')],
    { permissionMode: 'bypassPermissions', allowBypass: true },
  );
  expect(lastResult(story)).toContain('Permission denied');
  expect(existsSync(join(at.top, 'packages/api/evil.txt'))).toBe(false);
  await story.session.close();
});

confinedTest(
  'under the sandbox no command of it writes elsewhere either, and what it writes lands',
  async () => {
    const at = inPackage();
    const evil = `node -e 'fs.writeFileSync("../a" + "pi/evil.txt", "")' 2>/dev/null && echo EVIL; true`;
    const lead = [call('Agent', apart), call('Land', { action: 'land' }), say('Ok.')];
    const agents = { Work: [call('Bash', { command: `echo work > b.txt; ${evil}` }), say('Done.')] };
    const story = await openStory({ lead, agents }, { sandbox: true, onQuestion: async () => yes }, at);
    await story.prompt('Go');
    expect(lastResult(story)).not.toContain('EVIL');
    expect(git(at.top, 'show', '--name-only', '--format=%s', 'HEAD')).toBe('Mend it\n\npackages/web/b.txt\n');
    expect(existsSync(join(at.cwd, 'b.txt'))).toBe(true);
    await story.session.close();
  },
);

confinedTest('under the sandbox it uses git there: it looks, and commits to its own branch', async () => {
  const at = inPackage();
  const command =
    'git status --short && echo work > b.txt && git add b.txt && git commit --quiet --message=Work && git log --format=%s && git diff --stat HEAD~1';
  const story = await run(at, [call('Bash', { command }), say('Done.')], { sandbox: true });
  expect(lastResult(story)).toStartWith('Work\nPackages\nStart\n');
  const { worktreeBranch = '' } = story.toolData()[0] as Record<string, string>;
  expect(git(at.top, 'show', '--name-only', '--format=%s', worktreeBranch)).toBe(
    'Work\n\npackages/web/b.txt\n',
  );
  await story.session.close();
});

confinedTest(
  'also where a rule closes something of the checkout, which stays closed in the worktree',
  async () => {
    const at = inPackage();
    mkdirSync(join(at.top, 'keys'));
    writeFileSync(join(at.top, 'keys/a'), 'SECRET\n');
    git(at.top, 'add', '--all');
    git(at.top, 'commit', '--quiet', '--message=Keys');
    const command = `git log --format=%s -1; node -e 'try { console.log(fs.readFileSync("../../ke" + "ys/a", "utf8")) } catch {} console.log(fs.readdirSync("../../.." + "").join())'`;
    const story = await run(at, [call('Bash', { command }), say('Done.')], {
      sandbox: true,
      disallowedTools: [`Read(/${at.top}/keys/**)`],
    });
    const said = lastResult(story);
    expect(said).toContain('Keys\n');
    expect(said).not.toContain('SECRET');
    expect(said).toMatch(/^mend-it-\w+$/m);
    await story.session.close();
  },
);

confinedTest(
  'the session itself sees the repository around its directory, and cannot write there',
  async () => {
    const at = inPackage();
    const script = `git log --format=%s -1; node -e 'for (const path of ["../a" + "pi/evil.txt", "../../.g" + "it/evil"]) try { fs.writeFileSync(path, "") } catch {}'`;
    const lead = [call('Bash', { command: script }), say('Ok.')];
    const story = await openStory({ lead, agents: {} }, { sandbox: true }, at);
    await story.prompt('Go');
    expect(story.results()[0]).toBe('Packages');
    expect(existsSync(join(at.top, 'packages/api/evil.txt')) || existsSync(join(at.top, '.git/evil'))).toBe(
      false,
    );
    await story.session.close();
  },
);

test('--worktree stands there as well, and writes nothing outside of it', async () => {
  const at = inPackage();
  const opened = await open(
    at,
    [
      call('Write', { file_path: 'new.txt', content: 'x\n' }),
      call('Write', { file_path: '../api/evil.txt', content: 'x\n' }),
      say('Ok.'),
    ],
    { worktree: 'w', permissionMode: 'bypassPermissions', allowBypass: true },
  );
  await opened.prompt('Go');
  const path = join(at.top, '.cadre/worktrees/w');
  expect(existsSync(join(path, 'packages/web/new.txt'))).toBe(true);
  expect(existsSync(join(path, 'packages/api/evil.txt'))).toBe(false);
  await opened.session.close();
});

test('an isolated worker is told that it is one', async () => {
  const story = await run(repository(), [say('Done.')]);
  expect(story.requestsOf('Work')[0]?.system.join('\n')).toMatch(
    /You work in your own git worktree, .*\.cadre\/worktrees\/mend-it-\w+, on the branch cadre\/mend-it-\w+\/work.* until the agent that started you lands them/,
  );
  await story.session.close();
});
