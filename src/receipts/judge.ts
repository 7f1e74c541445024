import type {
  CheckCommands,
  ClaimEvidence,
  ClaimVerdict,
  ResolvedClaim,
  WorkspaceLook,
} from '../protocol/receipt.ts';
import type { Evidence } from './evidence.ts';

export interface ClaimContext {
  evidence: Evidence;
  /** Whose claims they are; null: the lead's. */
  agentId: string | null;
  checks?: CheckCommands | undefined;
  /** Why a check is not what it was when the session began, by its name: it shows nothing then. */
  redefined?: Readonly<Record<string, string>> | undefined;
  /** Checks that the harness ran itself, after everything that the claims are about. */
  ran?: Readonly<Record<string, { passed: boolean }>> | undefined;
  /** When these had ended. */
  ranAt?: string | undefined;
  /** What has changed since the first check, whoever did it. */
  look?: WorkspaceLook | undefined;
}

export type ClaimJudgement = Pick<ResolvedClaim, 'verdict' | 'reason' | 'evidence'>;

export function compare(holds: boolean, reason: string, evidence?: ClaimEvidence): ClaimJudgement {
  return judged(holds ? 'confirmed' : 'contradicted', reason, evidence);
}

export function judged(verdict: ClaimVerdict, reason: string, evidence?: ClaimEvidence): ClaimJudgement {
  return { verdict, reason, ...(evidence ? { evidence } : {}) };
}
