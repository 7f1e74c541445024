import type { Access, Rule } from '../protocol/permission.ts';
import type { SandboxTerms } from '../protocol/sandbox.ts';
import type { FindStarts } from '../workspace/worktrees/twins.ts';
import type { Look } from './look.ts';

/**
 * Refusals by the session that apply to every agent. Only the user widens it. It is a plain value, so two of them can be
 * combined into one that refuses whatever either does.
 */
export interface Ceiling {
  /** Read as deny rules, whatever their `behaviour` says. */
  readonly denied: readonly Rule[];
  /** Files, or directories with everything below them, where writing is not refused. */
  readonly writes: 'any' | 'none' | { readonly only: readonly string[] };
  /** `ask`: no command runs without asking, except one that is known to change nothing or that a narrow allow rule names. */
  readonly shell: 'any' | 'ask' | 'none';
  /** The only tools that any agent has, besides those of MCP servers; absent means all. */
  readonly tools?: readonly string[];
}

/** Limits of one agent under the ceiling. */
export interface Role {
  /** Names, `mcp__server` or `mcp__server__*`. */
  readonly tools: '*' | readonly string[];
  readonly denied: readonly string[];
  /** `read-only` refuses every command that is not known to change nothing. */
  readonly shell: 'full' | 'read-only' | 'none';
  readonly writes: boolean;
  /** Tools that it has only for these directories, for its own memory. */
  readonly confined?: { readonly tools: readonly string[]; readonly to: readonly OwnPlace[] };
  /** Why it has so few tools, where that is temporary. */
  readonly because?: string;
  /** `closed`: no tool can open, list or match files that hold credentials. Open otherwise. */
  readonly secrets?: 'open' | 'closed';
}

/** A directory that belongs to an agent, and where it was when the agent started: a link that replaces it later leads out of it. */
export interface OwnPlace {
  readonly path: string;
  readonly real: string;
}

/** A tool call as the permission engine sees it. */
export interface Call {
  readonly tool: string;
  readonly accesses: readonly Access[];
  readonly workspace: CallWorkspace;
  /** Lets deny and ask rules name a parameter, such as `Agent(model:opus)`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** A path of a command in the sandbox, which has a `/tmp` of its own. */
  readonly inside?: boolean;
}

/** Isolation of an agent with its own worktree, whatever else is allowed. */
export interface Isolation {
  /** The only places it writes, its worktree first. */
  readonly writes: readonly string[];
  /** The main checkout, which it may not write. */
  readonly from: string;
  /** Where the session was started: what rules say from there holds for the same path in the worktree. */
  readonly start: string;
}

/** Why a path runs later although its name does not say so; undefined for an ordinary path. `roots`: the workspace. */
export type FindRunsLater = (path: string, roots?: readonly string[]) => string | undefined;

export interface CallWorkspace {
  /** The directory where the session was started. Rules stay anchored there when the shell's own directory changes. */
  readonly cwd: string;
  /** Directories that belong to the workspace besides `cwd`. */
  readonly directories: readonly string[];
  /** Directories outside the workspace that may be read without asking: saved outputs, skills, plugins. */
  readonly readable?: readonly string[];
  /** The agent's own directories, which it writes without asking wherever they are: its memory. */
  readonly writable?: readonly OwnPlace[];
  /** Where the session's agents exchange files: read and written without asking, and outside the workspace. */
  readonly scratchpad?: string;
  /** The notes that the members of the session's team share: file tools read and write them without asking, commands do not. */
  readonly teamMemory?: string;
  /** The one file that plan mode writes. */
  readonly planFile?: string;
  /** Set for an agent with its own worktree. */
  readonly isolated?: Isolation;
  /** Our own state directory, `~/.cadre` unless moved. */
  readonly home: string;
  readonly userHome: string;
  /** The home of another user of this machine; undefined where none exists or it is unknown. */
  findHome?(user: string): string | undefined;
  /** The language of the shell that runs commands: `sh` where there is no bash. */
  readonly dialect?: 'bash' | 'sh';
  /** Set where a sandbox is on. */
  readonly sandbox?: SandboxTerms;
  /** Follows symlinks, also for a path that does not exist yet. Passed in, so that deciding stays pure. */
  realPath(path: string): string;
  /** A `realPath` for one decision, which may remember what it saw. */
  openPaths?(): (path: string) => string;
  /** Knows which other checkouts the content of our worktrees came from. */
  readonly findStarts?: FindStarts;
  /** Knows the meaning of a path in git's configuration. */
  readonly runsLater?: FindRunsLater;
  /** Without it nothing is known to exist: calls that need a look are refused where credentials are closed. */
  readonly look?: Look;
}
