import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { call, expecting, say } from '../../src/testing/index.ts';
import { fakeServer, realServer, withRealServers } from '../mcp/support.ts';
import { temporaryDirectory } from '../support/index.ts';
import { control, noInterrupts, type Pipe, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const answersTo = (id: string) => (frame: Record<string, unknown>) =>
  frame.type === 'control_response' && (frame.response as { request_id: string }).request_id === id;
const isResult = (frame: Record<string, unknown>) => frame.type === 'result';
const patient = '{"mcp":{"startupWaitMs":20000}}';

interface Request {
  request_id: string;
  request: {
    subtype: string;
    server_name: string;
    message: { id?: number; method: string; params?: { arguments?: object } };
  };
}

/** A server inside the host: answers what it is asked over the wire, as the SDK does. */
function hostServer({ frame, write }: Pipe, results: Record<string, (params: never) => object>) {
  const done = new Set<string>();
  const asked: string[] = [];
  void (async () => {
    for (;;) {
      const found = (await frame(
        (one) =>
          one.type === 'control_request' &&
          !done.has(one.request_id as string) &&
          (one.request as { subtype: string }).subtype === 'mcp_message',
      )) as unknown as Request;
      done.add(found.request_id);
      const { id, method, params } = found.request.message;
      asked.push(`${found.request.server_name} ${method}`);
      const mcp_response = { jsonrpc: '2.0', id: id ?? 0, result: results[method]?.(params as never) ?? {} };
      const response = { subtype: 'success', request_id: found.request_id, response: { mcp_response } };
      write({ type: 'control_response', response });
    }
  })();
  return asked;
}

const calculator = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'c', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { a, b } }: { arguments: { a: number; b: number } }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }),
};

test("the host's own MCP servers are spoken to over the wire, and their tools are there", async () => {
  const wire = pipe();
  const wanted = request(
    [call('mcp__calc__add', { a: 2, b: 3 }), expecting({ toolResult: '5' }, say('Five.'))],
    { ...stream, session: { allowedTools: ['mcp__calc'], settings: patient } },
  );
  const served = serveHost(wanted, wire.io, noInterrupts);
  const asked = hostServer(wire, calculator);
  wire.write(control('1', 'initialize', { sdkMcpServers: ['calc'] }));
  wire.write(user('Add'));
  expect(await wire.frame(isResult)).toMatchObject({ result: 'Five.' });
  const init = await wire.frame((frame) => frame.subtype === 'init');
  expect(init).toMatchObject({ mcp_servers: [{ name: 'calc', status: 'connected' }] });
  expect(init.tools).toContain('mcp__calc__add');
  expect(asked).toContain('calc tools/call');
  wire.end();
  expect(await served).toBe(0);
});

test('what an MCP server asks comes to the host, also where it answers no questions about calls', async () => {
  const wire = pipe();
  const wanted = request([call('mcp__q__ask', {}), expecting({ toolResult: 'accept' }, say('Done.'))], {
    ...stream,
    session: { allowedTools: ['mcp__q'], settings: patient, mcpServers: { q: fakeServer('asking') } },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('Go'));
  const asked = await wire.frame(({ type }) => type === 'control_request');
  expect(asked.request).toMatchObject({ subtype: 'elicitation', message: 'Who are you?' });
  const response = { action: 'accept', content: { name: 'Ada' } };
  wire.write({
    type: 'control_response',
    response: { subtype: 'success', request_id: asked.request_id, response },
  });
  await wire.frame(isResult);
  wire.end();
  expect(await served).toBe(0);
});

test('mcp_status, mcp_set_servers, mcp_toggle and mcp_reconnect say and do what a host expects', async () => {
  const wire = pipe();
  const wanted = request(
    [
      say('One.'),
      call('mcp__late__say', { text: 'x' }),
      expecting({ toolResult: 'x' }, say('Two.')),
      say('Three.'),
    ],
    { ...stream, session: { allowedTools: ['mcp__late'], settings: patient } },
  );
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('One'));
  await wire.frame(isResult);
  wire.write(control('1', 'mcp_status'));
  expect(await wire.frame(answersTo('1'))).toMatchObject({ response: { response: { mcpServers: [] } } });
  wire.write(
    control('2', 'mcp_set_servers', { servers: { late: fakeServer('plain'), bad: { type: 'what' } } }),
  );
  expect(await wire.frame(answersTo('2'))).toMatchObject({
    response: {
      response: { added: ['late'], removed: [], errors: { bad: expect.stringContaining('expected stdio') } },
    },
  });
  wire.write(user('Two'));
  await wire.frame((frame) => isResult(frame) && frame.result === 'Two.');
  wire.write(control('3', 'mcp_status'));
  expect(await wire.frame(answersTo('3'))).toMatchObject({
    response: {
      response: { mcpServers: [{ name: 'late', status: 'connected', serverInfo: { name: 'fake' } }] },
    },
  });
  wire.write(control('4', 'mcp_reconnect', { serverName: 'late' }));
  expect(await wire.frame(answersTo('4'))).toMatchObject({ response: { subtype: 'success' } });
  wire.write(control('5', 'mcp_toggle', { serverName: 'late', enabled: false }));
  expect(await wire.frame(answersTo('5'))).toMatchObject({ response: { subtype: 'success' } });
  wire.write(control('6', 'mcp_reconnect', { serverName: 'nobody' }));
  expect(await wire.frame(answersTo('6'))).toMatchObject({
    response: { subtype: 'error', error: 'There is no MCP server nobody; available: late.' },
  });
  wire.write(user('Three'));
  await wire.frame((frame) => isResult(frame) && frame.result === 'Three.');
  expect(wanted.model.requests.at(-1)?.tools.map((tool) => tool.name)).not.toContain('mcp__late__say');
  wire.end();
  expect(await served).toBe(0);
});

withRealServers('a server that asks the user for something asks the host', async () => {
  const wire = pipe();
  const wanted = request([call('mcp__everything__trigger-elicitation-request', {}), say('Done.')], {
    ...stream,
    hostAnswers: true,
    session: {
      allowedTools: ['mcp__everything'],
      settings: patient,
      mcpServers: { everything: realServer('everything') },
    },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('Ask'));
  const asked = await wire.frame((frame) => frame.type === 'control_request');
  expect(asked.request).toMatchObject({
    subtype: 'elicitation',
    mcp_server_name: 'everything',
    mode: 'form',
  });
  const content = { name: 'Ada', check: true };
  const response = {
    subtype: 'success',
    request_id: asked.request_id,
    response: { action: 'accept', content },
  };
  wire.write({ type: 'control_response', response });
  await wire.frame(isResult);
  expect(JSON.stringify(wanted.model.requests.at(-1)?.messages)).toContain('Ada');
  wire.end();
  await served;
});

test('a server that cannot start is no reason not to answer, and its status says why', async () => {
  const wire = pipe();
  const wanted = request([say('Hi.')], {
    ...stream,
    session: { mcpConfig: ['{"mcpServers":{"x":{"command":"/no/such"}}}'] },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('Hi'));
  expect(await wire.frame(isResult)).toMatchObject({ result: 'Hi.' });
  wire.write(control('1', 'mcp_status'));
  expect(await wire.frame(answersTo('1'))).toMatchObject({
    response: {
      response: { mcpServers: [{ name: 'x', status: 'failed', error: 'Program not found: /no/such.' }] },
    },
  });
  wire.end();
  expect(await served).toBe(0);
});

const asking = (file = '') => JSON.stringify({ mcpServers: { fake: fakeServer('asking', file) } });

test('servers of initialize are started as those of the command line are, and the answer says so', async () => {
  const { io, write, end, frame, frames } = pipe();
  const served = serveHost(
    request([], { inputFormat: 'stream-json', outputFormat: 'stream-json' }),
    io,
    noInterrupts,
  );
  write(control('1', 'initialize', { mcpServers: { x: { command: '/no/such' }, y: 5 } }));
  await frame((one) => one.type === 'control_response');
  write(control('2', 'mcp_status'));
  end();
  expect(await served).toBe(0);
  const [opened, status] = frames().filter((one) => one.type === 'control_response');
  expect(opened).toMatchObject({ response: { response: { mcp_servers_applied: true } } });
  expect(status).toMatchObject({ response: { response: { mcpServers: [{ name: 'x', scope: 'flag' }] } } });
});

test("progress of a server's tool reaches the host", async () => {
  const wire = pipe();
  const wanted = request([call('mcp__fake__steps', {}), say('Done.')], {
    ...stream,
    session: { allowedTools: ['mcp__fake'], settings: patient, mcpConfig: [asking()] },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('Go'));
  expect(await wire.frame((frame) => frame.type === 'tool_progress')).toMatchObject({
    tool_name: 'mcp__fake__steps',
    parent_tool_use_id: null,
    elapsed_time_seconds: expect.any(Number),
    progress: '1/2 half of it',
    uuid: expect.any(String),
  });
  await wire.frame(isResult);
  wire.end();
  expect(await served).toBe(0);
});

test.each([
  ['cancel', 'interrupted'],
  ['decline', 'completed'],
])("a host's %s of a server's question reaches the server, and the turn is %s", async (action, outcome) => {
  const file = join(temporaryDirectory().path, 'actions');
  const wire = pipe();
  const wanted = request([call('mcp__fake__ask', {}), say('Well.')], {
    ...{ ...stream, hostAnswers: true },
    session: { allowedTools: ['mcp__fake'], settings: patient, mcpConfig: [asking(file)] },
  });
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('Go'));
  const asked = await wire.frame(
    (frame) => (frame.request as { subtype?: string } | undefined)?.subtype === 'elicitation',
  );
  const response = { subtype: 'success', request_id: asked.request_id, response: { action } };
  wire.write({ type: 'control_response', response });
  expect(await wire.frame(isResult)).toMatchObject({ outcome });
  wire.end();
  await served;
  expect(readFileSync(file, 'utf8')).toContain(`${action}\n`);
});
