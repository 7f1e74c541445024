import type { Claim, ClaimEvidence, ResolvedClaim } from '../protocol/receipt.ts';
import { type Evidence, locate, type SeenChange } from './evidence.ts';
import { type ClaimExpectation, parseExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, compare, judged } from './judge.ts';
import { judgeCall } from './judge-call.ts';
import { judgeCheck } from './judge-check.ts';

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

/** What became of a file over the run: from before this agent's first change of it to after the last change by any. */
function judgeFile(
  path: string,
  expected: ClaimExpectation,
  { evidence, agentId }: ClaimContext,
): ClaimJudgement {
  const all = evidence.changes.filter((change) => change.path === path);
  const first = all.findIndex((change) => change.agentId === agentId);
  if (expected.is === 'unchanged') return judgeUnchanged(path, all);
  if (all.length === 0) return judged('contradicted', `No recorded change of ${path}.`, { path });
  const isCertain = all.some((change) => change.agentId === agentId && !change.isShared);
  if (!isCertain && all.some(({ isShared }) => isShared))
    return judged('unsupported', `Commands of several agents ran when ${path} was changed.`, { path });
  if (first < 0) return judged('contradicted', `${path} was not changed by this agent.`, { path });
  const net = readNet(path, all.slice(first));
  const { before, after } = net;
  if (after === undefined || isUnknown(after) || isUnknown(before))
    return judged('unsupported', `The content of ${path} is not known.`, { path });
  if (expected.is === 'sha256') return compare(after === expected.hash, describe(net), net);
  if (expected.is === 'created') return compare(before === null && after !== null, describe(net), net);
  if (expected.is === 'deleted') return compare(before !== null && after === null, describe(net), net);
  if (expected.is === 'changed') return compare(before !== after && after !== null, describe(net), net);
  return judged('unsupported', 'A file has no such outcome.', net);
}

function judgeUnchanged(path: string, all: readonly SeenChange[]): ClaimJudgement {
  // Not every file is watched, so only a file with a record can be shown to be as it was.
  if (all.length === 0) return judged('unsupported', `${path} is not in the records.`, { path });
  const net = readNet(path, all);
  if (net.after === undefined) return judged('unsupported', `The content of ${path} is not known.`, { path });
  return compare(net.before === net.after, describe(net), net);
}

type Net = ClaimEvidence & { before: string | null; after: string | null | undefined };

function readNet(path: string, changes: readonly SeenChange[]): Net {
  return { path, before: changes[0]?.before ?? null, after: changes.at(-1)?.after };
}

function isUnknown(state: string | null | undefined): boolean {
  return state?.startsWith('unkept: ') === true;
}

function describe({ path, before, after }: Net): string {
  if (before === after) return `${path} is as it was before.`;
  if (before === null) return `${path} was created.`;
  return after === null ? `${path} was deleted.` : `${path} was changed.`;
}
