import { expect, test } from 'bun:test';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { type Place, place } from '../session/support.ts';
import { openStory } from './support.ts';

const config = '[core]\n\tbare = false\n';

/** A clone, and an agent of the user's that keeps notes in it. */
function clone(scope: 'project' | 'local', files: Record<string, string> = {}): Place {
  const at = place();
  const all = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': config,
    '.git/hooks/sample': 'x',
    '.github/workflows/ci.yml': 'on: push\n',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) write(join(at.cwd, path), text);
  write(
    join(at.home, 'agents/a.md'),
    `---\nname: a\ndescription: does things\nmemory: ${scope}\ntools: Grep\n---\nI am a.`,
  );
  return at;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function run(at: Place, turns: Turn[]) {
  const delegate = call('Agent', { description: 'd', prompt: 'Do it.', subagent_type: 'a' });
  const agents = { 'Do it.': [...turns, say('OK.')] };
  const story = await openStory({ lead: [delegate, say('Done.')], agents }, {}, at);
  await story.prompt('Go');
  await story.session.close();
  const system = story.requestsOf('Do it.')[0]?.system.join('\n') ?? '';
  const notices = story.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  const sent = JSON.stringify(story.requestsOf('Do it.'));
  return { system, sent, notices: notices.join('\n') };
}

const put = (path: string, content = '[core]\n\tfsmonitor = true\n') =>
  call('Write', { file_path: path, content });

test.each<[string, 'project' | 'local', string, string, string]>([
  ['the directory itself', 'project', '.cadre/agent-memory/a', '../../.git', 'config'],
  ['the directory itself', 'local', '.cadre/agent-memory-local/a', '../../.git', 'config'],
  ['the directory of all notes', 'project', '.cadre/agent-memory', '../.git', 'new-config'],
  ['the directory of all notes', 'local', '.cadre/agent-memory-local', '../.git', 'new-config'],
  ['.cadre', 'project', '.cadre', '.github', 'ci.yml'],
  ['the directory itself', 'project', '.cadre/agent-memory/a', '../../src', 'main.ts'],
])('notes behind a link at %s (%s) are neither shown nor written', async (_, scope, from, to, name) => {
  const at = clone(scope, { 'src/main.ts': config, 'src/MEMORY.md': 'Shown?' });
  mkdirSync(join(at.cwd, dirname(from)), { recursive: true });
  symlinkSync(to, join(at.cwd, from));
  const folder = scope === 'local' ? 'agent-memory-local' : 'agent-memory';
  const directory = join(at.cwd, '.cadre', folder, 'a');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, name);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const { system, notices } = await run(at, [put(file), put(file.replace(/\/a\/[^/]*$/, '/a/other'))]);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(before);
  expect(existsSync(join(directory, 'other'))).toBe(false);
  expect(system).not.toContain('# Your notes');
  expect(system).not.toContain('Shown?');
  expect(notices).toContain(`${directory}: not used for notes of agent a`);
});

test('notes in plain directories are written without asking', async () => {
  const at = clone('project');
  const file = join(at.cwd, '.cadre/agent-memory/a/MEMORY.md');
  const { system } = await run(at, [put(file, 'Learnt.')]);
  expect(readFileSync(file, 'utf8')).toBe('Learnt.');
  expect(system).toContain('# Your notes');
});

test('notes of a repository that is itself reached by a link are written without asking', async () => {
  const at = clone('project');
  const real = `${at.cwd}-real`;
  renameSync(at.cwd, real);
  symlinkSync(real, at.cwd);
  await run(at, [put(join(at.cwd, '.cadre/agent-memory/a/MEMORY.md'), 'Learnt.')]);
  expect(readFileSync(join(real, '.cadre/agent-memory/a/MEMORY.md'), 'utf8')).toBe('Learnt.');
});

test('a link that takes the place of the notes while the agent works does not lift protection', async () => {
  const at = clone('project');
  const directory = join(at.cwd, '.cadre/agent-memory/a');
  mkdirSync(directory, { recursive: true });
  const swap: Turn = () => {
    rmSync(directory, { recursive: true });
    symlinkSync('../../.git', directory);
    return put(join(directory, 'new-config'));
  };
  await run(at, [swap]);
  expect(existsSync(join(at.cwd, '.git/new-config'))).toBe(false);
});

test.each(['.git/config', '.envrc', '.vscode/tasks.json', 'sub/.git/hooks/post-checkout'])(
  'names that programs take code from stay protected among the notes: %s',
  async (name) => {
    const at = clone('project');
    const file = join(at.cwd, '.cadre/agent-memory/a', name);
    await run(at, [put(file)]);
    expect(existsSync(file)).toBe(false);
  },
);

test('a hard link or a link among the notes does not show a credential file', async () => {
  const at = clone('project', { '.npmrc': 'SECRET-1', '.cadre/agent-memory/a/x.md': 'x' });
  const directory = join(at.cwd, '.cadre/agent-memory/a');
  linkSync(join(at.cwd, '.npmrc'), join(directory, 'hard.md'));
  symlinkSync('../../../.npmrc', join(directory, 'soft.md'));
  const read = (name: string) => call('Read', { file_path: join(directory, name) });
  const { sent } = await run(at, [read('hard.md'), read('soft.md'), read('x.md')]);
  expect(sent).not.toContain('SECRET-1');
});
