import type { ClaimEvidence } from '../protocol/receipt.ts';
import type { SeenChange } from './evidence.ts';
import type { ClaimExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, compare, judged } from './judge.ts';

/** What became of a file over the run: from before this agent's first change of it to after the last change by any. */
export function judgeFile(
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
