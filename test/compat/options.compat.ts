/** Options of the official agent SDK, one by one: what they do here, and which are refused by name. */
import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type SdkRow, sdkRows } from '../../scripts/sdk/rows.data.ts';
import {
  call,
  expecting,
  type FakeProvider,
  failWith,
  fakeProvider,
  hang,
  say,
  type Turn,
  toolResultText,
} from '../../src/testing/index.ts';
import { newPlace, type Place, program } from '../cli/support.ts';
import { fakeServer } from '../mcp/support.ts';
import {
  type AgentSdk,
  collect,
  collectFailing,
  converse,
  isInit,
  isResult,
  optionsFor,
  prompt,
  type SdkMessage,
  type SdkOptions,
  sdkModule,
} from './support.ts';

const { query, createSdkMcpServer, tool }: AgentSdk = await import(sdkModule);

/** One run of the program with these options. */
async function ask(options: SdkOptions, turns: Turn[], place = newPlace(), text = 'Go') {
  await using provider = await fakeProvider({ script: turns });
  return await askAt(provider, options, place, text);
}

async function askAt(provider: FakeProvider, options: SdkOptions, place: Place, text = 'Go') {
  let err = '';
  const stderr = (said: string) => {
    err += said;
  };
  const all = { ...optionsFor(place, provider), stderr, ...options };
  const messages = await collectFailing(query({ prompt: text, options: all }));
  const result = messages.find(isResult);
  const { received, requests } = provider;
  return { messages, result, err, place, received, requests, system: received[0]?.system.join('\n') ?? '' };
}

function put(place: Place, file: string, text: string): string {
  const path = join(place.cwd, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

interface Spawn {
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

const someId = '11111111-1111-4111-8111-111111111111';

const refused: [string, SdkOptions, string][] = [
  ['projectConfigRoot', { projectConfigRoot: '/tmp' }, '--project-config-root'],
  ['toolAliases', { toolAliases: { Bash: 'mcp__a__b' } }, 'toolAliases'],
  ['toolConfig', { toolConfig: { askUserQuestion: { previewFormat: 'html' } } }, 'PREVIEW_FORMAT'],
  ['betas', { betas: ['context-1m-2025-08-07'] }, '--betas'],
  ['sessionStore', { sessionStore: { append: async () => {}, load: async () => null } }, '--session-mirror'],
  ['effort', { effort: 'high' }, '--effort'],
  ['thinking.display', { thinking: { type: 'adaptive', display: 'omitted' } }, '--thinking-display'],
  ['taskBudget', { taskBudget: { total: 1000 } }, '--task-budget'],
  ['permissionPromptToolName', { permissionPromptToolName: 'mcp__a__b' }, '--permission-prompt-tool'],
  ['promptSuggestions', { promptSuggestions: true }, 'promptSuggestions'],
  ['agentProgressSummaries', { agentProgressSummaries: true }, 'agentProgressSummaries'],
  ['resumeSessionAt', { resume: someId, resumeSessionAt: someId }, '--resume-session-at'],
  [
    'resumeDropsTurn',
    { resume: someId, resumeDropsTurn: someId, extraArgs: { 'resume-drops-turn': someId } },
    '--resume-drops-turn',
  ],
  ['managedSettings', { managedSettings: { permissions: { deny: ['Bash'] } } }, '--managed-settings'],
  ['debugFile', { debugFile: '/tmp/debug.log' }, '--debug-file'],
  [
    'systemPrompt.excludeDynamicSections',
    { systemPrompt: { type: 'preset', preset: 'claude_code', excludeDynamicSections: true } as never },
    'excludeDynamicSections',
  ],
  ['plugins.skipMcpDiscovery', { plugins: [{ type: 'local', path: '.', skipMcpDiscovery: true }] }, 'no-mcp'],
];

test('every option that the table refuses is tried', () => {
  const tried = refused.map(([name]) => name);
  const rows = Object.entries<SdkRow>(sdkRows.options).filter(([, [state]]) => state === 'refused');
  expect(rows.map(([name]) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

test.each(refused)('options that are not there are refused by name: %s', async (_, options, named) => {
  const { err, received } = await ask(options, [say('Hello.')]);
  expect(err).toContain(named);
  expect(received).toHaveLength(0);
});

test('abortController and close() end the program', async () => {
  for (const end of ['abort', 'close']) {
    const place = newPlace();
    await using provider = await fakeProvider({ script: [hang(say('A'))] });
    const abortController = new AbortController();
    const options = { ...optionsFor(place, provider), abortController };
    const running = query({ prompt: 'Go', options });
    await collectFailing(
      (async function* () {
        for await (const message of running) {
          yield message;
          if (!isInit(message)) continue;
          if (end === 'abort') abortController.abort();
          else running.close();
        }
      })(),
    );
    expect(provider.received.length).toBeLessThan(2);
  }
});

test('additionalDirectories: files there are read unasked', async () => {
  const other = newPlace();
  const file = put(other, 'a.txt', 'from afar');
  const { received } = await ask({ additionalDirectories: [other.cwd] }, [
    call('Read', { file_path: file }),
    say('Done.'),
  ]);
  expect(received[1] && toolResultText(received[1])).toContain('from afar');
});

test('agent: the session runs as that agent, with its prompt and tools', async () => {
  const agents = { poet: { description: 'Writes verse.', prompt: 'You are a poet.', tools: ['Read'] } };
  const { system, messages } = await ask({ agent: 'poet', agents }, [say('A rose.')]);
  expect(system).toContain('You are a poet.');
  expect(messages.find(isInit)?.tools).toEqual(['Read']);
});

test('continue goes on with the latest session; sessionId names a new one; title and persistSession hold', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: ['One.', 'Two.', 'Three.'] });
  const first = await askAt(provider, { sessionId: someId, title: 'The red one' }, place);
  expect(first.result?.session_id).toBe(someId);
  const second = await askAt(provider, { persistSession: false }, place);
  expect(second.result?.session_id).not.toBe(someId);
  const third = await askAt(provider, { continue: true }, place);
  expect(third.result).toMatchObject({ session_id: someId, result: 'Three.' });
  const { cadre } = await import('../cli/support.ts');
  expect((await cadre(['sessions'], { place })).out).toContain('The red one');
});

test('tools and disallowedTools choose what the model has', async () => {
  const { messages } = await ask({ tools: ['Read', 'Bash'] }, [say('Hi.')]);
  expect(messages.find(isInit)?.tools?.sort()).toEqual(['Bash', 'Read']);
  const none = await ask({ tools: [] }, [say('Hi.')]);
  expect(none.messages.find(isInit)?.tools).toEqual([]);
  const all = await ask({ tools: { type: 'preset', preset: 'claude_code' }, disallowedTools: ['Bash'] }, [
    say('Hi.'),
  ]);
  expect(all.messages.find(isInit)?.tools).toContain('Read');
  expect(all.messages.find(isInit)?.tools).not.toContain('Bash');
});

test('executable and executableArgs are for programs in JavaScript; spawnClaudeCodeProcess starts ours', async () => {
  const starter = `import { spawn } from 'node:child_process';
    const child = spawn('${program}', process.argv.slice(2), { stdio: 'inherit' });
    child.on('exit', (code) => process.exit(code ?? 1));`;
  const script = put(newPlace(), 'start.mjs', starter);
  const options = {
    executable: 'node',
    executableArgs: ['--no-warnings'],
    pathToClaudeCodeExecutable: script,
  };
  expect((await ask(options, [say('Hi.')])).result?.result).toBe('Hi.');
  const started: string[] = [];
  const own = await ask(
    {
      spawnClaudeCodeProcess: ({ command, args, cwd, env }: Spawn) => {
        started.push(command);
        return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
      },
    },
    [say('Hi.')],
  );
  expect([started.length, own.result?.result]).toEqual([1, 'Hi.']);
});

test('extraArgs are flags: one that is there works, another is refused by name', async () => {
  const known = await ask({ extraArgs: { 'max-tokens': '1' } }, [say('Hi.')]);
  expect(known.result?.subtype).toBe('error_max_budget_usd');
  const unknown = await ask({ extraArgs: { 'fly-away': null } }, [say('Hi.')]);
  expect(unknown.err).toContain('--fly-away');
});

test('fallbackModel answers when the model is overloaded; a list of names is refused by name', async () => {
  const busy = failWith({ kind: 'overloaded', message: 'busy', status: 529 }, { 'retry-after': '600' });
  const { requests, result } = await ask({ fallbackModel: 'claude-other-model' }, [busy, say('Here.')]);
  expect(requests.at(-1)?.json?.model).toBe('claude-other-model');
  expect(result?.result).toBe('Here.');
  const list = await ask({ fallbackModel: 'claude-a,claude-b' }, [say('Hi.')]);
  expect(list.err).toContain('--fallback-model');
});

test('hooks are called back, and includeHookEvents tells of them', async () => {
  const seen: unknown[] = [];
  const hook = async (input: { tool_name: string }) => {
    seen.push(input.tool_name);
    return { decision: 'block', reason: 'not by this hook' };
  };
  const options = { hooks: { PreToolUse: [{ hooks: [hook] }] }, includeHookEvents: true };
  const { received, messages } = await ask(options, [call('Glob', { pattern: '*' }), say('Well.')]);
  expect(seen).toEqual(['Glob']);
  expect(received[1] && toolResultText(received[1])).toContain('not by this hook');
  expect(messages.some(({ subtype }) => subtype === 'hook_response')).toBe(true);
});

test('onElicitation answers what an MCP server asks', async () => {
  const asked: unknown[] = [];
  const { received } = await ask(
    {
      mcpServers: { q: fakeServer('asking') },
      allowedTools: ['mcp__q'],
      settings: { mcp: { startupWaitMs: 20_000 } },
      onElicitation: async ({ message }: { message: string }) => {
        asked.push(message);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    },
    [call('mcp__q__ask', {}), say('Done.')],
  );
  expect(asked).toEqual(['Who are you?']);
  expect(received[1] && toolResultText(received[1])).toContain('accept');
});

test('what only says what the host can do is taken, and no dialog is sent', async () => {
  const dialogs: unknown[] = [];
  const onUserDialog = async (request: unknown) => {
    dialogs.push(request);
    return { behavior: 'cancelled' };
  };
  const able = {
    onUserDialog,
    supportedDialogKinds: ['refusal_fallback_prompt'],
    perTaskStopAffordance: true,
  };
  const alone = { sessionStoreFlush: 'batched', loadTimeoutMs: 1000 };
  const { result } = await ask({ ...able, ...alone }, [say('Hi.')]);
  expect(result?.result).toBe('Hi.');
  expect(dialogs).toEqual([]);
});

test('verbatimPrompts: a prompt is sent as it is written', async () => {
  for (const verbatimPrompts of [false, true]) {
    const place = newPlace();
    put(place, 'a.txt', 'what the file holds');
    const { received } = await ask({ verbatimPrompts }, [say('Hi.')], place, 'Read @a.txt');
    expect(JSON.stringify(received[0]?.messages).includes('what the file holds')).toBe(!verbatimPrompts);
  }
});

test('thinking and maxThinkingTokens reach the request', async () => {
  const model = 'claude-sonnet-4-5';
  const thinks = async (options: SdkOptions) => (await ask({ model, ...options }, [say('Hi.')])).requests[0];
  const enabled = await thinks({ thinking: { type: 'enabled', budgetTokens: 5000 } });
  expect(enabled?.json?.thinking).toEqual({ type: 'enabled', budget_tokens: 5000 });
  const disabled = await thinks({ thinking: { type: 'disabled' } });
  expect(disabled?.json?.thinking).toEqual({ type: 'disabled' });
  const older = await thinks({ maxThinkingTokens: 2000 });
  expect(older?.json?.thinking).toEqual({ type: 'enabled', budget_tokens: 2000 });
});

test('maxBudgetUsd ends a session with its own kind of result', async () => {
  const { result } = await ask({ maxBudgetUsd: 0.000001, model: 'claude-sonnet-4-5' }, [say('Hi.')]);
  expect(result).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
});

test('mcpServers: those in the host with their policies, and programs', async () => {
  const ran: string[] = [];
  const make = (name: string) =>
    tool(name, 'd', { a: z.string() }, async () => {
      ran.push(name);
      return { content: [{ type: 'text', text: `${name} ran` }] };
    });
  const server = createSdkMcpServer({ name: 'in', tools: ['fine', 'never', 'asked'].map(make) });
  const tools = [
    { name: 'never', permission_policy: 'always_deny' },
    { name: 'asked', permission_policy: 'always_ask' },
  ];
  const asked: string[] = [];
  const { received, messages } = await ask(
    {
      mcpServers: { in: { ...server, tools, timeout: 5000 }, out: fakeServer('plain') },
      allowedTools: ['mcp__in', 'mcp__out'],
      settings: { mcp: { startupWaitMs: 20_000 } },
      strictMcpConfig: true,
      canUseTool: async (name: string) => {
        asked.push(name);
        return { behavior: 'deny', message: 'not this time' };
      },
    },
    [
      call('mcp__in__fine', { a: 'x' }),
      call('mcp__in__never', { a: 'x' }),
      call('mcp__in__asked', { a: 'x' }),
      call('mcp__out__say', { text: 'outside' }),
      say('Done.'),
    ],
  );
  expect(ran).toEqual(['fine']);
  expect(asked).toEqual(['mcp__in__asked']);
  const results = received.slice(1).map((request) => toolResultText(request));
  expect(results[0]).toContain('fine ran');
  expect(results[1]).toContain('always_deny');
  expect(results[2]).toContain('not this time');
  expect(results[3]).toContain('outside');
  expect(messages.find(isResult)?.result).toBe('Done.');
});

test('outputFormat: the answer has the shape of the schema', async () => {
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
  const { result } = await ask({ outputFormat: { type: 'json_schema', schema } }, [
    call('SyntheticOutput', { answer: 42 }),
  ]);
  expect(result?.structured_output).toEqual({ answer: 42 });
});

test('permissionMode plan with planModeInstructions: these replace the phases', async () => {
  const options = { permissionMode: 'plan', planModeInstructions: 'Interview the user first.' };
  const { received } = await ask(options, [say('Hi.')]);
  const sent = JSON.stringify(received[0]?.messages);
  expect(sent).toContain('Interview the user first.');
  expect(sent).not.toContain('five phases');
});

test("permissionPrompts: 'none' denies what would be asked, and canUseTool is not called", async () => {
  const asked: string[] = [];
  const canUseTool = async (name: string) => {
    asked.push(name);
    return { behavior: 'allow' as const };
  };
  const turns = [call('Write', { file_path: 'a.txt', content: 'x' }), say('Well.')];
  const { result, place } = await ask({ permissionPrompts: 'none', canUseTool }, turns);
  expect(asked).toEqual([]);
  expect(existsSync(join(place.cwd, 'a.txt'))).toBe(false);
  expect(result?.permission_denials?.map(({ tool_name }) => tool_name)).toEqual(['Write']);
});

test('plugins are loaded, by flag and by pluginDelivery initialize', async () => {
  const place = newPlace();
  put(place, 'plug/.claude-plugin/plugin.json', '{"name":"plug"}');
  put(place, 'plug/agents/poet.md', '---\nname: poet\ndescription: Writes verse.\n---\nYou are a poet.');
  const plugins = [{ type: 'local', path: join(place.cwd, 'plug') }];
  for (const pluginDelivery of ['argv', 'initialize']) {
    const { messages } = await ask({ plugins, pluginDelivery }, [say('Hi.')], place);
    expect(messages.find(isInit)?.agents).toContain('plug:poet');
  }
});

test('servers go to the program by flag and by mcpServersDelivery initialize', async () => {
  const mcpServers = { plain: { ...fakeServer('plain'), env: { SECRET: 'of-the-server' } } };
  for (const mcpServersDelivery of ['argv', 'initialize']) {
    const turns = [call('mcp__plain__say', { text: 'hello' }), say('Said.')];
    const settings = { mcp: { startupWaitMs: 10_000 } };
    const allowedTools = ['mcp__plain'];
    const asked = { mcpServers, mcpServersDelivery, settings, allowedTools };
    const { messages, received } = await ask(asked, turns);
    expect((messages.find(isInit) as { mcp_servers?: unknown } | undefined)?.mcp_servers).toMatchObject([
      { name: 'plain', status: 'connected' },
    ]);
    expect([mcpServersDelivery, toolResultText(received[1] ?? (received[0] as never))]).toEqual([
      mcpServersDelivery,
      'hello',
    ]);
  }
  const broken = await ask({ mcpServers: { plain: 5 }, mcpServersDelivery: 'initialize' }, [say('Hi.')]);
  expect(JSON.stringify(broken.messages)).toContain('mcpServers.plain: expected an object');
});

test('settings, sandbox and settingSources are in force', async () => {
  const place = newPlace();
  put(place, 'CLAUDE.md', 'note-of-project');
  const of = async (options: SdkOptions, turns: Turn[] = [say('Hi.')]) => ask(options, turns, place);
  expect((await of({})).system).toContain('note-of-project');
  expect((await of({ settingSources: [] })).system).not.toContain('note-of-project');
  const settings = { model: 'claude-some-model', permissions: { deny: ['Glob'] } };
  const { requests, messages } = await of({ settings, sandbox: { enabled: false } });
  expect(requests[0]?.json?.model).toBe('claude-some-model');
  expect(messages.find(isInit)?.tools).not.toContain('Glob');
  const wrong = await of({ sandbox: { enabled: 'perhaps' } });
  expect(wrong.err).toContain('sandbox.enabled');
  const odd = await of({ sandbox: { enabled: false, ripgrep: { command: 'x' } } });
  expect(JSON.stringify(odd.messages) + odd.err).toContain('ripgrep');
});

test('skills: the model is shown these alone', async () => {
  const place = newPlace();
  for (const name of ['a', 'b'])
    put(place, `.claude/skills/${name}/SKILL.md`, `---\ndescription: does ${name}\n---\nDo it.`);
  const shown = async (skills: unknown) => {
    const { received } = await ask({ skills }, [say('Hi.')], place);
    return received[0]?.tools.find(({ name }) => name === 'Skill')?.description ?? '';
  };
  expect(await shown('all')).toContain('does a');
  expect(await shown(['b'])).not.toContain('does a');
  expect(await shown(['b'])).toContain('does b');
});

test('debug and stderr: messages of the program reach the host', async () => {
  const { err, result } = await ask({ debug: true }, [say('Hi.')]);
  expect(result?.result).toBe('Hi.');
  expect(err).not.toBe('');
});

test('systemPrompt: text, blocks, preset and append', async () => {
  const of = async (systemPrompt: unknown) =>
    (await ask({ systemPrompt: systemPrompt as string }, [say('Hi.')])).system;
  expect(await of(['One.', '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__', 'Two.'])).toContain('One.\n\nTwo.');
  expect(await of({ type: 'custom', prompt: 'Mine.', snapshot: false })).toContain('Mine.');
  const preset = await of({ type: 'preset', preset: 'claude_code', append: 'And brief.' });
  expect(preset).toContain('You are Cadre');
  expect(preset).toContain('And brief.');
});

test('agents: fields of a definition hold, or are refused by name', async () => {
  const poet = { description: 'Writes verse.', prompt: 'You are a poet.', tools: ['Read', 'Glob'] };
  const agents = { poet: { ...poet, disallowedTools: ['Glob'], model: 'claude-small-model', maxTurns: 2 } };
  const delegate = { description: 'Write', prompt: 'Write a line.', subagent_type: 'poet' };
  const { requests, received } = await ask({ agents }, [
    call('Agent', delegate),
    say('A rose.'),
    say('Done.'),
  ]);
  expect(requests[1]?.json?.model).toBe('claude-small-model');
  expect(received[1]?.tools.map(({ name }) => name)).toEqual(['Read']);
  for (const field of ['observer', 'observerMessage', 'criticalSystemReminder_EXPERIMENTAL']) {
    const { err } = await ask({ agents: { poet: { ...poet, [field]: 'x' } } }, [say('Hi.')]);
    expect(err).toContain(field);
  }
});

test('fields and blocks of a prompt: what holds, and what is refused by name while the session continues', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [say('Seen.'), say('Quietly.')] });
  const pdf = {
    type: 'document',
    source: {
      type: 'base64',
      media_type: 'application/pdf',
      data: Buffer.from('%PDF-1.4').toString('base64'),
    },
  };
  const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
  const quiet = prompt('Remember seven.', { shouldQuery: false, uuid: crypto.randomUUID() });
  const messages = await converse(
    query,
    [
      prompt([{ type: 'hologram' }]),
      prompt('To an agent.', { agent_id: 'a1' }),
      prompt([{ type: 'text', text: 'Look.' }, pdf, image]),
      prompt('Which number?', { client_composed: true, priority: 'now' }),
    ],
    optionsFor(place, provider),
  );
  const results = messages.filter(isResult);
  expect(results.map(({ is_error }) => is_error)).toEqual([true, true, false, false]);
  expect(results[0]?.errors?.join()).toContain('"hologram"');
  expect(results[1]?.errors?.join()).toContain('agent_id');
  expect(provider.received[0]?.messages[0]?.content).toMatchObject([{ text: 'Look.' }, pdf, image]);
  await using second = await fakeProvider({ script: [expecting({}, say('Seven.'))] });
  async function* twoLines() {
    yield quiet;
    yield prompt('Which number?');
  }
  const later: SdkMessage[] = await collect(
    query({ prompt: twoLines(), options: optionsFor(newPlace(), second) }),
  );
  expect(later.filter(isResult)).toHaveLength(1);
  expect(JSON.stringify(second.received[0]?.messages)).toContain('Remember seven.');
});
