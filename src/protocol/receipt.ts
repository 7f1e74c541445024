/** What the harness saw of a command, whatever its output says. */
export interface CommandReceipt {
  /** The directory in which it started. Earlier versions did not record it. */
  cwd?: string;
  /** Null if a signal ended it, or it did not start. */
  exitCode: number | null;
  timedOut?: true;
  /** It was stopped before its end. */
  interrupted?: true;
  /** SHA-256 of its whole output without secrets, and how long that is. */
  output: string;
  outputBytes: number;
  /** Where the whole output is, if the result has only a part of it. */
  outputFile?: string;
  /** When it had ended: ISO 8601. Earlier versions did not record it. */
  endedAt?: string;
}

/** What became of the files of a workspace after some time, whoever changed them: as found when claims were compared. */
export interface WorkspaceLook {
  /** The newest first. `at`: the time of its last change, ISO 8601. */
  changed: { path: string; at: string }[];
  /** Why more may have changed, in words: the look shows nothing then. */
  unseen?: string;
}

export const claimKinds = ['command', 'check', 'file', 'output'] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** Something that an agent says it did, in a form that can be compared with what was recorded. */
export interface Claim {
  kind: ClaimKind;
  /** Id of the tool call that shows it, or its command, word for word. */
  call?: string | undefined;
  path?: string | undefined;
  /** What must hold: see `receipts/expectation.ts`. */
  expect: string;
}

export const claimVerdicts = ['confirmed', 'contradicted', 'unsupported'] as const;
export type ClaimVerdict = (typeof claimVerdicts)[number];

/** A claim and what the records say about it. */
export interface ResolvedClaim {
  claim: Claim;
  verdict: ClaimVerdict;
  /** In a sentence. */
  reason: string;
  evidence?: ClaimEvidence | undefined;
}

export interface ClaimEvidence {
  call?: string | undefined;
  /** Where the command started. */
  cwd?: string | undefined;
  tool?: string | undefined;
  command?: string | undefined;
  exitCode?: number | null | undefined;
  /** SHA-256. */
  output?: string | undefined;
  path?: string | undefined;
  /** SHA-256 of the file before and after; null: it did not exist. */
  before?: string | null | undefined;
  after?: string | null | undefined;
}

/** The final report of an agent, as it was resolved when it was given. */
export interface AgentReport {
  summary: string;
  claims: ResolvedClaim[];
}

/** A command that is a project's check, and the directory in which it is that. */
export interface CheckCommand {
  command: string;
  cwd: string;
}

/** The commands that are a project's checks, by the name of the check. Earlier versions recorded the command alone. */
export type CheckCommands = Readonly<Record<string, readonly (CheckCommand | string)[]>>;

/**
 * An agent's final report, with what the records said about its claims when it was given. `checks`: the commands that were known
 * as the project's checks then.
 */
export interface ReportRecord {
  type: 'report';
  timestamp: string;
  toolUseId: string;
  agentId?: string;
  cwd: string;
  report: AgentReport;
  checks?: CheckCommands;
  /** Why a check is not what it was when the session began, by its name. */
  redefined?: Readonly<Record<string, string>>;
  /** Of a hand-off: the checks that the harness ran itself before it. */
  ran?: Readonly<Record<string, { passed: boolean }>>;
  /** When these had ended. */
  ranAt?: string;
  /** The files where the checks ran, as they were then. Absent where no check was claimed, and in records of earlier versions. */
  look?: WorkspaceLook;
}
