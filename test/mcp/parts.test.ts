import { describe, expect, test } from 'bun:test';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { hashDefinition, readDefinition, type ToolDefinition } from '../../src/mcp/definition.ts';
import { checkAgainst } from '../../src/mcp/json-validator.ts';
import { openPins } from '../../src/mcp/pins.ts';
import { toToolResult } from '../../src/mcp/results.ts';
import { nameTools, plainServer } from '../../src/mcp/tool-names.ts';
import { bounded, unlimited } from '../../src/mcp/transport/bounded-fetch.ts';
import { MessageLines } from '../../src/mcp/transport/message-lines.ts';
import { temporaryDirectory } from '../support/index.ts';
import { configOf } from './support.ts';

describe('lines of messages', () => {
  function cut(pieces: (string | Uint8Array)[], largest = 100) {
    const lines: string[] = [];
    const dropped: [number, number | undefined][] = [];
    const reader = new MessageLines(
      { line: (text) => lines.push(text), dropped: (...one) => dropped.push(one) },
      largest,
    );
    for (const piece of pieces) reader.add(Buffer.from(piece));
    return { lines, dropped };
  }

  test('come whole, however they are cut, also within a character', () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n{"b":1}\n');
    for (let at = 1; at < bytes.length; at++)
      expect(cut([bytes.subarray(0, at), bytes.subarray(at)]).lines).toEqual(['{"a":"ü"}', '{"b":1}']);
  });

  test('that are too long are dropped, with the call they answer, and the next one comes', () => {
    const long = 'x'.repeat(200);
    expect(cut([`{"jsonrpc":"2.0","id":7,"result":"${long}`, `${long}"}\n{"b":1}\n`])).toEqual({
      lines: ['{"b":1}'],
      dropped: [[436, 7]],
    });
    expect(cut([`{"result":"${long}","jsonrpc":"2.0","id":8}\n`]).dropped[0]?.[1]).toBe(8);
    expect(cut([`${long}\n`]).dropped[0]?.[1]).toBeUndefined();
  });
});

describe('names of tools', () => {
  test('hold only what providers take, and no more than they take', () => {
    const names = nameTools('s', ['a b', 'ü', 'x'.repeat(100), 'fine']);
    for (const name of names.values()) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(names.get('fine')).toBe('mcp__s__fine');
  });

  test('of two that would become one both are told apart', () => {
    const names = nameTools('s', ['a b', 'a_b']);
    expect(new Set(names.values()).size).toBe(2);
  });

  test('a rule for one server can never mean another', () => {
    expect(plainServer('a__b', new Set())).toBe('a_b');
    expect(plainServer('a_', new Set())).toBe('a');
    expect(plainServer('a b', new Set(['a_b']))).toMatch(/^a_b-[0-9a-f]{6}$/);
    expect(plainServer('é', new Set())).not.toBe('');
  });
});

describe('definitions of tools', () => {
  const tool = { name: 't', description: 'does', inputSchema: { type: 'object', properties: {} } };

  test('are bounded, and nothing in them is invisible', () => {
    const read = readDefinition({
      ...tool,
      description: `a\u202eb\u001b[31m${'x'.repeat(10_000)}`,
    }) as ToolDefinition;
    expect(read.description.startsWith('a\\u202eb\\x1b[31m')).toBe(true);
    expect(read.description.length).toBeLessThanOrEqual(2_000);
    expect(readDefinition({ ...tool, inputSchema: { x: 'y'.repeat(200_000) } })).toContain('larger than');
    expect(readDefinition({ description: 'x' })).toContain('without a name');
  });

  test('the order of keys is no change; every word that a model reads is one, and so is a claim to be harmless', () => {
    const hash = (more: object) => hashDefinition(readDefinition({ ...tool, ...more }) as ToolDefinition);
    const same = hash({ inputSchema: { properties: {}, type: 'object' } });
    expect(hash({})).toBe(same);
    const changes = [
      { description: 'does more' },
      { inputSchema: { type: 'object', properties: { a: { description: 'x' } } } },
      { annotations: { readOnlyHint: true } },
      { _meta: { 'anthropic/requiresUserInteraction': true } },
    ];
    expect(new Set([same, ...changes.map(hash)]).size).toBe(5);
  });

  test('a schema that is nested too deep, or that hides something in a name, costs the tool', () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level++) deep = { properties: { a: deep } };
    expect(readDefinition({ ...tool, inputSchema: deep })).toContain(
      't: its input schema is nested more than 64',
    );
    const hidden = { type: 'object', properties: { 'path\u200b\u{e0041}': { type: 'string' } } };
    expect(readDefinition({ ...tool, inputSchema: hidden })).toContain('invisible characters: path\\u200b');
  });

  test('patterns of a schema are never run', () => {
    const check = checkAgainst({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    expect(check({ a: `${'a'.repeat(40)}!` })).toEqual([]);
    expect(check({ a: 1 })).toHaveLength(1);
  });
});

describe('approved tools', () => {
  const definition = readDefinition({ name: 't', description: 'd', inputSchema: {} }) as ToolDefinition;
  const server = configOf('s', { command: 'x', args: [] });

  test('are kept for their owner alone, and known again with their text', async () => {
    const home = join(temporaryDirectory().path, 'home');
    expect(openPins(home, systemClock).known(server)).toBeUndefined();
    expect(await openPins(home, systemClock).approve(server, [definition], true)).toMatchObject({ ok: true });
    expect(openPins(home, systemClock).known(server)).toMatchObject({
      tools: [definition],
      hasResources: true,
    });
    expect(statSync(join(home, 'mcp-pins.json')).mode & 0o777).toBe(0o600);
    expect(openPins(home, systemClock).known(configOf('s', { command: 'y', args: [] }))).toBeUndefined();
  });

  test('a text that somebody put in the place of the approved one is not believed', async () => {
    const home = join(temporaryDirectory().path, 'home');
    const pins = openPins(home, systemClock);
    await pins.approve(server, [definition], false);
    const folder = join(home, 'mcp-tools');
    const file = join(folder, (await Array.fromAsync(new Bun.Glob('*.json').scan(folder)))[0] ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"d"', '"evil"'));
    expect(pins.known(server)?.tools).toEqual([]);
    expect(pins.known(server)?.pins.size).toBe(1);
  });

  test('a file that others can write, or that is damaged, approves nothing', async () => {
    const home = join(temporaryDirectory().path, 'home');
    const pins = openPins(home, systemClock);
    await pins.approve(server, [definition], false);
    const file = join(home, 'mcp-pins.json');
    chmodSync(file, 0o620);
    expect(pins.known(server)).toMatchObject({
      tools: [],
      doubt: expect.stringContaining('other users can write'),
    });
    chmodSync(file, 0o600);
    for (const text of ['{"format":1,', '[]', '{"format":1,"servers":{"a":{"tools":1}}}']) {
      writeFileSync(file, text);
      expect(pins.known(server)?.doubt).toContain(`${file} cannot be used`);
      expect(await pins.approve(server, [definition], false)).toMatchObject({ ok: false });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('results', () => {
  const { path } = temporaryDirectory();
  const keeping = { toolUseId: 't', outputs: { pathFor: (name: string) => join(path, name) } };

  test('text and images are for the model, other data becomes a file that is named', () => {
    const result = toToolResult(
      {
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'a://b', text: 'inside' } },
          { type: 'resource_link', uri: 'a://c', name: 'c' },
          { type: 'image', data: 'not base64!', mimeType: 'image/png' },
          { type: 'hologram' },
        ],
      },
      keeping,
    );
    expect(result.isError).toBe(false);
    expect(result.content.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual([
      'hello',
      'image',
      `[3 bytes of audio/wav: ${join(path, 't-2.bin')}]`,
      '[resource a://b]\ninside',
      '[resource a://c (c)]',
      '[data that is not base64 was omitted]',
      '[a part of unknown type: hologram]',
    ]);
  });

  // Where the time grew with the square, this would take minutes.
  test('data that is mostly blanks takes no longer than other data', () => {
    const data = `${' '.repeat(1_000_000)}!`;
    const result = toToolResult({ content: [{ type: 'image', data, mimeType: 'image/png' }] }, keeping);
    expect(result.content).toEqual([{ type: 'text', text: '[data that is not base64 was omitted]' }]);
  });

  test('structured content stands in for a text that is missing; nonsense is no crash', () => {
    expect(toToolResult({ structuredContent: { a: 1 } }, keeping)).toMatchObject({
      content: [{ type: 'text', text: '{"a":1}' }],
      data: { structuredContent: { a: 1 } },
    });
    expect(toToolResult({ isError: true, content: 'x' }, keeping).isError).toBe(true);
    expect(toToolResult(null, keeping).content).toHaveLength(1);
  });
});

describe('answers over HTTP', () => {
  test('a body that is too large is cut off; a long stream of small events is not', async () => {
    const large = bounded(new Response('x'.repeat(100)), unlimited, 50);
    expect(large.text()).rejects.toThrow('more than 50 bytes');
    const headers = { 'content-type': 'text/event-stream' };
    const events = 'data: 1\n\n'.repeat(100);
    expect(await bounded(new Response(events, { headers }), unlimited, 50).text()).toBe(events);
  });

  test.each<[given: object, passed: object]>([
    [
      { id: 1, result: {} },
      { id: 1, result: {} },
    ],
    [
      { id: 1, result: 5 },
      { id: 1, error: { code: -32000, message: expect.stringContaining('found the number 5') } },
    ],
    [
      { id: 1, result: { content: [{ type: 'hologram' }, { type: 'text', text: 'kept' }] } },
      {
        result: { content: [{ type: 'text', text: '[a part of unknown type: hologram]' }, { text: 'kept' }] },
      },
    ],
  ])('a body of one message is repaired like an event: %j', async (given, passed) => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...given });
    const read = await bounded(new Response(body, { headers }), unlimited).json();
    expect(read).toMatchObject(passed);
    const other = '{"access_token": "x",\n "result": 5}';
    expect(await bounded(new Response(other, { headers }), unlimited).text()).toBe(other);
  });
});
