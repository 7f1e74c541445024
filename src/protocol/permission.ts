/** What a tool call would touch. Paths are absolute and normalised; symlinks are not yet followed. */
export type Access =
  | { kind: 'none' }
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string }
  | { kind: 'shell'; command: string; cwd: string }
  /** A request to a server of the model's choosing. */
  | { kind: 'network'; url: string }
  /** A call of an MCP server. `readOnly` is what the server says of it. */
  | { kind: 'mcp'; server: string; readOnly: boolean }
  /** Puts a question to the user: never answered by a rule or a mode. */
  | { kind: 'question' };

/** The user's choice of what is asked about. It never lifts a deny rule, a role or the ceiling. */
export const permissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
] as const;

export type PermissionMode = (typeof permissionModes)[number];

export type RuleBehaviour = 'allow' | 'ask' | 'deny';

export type SettingsLayer = 'managed' | 'cli' | 'local' | 'project' | 'user' | 'session';

/** `Tool` or `Tool(specifier)`, and where it was written. */
export interface Rule {
  behaviour: RuleBehaviour;
  tool: string;
  specifier?: string;
  layer: SettingsLayer;
  /** File or flag, for explanations. */
  source: string;
  /** Directory that a specifier beginning with one slash is relative to. */
  base: string;
}

/** Why a call was allowed, asked about or denied: enough to explain it to a person or a model. */
export interface Decision {
  behaviour: RuleBehaviour;
  by: 'ceiling' | 'role' | 'rule' | 'mode' | 'default' | 'protected-path' | 'workspace';
  reason: string;
  rule?: Rule;
  /**
   * Allowed on the ground that it changes nothing, which holds only when git runs no program that the repositories of
   * these directories name. Whoever runs the command sees to that.
   */
  neutralise?: { git: string[] };
}

/** A question to whoever attends the session. */
export interface Question {
  id: string;
  agentId: string | null;
  toolUseId: string;
  toolName: string;
  input: Record<string, unknown>;
  decision: Decision;
  /** What "always allow" would add; empty where no rule could grant it. */
  suggestions: Rule[];
  /** What the tool would do, in one line free of control characters. */
  summary: string;
  /** Not about a call: an MCP server asks the user for something. The answer's `input` is what they gave. */
  elicitation?: Elicitation;
}

/** What an MCP server wants to know of the user. All of it is the server's text. */
export interface Elicitation {
  server: string;
  message: string;
  mode: 'form' | 'url';
  /** A JSON schema of a flat object; `form` only. */
  schema?: Record<string, unknown>;
  /** Where the user is sent; `url` only. */
  url?: string;
  id?: string;
}

export type Answer =
  | { behaviour: 'allow'; input?: Record<string, unknown>; rules?: Rule[]; mode?: PermissionMode }
  | { behaviour: 'deny'; message: string; interrupt?: boolean };
