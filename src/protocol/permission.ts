/** Something that a tool call would touch. Paths are absolute and normalised; symlinks are not yet followed. */
export type Access =
  /**
   * `asks`: why it is asked about anyway, unless a rule or the mode allows it. `changes`: what it makes or removes, if
   * that is not a file with a name: refused where nothing may be written.
   */
  | { kind: 'none'; asks?: string; changes?: string }
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string }
  | { kind: 'shell'; command: string; cwd: string }
  /** A request to a server of the model's choosing. */
  | { kind: 'network'; url: string }
  /** A call of an MCP server. `readOnly` is the server's own claim; `policy` comes from whoever named the server. */
  | { kind: 'mcp'; server: string; readOnly: boolean; policy?: ToolPolicy | undefined }
  /** Puts a question to the user: never answered by a rule or a mode. */
  | { kind: 'question' };

/** What holds for a tool whatever rule or mode allows it. */
export type ToolPolicy = 'always_ask' | 'always_deny';

/** The user's choice of what is asked about. It never overrides a deny rule, a role or the ceiling. */
export const permissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** A mode as hosts and users write it: other products call the default one `manual`. */
export function readPermissionMode(given: unknown): PermissionMode | undefined {
  return permissionModes.find((known) => known === (given === 'manual' ? 'default' : given));
}

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
  /** The setting that it comes from, where that is no list of rules. */
  setting?: string;
  /** Absolute paths to which a refusal does not apply, with all below them. */
  except?: readonly string[];
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
   * While a line is being judged: what the sandbox closes to one part of it. A person who allows the line lets it run
   * outside, or shows it the files.
   */
  needs?: { readonly outside?: true; readonly files?: readonly string[] };
  /**
   * Allowed because it changes nothing, which holds only if git runs no program that the repositories of these
   * directories name, and no variable of the user's leads its programs (or the shell itself, if it starts none) to code
   * in the workspace. The code that runs the command ensures that.
   */
  neutralise?: { git: string[]; variables?: 'programs' | 'shell' };
  /** The command is to be run in the sandbox. When asked: unless a person allows it. */
  confine?: Confinement;
  /**
   * It runs outside the sandbox because it stays in these directories, which are real paths. The code that runs it
   * ensures that.
   */
  within?: readonly string[];
  /** The user's own word for the whole line, by a rule for it or for every command. */
  asWhole?: true;
}

/** How a call is confined. */
export interface Confinement {
  /** `none` for a command that is known to change nothing: the workspace is then read-only. */
  readonly writes: 'workspace' | 'none';
  /** It stays confined even when a person allows it. */
  readonly always?: true;
  /** Real paths, hidden inside, that are shown to the command once a person has allowed it. */
  readonly offers?: readonly string[];
  /** Those that a person's answer has opened for reading. */
  readonly shows?: readonly string[];
}

/**
 * A question to the user or program that attends the session. Plain data: the effect of a change on a file is computed
 * when it is shown.
 */
export interface Question {
  id: string;
  sessionId: string;
  agentId: string | null;
  /** The asking agent, as users know it. */
  asker: Badge;
  toolUseId: string;
  toolName: string;
  /** Complete and as it would run. */
  input: Record<string, unknown>;
  /** Where relative paths of the input start. */
  cwd: string;
  decision: Decision;
  risk: Risk;
  /** What "always allow" would add; empty if no rule could grant it. */
  suggestions: Rule[];
  /** What the call would do as things are, where its input does not say it: whole, and exactly what a yes allows. */
  preview?: string;
  /** The meaning of a yes, if that is not just this one call. */
  allows?: string;
  /** The meaning of a no, if the asker continues either way. */
  refuses?: string;
  /** The effect of the call, in one line free of control characters. */
  summary: string;
  /** Not about a call: an MCP server asks for the user's input. The answer's `input` is what they gave. */
  elicitation?: Elicitation;
  /** Milliseconds since 1970. */
  askedAt: number;
  /** When it ends as a denial; null when it waits without limit. */
  expiresAt: number | null;
}

/** An MCP server's question to the user. All of it is the server's text. */
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
  /** Its task, in a few words. */
  description?: string;
  /** A member of a team: `name@team`. */
  member?: string;
  /** It runs in the background: it opens no dialog, its question is found in the queue. */
  background?: boolean;
}

export type RiskLevel = 'low' | 'medium' | 'high';

/** Helps the reader, never a reason for a decision. */
export interface Risk {
  level: RiskLevel;
  /** The reasons for it, worst first. */
  reasons: string[];
}

/**
 * `once`: this call. `agent`: the agent that asked. `session`: every agent of the session. `saved`: also written to a
 * file.
 */
export type AnswerScope = 'once' | 'agent' | 'session' | 'saved';

/** The settings files that an answer may be written to. */
export type SettingsDestination = 'local' | 'project' | 'user';

export type Answer =
  | {
      behaviour: 'allow';
      input?: Record<string, unknown>;
      /** Grants beyond this call. */
      rules?: Rule[];
      /** How far the rules reach; `session` unless given. */
      scope?: AnswerScope;
      /** Where `saved` rules go; `local` unless given. */
      destination?: SettingsDestination;
      mode?: PermissionMode;
      /** Further changes, each with its own reach. */
      updates?: PermissionUpdate[];
    }
  | { behaviour: 'deny'; message: string; interrupt?: boolean };

/** A change that a person makes to what is allowed, besides answering one question. */
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

/** How a question ended. */
export type AnsweredBy =
  /** A person at a terminal or a dashboard. */
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
