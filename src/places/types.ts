import type { Access, Rule } from '../protocol/permission.ts';
import type { SandboxTerms } from '../protocol/sandbox.ts';
import type { Look } from './look.ts';

/**
 * What the session refuses to everybody. Only the user widens it. It is a plain value, so that two of them can
 * be narrowed into one that refuses whatever either does.
 */
export interface Ceiling {
  /** Read as deny rules, whatever their `behaviour` says. */
  readonly denied: readonly Rule[];
  /** Files, or directories with all that is below them, where writing is not refused. */
  readonly writes: 'any' | 'none' | { readonly only: readonly string[] };
  /** `ask`: no command runs unasked, but one that is known to change nothing or that a narrow allow rule names. */
  readonly shell: 'any' | 'ask' | 'none';
  /** The only tools that anybody has, besides those of MCP servers; all where it is absent. */
  readonly tools?: readonly string[];
}

/** What one agent may do under the ceiling. */
export interface Role {
  /** Names, `mcp__server` or `mcp__server__*`. */
  readonly tools: '*' | readonly string[];
  readonly denied: readonly string[];
  /** `read-only` refuses every command that is not known to change nothing. */
  readonly shell: 'full' | 'read-only' | 'none';
  readonly writes: boolean;
  /** Tools that it has for these directories and nothing else: those of its own memory. */
  readonly confined?: { readonly tools: readonly string[]; readonly to: readonly string[] };
  /** Tools that it has for calls that these rules name, and for nothing else that is more than looking. */
  readonly only?: { readonly tools: readonly string[]; readonly rules: readonly Rule[] };
  /** Why its tools are so few, where they are only for now. */
  readonly because?: string;
  /** `closed`: files that hold credentials can be neither opened nor listed nor matched, by any tool. Else open. */
  readonly secrets?: 'open' | 'closed';
}

/** A tool call as the engine sees it. */
export interface Call {
  readonly tool: string;
  readonly accesses: readonly Access[];
  readonly workspace: CallWorkspace;
  /** Lets deny and ask rules name a parameter, as in `Agent(model:opus)`. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** An agent that works apart from others, whatever else is allowed. */
export interface Isolation {
  /** The only places that it writes, its worktree first. */
  readonly writes: readonly string[];
  /** The main checkout, which is closed to it. */
  readonly from: string;
}

/** Why a path runs later although its name does not say so; undefined for an ordinary one. */
export type FindRunsLater = (path: string) => string | undefined;

export interface CallWorkspace {
  /** Where the session was started. Rules stay anchored there when the shell's own directory moves. */
  readonly cwd: string;
  /** Directories that count as the workspace, besides `cwd`. */
  readonly directories: readonly string[];
  /** Directories that may be read unasked and are no workspace: large outputs, for example. */
  readonly readable?: readonly string[];
  /** Directories of the agent's own, which it writes unasked wherever they are: its memory. */
  readonly writable?: readonly string[];
  /** Where the session's agents hand files to each other: read and written unasked, and no workspace. */
  readonly scratchpad?: string;
  /** The one file that plan mode writes. */
  readonly planFile?: string;
  /** There for an agent with a worktree of its own. */
  readonly isolated?: Isolation;
  /** Our own state directory, `~/.cadre` unless moved. */
  readonly home: string;
  readonly userHome: string;
  /** The home of another user of this machine; undefined where there is none, or nobody can tell. */
  findHome?(user: string): string | undefined;
  /** The language of the shell that runs commands: `sh` where there is no bash. */
  readonly dialect?: 'bash' | 'sh';
  /** There where a sandbox is on. */
  readonly sandbox?: SandboxTerms;
  /** Follows symlinks, also of a path that does not exist yet. Handed in, so that deciding stays pure. */
  realPath(path: string): string;
  /** A `realPath` for one decision, which may remember what it saw. */
  openPaths?(): (path: string) => string;
  /** Knows what git's configuration makes of a path. */
  readonly runsLater?: FindRunsLater;
  /** Without it nothing is known to be there: what needs a look is refused where credentials are closed. */
  readonly look?: Look;
}
