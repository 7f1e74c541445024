import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadHooks } from '../../src/hooks/load-hooks.ts';
import { compileMatcher } from '../../src/hooks/matcher.ts';
import { readHooks } from '../../src/hooks/read-config.ts';
import { readPluginHooks } from '../../src/hooks/read-plugin.ts';
import { findDanger } from '../../src/hooks/safe-pattern.ts';
import { Repository } from '../settings/trust-support.ts';
import { temporaryDirectory } from '../support/index.ts';
import { on } from './support.ts';

const source = { kind: 'user', file: 'settings.json', base: '/' } as const;

function matches(matcher: string, subject: string): boolean {
  const compiled = compileMatcher(matcher);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.value(subject);
}

test('a matcher with the name of a tool misspelt is told, since it never fits; its other names count', () => {
  const hooks = [{ type: 'command', command: 'guard' }];
  const of = (matcher: string) => readHooks({ PreToolUse: [{ matcher, hooks }] }, source);
  const misspelt = { Bsah: 'Bash', bash: 'Bash', 'Edit|Wrte': 'Write' };
  for (const [matcher, meant] of Object.entries(misspelt)) {
    const { entries, faults } = of(matcher);
    expect(faults).toMatchObject([{ field: 'hooks.PreToolUse[0].matcher' }]);
    expect(faults[0]?.reason).toEndWith(`which is not a tool. Did you mean ${meant}?`);
    expect(entries).toHaveLength(1);
  }
  for (const matcher of ['Bash', 'Task', 'MultiEdit', 'mcp__a__bash', 'MyOwnTool', '^bash$', 'read_file', ''])
    expect([matcher, of(matcher).faults]).toEqual([matcher, []]);
  expect(readHooks({ SubagentStop: [{ matcher: 'bash', hooks }] }, source).faults).toEqual([]);
});

describe('matchers', () => {
  test.each([
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['bash', 'Bash', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    ['Edit|Write', 'NotebookWrite', false],
    ['Task', 'Agent', true],
    ['general-purpose', 'general-purpose', true],
    ['.*', 'Bash', true],
    ['Note.*', 'MyNotebook', true],
    ['^Note.*', 'MyNotebook', false],
    ['mcp__memory__.*', 'mcp__memory__read', true],
    ['^(?!Bash$)', 'Bash', false],
    ['^(?!Bash$)', 'Read', true],
    ['^Task$', 'Agent', true],
  ])('%p on %p: %p', (matcher, subject, expected) => expect(matches(matcher, subject)).toBe(expected));

  test.each([
    '(',
    '[z-a]',
    '(a+)+$',
    '(a|a)*b',
    '(?:a?){20}a{20}',
    '(.*)\\1',
    'x'.repeat(1_001),
    '.*a.*b.*c.*d.*e',
  ])('%p is explained and not used', (matcher) => expect(compileMatcher(matcher).ok).toBe(false));

  test('no pattern that is let through takes long on a name that almost matches', () => {
    const atoms = [
      'a',
      'a*',
      'a+',
      '.*',
      '(a)',
      '(a+)',
      '(a|b)',
      '(ab)*',
      'a{2,}',
      '[ab]*',
      '(a*)*',
      '(a|aa)+',
      'a?',
    ];
    const subject = `${'a'.repeat(120)}!`;
    for (let index = 0; index < 4_000; index++) {
      const source = Array.from(
        { length: 1 + (index % 5) },
        (_, at) => atoms[(index * 7 + at * 31) % atoms.length],
      ).join('');
      if (findDanger(`${source}$`)) continue;
      // One that is dangerous would not end within any test's time.
      new RegExp(`${source}$`).test(subject);
    }
  });
});

test('a time-out that is meant in milliseconds is the longest there is, and the hook stays', () => {
  const hook = { type: 'command', command: 'true', timeout: 30_000 };
  const { entries, faults } = readHooks({ PreToolUse: [{ hooks: [hook] }] }, source);
  expect(entries[0]?.handler).toMatchObject({ timeoutMs: 3_600_000 });
  expect(faults).toEqual([]);
});

test('what is broken is explained by field, and the rest counts', () => {
  const { entries, faults } = readHooks(
    {
      PreToolUse: [
        { matcher: '(', hooks: [{ type: 'command', command: 'true' }] },
        { matcher: 3, hooks: [] },
        'x',
        { hooks: 'x' },
        {
          hooks: [
            'x',
            { type: 'command' },
            { type: 'command', command: 'true', timeout: -1 },
            { type: 'command', command: 'true', args: [3] },
            { type: 'command', command: 'true', shell: 'powershell' },
            { type: 'command', command: 'true', if: 'Bash(' },
            { type: 'command', command: 'true', if: 'bash(rm:*)' },
            { type: 'http', url: 'file:///etc/passwd' },
            { type: 'http', url: 'http://a:b@example.com/' },
            { type: 'http', url: 'http://example.com/', headers: { a: 'x\r\ny' } },
            { type: 'prompt' },
            { type: 'agent', prompt: 'x' },
            { type: 'spell' },
            { type: 'command', command: 'good' },
          ],
        },
      ],
      PostToolBatch: [],
      Whatever: [],
      PreTooluse: [],
      Stop: 'x',
    },
    source,
  );
  expect(entries.map(({ handler }) => handler)).toEqual([{ type: 'command', command: 'good', async: false }]);
  expect(faults.map(({ field, reason }) => `${field}: ${reason}`).join('\n')).toMatchInlineSnapshot(`
    "hooks.PreToolUse[0].matcher: expected names or a regular expression: Invalid regular expression: missing )
    hooks.PreToolUse[1].matcher: expected a string
    hooks.PreToolUse[2]: expected an object with "hooks"
    hooks.PreToolUse[3].hooks: expected a list
    hooks.PreToolUse[4].hooks[0]: expected an object with "type"
    hooks.PreToolUse[4].hooks[1]: command: expected a string
    hooks.PreToolUse[4].hooks[2]: timeout: expected seconds
    hooks.PreToolUse[4].hooks[3]: args: expected a list of strings
    hooks.PreToolUse[4].hooks[4]: shell: only "bash" is supported
    hooks.PreToolUse[4].hooks[5].if: settings.json: permission rule "Bash(" (ask): expected a closing parenthesis at the end
    hooks.PreToolUse[4].hooks[6].if: settings.json: permission rule "bash(rm:*)" (ask): unknown tool "bash".
    hooks.PreToolUse[4].hooks[7]: url: expected an http(s) address
    hooks.PreToolUse[4].hooks[8]: url: must not contain a user name or password; use headers
    hooks.PreToolUse[4].hooks[9]: headers: expected an object of strings
    hooks.PreToolUse[4].hooks[10]: prompt: expected a string
    hooks.PreToolUse[4].hooks[11]: type: "agent" is not supported in this version
    hooks.PreToolUse[4].hooks[12]: type: expected command, http or prompt
    hooks.PostToolBatch: this event is not supported in this version
    hooks.Whatever: unknown event
    hooks.PreTooluse: unknown event. Did you mean PreToolUse?
    hooks.Stop: expected a list"
  `);
});

test('hooks of all layers are joined; only an administrator switches off an administrator', async () => {
  const repository = new Repository();
  const etc = join(repository.top, 'etc');
  repository.put('managed-settings.json', { hooks: { Stop: on('managed') } }, etc);
  repository.put('settings.json', { hooks: { Stop: on('user') } }, repository.home);
  const managedDirectories = [etc];
  const running = async () => {
    const settings = await repository.load({ managedDirectories });
    const { entries } = loadHooks({ settings, plugins: [] });
    return entries.map(({ handler }) => (handler.type === 'command' ? handler.command : ''));
  };
  expect(await running()).toEqual(['managed', 'user']);
  repository.put('settings.json', { hooks: { Stop: on('user') }, disableAllHooks: true }, repository.home);
  expect(await running()).toEqual(['managed']);
  repository.put(
    'settings.json',
    { hooks: { Stop: on('user') }, allowManagedHooksOnly: true },
    repository.home,
  );
  expect(await running()).toEqual(['managed', 'user']);
  repository.put(
    'managed-settings.json',
    { hooks: { Stop: on('managed') }, allowManagedHooksOnly: true },
    etc,
  );
  expect(await running()).toEqual(['managed']);
  repository.put('managed-settings.json', { hooks: { Stop: on('managed') }, disableAllHooks: true }, etc);
  expect(await running()).toEqual([]);
});

test("a repository's hooks are held until they are trusted, and again when they change", async () => {
  const repository = new Repository();
  const states = async () => {
    const { entries, idle } = loadHooks({ settings: await repository.load(), plugins: [] });
    return { runs: entries.length, held: idle.map(({ reason }) => reason) };
  };
  repository.put('.claude/settings.json', { hooks: { Stop: on('evil') } });
  expect(await states()).toEqual({ runs: 0, held: ['held'] });
  await repository.trust();
  expect(await states()).toEqual({ runs: 1, held: [] });
  repository.put('.claude/settings.json', { hooks: { Stop: on('worse') } });
  expect(await states()).toEqual({ runs: 0, held: ['held'] });
});

test("a repository that is not trusted cannot switch the user's hooks off", async () => {
  const repository = new Repository();
  repository.put('settings.json', { hooks: { Stop: on('user') } }, repository.home);
  repository.put('.claude/settings.json', { disableAllHooks: true, allowedHttpHookUrls: [] });
  const settings = await repository.load();
  expect(loadHooks({ settings, plugins: [] }).entries).toHaveLength(1);
  expect(settings.held.map(({ key }) => key)).toEqual(['disableAllHooks', 'allowedHttpHookUrls']);
});

test('a plugin has its hooks in hooks/hooks.json and where its manifest says, within itself', () => {
  const { path } = temporaryDirectory();
  const plugin = join(path, 'plugin');
  for (const folder of ['hooks', '.claude-plugin']) mkdirSync(join(plugin, folder), { recursive: true });
  const put = (name: string, value: unknown) => writeFileSync(join(plugin, name), JSON.stringify(value));
  put('hooks/hooks.json', {
    hooks: { Stop: on('$' + '{CLAUDE_PLUGIN_ROOT}/a', { args: ['$' + '{CLAUDE_PLUGIN_ROOT}/b'] }) },
  });
  put('more.json', { hooks: { Stop: on('more') } });
  put('.claude-plugin/plugin.json', { name: 'p', hooks: ['./more.json', '../outside.json'] });
  const { entries, faults } = readPluginHooks(plugin);
  expect(entries.map(({ handler }) => handler)).toMatchObject([
    { command: `${plugin}/a`, args: [`${plugin}/b`] },
    { command: 'more' },
  ]);
  expect(faults).toMatchObject([{ field: 'hooks', reason: '../outside.json points outside the plugin' }]);
  writeFileSync(join(path, 'elsewhere.json'), JSON.stringify({ hooks: { Stop: on('evil') } }));
  symlinkSync(join(path, 'elsewhere.json'), join(plugin, 'linked.json'));
  put('.claude-plugin/plugin.json', { name: 'p', hooks: './linked.json' });
  expect(readPluginHooks(plugin).faults[0]?.reason).toContain('it points outside the plugin');
});
