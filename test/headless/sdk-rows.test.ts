import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SdkRow, sdkRows } from '../../scripts/sdk/rows.data.ts';
import { readGivenAgents } from '../../src/agents/definitions/given-agents.ts';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
type Frame = Record<string, unknown>;
const isResult = ({ type }: Frame) => type === 'result';
const tests = join(import.meta.dirname, '..');

const refusedRows = (area: keyof typeof sdkRows) =>
  Object.entries<SdkRow>(sdkRows[area]).flatMap(([name, [state]]) => (state === 'refused' ? [name] : []));

test('every row about the agent SDK names a test that exists', () => {
  const files = ['compat', 'headless'].flatMap((room) =>
    readdirSync(join(tests, room)).map((name) => join(tests, room, name)),
  );
  const text = files
    .filter((file) => /\.(?:compat|test)\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const named = Object.values(sdkRows).flatMap((rows) =>
    Object.values<SdkRow>(rows).map(([, , title]) => title),
  );
  expect(
    [...new Set(named)].filter((title) => ![`'${title}'`, `"${title}"`].some((one) => text.includes(one))),
  ).toEqual([]);
});

test('every row is one line and says what is missing where something is', () => {
  const odd = Object.values(sdkRows).flatMap((rows) =>
    Object.entries<SdkRow>(rows).filter(
      ([, [state, about]]) => about.includes('\n') || (state === 'in part' && about === ''),
    ),
  );
  expect(odd).toEqual([]);
});

async function serve(lines: object[]) {
  const wire = pipe();
  const wanted = request([say('Fine.')], stream);
  for (const line of lines) wire.write(line);
  wire.end();
  const code = await serveHost(wanted, wire.io, noInterrupts);
  return { code, frames: wire.frames(), err: wire.err(), results: wire.frames().filter(isResult) };
}

test.each(refusedRows('requests'))(
  'a request that is not there is refused by name, and the session continues: %s',
  async (subtype) => {
    const { frames, results } = await serve([control('1', subtype), user('Go')]);
    const answer = frames.find(({ type }) => type === 'control_response');
    expect(answer?.response).toMatchObject({ subtype: 'error', error_code: 'unsupported_request' });
    expect(answer?.response).toMatchObject({ error: expect.stringContaining(subtype) });
    expect(results[0]).toMatchObject({ result: 'Fine.' });
  },
);

test.each(refusedRows('blocks'))('a block that is refused in the table is refused: %s', async (row) => {
  const [type = '', source] = row.split(' ');
  const block = { type, ...(source ? { source: { type: source, file_id: 'f' } } : {}) };
  const { results } = await serve([
    { type: 'user', message: { role: 'user', content: [block] } },
    user('Go'),
  ]);
  expect(results[0]).toMatchObject({ is_error: true, errors: [expect.stringContaining(`"${type}"`)] });
  expect(results[1]).toMatchObject({ result: 'Fine.' });
});

test.each(refusedRows('initialize'))(
  'a field of initialize that is refused in the table is refused: %s',
  async (name) => {
    const { code, err } = await serve([control('1', 'initialize', { [name]: true })]);
    expect(code).toBe(2);
    expect(err).toContain(`"${name}"`);
  },
);

test.each(refusedRows('prompt'))(
  'a field of a prompt that is refused in the table is refused: %s',
  async (name) => {
    const { results } = await serve([user('Go', { [name]: 'x' })]);
    expect(results[0]).toMatchObject({ errors: [expect.stringContaining(name)] });
  },
);

test('agents: every other field of a definition is read', () => {
  const fields = {
    mcpServers: ['files'],
    skills: ['pdf'],
    initialPrompt: 'Begin.',
    autoCompactWindow: 50_000,
    maxTurns: 2,
    background: true,
    omitClaudeMd: true,
    memory: 'user',
    effort: 'high',
    permissionMode: 'plan',
  };
  const given = { poet: { description: 'd', prompt: 'p', ...fields } };
  const { definitions, broken } = readGivenAgents(given, { source: 'library', file: 'agents' });
  expect(broken).toEqual([]);
  const { omitClaudeMd, mcpServers, ...same } = fields;
  expect(definitions[0]).toMatchObject({ ...same, omitProjectMemory: omitClaudeMd, notes: [] });
  expect(definitions[0]?.mcpServers).toMatchObject(mcpServers.map((name) => ({ name })));
});
