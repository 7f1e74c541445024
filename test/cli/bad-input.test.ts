import { afterAll, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
import { needs, nobody } from '../support/index.ts';
import { asNobody, cadre, type Ended, newPlace, type Place, type RunOptions } from './support.ts';

const provider = await fakeProvider({ script: () => 'This answer should not have been asked for.' });
afterAll(() => provider.close());

interface Case {
  what: string;
  args: string[];
  /** What the message must name: the thing, where it is, what to do. */
  says: (string | RegExp)[];
  files?: Record<string, string>;
  input?: string;
  env?: Record<string, string | undefined>;
}

const say = ['-p', 'hello'];

const cases: Case[] = [
  { what: 'an unknown flag', args: [...say, '--colour'], says: ['--colour', 'cadre --help'] },
  {
    what: 'a misspelt flag',
    args: [...say, '--max-turn', '3'],
    says: ['--max-turn', '--max-turns'],
  },
  ...['--managed-settings', '--task-budget'].map((flag) => ({
    what: `the later flag ${flag}`,
    args: [...say, flag, '{}'],
    says: [`${flag} is not supported in this version`, 'cadre --help'],
  })),
  {
    what: 'a later flag with its value attached',
    args: [...say, '--managed-settings={}'],
    says: ['--managed-settings is not supported in this version'],
  },
  {
    what: 'a deny rule of a flag about a tool that does not exist',
    args: [...say, '--disallowedTools', 'Raed(README.md)'],
    says: [
      '--disallowedTools: permission rule "Raed(README.md)" (deny): unknown tool "Raed"',
      'Did you mean Read?',
    ],
  },
  {
    what: 'a deny rule of a settings file about a tool that does not exist',
    args: say,
    files: { '.cadre/settings.json': '{"permissions":{\n"deny":["bash(cat:*)"]}}' },
    says: [
      'settings.json:2:9: permission rule "bash(cat:*)" (deny): unknown tool "bash"',
      'Did you mean Bash?',
    ],
  },
  {
    what: 'a schema that is not JSON',
    args: [...say, '--json-schema', '{"type":'],
    says: ['--json-schema: not valid JSON at column 9: expected a value', 'Give a JSON schema'],
  },
  {
    what: 'a rule that a shell would fill in',
    args: [...say, '--disallowedTools', 'Read($HOME/notes/**)'],
    says: ['variables are not filled in', 'Read(~/notes/**)'],
  },
  { what: 'servers in an empty flag', args: [...say, '--mcp-config', ''], says: ['--mcp-config is empty'] },
  { what: 'a flag without its value', args: ['-p', '--model'], says: ['--model', 'cadre --help'] },
  {
    what: '--max-turns that is no number',
    args: [...say, '--max-turns', 'x'],
    says: ['--max-turns x', '1 or more'],
  },
  { what: '--max-turns 0', args: [...say, '--max-turns', '0'], says: ['--max-turns 0', '1 or more'] },
  {
    what: 'an unknown output format',
    args: [...say, '--output-format', 'xml'],
    says: ['--output-format', 'xml', 'text, json, stream-json'],
  },
  {
    what: 'stream-json input with text output',
    args: ['-p', '--input-format', 'stream-json'],
    says: ['--input-format stream-json', '--output-format stream-json'],
  },
  {
    what: 'an unknown permission mode',
    args: [...say, '--permission-mode', 'yolo'],
    says: ['--permission-mode yolo', 'acceptEdits'],
  },
  {
    what: 'a settings file that is not there',
    args: [...say, '--settings', 'nowhere.json'],
    says: [/--settings \/.*work\/nowhere\.json/, 'JSON'],
  },
  {
    what: 'settings that are not JSON',
    args: [...say, '--settings', '{"permissions": ['],
    says: ['--settings', /JSON/],
  },
  {
    what: 'a settings file that is not JSON',
    args: say,
    files: { '.cadre/settings.json': '{\n  "permissions": {,}\n}' },
    says: [/work\/\.cadre\/settings\.json/, /line 2|:2/],
  },
  {
    what: 'a setting of the wrong type',
    args: say,
    files: { '.cadre/settings.json': '{"permissions": {"allow": "Bash"}}' },
    says: [/work\/\.cadre\/settings\.json/, 'permissions.allow', /list|array/i],
  },
  {
    what: 'a rule that is none',
    args: [...say, '--allowedTools', 'Bash('],
    says: ['--allowedTools', 'Bash('],
  },
  {
    what: 'an unknown model provider',
    args: [...say, '--model', 'nobody/some-model'],
    says: ['nobody', 'anthropic'],
  },
  {
    what: 'no key at all',
    args: say,
    env: { ANTHROPIC_BASE_URL: undefined, ANTHROPIC_API_KEY: undefined },
    says: ['ANTHROPIC_API_KEY', 'cadre key set'],
  },
  {
    what: 'a provider address that is none',
    args: say,
    env: { ANTHROPIC_BASE_URL: 'localhost:1234' },
    says: ['ANTHROPIC_BASE_URL', 'localhost:1234'],
  },
  { what: 'an unknown tool', args: [...say, '--tools', 'Reed'], says: ['--tools', 'Reed', 'Read'] },
  {
    what: 'an unknown session',
    args: [...say, '--resume', 'c0ffee'],
    says: ['c0ffee', /state\/projects/, 'No session is stored there yet'],
  },
  {
    what: 'a session id that is no UUID',
    args: [...say, '--session-id', 'mine'],
    says: ['--session-id mine', 'UUID'],
  },
  {
    what: '--continue without a session',
    args: [...say, '--continue'],
    says: [/No earlier session in \/.*work/],
  },
  {
    what: '--fork-session alone',
    args: [...say, '--fork-session'],
    says: ['--fork-session', '--resume'],
  },
  {
    what: '--continue with --resume',
    args: [...say, '-c', '--resume', 'c0ffee'],
    says: ['--continue', '--resume'],
  },
  {
    what: 'stream-json input that is not JSON',
    args: ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    input: 'hello\n',
    says: ['stdin, line 1', 'JSON', '"type":"user"'],
  },
  {
    what: 'stream-json input of an unknown kind',
    args: ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    input: '\n{"type":"shout"}\n',
    says: ['stdin, line 2', 'type'],
  },
  { what: 'no prompt', args: ['-p'], says: ['No prompt', 'cadre -p'] },
  {
    what: 'nothing but blanks on standard input',
    args: ['-p'],
    input: ' \n',
    says: ['No prompt', 'cadre -p'],
  },
  { what: 'two prompts', args: ['-p', 'foo', 'bar'], says: [/argument/, 'cadre --help'] },
  { what: 'words without a command', args: ['foo', 'bar'], says: [/argument/, 'cadre --help'] },
  {
    what: 'an unknown provider for a key',
    args: ['key', 'set', 'acme'],
    input: 'k',
    says: ['acme', 'anthropic'],
  },
  {
    what: 'an empty key',
    args: ['key', 'set', 'anthropic'],
    input: '\n',
    says: [/No key/, 'stdin'],
  },
  {
    what: 'an unknown flag of a command',
    args: ['sessions', 'rewind', 'x', '--colour'],
    says: ['--colour', 'See cadre sessions rewind --help.'],
  },
  {
    what: 'a directory to add that is not there',
    args: [...say, '--add-dir', 'nowhere'],
    says: [/--add-dir \/.*work\/nowhere is not a directory/],
  },
  {
    what: 'an agent that is not there',
    args: [...say, '--agent', 'rev'],
    says: ['--agent: no agent is named "rev"', 'Run cadre agents to see broken files'],
  },
  {
    what: 'an agent whose file is broken',
    args: [...say, '--agent', 'rev'],
    files: { '.claude/agents/rev.md': '---\nname: rev\ndescription: reviews\nmaxTurns: many\n---\nReview.' },
    says: [
      /--agent rev: \/.*\.claude\/agents\/rev\.md:4: maxTurns: expected a whole number/,
      'Fix the file.',
    ],
  },
  {
    what: 'an agent of a flag with a misspelt limit',
    args: [...say, '--agents', '{"a":{"description":"d","prompt":"p","disallowedTool":"Bash"}}'],
    says: [/--agents: "a": disallowedTool: unknown field. Did you mean disallowedTools\?\n/],
  },
  {
    what: 'a settings file with two lists of denials',
    args: say,
    files: { '.cadre/settings.json': '{"permissions":{"deny":["Bash"],\n"deny":[]}}' },
    says: ['settings.json:2:1: permissions.deny is given twice', 'Fix the file'],
  },
  { what: 'an empty --settings', args: [...say, '--settings', ''], says: ['--settings is empty', 'JSON'] },
  {
    what: 'a denial of an MCP server without a name',
    args: [...say, '--disallowedTools', 'mcp__'],
    says: ['"mcp__" (deny): expected a server after mcp__'],
  },
  {
    what: 'a key in quotes',
    args: say,
    env: { ANTHROPIC_API_KEY: '"sk-ant-abc"' },
    says: ['ANTHROPIC_API_KEY is in quotes', 'without the quotes'],
  },
];

test('a host whose value cannot become text gets an error, and stderr stays empty', async () => {
  const odd = { toString: 1, valueOf: 1 };
  const requests = [
    { subtype: 'set_permission_mode', mode: odd },
    { subtype: 'mcp_message', server_name: odd, message: { jsonrpc: '2.0', method: 'ping' } },
  ].map((request, index) => JSON.stringify({ type: 'control_request', request_id: `${index}`, request }));
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const ended = await cadre(args, { place: newPlace(), provider, input: `${requests.join('\n')}\n` });
  expect(ended).toMatchObject({ code: 0, err: '' });
  expect(ended.out.match(/"subtype":"error"/g)).toHaveLength(2);
});

for (const { what, args, says, files, input, env } of cases)
  test(`${what} is refused with 2, in words, before anything is asked`, async () => {
    const place = newPlace();
    writeFiles(place, files ?? {});
    const ended = await refused(args, {
      place,
      ...(input === undefined ? {} : { input }),
      ...(env ? { env } : {}),
    });
    for (const part of says) expect(ended.err).toMatch(part);
  });

for (const args of [say, ['key', 'list'], ['sessions']])
  test(`CADRE_HOME that is a file is refused in words: ${args.join(' ')}`, async () => {
    const place = newPlace();
    writeFileSync(place.home, '');
    const ended = await refused(args, { place });
    expect(ended.err).toContain(`CADRE_HOME, ${place.home}, is a file`);
  });

test('a demo that has no room to work in says where', async () => {
  const ended = await cadre(['demo'], { place: newPlace(), env: { TMPDIR: '/nowhere' } });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toMatch(/^cadre: Cannot make a directory in \/nowhere: .*\n/);
});

test('doctor says of settings what is wrong, and in a sentence of its own what to do', async () => {
  const place = newPlace();
  writeFiles(place, { '.cadre/settings.json': '{"model": []}' });
  const ended = await cadre(['doctor'], { place });
  expect(ended).toMatchObject({ code: 1, err: '' });
  expect(ended.out).toContain('model: expected a string, found a list. Fix the file');
});

test('doctor names the settings that have no effect: misspelt, misplaced, and those of another product', async () => {
  const place = newPlace();
  const settings = {
    ...{ permisions: {}, deny: ['Bash'], permissions: { denny: [] }, terminal: {}, somethingElse: 1 },
    ...{ outputStyle: 'Explanatory', enabledPlugins: { 'a@b': true }, includeCoAuthoredBy: false },
  };
  writeFiles(place, { '.cadre/settings.json': JSON.stringify(settings) });
  const { out } = await cadre(['doctor'], { place });
  expect(out).toMatch(/warning .*Unknown setting permisions .* Did you mean permissions\?/);
  expect(out).toMatch(/Unknown setting deny .* Did you mean permissions\.deny\?/);
  expect(out).toMatch(/Unknown setting permissions\.denny .* Did you mean permissions\.deny\?/);
  expect(out).toContain('These settings have no effect yet: outputStyle, enabledPlugins (');
  expect(out).not.toContain('somethingElse');
});

test('key without an action shows what there is, with 2', async () => {
  const ended = await cadre(['key'], { place: newPlace() });
  expect(ended).toMatchObject({ code: 2, out: '' });
  for (const action of ['set <provider>', 'list', 'remove <provider>']) expect(ended.err).toContain(action);
});

needs('setpriv')('a settings file that may not be read is named', async () => {
  const place = newPlace();
  writeFiles(place, { '.cadre/settings.json': '{}' });
  chmodSync(join(place.cwd, '.cadre/settings.json'), 0);
  for (const path of [dirname(place.cwd), place.cwd]) chmodSync(path, 0o755);
  mkdirSync(place.home);
  for (const path of [place.home, place.userHome]) chownSync(path, nobody, nobody);
  const ended = await refused(say, { place, under: asNobody });
  expect(ended.err).toContain(join(place.cwd, '.cadre/settings.json'));
  expect(ended.err).toContain('readable');
});

for (const args of [say, ['key', 'set', 'anthropic'], ['doctor']])
  needs('setpriv')(`a home that cannot be written is named: ${args.join(' ')}`, async () => {
    const place = newPlace();
    chmodSync(dirname(place.cwd), 0o755);
    chownSync(place.userHome, nobody, nobody);
    chownSync(place.cwd, nobody, nobody);
    const why = `CADRE_HOME, ${place.home}, cannot be created: ${dirname(place.home)} is not writable.`;
    const options = { place, under: asNobody, input: 'k' };
    const ended = args[0] === 'doctor' ? await cadre(args, options) : await refused(args, options);
    expect(`${ended.out}${ended.err}`).toContain(why);
    expect(ended.code).not.toBe(0);
  });

for (const home of ['/proc/x', '/proc', '/sys/x', '/dev/null/x'])
  test(`a CADRE_HOME where nothing can be made is refused before anything is sent: ${home}`, async () => {
    const place = { ...newPlace(), home };
    expect((await refused(say, { place })).err).toStartWith(`cadre: CADRE_HOME, ${home}, cannot be `);
  });

async function refused(args: string[], options: RunOptions): Promise<Ended> {
  const before = provider.requests.length;
  const ended = await cadre(args, { provider, ...options });
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toStartWith('cadre: ');
  // No stack, and no name of an error class.
  expect(ended.err).not.toMatch(/^\s+at |\w+Error:|\[object|undefined/m);
  expect(provider.requests.length).toBe(before);
  return ended;
}

function writeFiles(place: Place, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, name)), { recursive: true });
    writeFileSync(join(place.cwd, name), content);
  }
}
