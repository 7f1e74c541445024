import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const secret = 'SECRET-1';
const text = `---\nname: s\ndescription: ${secret}\n---\n${secret}\n`;

function project(files: Record<string, string> = {}): Place {
  const at = place();
  const all = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.env': `TOKEN=${secret}\n`,
    '.npmrc': text,
    'secrets/SKILL.md': text,
    'secrets/x/SKILL.md': text,
    'secrets/y.md': text,
    '.ssh/id_rsa': text,
    ...files,
  };
  for (const [path, content] of Object.entries(all)) write(join(at.cwd, path), content);
  mkdirSync(at.home, { recursive: true });
  return at;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function link(at: Place, from: string, to: string): void {
  mkdirSync(dirname(join(at.cwd, from)), { recursive: true });
  symlinkSync(to, join(at.cwd, from));
}

/** Everything that is sent to the model, and the notices. */
async function send(at: Place, options: SessionOptions = {}, turns: Turn[] = []) {
  const opened = await open(at, [...turns, say('Done.')], options);
  await opened.prompt('Go');
  await opened.session.close();
  const notices = opened.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  return { sent: JSON.stringify(opened.model.requests), notices: notices.join('\n') };
}

const deny = (...rules: string[]): SessionOptions => ({
  settings: JSON.stringify({ permissions: { deny: rules } }),
});

test.each<[string, string, string, SessionOptions]>([
  ['a skill', '.claude/skills/x/SKILL.md', '../../../.env', {}],
  ['an agent file', '.claude/agents/y.md', '../../.npmrc', {}],
  ['a command', '.claude/commands/c.md', '../../.ssh/id_rsa', {}],
  ['a rules file', '.claude/rules/style.md', '../../.npmrc', {}],
  ['a memory file', 'CLAUDE.md', '.env', {}],
  ['a memory file that leads to git’s own', 'AGENTS.md', '.git/config', {}],
  ['a directory of keys as skill', '.claude/skills/k', '../../.ssh', {}],
  ['a directory of a skill', '.claude/skills/dl', '../../secrets', deny('Read(secrets/**)')],
  ['the directory of skills', '.cadre/skills', '../secrets', deny('Read(secrets/**)')],
  ['a directory of commands', '.claude/commands/cc', '../../secrets', deny('Read(secrets/**)')],
  ['the directory of agents', '.claude/agents', '../secrets', deny('Read(secrets/**)')],
  ['a skill, by a flag', '.cadre/skills', '../secrets', { disallowedTools: ['Read(secrets/**)'] }],
  ['an agent file, by a flag', '.claude/agents', '../secrets', { disallowedTools: ['Read(secrets/**)'] }],
])('%s that is a link to a closed file is not sent, and a notice names it', async (_, from, to, options) => {
  const at = project({ '.git/config': secret });
  if (to.endsWith('.ssh')) write(join(at.cwd, '.ssh/SKILL.md'), text);
  link(at, from, to);
  const { sent, notices } = await send(at, options);
  expect(sent).not.toContain(secret);
  expect(notices).toContain(join(at.cwd, from));
});

test.each([
  '.claude/skills/x/SKILL.md',
  '.claude/agents/y.md',
  '.claude/commands/c.md',
  'CLAUDE.local.md',
  '.claude/rules/r.md',
])('a hard link of a credential file is not sent: %s', async (from) => {
  const at = project({});
  mkdirSync(dirname(join(at.cwd, from)), { recursive: true });
  linkSync(join(at.cwd, '.ssh/id_rsa'), join(at.cwd, from));
  const { sent, notices } = await send(at);
  expect(sent).not.toContain(secret);
  expect(notices).toContain(join(at.cwd, from));
});

test('a hard link of a credential file beside the repository’s root is found from a directory below', async () => {
  const at = project({ 'sub/x': 'x' });
  linkSync(join(at.cwd, '.npmrc'), join(at.cwd, 'CLAUDE.md'));
  const { sent } = await send({ ...at, cwd: join(at.cwd, 'sub') });
  expect(sent).not.toContain(secret);
});

test('a skill that becomes a link to a closed file while the session runs is not loaded', async () => {
  const at = project({ '.claude/skills/x/SKILL.md': '---\ndescription: d\n---\nPlain.' });
  const file = join(at.cwd, '.claude/skills/x/SKILL.md');
  const swap: Turn = () => {
    rmSync(file);
    symlinkSync('../../../.npmrc', file);
    return call('Skill', { skill: 'x' });
  };
  const { sent } = await send(at, {}, [swap]);
  expect(sent).not.toContain(secret);
  expect(sent).toContain('may hold credentials');
});

test('a cached list of skills is not used once a rule closes one of them', async () => {
  const at = project({});
  const old = new Date(Date.now() - 60_000);
  for (let index = 0; index < 12; index++)
    write(
      join(at.cwd, `.claude/skills/s${index}/SKILL.md`),
      `---\ndescription: ${secret}-${index}\n---\nText.`,
    );
  const { utimesSync } = await import('node:fs');
  utimesSync(join(at.cwd, '.claude/skills'), old, old);
  expect((await send(at)).sent).toContain(`${secret}-7`);
  const { sent } = await send(at, deny('Read(.claude/skills/s7/**)'));
  expect(sent).not.toContain(`${secret}-7`);
  expect(sent).toContain(`${secret}-8`);
});

test('links inside the repository to ordinary files, and the user’s own links, are read', async () => {
  const at = project({
    'elsewhere/SKILL.md': '---\ndescription: Shared one.\n---\nText.',
    'notes.md': 'Of notes.',
  });
  link(at, '.claude/skills/ok', '../../elsewhere');
  link(at, 'CLAUDE.md', 'notes.md');
  write(join(at.home, '../dotfiles/SKILL.md'), '---\ndescription: Of the user.\n---\nText.');
  write(join(at.home, '../dotfiles/memory.md'), 'Memory of the user.');
  mkdirSync(join(at.home, 'skills'), { recursive: true });
  symlinkSync('../../dotfiles', join(at.home, 'skills/mine'));
  symlinkSync('../dotfiles/memory.md', join(at.home, 'AGENTS.md'));
  const { sent } = await send(at, deny('Read(secrets/**)'));
  for (const one of ['Shared one.', 'Of notes.', 'Of the user.', 'Memory of the user.'])
    expect(sent).toContain(one);
});

test('the files of a plugin are judged in the same way', async () => {
  const at = project({ 'plugin/skills/ok/SKILL.md': '---\ndescription: Fine.\n---\nText.' });
  link(at, 'plugin/skills/bad/SKILL.md', '../../.env');
  write(join(at.cwd, 'plugin/.env'), text);
  const { sent } = await send(at, { pluginDirectories: [join(at.cwd, 'plugin')] });
  expect(sent).toContain('Fine.');
  expect(sent).not.toContain(secret);
});

test('memory of a directory below that is a link to a credential file is not sent', async () => {
  const at = project({ 'sub/x': 'x', 'sub/.claude/CLAUDE.md': 'Plain notes.' });
  link(at, 'sub/CLAUDE.md', '../.env');
  linkSync(join(at.cwd, '.npmrc'), join(at.cwd, 'sub/AGENTS.md'));
  const { sent } = await send(at, {}, [call('Read', { file_path: 'sub/x' })]);
  expect(sent).toContain('Plain notes.');
  expect(sent).not.toContain(secret);
});
