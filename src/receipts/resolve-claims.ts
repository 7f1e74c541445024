import type { Claim, ResolvedClaim } from '../protocol/receipt.ts';
import { type Evidence, locate } from './evidence.ts';
import { parseExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, judged } from './judge.ts';
import { judgeCall } from './judge-call.ts';
import { judgeCheck } from './judge-check.ts';
import { judgeFile } from './judge-file.ts';

/** Compares claims with the records. `confirmed` means that the records show it, not that nothing speaks against it. */
export function resolveClaims(claims: readonly Claim[], context: ClaimContext): ResolvedClaim[] {
  return claims.map((claim) => ({ claim, ...judgeClaim(claim, context) }));
}

/** All records can contradict a claim; only those that an anchor covers, and that this process or its anchors saw written, confirm it. */
export function resolveByAnchored(
  claims: readonly Claim[],
  context: Omit<ClaimContext, 'evidence'>,
  { all, anchored }: { all: Evidence; anchored: Evidence },
): ResolvedClaim[] {
  const shown = resolveClaims(claims, { ...context, evidence: anchored });
  return resolveClaims(claims, { ...context, evidence: all }).map((claim, index) =>
    claim.verdict !== 'confirmed' || shown[index]?.verdict === 'confirmed' ? claim : withoutAnchor(claim),
  );
}

export function withoutAnchor(claim: ResolvedClaim): ResolvedClaim {
  return { ...claim, verdict: 'unsupported', reason: `${claim.reason} ${notAnchored}` };
}

const notAnchored = 'The records of that were written after the last anchor and cannot be verified.';

/** Whether these claims let a hand-off be complete: every one about a check or a file must be confirmed. */
export function findUnconfirmed(resolved: readonly ResolvedClaim[]): ResolvedClaim[] {
  return resolved.filter(
    ({ claim, verdict }) => verdict !== 'confirmed' && (claim.kind === 'check' || claim.kind === 'file'),
  );
}

function judgeClaim(claim: Claim, context: ClaimContext): ClaimJudgement {
  const expected = parseExpectation(claim.kind, claim.expect);
  if (!expected.ok) return judged('unsupported', expected.problem.message);
  if (claim.kind === 'file') {
    if (claim.path === undefined) return judged('unsupported', 'It names no file.');
    const path = locate(context.evidence, context.agentId, claim.path);
    return judgeFile(path, expected.value, context);
  }
  return claim.kind === 'check'
    ? judgeCheck(claim, expected.value, context)
    : judgeCall(claim, expected.value, context);
}
