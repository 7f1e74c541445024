import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
import { fakeServer } from '../mcp/support.ts';
import { cadre, newPlace, start, until } from './support.ts';

const typed = '/mcp__fake__greet Paris New Texas';
const greeted = 'Greet Paris in New Texas.';

function withServer(behaviour: string) {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(
    join(place.home, 'mcp.json'),
    JSON.stringify({ mcpServers: { fake: fakeServer(behaviour) } }),
    { mode: 0o600 },
  );
  return place;
}

test("a server's prompt is a command from its first run on, known or not", async () => {
  const place = withServer('prompting');
  await using provider = await fakeProvider({ script: () => 'Done.' });
  for (let run = 0; run < 2; run++) {
    expect(await cadre(['-p', typed], { place, provider })).toMatchObject({ code: 0, err: '' });
    expect(JSON.stringify(provider.received.at(-1))).toContain(greeted);
  }
});

test('prompts are remembered: listed as commands without a server being started, and told to a host', async () => {
  const place = withServer('prompting');
  expect((await cadre(['commands'], { place })).out).toContain('No commands here');
  expect(await cadre(['mcp', 'test', 'fake'], { place })).toMatchObject({ code: 0 });
  const listed = await cadre(['commands'], { place });
  expect(listed.out).toContain('mcp__fake__greet');
  expect(listed.out).toContain('MCP server fake: <city> [state]');
  expect(JSON.parse((await cadre(['commands', '--json'], { place })).out).prompts).toEqual([
    {
      name: 'mcp__fake__greet',
      description: 'Greets a place.',
      argumentHint: '<city> [state]',
      server: 'fake',
    },
  ]);
  await using provider = await fakeProvider({ script: () => 'Done.' });
  const wire = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const running = start(wire, { place, provider, input: 'pipe' });
  let out = '';
  running.child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  const request = { type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } };
  running.child.stdin?.write(`${JSON.stringify(request)}\n`);
  await until(() => out.includes('\n'));
  expect(JSON.parse(out.split('\n')[0] ?? '').response.response.commands).toEqual([
    { name: 'mcp__fake__greet', description: 'Greets a place.', argumentHint: '<city> [state]' },
  ]);
  const message = { role: 'user', content: typed };
  running.child.stdin?.end(`${JSON.stringify({ type: 'user', message })}\n`);
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(JSON.stringify(provider.received.at(-1))).toContain(greeted);
});

test('a command of a server that cannot start is sent as text, and it is said why', async () => {
  const place = withServer('crashing');
  await using provider = await fakeProvider({ script: () => 'Done.' });
  const { code, err } = await cadre(['-p', typed], { place, provider });
  expect(code).toBe(0);
  expect(err).toContain('no such thing as a server');
  expect(JSON.stringify(provider.received.at(-1))).toContain(typed);
});
