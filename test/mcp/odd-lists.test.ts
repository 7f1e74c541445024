import { expect, test } from 'bun:test';
import { checkAgainst } from '../../src/mcp/json-validator.ts';
import { until } from '../support/index.ts';
import { callTool, configOf, fakeServer, openPool } from './support.ts';

test('a malformed tool costs itself, not the others, and the user gets a notice about each', async () => {
  const { pool, notices } = openPool([configOf('fake', fakeServer('malformed'))]);
  pool.start();
  await pool.settle(20_000);
  expect(pool.tools().map(({ name }) => name)).toEqual(['mcp__fake__described', 'mcp__fake__good']);
  expect(notices).toEqual([
    'MCP server fake: a tool is ignored: bad: its input schema is not an object',
    'MCP server fake: a tool is ignored: a tool without a name',
    'MCP server fake: a tool is ignored: a tool without a name',
  ]);
  await pool.close();
});

test.each([
  ['unlisted', 'Invalid result for tools/list: tools: expected array, received string'],
  ['unwilling', 'Go away.'],
])('a server whose list fails is named to the user: %s', async (behaviour, reason) => {
  const { pool, notices } = openPool([configOf('fake', fakeServer(behaviour))]);
  pool.start();
  await pool.settle(20_000);
  expect(notices).toEqual([`MCP server fake is not available. Its tools could not be listed: ${reason}`]);
  await pool.close();
});

test('an answer of another form ends the call at once, with what is wrong with it', async () => {
  const { pool } = openPool([configOf('fake', fakeServer('misshapen'))]);
  pool.start();
  await pool.settle(20_000);
  const said = async (name: string) => JSON.stringify((await callTool(pool, `mcp__fake__${name}`)).content);
  expect(await said('number')).toContain('result: expected an object, found the number 5');
  expect(await said('nothing')).toContain('result: expected an object, found nothing');
  expect(await said('word')).toContain('error: expected a code and a message');
  expect(await said('uncoded')).toContain('Not now.');
  await pool.close();
});

test('a malformed part of a result costs itself: the rest of what the tool said is kept', async () => {
  const { pool } = openPool([configOf('fake', fakeServer('misshapen'))]);
  pool.start();
  await pool.settle(20_000);
  const { content, isError } = await callTool(pool, 'mcp__fake__parts');
  const said = content.map((part) => (part.type === 'text' ? part.text : part.type));
  expect([isError, said]).toEqual([
    false,
    [
      '[a part that is no object was left out]',
      '[a part of unknown type: hologram]',
      '[a part of type text was left out: it has no text]',
      '[a part of type image was left out: its data is not base64]',
      '[a part of type audio was left out: it has no mimeType]',
      '[a part of type resource was left out: its resource has neither text nor data in base64]',
      '[a part of type resource_link was left out: it has no uri or no name]',
      'It was done.',
    ],
  ]);
  expect(JSON.stringify((await callTool(pool, 'mcp__fake__said')).content)).toContain('It was said.');
  await pool.close();
});

test('tools that a server adds while it runs are used after approval, and the lead is shown them', async () => {
  let changes = 0;
  const { pool, notices } = openPool([configOf('fake', fakeServer('growing'))], {
    approve: async () => true,
    chosen: () => {
      changes++;
    },
  });
  pool.start();
  await pool.settle(20_000);
  await callTool(pool, 'mcp__fake__grow', {});
  await until(() => pool.tools().length === 2 && notices.length > 0);
  expect(pool.tools().map(({ name }) => name)).toEqual(['mcp__fake__grow', 'mcp__fake__later']);
  expect([changes, notices]).toEqual([1, ['MCP server fake: new tools: later.']]);
  await pool.close();
});

test('a property that is required and has a default may be left to the server', () => {
  const schema = {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'number', default: 10 } },
    required: ['query', 'limit'],
  };
  const check = checkAgainst(schema);
  expect(check({ query: 'a' })).toEqual([]);
  expect(check({ limit: 1 })).toHaveLength(1);
  expect(check({ query: 'a', limit: 'x' })).toHaveLength(1);
});
