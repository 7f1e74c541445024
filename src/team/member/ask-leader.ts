import { type Clock, sleep } from '../../lib/clock.ts';
import type { Request, RequestEnd, Requests } from './requests.ts';

/** How often a member that waits looks whether its leader was started again. */
const lookMs = 1_000;

export interface LeaderQuestion extends Request {
  /** The question was answered elsewhere. */
  isOver?(): boolean;
}

export interface LeaderParts {
  requests: Requests;
  clock: Clock;
  /** The incarnation of the leader; undefined while none runs. */
  findLeader(): string | undefined;
}

/**
 * Asks the leader, whichever process that is: mail to an earlier incarnation is void, so one that is started again is asked again. Without
 * a leader the question waits for one, for as long as a question waits for an answer.
 */
export async function askLeader(question: LeaderQuestion, parts: LeaderParts): Promise<RequestEnd> {
  const { clock, findLeader, requests } = parts;
  const { signal } = question;
  const until = clock.monotonic() + question.patienceMs;
  while (!signal.aborted && question.isOver?.() !== true) {
    const patienceMs = until - clock.monotonic();
    if (patienceMs <= 0) return { problem: 'its leader did not answer in time' };
    const leader = findLeader();
    if (leader === undefined) {
      await sleep(clock, lookMs);
      continue;
    }
    const turn = new AbortController();
    const stop = () => turn.abort();
    signal.addEventListener('abort', stop, { once: true });
    const draft = { ...question.draft, toIncarnation: leader };
    const asked = requests.ask({ ...question, draft, patienceMs, signal: turn.signal });
    const isGone = () => findLeader() !== leader || question.isOver?.() === true;
    const stopLooking = watch(clock, isGone, stop);
    const end = await asked;
    stopLooking();
    signal.removeEventListener('abort', stop);
    if ('mail' in end || !turn.signal.aborted) return end;
  }
  return { problem: 'it was stopped' };
}

function watch(clock: Clock, isOver: () => boolean, stop: () => void): () => void {
  let cancel = () => {};
  const look = () => {
    if (isOver()) stop();
    else cancel = clock.after(lookMs, look, 'in the background');
  };
  cancel = clock.after(lookMs, look, 'in the background');
  return () => cancel();
}
