import type { ProcessMark } from '../lib/processes/mark.ts';
import type { Result } from '../lib/result.ts';
import type { Confinement, Rule } from './permission.ts';

/** A program about to be started. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its starter can hold it back at a gate: see `ConfinedLaunch.gate`. */
  readonly canWait?: true;
}

/** `none`: neither read nor listed. */
export type PathAccess = 'write' | 'read' | 'none';

export interface PathEntry {
  /** Absolute, without links on the way; it exists. */
  readonly path: string;
  readonly access: PathAccess;
  readonly isDirectory: boolean;
  /** It must not be moved away and replaced, although it may be written; a hidden one exists, empty and read-only. */
  readonly pinned?: true;
  /** Another file that is seen in its place, read-only. */
  readonly from?: string;
}

/** The reach of a confined program. It can read everything and write nothing, unless an entry says otherwise. */
export interface SandboxPolicy {
  /** Of several entries the one nearest to a path applies. */
  readonly paths: readonly PathEntry[];
  /** A private directory that the program sees as `/tmp`. */
  readonly temporary: string;
  /** Links that are shown in directories which are otherwise hidden. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly network: 'none' | { readonly allowed: readonly string[]; readonly denied: readonly string[] };
  /** Whether it may connect to Unix sockets. */
  readonly unixSockets: boolean;
  /** Whether it may listen where the rest of this machine can connect. Only some systems can tell. */
  readonly localBinding: boolean;
}

export interface ConfinedLaunch extends Launch {
  /** The program's descriptors 3, 4, … */
  readonly files: readonly LaunchFile[];
  /**
   * The descriptor after those, present if the sandbox waits for a byte on it once everything is in place: until then
   * nothing of the command runs.
   */
  readonly gate?: number;
  /** To be called when the program and all that it started have ended. */
  release?(): void;
}

/** A file that is read, or a place that must be the one which this path means now: no link on the way. */
export interface LaunchFile {
  readonly path: string;
  readonly place?: true;
}

/** One way to confine a program. An adapter that cannot enforce a policy refuses it. */
export interface Sandbox {
  readonly name: string;
  /** The program it confines with, if we call it ourselves: then its walls are tested from inside. */
  readonly program?: string;
  /** How its walls are built: when that changes, they are tested again. */
  shape?(): string;
  /** Whether it works here: an expected failure says why not. */
  probe(): Promise<Result<void>>;
  confine(launch: Launch, policy: SandboxPolicy): Promise<Result<ConfinedLaunch>>;
  /** Ends what it keeps running between commands. */
  close?(): void;
}

/** Facts about an active sandbox for the judgement of a command. */
export interface SandboxTerms {
  /** Whether confined commands run without asking. */
  readonly autoAllow: boolean;
  /** Whether a command may be run outside of it at all. */
  readonly outside: boolean;
  /** Specifiers as in `Bash(…)`: commands that are run outside and judged as if there were no sandbox. */
  readonly excluded: readonly string[];
  /** Whether it can reach listed hosts. */
  readonly network: boolean;
}

/** Whose command is confined, and to what. */
export interface ConfinementScope extends Confinement {
  /** Directories of the workspace; the first is where the session was started, or the agent's own worktree. */
  readonly directories: readonly string[];
  /** Where the session was started, for an agent with its own worktree. */
  readonly start?: string;
  /** Real directories that are writable where the workspace is not. One that has become a link is left out. */
  readonly stores?: readonly string[];
  readonly rules: readonly Rule[];
}

/** A session's sandbox, as shell commands see it. */
export interface ShellSandbox {
  /** Undefined if there is none or it does not work, which is found out once. */
  ready(): Promise<SandboxTerms | undefined>;
  /** The sandbox's refusal when this exact command was last tried there: a line of its own output. */
  findRefusal?(command: string): string | undefined;
  /** `scratch` is a file that the command may write beside the workspace. */
  confine(launch: Launch, scope: ConfinementScope, scratch?: string): Promise<Result<ConfinedCommand>>;
}

export interface ConfinedCommand {
  readonly launch: ConfinedLaunch;
  /**
   * Present if the launch has a gate. To be called once, while the program waits there: records what exists before the
   * command, while the sandbox starts.
   */
  begin?(): void;
  /**
   * To be called before the gate is opened: the first process of its name space, with which all others in there end.
   */
  noteFirst?(first: ProcessMark): void;
  /** Why a real path cannot be where later commands start; undefined if it can. */
  whyNotEntered(path: string): string | undefined;
  /** Whether it has made what it may not make. Checked from time to time for a command that runs long. */
  offends(): boolean;
  /**
   * Present if paths are hidden from it by rules and settings. Which of them it can read all the same, since a process outside
   * replaced or created it; it is then to be stopped. Checked before each piece of its output is given to anyone.
   */
  exposes?(): string | undefined;
  /** To be called when all its processes have ended: cleans up, and returns notices about it. */
  finish(end: { failed: boolean; output: string; code?: number | null }): string[];
}
