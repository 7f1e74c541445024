import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { AgentEvent, ConfinedCommand, Launch, Model, PermissionMode } from '../protocol/index.ts';

/** The hooks' view of the session around them. */
export interface HookHost {
  readonly sessionId: string;
  readonly transcriptPath: string | null;
  agentTranscript(agentId: string): string | null;
  /** Where the session was started. */
  readonly projectDirectory: string;
  permissionMode(): PermissionMode;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly shell: string;
  /** The environment that the session's commands start with: without keys. */
  environment(): Promise<Record<string, string>>;
  /** The user's own, for headers that name a variable and for proxies. */
  readonly variables: Readonly<Record<string, string>>;
  /** Addresses that hooks may be sent to, with `*`; if absent, any. */
  readonly allowedUrls?: readonly string[];
  /** A model that the session pays for; a small one if none is named. */
  model(name: string | undefined): Result<Model>;
  publish(event: AgentEvent): void;
  /** Confines a process to the workspace, as a command that may write; undefined where there is no sandbox. */
  confine?(launch: Launch): Promise<Result<ConfinedCommand> | undefined>;
  /** Told of hooks that come later than the others. */
  noteHooks?(hooks: unknown, file: string): void;
}

/** The agent that a hook is informed about. */
export interface HookedAgent {
  /** Null for the lead. */
  readonly id: string | null;
  readonly type?: string;
  readonly parentToolUseId: string | null;
}
