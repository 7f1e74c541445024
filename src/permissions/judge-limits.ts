import type { Judge, JudgedCall, Verdict } from '../protocol/index.ts';

const maxConsecutive = 3;
const maxTotal = 20;

/**
 * If the judge keeps refusing, either it misreads the work or the work is not what it seems, so the user is asked: after
 * three refusals in a row until the user allows something, after twenty for the rest of the session.
 */
export class LimitedJudge implements Judge {
  #consecutive = 0;
  #total = 0;

  constructor(private readonly inner: Judge) {}

  async judge(subject: JudgedCall, signal: AbortSignal): Promise<Verdict> {
    if (this.#total >= maxTotal || this.#consecutive >= maxConsecutive)
      return { behaviour: 'ask', reason: this.#describe() };
    const verdict = await this.inner.judge(subject, signal);
    if (verdict.behaviour === 'allow') this.#consecutive = 0;
    if (verdict.behaviour === 'deny') {
      this.#consecutive++;
      this.#total++;
    }
    return verdict;
  }

  /** The user has allowed a call. */
  noteAllowed(): void {
    this.#consecutive = 0;
  }

  #describe(): string {
    return this.#total >= maxTotal
      ? `the auto mode judge has refused ${this.#total} calls in this session, so the user is asked`
      : `the auto mode judge has refused ${this.#consecutive} calls in a row, so the user is asked`;
  }
}
