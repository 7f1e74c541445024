import type { FakeProvider } from '../../src/testing/index.ts';
import { environmentOf, type Place, program } from '../cli/support.ts';

/** Where `npm run test:compat` put the SDK. */
export const sdkModule = process.env.CADRE_AGENT_SDK ?? '@anthropic-ai/claude-agent-sdk';

/** The little of the agent SDK's types that these tests use: the package is not there when types are checked. */
export interface AgentSdk {
  createSdkMcpServer(server: { name: string; tools: unknown[] }): Record<string, unknown>;
  tool(
    name: string,
    description: string,
    schema: object,
    run: (input: Record<string, unknown>) => Promise<object>,
  ): unknown;
  query(request: { prompt: string | AsyncIterable<SdkPrompt>; options: SdkOptions }): SdkQuery;
}

export interface SdkOptions {
  pathToClaudeCodeExecutable?: string;
  cwd?: string;
  env?: Record<string, string | undefined>;
  canUseTool?: (name: string, input: Record<string, unknown>) => Promise<SdkPermission>;
  permissionMode?: string;
  allowDangerouslySkipPermissions?: boolean;
  includePartialMessages?: boolean;
  allowedTools?: string[];
  maxTurns?: number;
  model?: string;
  resume?: string;
  forkSession?: boolean;
  systemPrompt?: string | { type: 'preset'; preset: 'claude_code'; append?: string };
  settingSources?: string[];
  stderr?: (text: string) => void;
  agents?: Record<string, { description: string; prompt: string; tools?: string[]; model?: string }>;
  forwardSubagentText?: boolean;
  enableFileCheckpointing?: boolean;
  /** All others: a test says what it means by them. */
  [option: string]: unknown;
}

export type SdkPermission =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export interface SdkPrompt {
  type: 'user';
  message: { role: 'user'; content: unknown };
  parent_tool_use_id: null;
  session_id: string;
  uuid?: string;
  [field: string]: unknown;
}

export interface SdkQuery extends AsyncIterable<SdkMessage> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: string): Promise<void>;
  setModel(model?: string): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  supportedAgents(): Promise<{ name: string }[]>;
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<Record<string, unknown>>;
  getContextUsage(): Promise<{ totalTokens: number; categories: unknown[] }>;
  close(): void;
  initializationResult(): Promise<Record<string, unknown>>;
  reinitialize(): Promise<Record<string, unknown>>;
  supportedCommands(): Promise<{ name: string }[]>;
  supportedModels(): Promise<{ value: string }[]>;
  accountInfo(): Promise<object>;
  mcpServerStatus(): Promise<{ name: string; status: string }[]>;
  toggleMcpServer(name: string, enabled: boolean): Promise<void>;
  reconnectMcpServer(name: string): Promise<void>;
  setMcpServers(servers: object): Promise<{ added: string[]; removed: string[]; errors: object }>;
  streamInput(stream: AsyncIterable<SdkPrompt>): Promise<void>;
}

export interface SdkMessage {
  type: string;
  subtype?: string;
  session_id?: string;
  result?: string;
  is_error?: boolean;
  errors?: string[];
  num_turns?: number;
  permissionMode?: string;
  model?: string;
  tools?: string[];
  permission_denials?: { tool_name: string }[];
  message?: { model?: string; content: unknown };
  parent_tool_use_id?: string | null;
  tool_use_result?: unknown;
  agents?: string[];
  task_id?: string;
  tool_use_id?: string;
  status?: string;
  state?: string;
  tasks?: { task_id: string }[];
  event?: { type: string; delta?: { text?: string } };
  usage?: Record<string, unknown>;
  structured_output?: unknown;
}

export async function collect(
  messages: AsyncIterable<SdkMessage>,
  note: (message: SdkMessage) => unknown = () => {},
): Promise<SdkMessage[]> {
  const all: SdkMessage[] = [];
  for await (const message of messages) {
    all.push(message);
    note(message);
  }
  return all;
}

/** For a run that ends with an error: the SDK hands out its messages and then throws. */
export async function collectFailing(messages: AsyncIterable<SdkMessage>): Promise<SdkMessage[]> {
  const seen: SdkMessage[] = [];
  await collect(messages, (message) => seen.push(message)).catch(() => {});
  return seen;
}

export function isResult({ type }: SdkMessage): boolean {
  return type === 'result';
}

export function isInit({ type, subtype }: SdkMessage): boolean {
  return type === 'system' && subtype === 'init';
}

/** Counts up; whoever waits for a number goes on when it is reached. */
export class Signal {
  #count = 0;
  #waiting: { number: number; go(): void }[] = [];

  count(): void {
    this.#count++;
    for (const { number, go } of this.#waiting) if (number <= this.#count) go();
  }

  reached(number: number): Promise<void> {
    if (number <= this.#count) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ number, go }));
  }
}

export function optionsFor(place: Place, provider: FakeProvider): SdkOptions {
  return {
    pathToClaudeCodeExecutable: program,
    cwd: place.cwd,
    env: environmentOf({ place, provider }),
  };
}

export function prompt(content: unknown, more: object = {}): SdkPrompt {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
    ...more,
  };
}

/** Prompts one after another, each when the one before has its result. */
export async function converse(
  query: AgentSdk['query'],
  prompts: readonly SdkPrompt[],
  options: SdkOptions,
): Promise<SdkMessage[]> {
  const results = new Signal();
  async function* inTurn(): AsyncGenerator<SdkPrompt> {
    for (const [index, one] of prompts.entries()) {
      yield one;
      await results.reached(index + 1);
    }
  }
  return collect(query({ prompt: inTurn(), options }), (message) => {
    if (isResult(message)) results.count();
  });
}
