/** Methods of the official agent SDK, one by one, and whether all that it declares has a row in our table. */
import { expect, test } from 'bun:test';
import { z } from 'zod';
import { type SdkRow, sdkRows } from '../../scripts/sdk/rows.data.ts';
import { walkSdk } from '../../scripts/sdk/walk.ts';
import { call, fakeProvider, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { newPlace } from '../cli/support.ts';
import { fakeServer } from '../mcp/support.ts';
import {
  type AgentSdk,
  collect,
  isResult,
  optionsFor,
  prompt,
  type SdkMessage,
  type SdkOptions,
  type SdkPrompt,
  type SdkQuery,
  sdkModule,
} from './support.ts';

const sdk: AgentSdk = await import(sdkModule);
const { query, createSdkMcpServer, tool } = sdk;
const declared = await walkSdk(sdkModule);

test.each(Object.keys(sdkRows))('everything that the installed SDK declares has a row: %s', (area) => {
  const rows = Object.keys(sdkRows[area as keyof typeof sdkRows]);
  expect((declared[area] ?? []).filter((name) => !rows.includes(name))).toEqual([]);
  expect(rows.filter((name) => !declared[area]?.includes(name))).toEqual([]);
});

/** Functions of the package that the types of these tests do not know. */
type Other = (...given: unknown[]) => Promise<unknown>;
const others = sdk as unknown as Record<string, Other | undefined>;

test('startup() starts the program before the prompt is known, and prewarm() is refused by name', async () => {
  await using provider = await fakeProvider({ script: [say('Ready.')] });
  const options = optionsFor(newPlace(), provider);
  const started = (await others.startup?.({ options })) as { query(prompt: string): SdkQuery };
  const messages = await collect(started.query('Go'));
  expect(messages.find(isResult)?.result).toBe('Ready.');
  expect(others.prewarm?.({ options })).rejects.toThrow('--await-claim is not supported in this version');
});

test('functions that ask no program look at files of another product, and find none of ours', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [say('Well.')] });
  const [first] = (await collect(query({ prompt: 'Go', options: optionsFor(place, provider) }))).filter(
    isResult,
  );
  const id = first?.session_id;
  const at = { dir: place.cwd };
  const empty = {
    listSessions: [at],
    getSessionMessages: [id, at],
    listSubagents: [id, at],
    getSubagentMessages: [id, 'a', at],
  };
  for (const [name, given] of Object.entries(empty))
    expect([name, await others[name]?.(...given)]).toEqual([name, []]);
  expect(await others.getSessionInfo?.(id, at)).toBeUndefined();
  const failing = {
    renameSession: [id, 'x', at],
    tagSession: [id, 'x', at],
    archiveSession: [id, at],
    unarchiveSession: [id, at],
    deleteSession: [id, at],
    forkSession: [id, at],
    importSessionToStore: [id, {}, at],
  };
  for (const [name, given] of Object.entries(failing))
    expect([name, await others[name]?.(...given).then(String, () => 'not found')]).toEqual([
      name,
      'not found',
    ]);
  expect(await others.resolveSettings?.({ cwd: place.cwd })).toMatchObject({ sources: [] });
});

interface Open {
  running: SdkQuery;
  /** Sends a prompt, and resolves with its result. */
  tell(text: string): Promise<SdkMessage>;
  messages: SdkMessage[];
}

/** A session whose input stays open until the work is done. */
async function use<T>(turns: Turn[], options: SdkOptions, work: (open: Open) => Promise<T>) {
  await using provider = await fakeProvider({ script: turns });
  const input = new TransformStream<SdkPrompt, SdkPrompt>();
  const writer = input.writable.getWriter();
  const messages: SdkMessage[] = [];
  const running = query({
    prompt: input.readable as unknown as AsyncIterable<SdkPrompt>,
    options: { ...optionsFor(newPlace(), provider), ...options },
  });
  const collected = collect(running, (message) => messages.push(message)).catch(() => {});
  const tell = async (text: string) => {
    const before = messages.filter(isResult).length;
    await writer.write(prompt(text));
    await until(() => messages.filter(isResult).length > before);
    return messages.filter(isResult).at(-1) as SdkMessage;
  };
  try {
    const value = await work({ running, tell, messages });
    return { value, messages, received: provider.received.map((one) => toolResultText(one) ?? '') };
  } finally {
    running.close();
    await collected;
  }
}

const refused: Record<string, unknown[]> = {
  setMcpPermissionModeOverride: ['s', 'default'],
  setMaxThinkingTokens: [100],
  applyFlagSettings: [{ model: 'x' }],
  updateSettings: ['userSettings', { effortLevel: 'low' }],
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: [],
  reloadPlugins: [],
  reloadSkills: [],
  reloadOutputStyles: [],
  seedReadState: ['a.txt', 1],
  readMcpResource: ['s', 'ui://x'],
};

test('methods that are not there are refused by name, and the session continues', async () => {
  const rows = Object.entries<SdkRow>(sdkRows.methods).filter(([, [state]]) => state === 'refused');
  expect([...Object.keys(refused), 'readFile'].sort()).toEqual(rows.map(([name]) => name).sort());
  const { value } = await use([say('Hi.')], {}, async ({ running }) => {
    const told: string[] = [];
    for (const [name, args] of Object.entries(refused)) {
      const method = Reflect.get(running, name) as (...args: unknown[]) => Promise<unknown>;
      told.push(await method.apply(running, args).then(String, (error: Error) => error.message));
    }
    const read = Reflect.get(running, 'readFile') as (path: string) => Promise<unknown>;
    return { told, file: await read.call(running, 'a.txt'), after: await running.mcpServerStatus() };
  });
  for (const message of value.told) expect(message).toContain('is not supported by this version');
  expect(value.file).toBeNull();
  expect(value.after).toEqual([]);
});

test('initializationResult(), supportedCommands(), supportedModels() and accountInfo() answer from initialize', async () => {
  const { value } = await use([], { model: 'claude-some-model' }, async ({ running }) => [
    await running.initializationResult(),
    await running.supportedCommands(),
    await running.supportedModels(),
    await running.accountInfo(),
  ]);
  const [whole, commands, models, account] = value;
  expect(whole).toMatchObject({ output_style: 'default', agents: expect.any(Array), account: {} });
  expect(commands).toEqual([]);
  expect(models).toMatchObject([{ value: expect.stringContaining('claude-some-model') }]);
  expect(account).toEqual({});
});

test('reinitialize() is answered again, with hooks, agents and servers of the host', async () => {
  const options: SdkOptions = {
    systemPrompt: 'Be brief.',
    agents: { poet: { description: 'Writes verse.', prompt: 'You are a poet.' } },
    hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    mcpServers: { in: createSdkMcpServer({ name: 'in', tools: [] }) },
  };
  const { value } = await use([say('Hi.')], options, async ({ running }) => {
    await running.initializationResult();
    return running.reinitialize();
  });
  expect(value).toMatchObject({ hooks_applied: true, agents: expect.any(Array) });
});

test('mcpServerStatus(), toggleMcpServer(), reconnectMcpServer() and setMcpServers()', async () => {
  const echo = tool('echo', 'd', { a: z.string() }, async ({ a }) => ({
    content: [{ type: 'text', text: `echo of ${a}` }],
  }));
  const make = () => createSdkMcpServer({ name: 'in', tools: [echo] });
  const options: SdkOptions = {
    mcpServers: { out: fakeServer('plain'), in: make() },
    allowedTools: ['mcp__in', 'mcp__late'],
    settings: { mcp: { startupWaitMs: 20_000 } },
  };
  const turns = [call('mcp__in__echo', { a: 'one' }), say('Done.')];
  const { value, received } = await use(turns, options, async ({ running, tell }) => {
    const names = async () =>
      (await running.mcpServerStatus()).map(({ name, status }) => `${name} ${status}`);
    await running.reconnectMcpServer('out');
    await running.toggleMcpServer('out', false);
    const off = await names();
    const changed = await running.setMcpServers({ in: make(), late: fakeServer('plain') });
    await tell('Go');
    const removed = await running.setMcpServers({});
    return { off, changed, removed, wrong: await running.toggleMcpServer('none', true).catch(String) };
  });
  expect(value.off).toContain('out disabled');
  expect(value.changed).toMatchObject({ added: ['late'], errors: {} });
  expect(value.removed.removed.sort()).toEqual(['in', 'late']);
  expect(String(value.wrong)).toContain('no MCP server none');
  expect(received.at(-1)).toContain('echo of one');
});

test('streamInput() sends more prompts', async () => {
  const { messages } = await use(
    [say('One.'), say('Two.')],
    {},
    async ({ running, tell, messages: seen }) => {
      await tell('One');
      async function* more(): AsyncGenerator<SdkPrompt> {
        yield prompt('Two');
      }
      await running.streamInput(more());
      await until(() => seen.filter(isResult).length === 2);
    },
  );
  expect(messages.filter(isResult).map(({ result }) => result)).toEqual(['One.', 'Two.']);
});

test('the usage of a result has every field of the types', async () => {
  const { value } = await use([say('One.')], {}, ({ tell }) => tell('Go'));
  expect(declared.usage?.filter((field) => value.usage?.[field] === undefined)).toEqual([]);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
