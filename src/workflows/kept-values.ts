import { makeKey } from './call-key.ts';
import type { RunJournal } from './journal.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import type { RunQuestion, RunStep } from './run-port.ts';

/** Numbers equal calls of a run, from 1, in the order in which its program makes them. */
export class CallNumbers {
  readonly #last = new Map<string, number>();

  next(key: string): number {
    const number = (this.#last.get(key) ?? 0) + 1;
    this.#last.set(key, number);
    return number;
  }
}

/** Values of a run besides those of agents, kept in its journal: steps of the harness, and the user's answers. */
export class KeptValues {
  constructor(
    private readonly journal: RunJournal,
    private readonly recorded: RecordedCalls,
    private readonly numbers: CallNumbers,
    private readonly stop: (reason: string) => void,
  ) {}

  async step<T>({ name, input, work }: RunStep<T>, signal: AbortSignal): Promise<T> {
    const key = makeKey(`step ${name}`, input);
    if (!key.ok) throw new Error(`${name}: ${key.problem.message}`);
    const at = { key: key.value, number: this.numbers.next(key.value) };
    const known = this.recorded.findValue(at);
    if (known) return known.value as T;
    const value = await work(signal);
    const written = await this.journal.write({ type: 'step', name, value: value ?? null, ...at });
    if (written.ok) return value;
    this.stop(written.problem.message);
    throw new Error(written.problem.message);
  }

  async ask(question: RunQuestion, put: () => Promise<string | undefined>): Promise<string | undefined> {
    const key = makeKey('question', question);
    if (!key.ok) return undefined;
    const at = { key: key.value, number: this.numbers.next(key.value) };
    const known = this.recorded.findValue(at)?.value;
    if (typeof known === 'string') return known;
    const value = await put();
    if (value === undefined) return undefined;
    const written = await this.journal.write({ type: 'answer', value, ...at });
    if (!written.ok) this.stop(written.problem.message);
    return value;
  }
}
