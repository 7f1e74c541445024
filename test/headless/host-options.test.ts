import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseHostEnvironment } from '../../src/commands/main.ts';
import { buildRequest } from '../../src/commands/request.ts';
import { readFlags } from '../../src/commands/table/flag.ts';
import { type MainFlags, mainFlags } from '../../src/commands/table/main-flags.ts';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { ResultTotals } from '../../src/headless/result-totals.ts';
import type { HeadlessRequest } from '../../src/headless/run-prompt.ts';
import { noUsage } from '../../src/protocol/index.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { listSessions } from '../../src/store/sessions.ts';
import { call, hang, say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
type Frame = Record<string, unknown>;
const isResult = ({ type }: Frame) => type === 'result';

function flags(given: Record<string, string | boolean | string[]>): MainFlags {
  const groups = Object.entries(mainFlags).map(([name, table]) => {
    const values = readFlags(table.flags, given);
    if (!values.ok) throw new Error(values.problem.message);
    return [name, values.value];
  });
  return Object.fromEntries(groups);
}

const answersHost = (given: Record<string, string>) => {
  const built = buildRequest(flags({ ...stream, ...given }), undefined, '/work');
  return built.ok && built.value.hostAnswers;
};

test('--permission-prompts none: the host is asked nothing, also where it offers to answer', () => {
  expect(answersHost({ permissionPromptTool: 'stdio' })).toBe(true);
  expect(answersHost({ permissionPrompts: 'host' })).toBe(true);
  expect(answersHost({ permissionPrompts: 'none' })).toBe(false);
  expect(answersHost({ permissionPromptTool: 'stdio', permissionPrompts: 'none' })).toBe(false);
});

/** The system prompt of the one request that a host's session makes. */
async function systemFor(initialize: object, session: HeadlessRequest['session']): Promise<string> {
  const { io, write, end, frame } = pipe();
  const wanted = request([say('Hello.')], { ...stream, session });
  const served = serveHost(wanted, io, noInterrupts);
  write(control('1', 'initialize', initialize));
  write(user('Hi'));
  await frame(isResult);
  end();
  expect(await served).toBe(0);
  return wanted.model.requests[0]?.system.join('\n') ?? '';
}

const agents = { poet: { description: 'Writes verse.', prompt: 'You are a poet.' } };

test('an agent keeps its prompt when the host sends an empty system prompt', async () => {
  const system = await systemFor({ systemPrompt: [''], agents }, { agent: 'poet' });
  expect(system).toContain('You are a poet.');
});

test('a coordinator keeps its prompt when the host sends an empty system prompt', async () => {
  const system = await systemFor({ systemPrompt: [''] }, { coordinator: true });
  expect(system).toContain("You are Cadre's coordinator.");
});

test("the host's own system prompt replaces that of the agent", async () => {
  const system = await systemFor({ systemPrompt: ['You are a lighthouse.'], agents }, { agent: 'poet' });
  expect(system).toContain('You are a lighthouse.');
  expect(system).not.toContain('You are a poet.');
});

test('settingSources also choose the memory files', async () => {
  const seen = async (settingSources: ('user' | 'project' | 'local')[] | undefined) => {
    const { io, write, end } = pipe();
    const wanted = request([say('Hello.')], stream);
    const { cwd = '', environment } = wanted.session;
    const home = environment?.HOME ?? '';
    for (const [file, text] of [
      [join(home, '.claude/CLAUDE.md'), 'note-of-user'],
      [join(home, '.claude/rules/one.md'), 'rule-of-user'],
      [join(cwd, 'CLAUDE.md'), 'note-of-project'],
      [join(cwd, '.claude/rules/two.md'), 'rule-of-project'],
      [join(cwd, 'CLAUDE.local.md'), 'note-of-local'],
    ] as const) {
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
    write(user('Hi'));
    end();
    const session = { ...wanted.session, ...(settingSources ? { settingSources } : {}) };
    await serveHost({ ...wanted, session }, io, noInterrupts);
    const text = wanted.model.requests[0]?.system.join('\n') ?? '';
    return [...text.matchAll(/(?:note|rule)-of-\w+/g)].map(([found]) => found).sort();
  };
  const all = ['note-of-local', 'note-of-project', 'note-of-user', 'rule-of-project', 'rule-of-user'];
  expect(await seen(undefined)).toEqual(all);
  expect(await seen([])).toEqual([]);
  expect(await seen(['user'])).toEqual(['note-of-user', 'rule-of-user']);
  expect(await seen(['project'])).toEqual(['note-of-project', 'rule-of-project']);
  expect(await seen(['local'])).toEqual(['note-of-local']);
});

const answersTo = (id: string) => (frame: Frame) =>
  frame.type === 'control_response' && (frame.response as { request_id: string }).request_id === id;

/** Opens a session by `initialize`, and asks more of it. */
async function initialize(fields: object, session: HeadlessRequest['session'] = {}, more: object[] = []) {
  const { io, write, end, frames, err } = pipe();
  write(control('1', 'initialize', fields));
  for (const line of more) write(line);
  end();
  const wanted = request([say('Hello.')], { ...stream, session });
  const code = await serveHost(wanted, io, noInterrupts);
  const response = frames().find(answersTo('1'))?.response as Frame | undefined;
  return { code, response, frames: frames(), err: err(), wanted };
}

test.each([
  ['toolAliases', { Bash: 'mcp__a__b' }],
  ['excludeDynamicSections', true],
  ['promptSuggestions', true],
  ['agentProgressSummaries', true],
  ['agents', { poet: { ...agents.poet, observer: 'critic' } }],
  ['agents', { poet: { ...agents.poet, observerMessage: 'x' } }],
  ['agents', { poet: { ...agents.poet, criticalSystemReminder_EXPERIMENTAL: 'x' } }],
  ['hooks', { BrandNew: [{ hookCallbackIds: ['h'], onFailure: 'block' }] }],
  ['somethingNew', 'x'],
  ['plugins', [{ type: 'remote', url: 'x' }]],
  ['plugins', [{ type: 'local', path: '.', skipMcpDiscovery: true }]],
  ['plugins', 'all'],
  ['title', 5],
  ['planModeInstructions', ['x']],
  ['systemPrompt', 5],
  ['appendSystemPrompt', 5],
  ['jsonSchema', 'x'],
  ['sdkMcpServers', 'x'],
  ['sdkMcpServerConfigs', 'x'],
  ['forwardSubagentText', 'yes'],
])('initialize is refused by name when %s is %j', async (field, value) => {
  const { code, response, err } = await initialize({ [field]: value });
  expect(code).toBe(2);
  expect(response).toMatchObject({ subtype: 'error', error: expect.stringContaining(field) });
  expect(err).toContain(field);
});

test('initialize takes what is switched off, and what only says what the host can do', async () => {
  const off = { promptSuggestions: false, agentProgressSummaries: false, excludeDynamicSections: false };
  const able = { supportedDialogKinds: ['a'], perTaskStopAffordance: true };
  const told = { systemPromptSnapshot: true, sdkMcpServerManifestsOrigin: 'host_per_send' };
  const { code, response } = await initialize({ ...off, ...able, ...told, toolAliases: {}, plugins: [] });
  expect([code, response?.subtype]).toEqual([0, 'success']);
});

test('initialize says which hooks and which handshakes of servers it took', async () => {
  const manifest = { initializeResult: { protocolVersion: '2025-11-25' } };
  const { response } = await initialize({
    hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] },
    sdkMcpServers: ['calc'],
    sdkMcpServerManifests: { calc: manifest },
  });
  expect(response?.response).toMatchObject({
    hooks_applied: true,
    sdk_mcp_manifests_parked: { calc: 'not_honoured' },
    claude_code_version: expect.any(String),
  });
});

test('plugins of initialize are loaded', async () => {
  const at = request([], stream).session.cwd ?? '';
  mkdirSync(join(at, 'plug/commands'), { recursive: true });
  mkdirSync(join(at, 'plug/.claude-plugin'), { recursive: true });
  writeFileSync(join(at, 'plug/.claude-plugin/plugin.json'), '{"name":"plug"}');
  writeFileSync(join(at, 'plug/commands/hello.md'), 'Say hello.');
  const { response } = await initialize({ plugins: [{ type: 'local', path: join(at, 'plug') }] });
  expect(response?.response).toMatchObject({
    plugins_applied: true,
    commands: [{ name: 'plug:hello' }],
  });
});

test('--await-initialize is taken: a session always waits for the first message', () => {
  expect(buildRequest(flags({ ...stream, awaitInitialize: true }), undefined, '/work').ok).toBe(true);
});

test('title names the session', async () => {
  const { wanted, code } = await initialize({ title: 'The red one' }, {}, [user('Hi')]);
  expect(code).toBe(0);
  const { cwd = '', environment = {} } = wanted.session;
  const sessions = await listSessions(lookAround({ cwd, environment }).layout);
  expect(JSON.stringify(sessions)).toContain('The red one');
});

test('planModeInstructions replace the phases of plan mode, and nothing else of it', async () => {
  const fields = { planModeInstructions: 'Interview the user first.' };
  const { wanted } = await initialize(fields, { permissionMode: 'plan' }, [user('Hi')]);
  const sent = JSON.stringify(wanted.model.requests[0]?.messages);
  expect(sent).toContain('Interview the user first.');
  expect(sent).toContain('Only the plan file may be changed now');
  expect(sent).toContain('call ExitPlanMode');
  expect(sent).not.toContain('Work in five phases');
});

test('set_model takes default for the model of the start', async () => {
  const { frames, code } = await initialize({}, {}, [
    control('2', 'set_model', { model: 'default' }),
    user('Hi'),
  ]);
  expect(code).toBe(0);
  expect(frames.find(answersTo('2'))).toMatchObject({ response: { subtype: 'success' } });
  expect(frames.find(({ subtype }) => subtype === 'init')).toMatchObject({ model: 'scripted/model' });
});

test('cancel_async_message takes back a prompt that was not read; get_binary_version and set_has_subscribers are answered', async () => {
  const wire = pipe();
  const wanted = request([hang(say('One'))], stream);
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('One'));
  await wire.frame(({ subtype }) => subtype === 'init');
  wire.write(user('Two', { uuid: 'u2' }));
  wire.write(control('1', 'cancel_async_message', { message_uuid: 'u2' }));
  wire.write(control('2', 'cancel_async_message', { message_uuid: 'u2' }));
  wire.write(control('3', 'cancel_async_message', {}));
  wire.write(control('4', 'get_binary_version'));
  wire.write(control('5', 'set_has_subscribers', { has_subscribers: false }));
  const reply = async (id: string) => (await wire.frame(answersTo(id))).response as Frame;
  expect(await reply('1')).toMatchObject({ response: { cancelled: true } });
  expect(await reply('2')).toMatchObject({ response: { cancelled: false } });
  expect(await reply('3')).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('message_uuid'),
  });
  expect(await reply('4')).toMatchObject({ response: { version: expect.any(String) } });
  expect(await reply('5')).toMatchObject({ subtype: 'success' });
  wire.write(control('6', 'interrupt'));
  wire.end();
  await served;
  expect(wanted.model.requests).toHaveLength(1);
});

test('the usage of a result has every field that the types of hosts declare', async () => {
  const { frames, wanted } = await initialize({}, {}, [user('Hi')]);
  const { usage } = frames.find(isResult) as { usage: object };
  expect(usage).toMatchObject({
    inference_geo: expect.any(String),
    iterations: [],
    output_tokens_details: { thinking_tokens: 0 },
    service_tier: 'standard',
    speed: 'standard',
    fallback_credit: null,
  });
  const { modelUsage } = frames.find(isResult) as { modelUsage: Record<string, object> };
  expect(modelUsage['scripted/model']).toMatchObject({
    contextWindow: wanted.model.facts.window,
    maxOutputTokens: expect.any(Number),
  });
});

test('what is held is a field of the result, and not spent', async () => {
  const cost = (held: number) => ({
    totalMicroUsd: 120_000,
    heldMicroUsd: held,
    rows: [
      {
        agentId: null,
        model: 'a/b',
        usage: noUsage,
        microUsd: 120_000,
        heldMicroUsd: held,
        requests: 1,
        estimated: 1,
      },
    ],
  });
  const outcome = { kind: 'completed', text: '', turns: 1, usage: noUsage } as const;
  expect(new ResultTotals().take(outcome, cost(530_000))).toMatchObject({
    total_cost_usd: 0.12,
    held_cost_usd: 0.53,
    modelUsage: { 'a/b': { costUSD: 0.12, heldCostUSD: 0.53, contextWindow: expect.any(Number) } },
  });
  expect(new ResultTotals().take(outcome, cost(0))).toMatchObject({ total_cost_usd: 0.12, held_cost_usd: 0 });
});

test('what a host asks for by a variable and is not there is refused by name', () => {
  expect(refuseHostEnvironment({ PATH: '/bin' })).toBeUndefined();
  const refused = refuseHostEnvironment({ CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html' });
  expect(refused?.message).toContain('CLAUDE_CODE_QUESTION_PREVIEW_FORMAT=html');
});

test('a host that does not answer questions is asked none', async () => {
  const { io, write, end, frames } = pipe();
  const turns = [call('Bash', { command: 'touch x' }), say('Well.')];
  write(user('Go'));
  end();
  expect(await serveHost(request(turns, stream), io, noInterrupts)).toBe(0);
  expect(frames().filter(({ type }) => type === 'control_request')).toEqual([]);
  expect(frames().find(isResult)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
});
