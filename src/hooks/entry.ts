import type { HookEvent, Rule, SettingsLayer } from '../protocol/index.ts';

/** One configured hook: when it is asked, and what it runs. */
export interface HookEntry {
  readonly event: HookEvent;
  /** As written; empty for all. */
  readonly matcher: string;
  matches(subject: string): boolean;
  /** The hook is asked only about calls that match this rule. */
  readonly only?: Rule;
  readonly handler: HookHandler;
  readonly source: HookSource;
}

export interface HookSource {
  /** `host`: the program that opened the session. */
  readonly kind: SettingsLayer | 'agent' | 'skill' | 'plugin' | 'host';
  readonly file: string;
  /** Directory that paths of rules are relative to. */
  readonly base: string;
  /** The only agent that it applies to. */
  readonly agent?: string;
  /** The skill that it belongs to. */
  readonly skill?: string;
  /** The plugin's directory. */
  readonly plugin?: string;
}

export type HookHandler = CommandHandler | HttpHandler | PromptHandler | CallbackHandler;

interface Timed {
  /** If absent, the event's default. */
  readonly timeoutMs?: number;
  /** Text to show while it runs. */
  readonly status?: string;
}

export interface CommandHandler extends Timed {
  readonly type: 'command';
  /** For the shell; with `args` a program, run without one. */
  readonly command: string;
  readonly args?: readonly string[];
  /** The run does not wait for it. */
  readonly async: boolean;
  /** Whether it runs in the sandbox; if absent, its command decides. */
  readonly sandbox?: boolean;
}

export interface HttpHandler extends Timed {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that a header may use. */
  readonly variables: readonly string[];
}

export interface PromptHandler extends Timed {
  readonly type: 'prompt';
  readonly prompt: string;
  readonly model?: string;
}

export interface CallbackHandler extends Timed {
  readonly type: 'callback';
  readonly id: string;
  readonly failsClosed: boolean;
  run(input: object, toolUseId: string | undefined, signal: AbortSignal): Promise<unknown>;
}

/** An entry that was written as a hook but is invalid. */
export interface HookFault {
  readonly file: string;
  /** Where in the file: `hooks.PreToolUse[0].matcher`. */
  readonly field: string;
  readonly reason: string;
}

export interface ReadHooks {
  entries: HookEntry[];
  faults: HookFault[];
}
