import { expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readServer } from '../../src/mcp/config.ts';
import { openPool } from './support.ts';

/** The headers of the first request that a server with this helper gets, and how its connection stands then. */
async function askedWith(headersHelper: string) {
  const seen: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const entry = {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { 'x-written': 'here', 'x-both': 'written' },
    headersHelper,
  };
  const read = readServer('docs', entry, { scope: 'user', source: 'test', environment: {} });
  if (!read.ok) throw new Error(read.problem.expected);
  const { pool, alive } = openPool([read.value]);
  pool.start();
  await pool.settle(20_000);
  const [status] = pool.status();
  await pool.close();
  server.close();
  return { headers: seen[0], status, alive: alive() };
}

test('a helper of the user makes headers for a connection; it goes before what is written', async () => {
  const { headers, alive } = await askedWith(
    `echo "{\\"authorization\\": \\"Bearer $CLAUDE_CODE_MCP_SERVER_NAME\\", \\"x-both\\": \\"made\\", \\"x-key\\": \\"<$SECRET_TOKEN>\\"}"`,
  );
  expect(headers).toMatchObject({
    authorization: 'Bearer docs',
    'x-written': 'here',
    'x-both': 'made',
    'x-key': '<>',
  });
  expect(alive).toEqual([]);
});

test.each([
  ['exit 3', 'ended with 3'],
  ['echo nothing', 'expected JSON'],
  [`echo '["a"]'`, 'expected one JSON object of strings'],
  [`printf '{"a": "b\\\\r\\\\nc: d"}'`, 'a is not a valid header'],
  ['yes', 'more than 65536 bytes'],
])('a helper that does %j costs its server, with a reason, and nothing is asked', async (helper, reason) => {
  const { headers, status, alive } = await askedWith(helper);
  expect(headers).toBeUndefined();
  expect(JSON.stringify(status)).toContain(reason);
  expect(alive).toEqual([]);
});

test('a helper that is no command is a fault of the entry', () => {
  const origin = { scope: 'user', source: 'test', environment: {} } as const;
  for (const headersHelper of ['', 7, ['x']])
    expect(readServer('x', { url: 'http://h', headersHelper }, origin)).toMatchObject({
      problem: { field: 'headersHelper' },
    });
});
