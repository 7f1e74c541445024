/** What a tool call would touch. Paths are absolute and normalised; symlinks are not yet followed. */
export type Access =
  /**
   * `asks`: why it is asked about all the same, unless a rule or the mode allows it. `changes`: what it makes or removes, of
   * no file that could be named: refused where nothing may be written.
   */
  | { kind: 'none'; asks?: string; changes?: string }
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
  by:
    | 'ceiling'
    | 'role'
    | 'rule'
    | 'mode'
    | 'default'
    | 'protected-path'
    | 'workspace'
    | 'hook'
    | 'judge'
    | 'sandbox';
  reason: string;
  rule?: Rule;
  /**
   * While a line is being judged: what the sandbox closes to one part of it. A person who allows the line lets it out, or
   * shows it the files.
   */
  needs?: { readonly outside?: true; readonly files?: readonly string[] };
  /**
   * Allowed on the ground that it changes nothing, which holds only when git runs no program that the repositories of
   * these directories name, and no variable of the user's leads its programs, or the shell itself where it starts none, to
   * code in the workspace. Whoever runs the command sees to that.
   */
  neutralise?: { git: string[]; variables?: 'programs' | 'shell' };
  /** The command is to be run in the sandbox. When asked: unless a person allows it. */
  confine?: Confinement;
  /**
   * It runs outside the sandbox on the ground that it stays in these directories, which are real paths. Whoever runs it
   * sees to that.
   */
  within?: readonly string[];
}

/** How a call is to be confined. */
export interface Confinement {
  /** `none` for what is known to change nothing: the workspace is read-only then. */
  readonly writes: 'workspace' | 'none';
  /** It stays confined even when a person allows it. */
  readonly always?: true;
  /** Real paths, hidden inside, that are shown to the command once a person has allowed it. */
  readonly offers?: readonly string[];
  /** Those that a person's word has opened for reading. */
  readonly shows?: readonly string[];
}

/** A question to whoever attends the session. Plain data: what a change would do to a file is worked out when it is shown. */
export interface Question {
  id: string;
  sessionId: string;
  agentId: string | null;
  /** Who asks, as people know them. */
  asker: Badge;
  toolUseId: string;
  toolName: string;
  /** Whole and as it would run. */
  input: Record<string, unknown>;
  /** Where relative paths of the input start. */
  cwd: string;
  decision: Decision;
  risk: Risk;
  /** What "always allow" would add; empty where no rule could grant it. */
  suggestions: Rule[];
  /** What a yes allows, where that is not just this one call. */
  allows?: string;
  /** What a no means, where the asker continues either way. */
  refuses?: string;
  /** What the tool would do, in one line free of control characters. */
  summary: string;
  /** Not about a call: an MCP server asks the user for something. The answer's `input` is what they gave. */
  elicitation?: Elicitation;
  /** Milliseconds since 1970. */
  askedAt: number;
  /** When it ends as a denial; null when it waits for as long as it takes. */
  expiresAt: number | null;
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

export interface Badge {
  /** The agent's type; `lead` for the session's own agent. */
  type: string;
  /** What it was started for, in a few words. */
  description?: string;
  /** Nobody waits for it: it opens no dialog, its question is found in the queue. */
  background?: boolean;
}

export type RiskLevel = 'low' | 'medium' | 'high';

/** A help for the reader, never a ground for deciding. */
export interface Risk {
  level: RiskLevel;
  /** What speaks for it, worst first. */
  reasons: string[];
}

/** `once`: this call. `agent`: the agent that asked. `session`: every agent of the session. `saved`: also written down. */
export type AnswerScope = 'once' | 'agent' | 'session' | 'saved';

/** The settings files that an answer may be written to. */
export type SettingsDestination = 'local' | 'project' | 'user';

export type Answer =
  | {
      behaviour: 'allow';
      input?: Record<string, unknown>;
      /** What is granted along with the call. */
      rules?: Rule[];
      /** How far the rules reach; `session` unless said. */
      scope?: AnswerScope;
      /** Where `saved` rules go; `local` unless said. */
      destination?: SettingsDestination;
      mode?: PermissionMode;
      /** Further changes, each with its own reach. */
      updates?: PermissionUpdate[];
    }
  | { behaviour: 'deny'; message: string; interrupt?: boolean };

/** A change that a person makes to what is allowed, beside answering one question. */
export type PermissionUpdate =
  | { type: 'add_rules' | 'remove_rules'; rules: Rule[]; destination: UpdateDestination }
  /** These instead of all others of the same behaviour there. */
  | {
      type: 'replace_rules';
      behaviour: RuleBehaviour;
      rules: Rule[];
      destination: UpdateDestination;
    }
  | { type: 'set_mode'; mode: PermissionMode; destination: UpdateDestination }
  | {
      type: 'add_directories' | 'remove_directories';
      directories: string[];
      destination: UpdateDestination;
    };

export type UpdateDestination = 'agent' | 'session' | SettingsDestination;

/** How a question came to its end. */
export type AnsweredBy =
  /** Somebody at a terminal or a dashboard. */
  | 'person'
  /** The program at the other end of the wire. */
  | 'host'
  /** The program that opened the session. */
  | 'program'
  /** The model that judges in `auto` mode. */
  | 'judge'
  /** A rule that was granted while it waited. */
  | 'rule'
  | 'expiry'
  | 'unattended'
  | 'interrupt';
