/** The little of the agent SDK's types that these tests use: the package is not there when types are checked. */
export interface AgentSdk {
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
}

export type SdkPermission =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export interface SdkPrompt {
  type: 'user';
  message: { role: 'user'; content: string };
  parent_tool_use_id: null;
  session_id: string;
  uuid?: string;
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
