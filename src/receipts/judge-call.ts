import type { Claim, ClaimEvidence } from '../protocol/receipt.ts';
import type { SeenCall } from './evidence.ts';
import type { ClaimExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, compare, judged } from './judge.ts';

export function judgeCall(
  { call: named }: Claim,
  expected: ClaimExpectation,
  context: ClaimContext,
): ClaimJudgement {
  const call = findCall(named, context);
  if (!call) return judged('unsupported', `No recorded call is ${quote(named)}.`);
  const evidence = describe(call);
  if (!call.result && !call.receipt)
    return judged('unsupported', `Call ${call.id} has no recorded result.`, evidence);
  if (expected.is === 'contains') return judgeText(call, expected.text, evidence);
  if (!call.receipt)
    return judged('unsupported', `Call ${call.id} (${call.tool}) has no recorded exit code.`, evidence);
  if (expected.is === 'sha256')
    return compare(
      call.receipt.output === expected.hash,
      `The output's SHA-256 is ${call.receipt.output}.`,
      evidence,
    );
  return judgeExit(call, expected, evidence);
}

export function judgeExit(
  call: SeenCall,
  expected: ClaimExpectation,
  evidence: ClaimEvidence,
): ClaimJudgement {
  const code = call.receipt?.exitCode ?? null;
  const how = call.receipt?.timedOut
    ? 'It timed out'
    : code === null
      ? 'It did not end by itself'
      : `Exit code ${code}`;
  const reason = `${how}: ${quote(call.command)}.`;
  const isEnded = code !== null && !call.receipt?.timedOut && !call.receipt?.interrupted;
  if (expected.is === 'exit') return compare(isEnded && code === expected.code, reason, evidence);
  if (expected.is === 'passed') return compare(isEnded && code === 0, reason, evidence);
  if (expected.is === 'failed') return compare(isEnded && code !== 0, reason, evidence);
  return judged('unsupported', 'A command has no such outcome.', evidence);
}

/** A long output is in the result by its two ends only, so not finding a text in it contradicts nothing. */
function judgeText(call: SeenCall, text: string, evidence: ClaimEvidence): ClaimJudgement {
  if (call.result?.text.includes(text))
    return judged('confirmed', 'The recorded result contains it.', evidence);
  const isWhole = call.result !== undefined && call.receipt?.outputFile === undefined;
  return isWhole
    ? judged('contradicted', 'The recorded result does not contain it.', evidence)
    : judged('unsupported', 'The recorded part of the output does not contain it.', evidence);
}

export function own({ evidence, agentId }: ClaimContext): SeenCall[] {
  return evidence.calls.filter((call) => call.agentId === agentId);
}

/** By its id, else by its command: then the last that ran. Calls of other agents are their claims to make. */
export function findCall(named: string | undefined, context: ClaimContext): SeenCall | undefined {
  if (named === undefined) return undefined;
  const calls = own(context);
  return (
    calls.find(({ id }) => id === named) ?? calls.findLast((one) => one.command?.trim() === named.trim())
  );
}

export function describe(call: SeenCall): ClaimEvidence {
  const { id, tool, command, receipt } = call;
  return {
    ...{ call: id, tool },
    ...(command === undefined ? {} : { command }),
    ...(receipt?.cwd === undefined ? {} : { cwd: receipt.cwd }),
    ...(receipt ? { exitCode: receipt.exitCode, output: receipt.output } : {}),
  };
}

export function quote(text: string | undefined): string {
  return text === undefined ? 'named' : `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}
