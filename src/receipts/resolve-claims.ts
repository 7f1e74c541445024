import { dirname, relative, resolve } from 'node:path';
import type { CheckCommand, Claim, ClaimEvidence, ResolvedClaim } from '../protocol/receipt.ts';
import { type Evidence, locate, type SeenCall, type SeenChange } from './evidence.ts';
import { type ClaimExpectation, parseExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, compare, judged } from './judge.ts';
import { judgeFile } from './judge-file.ts';
import { saysNoTestRan } from './tests-ran.ts';

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

function judgeCall(
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

function judgeExit(call: SeenCall, expected: ClaimExpectation, evidence: ClaimEvidence): ClaimJudgement {
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

function judgeCheck(claim: Claim, expected: ClaimExpectation, context: ClaimContext): ClaimJudgement {
  if (expected.is !== 'passed' && expected.is !== 'failed')
    return judged('unsupported', 'Not an outcome of a check.');
  const own = expected.check === undefined ? undefined : context.ran?.[expected.check];
  if (own)
    return compare(
      own.passed === (expected.is === 'passed'),
      `The harness ran it: ${own.passed ? 'passed' : 'failed'}.`,
    );
  const checks = listChecks(expected.check, context);
  const call = claim.call === undefined ? findLatest(checks, context) : findCall(claim.call, context);
  if (!call) return judged('unsupported', 'No recorded call ran this check.');
  const evidence = describe(call);
  const { receipt } = call;
  if (!receipt) return judged('unsupported', `Call ${call.id} has no recorded exit code.`, evidence);
  if (receipt.cwd === undefined)
    return judged(
      'unsupported',
      `The record of call ${call.id} does not name the directory in which it ran.`,
      evidence,
    );
  const check = matchCheck(call, checks);
  if (!check)
    return judged(
      'unsupported',
      `${quote(call.command)} in ${receipt.cwd} is not known as the project's check.`,
      evidence,
    );
  const later = findLaterRun(call, checks, check.cwd, context);
  if (later) return judged('contradicted', `It ran again later, as call ${later.id}.`, evidence);
  const outcome = nameDirectory(judgeExit(call, expected, evidence), check, context);
  const changed = findLaterChange(call, check.cwd, context);
  if (outcome.verdict !== 'confirmed') return outcome;
  if (changed !== undefined) return judged('unsupported', `${changed} was changed after it ran.`, evidence);
  return expected.is === 'passed' && isTests(check, context) && saysNoTestRan(call.result?.text ?? '')
    ? judged('unsupported', `${quote(call.command)} says that no test ran.`, evidence)
    : outcome;
}

function isTests(check: CheckCommand, { checks = {} }: ClaimContext): boolean {
  return checks.tests?.some((one) => one === check) === true;
}

/** A check of another directory than the agent's, such as one package of many, is seen to be that. */
function nameDirectory(
  outcome: ClaimJudgement,
  { cwd }: CheckCommand,
  context: ClaimContext,
): ClaimJudgement {
  if (cwd === context.evidence.directories.get(context.agentId)) return outcome;
  return { ...outcome, reason: `${outcome.reason.replace(/\.$/, '')}, in ${cwd}.` };
}

/** A command of an earlier version's record has no directory, so no run can be shown to be that check. */
function listChecks(check: string | undefined, { checks = {} }: ClaimContext): CheckCommand[] {
  const named = check === undefined ? Object.values(checks).flat() : (checks[check] ?? []);
  return named.flatMap((one) => (typeof one === 'string' ? [] : [one]));
}

/**
 * Exactly the check's command, in the check's directory: in `check || true` or `check | tail` the exit code is not the check's,
 * and in another directory it is another project's. It may be behind `cd`, and have its errors joined to its output.
 */
function matchCheck(
  { command, receipt }: SeenCall,
  checks: readonly CheckCommand[],
): CheckCommand | undefined {
  if (command === undefined || receipt?.cwd === undefined) return undefined;
  const { cwd } = receipt;
  const plain = command
    .trim()
    .replace(/ 2>&1$/, '')
    .trim();
  const ways = [{ command: plain, cwd }];
  // A plain path: an option or an expansion would lead elsewhere.
  const [, to, rest] = /^cd ([\w./@+][\w./@+-]*) && ([\s\S]+)$/.exec(plain) ?? [];
  if (to !== undefined && rest !== undefined) ways.push({ command: rest.trim(), cwd: resolve(cwd, to) });
  return checks.find((one) => ways.some((way) => way.command === one.command.trim() && way.cwd === one.cwd));
}

function findLatest(checks: readonly CheckCommand[], context: ClaimContext): SeenCall | undefined {
  return own(context).findLast((call) => matchCheck(call, checks));
}

/** The same check in the same directory with another outcome, later. */
function findLaterRun(
  call: SeenCall,
  checks: readonly CheckCommand[],
  cwd: string,
  context: ClaimContext,
): SeenCall | undefined {
  const same = checks.filter((check) => check.cwd === cwd);
  const all = own(context);
  return all
    .slice(all.indexOf(call) + 1)
    .find((one) => matchCheck(one, same) && (one.receipt?.exitCode === 0) !== (call.receipt?.exitCode === 0));
}

/** In the check's directory or the agent's. Files that the check itself wrote, such as its coverage, are left out. */
function findLaterChange(call: SeenCall, cwd: string, { evidence }: ClaimContext): string | undefined {
  const around = evidence.directories.get(call.agentId);
  const directories = around === undefined ? [cwd] : [cwd, around];
  return evidence.changes.find(
    (change) =>
      change.at > call.at &&
      !(change.toolUseId === call.id && change.agentId === call.agentId) &&
      !isEarlierEdit(change, call, evidence) &&
      change.before !== change.after &&
      directories.some((directory) => isWithin(directory, change.path)),
  )?.path;
}

/** Calls of one message have its time. An edit that comes before the command in it was made before the command ran. */
function isEarlierEdit(change: SeenChange, call: SeenCall, { calls }: Evidence): boolean {
  if (change.cause !== undefined || change.agentId !== call.agentId) return false;
  const edit = calls.findIndex(({ id, agentId }) => id === change.toolUseId && agentId === change.agentId);
  return edit >= 0 && edit < calls.indexOf(call);
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && dirname(path) !== path;
}

function own({ evidence, agentId }: ClaimContext): SeenCall[] {
  return evidence.calls.filter((call) => call.agentId === agentId);
}

/** By its id, else by its command: then the last that ran. Calls of other agents are their claims to make. */
function findCall(named: string | undefined, context: ClaimContext): SeenCall | undefined {
  if (named === undefined) return undefined;
  const calls = own(context);
  return (
    calls.find(({ id }) => id === named) ?? calls.findLast((one) => one.command?.trim() === named.trim())
  );
}

function describe(call: SeenCall): ClaimEvidence {
  const { id, tool, command, receipt } = call;
  return {
    ...{ call: id, tool },
    ...(command === undefined ? {} : { command }),
    ...(receipt?.cwd === undefined ? {} : { cwd: receipt.cwd }),
    ...(receipt ? { exitCode: receipt.exitCode, output: receipt.output } : {}),
  };
}

function quote(text: string | undefined): string {
  return text === undefined ? 'named' : `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}
