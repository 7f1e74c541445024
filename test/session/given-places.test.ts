import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, toolResultText } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

const skill = '---\ndescription: works\n---\nRead notes/how.md.';

/** A user with a skill, and a plugin where other products keep theirs. */
function world(): { at: Place; user: string; plugin: string } {
  const at = place();
  const user = at.environment.HOME ?? '';
  const plugin = join(user, '.claude/plugins/vendor');
  mkdirSync(at.cwd, { recursive: true });
  put(join(user, '.claude/skills/work'), { 'SKILL.md': skill, 'notes/how.md': 'HOW', '.env': 'KEY=1' });
  put(plugin, {
    '.claude-plugin/plugin.json': '{"name":"vendor"}',
    'skills/theirs/SKILL.md': skill,
    'scripts/run.sh': 'echo RAN',
    'commands/go.md': `---\nallowed-tools: Bash(sh:*)\n---\nIt says !\`sh \${CLAUDE_PLUGIN_ROOT}/scripts/run.sh\``,
  });
  put(join(user, '.claude'), { 'settings.json': '{}', 'secret.md': 'PRIVATE' });
  return { at, user, plugin };
}

function put(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** What each call was answered, in a session that asks nobody. */
async function answers(
  at: Place,
  calls: ReturnType<typeof call>[],
  options: SessionOptions,
): Promise<string[]> {
  const opened = await open(at, [...calls, say('Done.')], options);
  await opened.prompt('Go');
  await opened.session.close();
  return opened.model.requests.slice(1).map(toolResultText);
}

const read = (file_path: string) => call('Read', { file_path });

test("files of the user's skills and of plugins are read without asking, and nothing beside them", async () => {
  const { at, user, plugin } = world();
  const found = await answers(
    at,
    [
      read(join(user, '.claude/skills/work/notes/how.md')),
      call('Grep', { pattern: 'HOW', path: join(user, '.claude/skills') }),
      read(join(plugin, 'scripts/run.sh')),
      read(join(user, '.claude/secret.md')),
      read(join(user, '.claude/skills/work/.env')),
    ],
    { pluginDirectories: [plugin] },
  );
  expect(found.slice(0, 3)).toEqual(
    ['HOW', 'how.md', 'echo RAN'].map((text) => expect.stringContaining(text)),
  );
  expect(found.slice(3)).toEqual([1, 2].map(() => expect.stringContaining('no user to approve')));
});

test('a link among them that leads elsewhere, and a denied file, stay closed', async () => {
  const { at, user } = world();
  symlinkSync(join(user, '.claude/secret.md'), join(user, '.claude/skills/work/more.md'));
  const files = ['more.md', 'notes/how.md'].map((name) => join(user, '.claude/skills/work', name));
  const found = await answers(at, files.map(read), { disallowedTools: ['Read(~/.claude/skills/**)'] });
  expect(found).toEqual([1, 2].map(() => expect.stringContaining('Permission denied')));
});

test('a directory that holds more than a plugin is not opened by its name', async () => {
  const { at, user } = world();
  for (const directory of [user, join(user, '.claude'), dirname(user)]) {
    put(directory, { '.claude-plugin/plugin.json': '{"name":"all"}' });
    const found = await answers(at, [read(join(user, '.claude/secret.md'))], {
      pluginDirectories: [directory],
    });
    expect(found[0]).toContain('no user to approve');
  }
});

needs('bwrap')('inside the sandbox the scripts of a plugin run, wherever it lies', async () => {
  const { at, user, plugin } = world();
  const opened = await open(at, [call('Bash', { command: `cat ${user}/.claude/secret.md` }), say('Done.')], {
    sandbox: true,
    pluginDirectories: [plugin],
  });
  await opened.prompt('/vendor:go');
  await opened.session.close();
  const [first, second] = opened.model.requests;
  expect(JSON.stringify(first?.messages.at(-1))).toContain('It says RAN');
  expect(second && toolResultText(second)).not.toContain('PRIVATE');
});

needs('bwrap')('inside the sandbox a rule that closes the directory above closes them', async () => {
  const { at, plugin } = world();
  put(at.cwd, { 'look.sh': 'cat "$HOME"/.claude/plugins/vendor/scripts/run.sh || echo none' });
  const look = call('Bash', { command: 'sh look.sh' });
  const options: SessionOptions = { sandbox: true, pluginDirectories: [plugin] };
  expect(await answers(at, [look], options)).toEqual([expect.stringContaining('echo RAN')]);
  const denied = await answers(at, [look], { ...options, disallowedTools: ['Read(~/.claude/**)'] });
  expect(denied).toEqual([expect.stringContaining('none')]);
});
