import { expect, test } from 'bun:test';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { call, expecting, say, type Turn } from '../../src/testing/index.ts';
import { control, noInterrupts, type Pipe, pipe, request, user } from './support.ts';

type Frame = Record<string, unknown>;
const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const isResult = ({ type }: Frame) => type === 'result';
const asks = ({ type, request: asked }: Frame) =>
  type === 'control_request' && (asked as { subtype: string }).subtype === 'can_use_tool';

interface Message {
  id?: number;
  method: string;
  params?: { _meta?: { progressToken?: unknown } };
}

/** A server inside the host. It answers a call of `stay` never. */
function serve(wire: Pipe, called: (message: Message) => void = () => {}): void {
  const done = new Set<unknown>();
  const tools = ['add', 'stay'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'c', version: '1' },
    },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'added' }] },
  };
  void (async () => {
    for (;;) {
      const found = await wire.frame(
        ({ type, request_id, request: asked }) =>
          type === 'control_request' &&
          !done.has(request_id) &&
          (asked as { subtype: string }).subtype === 'mcp_message',
      );
      done.add(found.request_id);
      const { message } = found.request as { message: Message };
      if (message.method === 'tools/call') called(message);
      if (JSON.stringify(message).includes('"stay"')) continue;
      const mcp_response = { jsonrpc: '2.0', id: message.id ?? 0, result: results[message.method] ?? {} };
      const response = { subtype: 'success', request_id: found.request_id, response: { mcp_response } };
      wire.write({ type: 'control_response', response });
    }
  })();
}

const policy = (permission_policy: string) => ({ tools: [{ name: 'add', permission_policy }] });

function open(turns: Turn[], config: object, session: object = {}) {
  const wire = pipe();
  const wanted = request(turns, {
    ...stream,
    hostAnswers: true,
    session: { allowedTools: ['mcp__calc'], settings: '{"mcp":{"startupWaitMs":20000}}', ...session },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  const calls: Message[] = [];
  serve(wire, (message) => calls.push(message));
  wire.write(control('1', 'initialize', { sdkMcpServers: ['calc'], sdkMcpServerConfigs: { calc: config } }));
  wire.write(user('Add'));
  return { wire, wanted, served, calls };
}

async function end({ wire, wanted, served }: ReturnType<typeof open>): Promise<void> {
  await wire.frame(isResult);
  wire.end();
  expect(await served).toBe(0);
  wanted.model.assertConsumed();
}

test('always_deny of an in-process server holds, whatever rule or mode allows the tool', async () => {
  for (const session of [{}, { permissionMode: 'bypassPermissions' }]) {
    const turns = [call('mcp__calc__add', {}), expecting({ toolResult: 'always_deny' }, say('No.'))];
    const opened = open(turns, policy('always_deny'), session);
    await end(opened);
    expect(opened.calls).toHaveLength(0);
  }
});

test('always_ask of an in-process server asks the host, whatever rule or mode allows the tool', async () => {
  for (const session of [{}, { permissionMode: 'bypassPermissions' }]) {
    const turns = [call('mcp__calc__add', {}), expecting({ toolResult: 'added' }, say('Yes.'))];
    const opened = open(turns, policy('always_ask'), session);
    const asked = await opened.wire.frame(asks);
    expect(asked.request).toMatchObject({ tool_name: 'mcp__calc__add', suppress_always_allow_rule: true });
    const response = { behavior: 'allow', updatedInput: {} };
    opened.wire.write({
      type: 'control_response',
      response: { subtype: 'success', request_id: asked.request_id, response },
    });
    await end(opened);
    expect(opened.calls).toHaveLength(1);
  }
});

test('always_ask is a denial in mode dontAsk, and a policy that is not known asks', async () => {
  for (const word of ['always_ask', 'always_wonder']) {
    const turns = [call('mcp__calc__add', {}), expecting({ toolResult: 'dontAsk' }, say('No.'))];
    const opened = open(turns, policy(word), { permissionMode: 'dontAsk' });
    await end(opened);
    expect(opened.calls).toHaveLength(0);
  }
});

test('always_allow grants nothing', async () => {
  const turns = [call('mcp__calc__add', {}), expecting({ toolResult: 'dontAsk' }, say('No.'))];
  const opened = open(turns, policy('always_allow'), { permissionMode: 'dontAsk', allowedTools: [] });
  await end(opened);
  expect(opened.calls).toHaveLength(0);
});

test('timeout of an in-process server ends a call, and progress does not extend it', async () => {
  const clock = manualClock();
  const turns = [call('mcp__calc__stay', {}), expecting({ toolResult: '5 s' }, say('Late.'))];
  const opened = open(turns, { timeout: 5000 }, { clock });
  const { wire, calls } = opened;
  while (calls.length === 0) await wire.frame(({ type }) => type === 'control_request').then(tick);
  clock.advance(3000);
  const progressToken = calls[0]?.params?._meta?.progressToken;
  const message = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: 1 },
  };
  wire.write(control('2', 'mcp_message', { server_name: 'calc', message }));
  await wire.frame((frame) => frame.type === 'tool_progress');
  clock.advance(2100);
  await end(opened);
});

test('timeout below a second is left out, as hosts are told', async () => {
  const turns = [call('mcp__calc__add', {}), expecting({ toolResult: 'added' }, say('Fine.'))];
  await end(open(turns, { timeout: 5 }));
});

test('mcp_set_servers replaces the servers of initialize, policies included', async () => {
  const turns = [
    ...[call('mcp__calc__add', {}), expecting({ toolResult: 'always_deny' }, say('No.'))],
    ...[call('mcp__calc__add', {}), expecting({ toolResult: 'added' }, say('Yes.'))],
  ];
  const opened = open(turns, policy('always_deny'));
  const { wire } = opened;
  await wire.frame((frame) => frame.result === 'No.');
  wire.write(control('2', 'mcp_set_servers', { servers: { calc: { type: 'sdk', name: 'calc' } } }));
  const isAnswer = ({ type, response }: Frame) =>
    type === 'control_response' && (response as { request_id: string }).request_id === '2';
  expect(await wire.frame(isAnswer)).toMatchObject({
    response: { response: { added: ['calc'], removed: ['calc'], errors: {} } },
  });
  wire.write(user('Again'));
  await wire.frame((frame) => frame.result === 'Yes.');
  await end(opened);
});

async function tick(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
