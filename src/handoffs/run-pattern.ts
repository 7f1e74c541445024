import { countThings } from '../lib/text/count-things.ts';
import { boundText } from '../lib/text/text.ts';
import { findUnconfirmed } from '../receipts/resolve-claims.ts';
import type { RunPort } from '../workflows/run-port.ts';
import { noteChecksAtFirst } from './checks-at-first.ts';
import type { HaltKind, HandoffTask, Pattern, PatternEnd, PatternHalt, UserInput } from './pattern.ts';
import { type PhaseRecord, PhaseRecords } from './phase-records.ts';
import { computeSavings, type SavingsReport } from './savings.ts';
import type { FailedCheck, UserAnswer } from './schema.ts';
import type { HandoffSetup } from './setup.ts';

/** How a pattern ended, with everything that is known. Plain data, as `--output-format json` prints it. */
export interface PatternResult<Findings = unknown> {
  /** `partial`: it ran to its end, but a phase left something undone or claims what the records do not show. */
  outcome: 'complete' | 'partial' | HaltKind;
  decision: 'PROCEED' | 'STOP' | 'CLARIFY';
  /** Of the last phase; only if complete or partial. */
  findings?: Findings | undefined;
  reason?: string | undefined;
  suggestion?: string | undefined;
  questions?: readonly string[] | undefined;
  failed_checks?: readonly FailedCheck[] | undefined;
  /** The raw answer that was not valid, in the journal of the run. */
  raw_answer?: string | undefined;
  issues: readonly string[];
  /** The harness ran the checks of every validation. False: they are the agents' own words. Absent without a validation. */
  checked?: boolean | undefined;
  phases: readonly PhaseRecord[];
  savings: SavingsReport;
}

/** A user that keeps answering "try again" ends at some point, too. */
const maxConsultations = 10;

/** Runs a pattern to its end. Where a user can help, the user is asked, and it continues from there. */
export async function runPattern<Findings>(
  run: RunPort,
  pattern: Pattern<Findings>,
  given: { task: HandoffTask; setup: HandoffSetup },
): Promise<PatternResult<Findings>> {
  const { task } = given;
  const setup = await noteChecksAtFirst(run, given.setup);
  const records = new PhaseRecords();
  let end = await pattern.run({ run, setup, task, path: '', carry: {}, records });
  for (let asked = 0; asked < maxConsultations; asked++) {
    if (end.kind === 'complete' || !end.continueWith || run.signal.aborted) break;
    const said = await consultUser(run, end, records.list);
    if (!said) break;
    end = await end.continueWith(said);
  }
  return describe(end, records, await computeSavings(records.list, setup.readRequests));
}

function describe<Findings>(
  end: PatternEnd<Findings>,
  { list: phases, latest }: PhaseRecords,
  savings: SavingsReport,
): PatternResult<Findings> {
  const validations = phases.filter(({ phase, end: how }) => phase === 'validate' && how === 'answered');
  const common = {
    issues: end.issues,
    ...(validations.length > 0 ? { checked: validations.every(({ checked }) => checked) } : {}),
    phases,
    savings,
  };
  if (end.kind === 'complete') {
    const left = latest.filter((record) => isUnfinished(record, record === phases.at(-1)));
    const success = { decision: 'PROCEED' as const, findings: end.findings, ...common };
    if (left.length === 0) return { outcome: 'complete', ...success };
    const issues = left.flatMap(({ label, issues: own }) => own.map((issue) => `${label}: ${issue}`));
    return { outcome: 'partial', reason: describeUnfinished(left), ...success, issues };
  }
  const { kind, reason, suggestion, questions, failedChecks, handle } = end;
  return {
    outcome: kind,
    decision: kind === 'needs_answers' ? 'CLARIFY' : 'STOP',
    ...{ reason, suggestion },
    ...(questions ? { questions } : {}),
    ...(failedChecks ? { failed_checks: failedChecks } : {}),
    ...(handle === undefined ? {} : { raw_answer: handle }),
    ...common,
  };
}

/** Research that says it is partial is a matter of the phases after it; a claim that does not hold never is. */
function isUnfinished({ end, status, phase, judged = [] }: PhaseRecord, isLast: boolean): boolean {
  if (end !== 'answered' || status === 'complete') return false;
  return isLast || phase !== 'research' || findUnconfirmed(judged).length > 0;
}

function describeUnfinished(left: readonly PhaseRecord[]): string {
  const parts = left.map(({ label, judged = [] }) => {
    const count = findUnconfirmed(judged).length;
    return count === 0
      ? `${label} left something undone`
      : `${countThings(count, 'claim')} of ${label} ${count === 1 ? 'is' : 'are'} not confirmed by the records`;
  });
  return `${parts.join('; ')}.`;
}

const tryAgain = 'Try again';
const stopHere = 'Stop here';
const maxShownLength = 6_000;
const maxAnswerLength = 4_000;

/** Answers to questions, or whether to try again. Undefined if the user stops, or nobody can answer. */
async function consultUser(
  run: RunPort,
  halt: PatternHalt<unknown>,
  records: readonly PhaseRecord[],
): Promise<UserInput | undefined> {
  if (halt.questions) return askQuestions(run, halt.questions);
  const text = [
    halt.reason,
    ...describeFailures(halt),
    describeKnown(records),
    'Try again, stop, or say what to change.',
  ];
  const answer = await run.ask({
    text: boundText(text.filter(Boolean).join('\n\n'), maxShownLength),
    choices: [tryAgain, stopHere],
  });
  if (answer === undefined || answer === stopHere) return undefined;
  return answer === tryAgain ? {} : { hint: answer.slice(0, maxAnswerLength) };
}

async function askQuestions(run: RunPort, questions: readonly string[]): Promise<UserInput | undefined> {
  const answers: UserAnswer[] = [];
  for (const question of questions) {
    const answer = await run.ask({ text: question, choices: [] });
    if (answer === undefined) return undefined;
    answers.push({ question, answer: answer.slice(0, maxAnswerLength) });
  }
  return { answers };
}

function describeFailures({ failedChecks = [] }: PatternHalt<unknown>): string[] {
  return failedChecks.map(({ check, errors }) => [`Failed: ${check}`, ...errors.slice(0, 5)].join('\n  '));
}

/** Everything known so far, so that the decision needs no other window. */
function describeKnown(records: readonly PhaseRecord[]): string {
  // In one order: a resumed run knows its answered questions by their text.
  const sorted = records.toSorted((one, other) => (one.task_id < other.task_id ? -1 : 1));
  const lines = sorted.map(({ label, decision, end, context_summary, partial_text }) => {
    const said = context_summary ?? partial_text ?? '';
    return `- ${label}: ${decision ?? end.replace('_', ' ')}${said === '' ? '' : `. ${boundText(said, 500)}`}`;
  });
  return lines.length === 0 ? '' : ['Known so far:', ...lines].join('\n');
}
