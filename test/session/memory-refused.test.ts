import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const secret = 'SECRET-1';

function project(files: Record<string, string>): Place {
  const at = place();
  const all = { '.git/HEAD': 'ref: refs/heads/main\n', 'one/k.md': secret, 'sub/x': 'x', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(at.cwd, path)), { recursive: true });
    writeFileSync(join(at.cwd, path), text);
  }
  mkdirSync(at.home, { recursive: true });
  return at;
}

/** Everything that is sent to the model, and what the user is told. */
async function send(at: Place, settings: object, turns: Turn[] = [], more: SessionOptions = {}) {
  const opened = await open(at, [...turns, say('Done.')], { settings: JSON.stringify(settings), ...more });
  await opened.prompt('Go');
  await opened.session.close();
  const { requests } = opened.model;
  const sent = requests
    .map((request) => `${request.system.join('\n')}${toolResultText(request as ModelRequest)}`)
    .join('\n');
  const notices = opened.events
    .flatMap((event) => (event.type === 'notice_given' ? [event.text] : []))
    .join('\n');
  return { sent, notices };
}

const deny = (...rules: string[]) => ({ permissions: { deny: rules } });

test.each<[string, (cwd: string) => object]>([
  ['an absolute deny rule', (cwd) => deny(`Read(/${cwd}/one/**)`)],
  ['a relative deny rule', () => deny('Read(one/**)')],
  ['a deny rule about a name', () => deny('Read(k.md)')],
  ['a rule that denies all reading', () => deny('Read')],
  ['sandbox.filesystem.denyRead', (cwd) => ({ sandbox: { filesystem: { denyRead: [join(cwd, 'one')] } } })],
])('a memory file does not bring in a file that %s closes, and a notice says so', async (_, settings) => {
  const at = project({ 'CLAUDE.md': 'Own notes. See @one/k.md.' });
  const { sent, notices } = await send(at, settings(at.cwd));
  expect(sent).toContain('Own notes.');
  expect(sent).not.toContain(secret);
  expect(notices).toContain('one/k.md: not included in the prompt');
});

test('a command line’s rule holds for memory too', async () => {
  const at = project({ 'AGENTS.md': 'Own notes. See @one/k.md.' });
  const { sent } = await send(at, {}, [], { disallowedTools: ['Read(one/**)'] });
  expect(sent).not.toContain(secret);
});

test('a memory file that a rule denies, or that leads to such a file, is not read', async () => {
  const at = project({});
  symlinkSync('one/k.md', join(at.cwd, 'AGENTS.md'));
  linkSync(join(at.cwd, 'one/k.md'), join(at.cwd, 'CLAUDE.md'));
  const { sent } = await send(at, deny('Read(one/**)'));
  expect(sent).not.toContain(secret);
});

test('imports of imports, rules and the memory of directories are judged in the same way', async () => {
  const at = project({
    'CLAUDE.md': '@more.md',
    'more.md': 'More. @one/k.md',
    'sub/CLAUDE.md': 'Notes of sub. @../one/k.md',
  });
  mkdirSync(join(at.cwd, '.claude/rules'), { recursive: true });
  symlinkSync('../../one/k.md', join(at.cwd, '.claude/rules/r.md'));
  const { sent } = await send(at, deny(`Read(/${at.cwd}/one/**)`), [call('Read', { file_path: 'sub/x' })]);
  expect(sent).toContain('More.');
  expect(sent).toContain('Notes of sub.');
  expect(sent).not.toContain(secret);
});

test('where the home is the repository, memory brings in nothing that the sandbox hides there', async () => {
  const at = project({
    'CLAUDE.md': 'Own notes. @.bash_history @.config/other/notes.md',
    '.bash_history': secret,
    '.config/other/notes.md': secret,
    'sub/CLAUDE.md': 'Notes of sub. @own.md',
    'sub/own.md': 'Own of sub.',
  });
  const home = join(at.cwd, '.cadre');
  mkdirSync(home);
  const environment = { ...at.environment, HOME: at.cwd, CADRE_HOME: home };
  const { sent } = await send({ ...at, home, environment }, {}, [call('Read', { file_path: 'sub/x' })]);
  expect(sent).toContain('Own notes.');
  expect(sent).toContain('Own of sub.');
  expect(sent).not.toContain(secret);
});

test('the user’s own memory, its imports and rules are read as before', async () => {
  const at = project({});
  for (const [path, text] of Object.entries({
    'AGENTS.md': 'Of the user. @more.md',
    'more.md': 'More of the user.',
    'rules/r.md': 'A rule of the user.',
  })) {
    mkdirSync(dirname(join(at.home, path)), { recursive: true });
    writeFileSync(join(at.home, path), text);
  }
  const { sent } = await send(at, deny('Read(one/**)'));
  for (const text of ['Of the user.', 'More of the user.', 'A rule of the user.'])
    expect(sent).toContain(text);
});

test('notes of an agent that lead to a denied file are not shown to it', async () => {
  const at = project({
    '.cadre/agents/keeper.md': '---\nname: keeper\ndescription: x\nmemory: project\n---\nKeep notes.',
    '.cadre/agent-memory/keeper/other.md': 'x',
  });
  symlinkSync('../../../one/k.md', join(at.cwd, '.cadre/agent-memory/keeper/MEMORY.md'));
  const start = call('Agent', { description: 'x', prompt: 'x', subagent_type: 'keeper' });
  const { sent } = await send(at, deny('Read(one/**)'), [start, say('Agent done.')]);
  expect(sent).toContain('# Your notes');
  expect(sent).not.toContain(secret);
});
