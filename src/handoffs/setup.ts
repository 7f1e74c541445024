import type { CheckDefinitions } from '../checks/definitions.ts';
import type { Secrets } from '../lib/secrets/secrets.ts';
import type { Usage } from '../protocol/index.ts';
import type { Claim, ResolvedClaim } from '../protocol/receipt.ts';
import type { HandoffLibrary } from './load-library.ts';
import type { CheckName, CheckOutcomes } from './schema.ts';

/** What hand-offs need of the place they run in, besides the run itself. */
export interface HandoffSetup {
  library: HandoffLibrary;
  /** Masks the user's secrets; without it, only tokens of a known format are found. */
  secrets?: Pick<Secrets, 'hideIn'> | undefined;
  /** Runs the project's own checks. Without it a validator reports what it ran itself, and the result says so. */
  checks?: ChecksPort | undefined;
  /** What the checks were before the work began. */
  checksAtFirst?: CheckDefinitions | undefined;
  /** Compares claims with what the harness recorded. Without it they are handed on unchecked. */
  claims?: ClaimsPort | undefined;
  /** The usage of each request of an agent, in order, for the comparison with one long conversation. */
  readRequests?: ((agentId: string) => Promise<readonly Usage[] | undefined>) | undefined;
}

/** The project's type check, linter, tests and security check. */
export interface ChecksPort {
  /** Rejects only if it could not run at all. With `only`, the others are not in the report. */
  run(signal: AbortSignal, only?: readonly CheckName[]): Promise<CheckReport>;
  /** What says what they do now. Without it nobody notices that work changed that. */
  define?(): Promise<CheckDefinitions>;
}

export type CheckReport = Partial<CheckOutcomes>;

export type RanChecks = Readonly<Record<string, { passed: boolean }>>;

/** The harness's own records about an agent: calls, exit codes, hashes of files. */
export interface ClaimsPort {
  /** One for each claim, in order; kept, so that the run can be verified later. */
  judge(claims: readonly Claim[], about: ClaimsMade): Promise<ResolvedClaim[]>;
}

export interface ClaimsMade {
  /** Whose claims they are. */
  agentId: string | undefined;
  summary: string;
  /** Checks that the harness ran itself, after everything that the claims are about. */
  ran: RanChecks;
}
