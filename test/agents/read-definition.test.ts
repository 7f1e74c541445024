import { describe, expect, test } from 'bun:test';
import type { AgentSource } from '../../src/agents/definition.ts';
import { readDefinition } from '../../src/agents/definitions/read-definition.ts';

function read(data: Record<string, unknown>, source: AgentSource = 'user') {
  const found = readDefinition({ name: 'a', description: 'does a', ...data }, { source, prompt: 'Body' });
  if (!found.ok) throw new Error(found.problem.reason);
  return found.value;
}

function fault(data: Record<string, unknown>) {
  const found = readDefinition(
    { name: 'a', description: 'does a', ...data },
    { source: 'user', prompt: 'Body' },
  );
  if (found.ok) throw new Error('expected a fault');
  return found.problem;
}

describe('AG5: fields', () => {
  test('without any but name and description: all tools, the model of the parent, nothing else', () => {
    expect(read({})).toEqual({
      name: 'a',
      description: 'does a',
      prompt: 'Body',
      source: 'user',
      tools: '*',
      disallowedTools: [],
      background: false,
      mcpServers: [],
      skills: [],
      omitProjectMemory: false,
      role: { tools: '*', denied: [], shell: 'full', writes: true },
      notes: [],
    });
  });

  test.each<[string, unknown, string, unknown]>([
    ['model', 'sonnet', 'model', 'sonnet'],
    ['model', 'inherit', 'model', 'inherit'],
    ['permissionMode', 'plan', 'permissionMode', 'plan'],
    ['permission-mode', 'manual', 'permissionMode', 'default'],
    ['maxTurns', 12, 'maxTurns', 12],
    ['max_turns', '12', 'maxTurns', 12],
    ['background', true, 'background', true],
    ['background', 'yes', 'background', true],
    ['isolation', 'worktree', 'isolation', 'worktree'],
    ['isolation', 'none', 'isolation', undefined],
    ['skills', 'one, two', 'skills', ['one', 'two']],
    ['skills', ['one'], 'skills', ['one']],
    ['hooks', { Stop: [] }, 'hooks', { Stop: [] }],
    ['memory', 'project', 'memory', 'project'],
    ['color', 'pink', 'color', 'pink'],
    ['omitProjectMemory', true, 'omitProjectMemory', true],
    ['omitClaudeMd', true, 'omitProjectMemory', true],
    ['effort', 'xhigh', 'effort', 'xhigh'],
    ['effort', 5, 'effort', 5],
    ['initialPrompt', 'go', 'initialPrompt', 'go'],
    ['autoCompactWindow', 50_000, 'autoCompactWindow', 50_000],
    ['mcpServers', ['docs'], 'mcpServers', [{ name: 'docs' }]],
    [
      'mcpServers',
      ['docs', { own: { command: 'x' } }],
      'mcpServers',
      [{ name: 'docs' }, { name: 'own', config: { command: 'x' } }],
    ],
    ['mcp_servers', { own: { url: 'x' } }, 'mcpServers', [{ name: 'own', config: { url: 'x' } }]],
    ['model', null, 'model', undefined],
  ])('%s: %j', (field, value, ours, expected) => {
    const definition = read({ [field]: value });
    expect(Reflect.get(definition, ours)).toEqual(expected);
    expect(definition.notes).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['tools', 7],
    ['tools', [1]],
    ['tools', { Read: 'maybe' }],
    ['disallowedTools', { a: [] }],
    ['permissionMode', 'bubble'],
    ['permissionMode', 'careful'],
    ['max-turns', 0],
    ['maxTurns', 'many'],
    ['isolation', 'jail'],
    ['hooks', 'x'],
    ['mcpServers', [7]],
    ['model', ['a']],
    ['name', '-a'],
    ['name', 'a:b'],
    ['name', ''],
    ['name', 'fork'],
    ['name', 'x'.repeat(65)],
    ['name', 'a\u001b[31m'],
    ['description', ''],
    ['description', ['x']],
  ])('%s: %j cannot be passed over: the definition is broken, and the field is named', (field, value) => {
    const { reason } = fault({ [field]: value });
    expect(reason).toStartWith(`${field}: `);
  });

  test.each<[string, unknown]>([
    ['color', 'plaid'],
    ['effort', 'heroic'],
    ['memory', 'elephant'],
    ['background', 'perhaps'],
    ['skills', 7],
    ['omitClaudeMd', 'x'],
  ])('%s: %j is left out with a note', (field, value) => {
    const { notes } = read({ [field]: value });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toStartWith(`${field} is ignored: expected `);
  });

  test('fields of other products have no effect, which is said', () => {
    expect(read({ temperature: 0.1, display_name: 'A' }).notes).toEqual([
      'temperature, display_name: unknown field, or not supported by this version; ignored',
    ]);
  });

  test('our spelling wins over a variant beside it', () => {
    const { tools, notes } = read({ 'allowed-tools': 'Bash', tools: 'Read' });
    expect(tools).toEqual(['Read']);
    expect(notes).toEqual(['allowed-tools is ignored because tools is also set']);
  });

  test("a plugin's file sets neither hooks, servers nor mode", () => {
    const definition = read({ hooks: {}, mcpServers: ['x'], permissionMode: 'bypassPermissions' }, 'plugin');
    expect(definition.hooks).toBeUndefined();
    expect(definition.mcpServers).toEqual([]);
    expect(definition.permissionMode).toBeUndefined();
    expect(definition.notes).toHaveLength(3);
  });
});

describe('tool lists', () => {
  test.each<[unknown, unknown]>([
    ['Read, Grep', ['Read', 'Grep']],
    [
      ['Read', 'Grep'],
      ['Read', 'Grep'],
    ],
    ['*', '*'],
    [['*', 'Read'], '*'],
    ['Task, KillShell, read_file', ['Agent', 'TaskStop', 'Read']],
    ['bash, webfetch', ['Bash', 'WebFetch']],
    ['mcp__docs__*, mcp__docs__Find', ['mcp__docs__*', 'mcp__docs__Find']],
    ['Frobnicate', ['Frobnicate']],
    [[], []],
    ['', []],
    [null, []],
    [{ '*': false, Read: true }, ['Read']],
    [{ Read: true }, ['Read']],
    [{ write: false, read: true }, ['Read']],
    [{ '*': true, Bash: false }, '*'],
    [{ '*': false }, []],
    [{}, []],
  ])('tools: %j', (tools, expected) => {
    expect(read({ tools }).tools).toEqual(expected as '*');
    expect(read({ 'allowed-tools': tools }).role.tools).toEqual(expected as '*');
  });

  test.each(['Bash(git:*)', 'B*', 'mcp__*', 'mcp__*__x', '**'])('%s grants nothing, with a note', (entry) => {
    const { tools, notes } = read({ tools: [entry, 'Read'] });
    expect(tools).toEqual(['Read']);
    expect(notes[0]).toContain('grants nothing');
  });

  test('a list of which no entry grants anything is refused, and they are named', () => {
    expect(() => read({ tools: 'Bash(git:*)' })).toThrow('Bash(git:*)');
  });

  test('an agent of whose tools none exists here is marked', () => {
    expect(read({ tools: 'Frobnicate, Zap' }).notes).toEqual([
      'no tool here is named Frobnicate, Zap, so the agent cannot be started; fix its tools',
    ]);
    expect(read({ tools: 'LS' }).notes).toHaveLength(1);
    for (const tools of ['Frobnicate, read', 'mcp__x__y', 'Monitor', 'TaskCreate'])
      expect(read({ tools }).notes).toEqual([]);
  });

  test('an empty list is not all, and says so', () => {
    expect(read({ tools: null }).notes[0]).toContain('tools is empty');
  });

  test('what is disallowed goes whole, also where a part of it was meant', () => {
    const { disallowedTools, role, notes } = read({ disallowedTools: 'Bash(rm:*), write, mcp__*' });
    expect(disallowedTools).toEqual(['Bash', 'Write', 'mcp__*']);
    expect(role.denied).toEqual(disallowedTools);
    expect(notes[0]).toContain('removes the whole tool Bash');
  });

  test('a map in which all is false takes that away from all tools', () => {
    expect(read({ tools: { write: false, task: false } })).toMatchObject({
      tools: '*',
      disallowedTools: ['Write', 'task'],
    });
    expect(read({ disallowedTools: { Bash: true, Read: false } }).disallowedTools).toEqual(['Bash']);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ disallowedTools: 'Bsah' }, 'disallowedTools: "Bsah" is not a tool. Did you mean Bash?'],
    [{ disallowedTools: ['Read', 'Wirte(src/**)'] }, 'Did you mean Write?'],
    [{ disallowedTools: 'Bash(rm:*' }, 'disallowedTools: "Bash(rm:*" is not a tool. Did you mean Bash?'],
    [{ disallowedTools: 'bash|Read' }, '"bash|Read" is not a tool. Did you mean Bash?'],
    [{ disallowedTools: ['"Bash"'] }, '""Bash"" is not a tool.'],
    [{ tools: { Bsah: false } }, 'tools: "Bsah" is not a tool. Did you mean Bash?'],
  ])('a denial that denies nothing is refused: %j', (fields, message) => {
    expect(fault(fields).reason).toContain(message);
  });

  test.each(['BASH', 'ls', 'list', 'patch', 'todoread', 'mcp__x__Bsah', 'Own'])(
    '%s may be denied: it is a tool, or one of another product',
    (name) => {
      expect(read({ disallowedTools: name }).disallowedTools).toHaveLength(1);
    },
  );

  test('TF4: Agent(a, b) limits what it may start; bare Agent does not', () => {
    expect(read({ tools: 'Agent(worker, Explore), Read' })).toMatchObject({
      tools: ['Agent', 'Read'],
      spawnable: ['worker', 'Explore'],
    });
    expect(read({ tools: 'Task(x), Agent' }).spawnable).toEqual(['x']);
    expect(read({ tools: 'Agent' }).spawnable).toBeUndefined();
    expect(read({ tools: 'Agent()' }).spawnable).toEqual([]);
  });
});

describe('a misspelt limit', () => {
  test.each([
    ['tool', 'tools'],
    ['tolls', 'tools'],
    ['disallowedTool', 'disallowedTools'],
    ['dissallowed-tools', 'disallowedTools'],
    ['permision_mode', 'permissionMode'],
    ['max-turn', 'maxTurns'],
  ])('%s is an error that names %s: without it the agent could do more', (written, meant) => {
    expect(fault({ [written]: 'Read' })).toEqual({
      field: written,
      reason: `${written}: unknown field. Did you mean ${meant}?`,
    });
  });

  test.each(['type', 'tags', 'to', 'trigger', 'toolbox'])('%s is a field of another product', (written) => {
    expect(read({ [written]: 'Read' }).notes.join()).toContain(`${written}: unknown field`);
  });

  test('beside the field itself it is only a note', () => {
    expect(read({ tools: 'Read', tool: 'Bash' }).tools).toEqual(['Read']);
  });
});
