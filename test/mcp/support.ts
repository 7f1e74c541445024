import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import { memoryAuthStore } from '../../src/mcp/auth-store.ts';
import type { ServerConfig } from '../../src/mcp/config.ts';
import { memoryPins } from '../../src/mcp/pins.ts';
import { McpPool } from '../../src/mcp/pool.ts';
import type { PoolOptions } from '../../src/mcp/pool-options.ts';
import { type Tool, type ToolContext, type ToolResult, textOf } from '../../src/protocol/index.ts';
import { noSettings } from '../../src/settings/merge.ts';
import { needsThat, temporaryDirectory } from '../support/index.ts';

const bin = join(import.meta.dirname, '../../node_modules/.cache/cadre-mcp/node_modules/.bin');
const fake = join(import.meta.dirname, 'fake-server.ts');

/** The `test` to use where the real servers from npm are needed. */
export const withRealServers = needsThat(
  existsSync(join(bin, 'mcp-server-everything')),
  'the MCP servers from npm',
);

export function realServer(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  return { command: join(bin, `mcp-server-${name}`), args: name === 'everything' ? ['stdio'] : args };
}

/** As an entry of `mcpServers`. */
export function fakeServer(behaviour: string, file = '') {
  return { command: process.execPath, args: [fake, behaviour, file] };
}

export function configOf(name: string, entry: { command: string; args: string[] }): ServerConfig {
  return { name, scope: 'user', source: 'test', transport: { type: 'stdio', env: {}, ...entry } };
}

export interface TestPool {
  pool: McpPool;
  notices: string[];
  /** Processes of the pool's servers that live. */
  alive(): number[];
}

let count = 0;

export function openPool(
  servers: ServerConfig[],
  options: Partial<PoolOptions> = {},
  around: Partial<PoolOptions['around']> = {},
): TestPool {
  const owner = `mcp-test-${process.pid}-${++count}`;
  const notices: string[] = [];
  const pool = new McpPool({
    servers,
    around: {
      clock: systemClock,
      cwd: temporaryDirectory().path,
      environment: { PATH: process.env.PATH ?? '', HOME: '/dev/null/home', SECRET_TOKEN: 'hush' },
      owner,
      auth: memoryAuthStore(),
      elicit: async () => ({ action: 'decline' }),
      ...around,
    },
    pins: memoryPins(),
    settings: noSettings(),
    connectTimeoutMs: 20_000,
    toolTimeoutMs: 20_000,
    approve: async () => false,
    notice: (text) => notices.push(text),
    chosen() {},
    ...options,
  });
  return { pool, notices, alive: () => processesOf(owner) };
}

export function processesOf(owner: string): number[] {
  return findOwned({ owner }).map(({ pid }) => pid);
}

export async function callTool(
  pool: { tools(): Tool[] },
  name: string,
  input: object = {},
): Promise<ToolResult> {
  const tool = pool.tools().find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name} among ${pool.tools().map((one) => one.name)}`);
  return runTool(tool, input);
}

export async function runTool(
  tool: Tool,
  input: object,
  signal = new AbortController().signal,
): Promise<ToolResult> {
  const { path } = temporaryDirectory();
  const context = { signal, toolUseId: 't1', outputs: { pathFor: (name: string) => join(path, name) } };
  const running = tool.run(input, context as unknown as ToolContext);
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
  }
}

export function textIn(result: ToolResult): string {
  return textOf(result.content);
}

export function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}
