import { dirname, relative } from 'node:path';
import { readBounded } from '../lib/files/read-bounded.ts';
import { hashBytes } from '../lib/hash.ts';
import type { CheckCommand, Claim } from '../protocol/receipt.ts';
import type { Evidence, SeenCall, SeenChange } from './evidence.ts';
import type { ClaimExpectation } from './expectation.ts';
import { type ClaimContext, type ClaimJudgement, compare, judged } from './judge.ts';
import { describe, findCall, judgeExit, own, quote } from './judge-call.ts';
import { type MatchedCheck, matchCheck } from './match-check.ts';
import { saysNoTestRan, saysTestFailed } from './tests-ran.ts';

/** What ids of calls begin with that the harness made to run checks. */
const harnessCall = 'check_';

export function judgeCheck(claim: Claim, expected: ClaimExpectation, context: ClaimContext): ClaimJudgement {
  if (expected.is !== 'passed' && expected.is !== 'failed')
    return judged('unsupported', 'Not an outcome of a check.');
  const changed = expected.check === undefined ? undefined : context.redefined?.[expected.check];
  if (changed !== undefined) return judged('unsupported', changed);
  const ran = expected.check === undefined ? undefined : context.ran?.[expected.check];
  if (ran) return judgeRan(ran, expected.is, context);
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
  const matched = match(call, checks, context);
  if (!matched)
    return judged(
      'unsupported',
      `${quote(call.command)} in ${receipt.cwd} is not known as the project's check${nameKnown(checks)}.`,
      evidence,
    );
  const { check, isAmongOthers } = matched;
  if (isAmongOthers && receipt.exitCode !== 0)
    return judged('unsupported', `Which check of ${quote(call.command)} failed is not known.`, evidence);
  const later = findLaterRun(call, checks, check.cwd, context);
  if (later) return judged('contradicted', `It ran again later, as call ${later.id}.`, evidence);
  const redefined = context.redefined?.[nameCheck(check, context)];
  if (redefined !== undefined) return judged('unsupported', redefined, evidence);
  const outcome = nameDirectory(judgeExit(call, expected, evidence), check, context);
  if (outcome.verdict !== 'confirmed') return outcome;
  const since =
    findLaterChange(call, check.cwd, context) ?? findInLook(receipt.endedAt, context, [check.cwd]);
  if (since !== undefined) return judged('unsupported', since, evidence);
  return expected.is === 'passed' && nameCheck(check, context) === 'tests'
    ? { ...outcome, ...doubtTests(call), evidence }
    : outcome;
}

/** An exit code of 0 says little where the output says that none ran, or that some failed. */
function doubtTests(call: SeenCall): Partial<ClaimJudgement> {
  const output = readWholeOutput(call);
  const doubt = (reason: string) => judged('unsupported', reason);
  if (output === undefined)
    return doubt(`The whole output of ${quote(call.command)} is not stored as it was recorded.`);
  if (saysNoTestRan(output)) return doubt(`${quote(call.command)} says that no test ran.`);
  return saysTestFailed(output)
    ? doubt(`${quote(call.command)} says that tests failed, whatever its exit code.`)
    : {};
}

function nameCheck(check: CheckCommand, { checks = {} }: ClaimContext): string {
  return Object.entries(checks).find(([, commands]) => commands.includes(check))?.[0] ?? '';
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

function match(
  call: SeenCall,
  wanted: readonly CheckCommand[],
  context: ClaimContext,
): MatchedCheck | undefined {
  return matchCheck(call, wanted, listChecks(undefined, context));
}

function nameKnown([first]: readonly CheckCommand[]): string {
  return first === undefined ? '' : `, which is ${quote(first.command)} in ${first.cwd}`;
}

function findLatest(checks: readonly CheckCommand[], context: ClaimContext): SeenCall | undefined {
  return own(context).findLast((call) => match(call, checks, context));
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
    .find(
      (one) => match(one, same, context) && (one.receipt?.exitCode === 0) !== (call.receipt?.exitCode === 0),
    );
}

/** The harness's own runs have no call of the agent's. */
function judgeRan(
  { passed }: { passed: boolean },
  expected: 'passed' | 'failed',
  context: ClaimContext,
): ClaimJudgement {
  const outcome = compare(
    passed === (expected === 'passed'),
    `The harness ran it: ${passed ? 'passed' : 'failed'}.`,
  );
  if (outcome.verdict !== 'confirmed') return outcome;
  const { evidence, ranAt } = context;
  const later = evidence.changes.find(
    ({ at, before, after, toolUseId }) =>
      ranAt !== undefined && at > ranAt && before !== after && !toolUseId.startsWith(harnessCall),
  );
  const changed = later ? describeLater(later.path) : findInLook(ranAt, context);
  return changed === undefined ? outcome : judged('unsupported', changed);
}

/** What any program changed after that time, or why that is not known. */
function findInLook(
  since: string | undefined,
  { look, evidence, agentId }: ClaimContext,
  directories?: readonly string[],
): string | undefined {
  if (since === undefined) return 'Its record does not say when it ended.';
  if (!look) return 'What was changed after it ran is not recorded.';
  const around = evidence.directories.get(agentId);
  const within = directories && [...directories, ...(around === undefined ? [] : [around])];
  const later = look.changed.find(
    ({ path, at }) => at > since && (within?.some((directory) => isWithin(directory, path)) ?? true),
  );
  if (later) return describeLater(later.path);
  return look.unseen === undefined
    ? undefined
    : `What was changed after it ran is not known: ${look.unseen}.`;
}

function describeLater(path: string): string {
  return `${path} was changed after it ran.`;
}

/**
 * In the check's directory or the agent's. Files that the check itself wrote, such as its coverage, are left out, unless another
 * command ran beside it: then the check may not have seen what is there now.
 */
function findLaterChange(call: SeenCall, cwd: string, context: ClaimContext): string | undefined {
  const { evidence } = context;
  const isAlone = !ranBeside(call, context);
  const around = evidence.directories.get(call.agentId);
  const directories = around === undefined ? [cwd] : [cwd, around];
  const later = evidence.changes.find(
    (change) =>
      change.at > call.at &&
      !(isAlone && !change.isShared && change.toolUseId === call.id && change.agentId === call.agentId) &&
      !isEarlierEdit(change, call, evidence) &&
      change.before !== change.after &&
      directories.some((directory) => isWithin(directory, change.path)),
  );
  if (!later) return undefined;
  return later.toolUseId === call.id && later.agentId === call.agentId
    ? `${later.path} was changed while it ran, beside another command.`
    : describeLater(later.path);
}

/** A command in the background that ran while this one did. */
function ranBeside({ id, at, receipt }: SeenCall, context: ClaimContext): boolean {
  return own(context).some(
    (other) =>
      other.isBackground === true &&
      other.id !== id &&
      (receipt?.endedAt === undefined || other.at <= receipt.endedAt) &&
      (other.receipt?.endedAt === undefined || other.receipt.endedAt >= at),
  );
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

/** The agent's own runs of any check, each with the directory of the check. */
export function listCheckRuns(context: ClaimContext): { call: SeenCall; cwd: string }[] {
  const checks = listChecks(undefined, context);
  return own(context).flatMap((call) => {
    const matched = matchCheck(call, checks);
    return matched ? [{ call, cwd: matched.check.cwd }] : [];
  });
}

const maxBytes = 64 * 1024 * 1024;

/**
 * All that a command printed: its result, or the stored output where the result has only a part of it, or none, as of a command
 * in the background. Undefined where that is no longer there, or is not what was recorded.
 */
function readWholeOutput({ result, receipt }: SeenCall): string | undefined {
  if (receipt?.outputFile === undefined) return result?.text;
  const read = readBounded(receipt.outputFile, maxBytes, { refusesLinks: true });
  if (read.state !== 'read' || hashBytes(read.bytes) !== receipt.output) return undefined;
  return read.bytes.toString('utf8');
}
