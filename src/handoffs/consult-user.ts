import { boundText } from '../lib/text/text.ts';
import type { RunPort } from '../workflows/run-port.ts';
import type { PatternHalt, UserInput } from './pattern.ts';
import type { PhaseRecord } from './phase-records.ts';
import type { UserAnswer } from './schema.ts';

const tryAgain = 'Try again';
const stopHere = 'Stop here';
const maxShownLength = 6_000;
const maxAnswerLength = 4_000;

/** Answers to questions, or whether to try again. Undefined if the user stops, or nobody can answer. */
export async function consultUser(
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
