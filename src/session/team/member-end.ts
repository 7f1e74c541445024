import type { TaskView } from '../../protocol/index.ts';
import type { Letter } from '../../tasks/inbox.ts';
import { composeNote } from '../../team/member/letters.ts';
import type { MemberEnd } from '../../team/member/teammate-parts.ts';

/** Why a member's run is over, in words. */
export function explainEnd(end: MemberEnd, task: TaskView | undefined): string {
  if (end.how === 'agreed') return 'it shut down as its leader asked';
  if (end.how === 'forced') return 'it was stopped, since it did not shut down in time';
  return task?.stoppedBy === 'user' ? 'the user stopped it' : (end.outcome?.reason ?? 'it was stopped');
}

/** Nobody wanted that: it stays wanted, and continues when its session is opened again. */
export function isBroken(end: MemberEnd): boolean {
  return end.how === 'cut off' && end.outcome?.kind === 'failed';
}

/** The leader would wait for a report that never comes. One that somebody stopped is no reason to run. */
export function composeCutOff(name: string, end: MemberEnd, reason: string): Letter | undefined {
  if (end.how !== 'cut off') return undefined;
  const kind = end.outcome?.kind;
  const why = reason.replace(/\.$/, '');
  const text = `The teammate ${name} has ended without a report: ${why}. SendMessage to ${name} resumes it.`;
  const isStopped = kind === undefined || kind === 'interrupted' || kind === 'killed';
  return composeNote(text, isStopped ? { isQuiet: true } : {});
}
