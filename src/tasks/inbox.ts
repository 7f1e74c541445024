import type { Origin, UserBlock } from '../protocol/index.ts';

/**
 * The one way into an agent: a user typing, a finished task, mail, an answer that comes late. A *steer* letter joins at
 * the next turn boundary; a *queue* letter waits until the agent would go idle. Not a log: letters that were taken are
 * in the transcript, others are posted again by their owner on resume.
 */
export interface Letter {
  delivery: 'steer' | 'queue';
  /** Empty: only a reason to run. The conversation has what it would say. */
  content: UserBlock[];
  origin: Origin;
  /** The message's uuid, if the sender chose one. */
  uuid?: string;
  /** Read as it is: commands in it are not expanded. */
  isVerbatim?: boolean;
  /** No reason to run: it waits for a letter that is. */
  isQuiet?: boolean;
  /** About an agent that continues with its session: unread at the session's end, it is void. */
  isPassing?: boolean;
}

export class Inbox {
  #letters: Letter[] = [];
  readonly #listeners = new Set<() => void>();

  post(letter: Letter): void {
    this.#letters.push(letter);
    for (const listener of this.#listeners) listener();
  }

  /** For a letter that is delivered with the next one and does not wake the agent. */
  postQuietly(letter: Letter): void {
    this.#letters.push(letter);
  }

  /** Letters that were taken but could not be read wait again, before later ones. Does not wake the agent. */
  putBack(letters: readonly Letter[]): void {
    this.#letters = [...letters, ...this.#letters];
  }

  /** Replaces the content of waiting letters that match. */
  rewrite(wanted: (letter: Letter) => boolean, content: UserBlock[]): void {
    this.#letters = this.#letters.map((letter) => (wanted(letter) ? { ...letter, content } : letter));
  }

  /** Whether nothing waits that is a reason to run. */
  isEmpty(): boolean {
    return this.#letters.every((letter) => letter.isQuiet);
  }

  /** Whether a letter waits that keeps a run going which would end now. */
  hasSteering(): boolean {
    return this.#letters.some((letter) => letter.delivery === 'steer' && !letter.isQuiet);
  }

  /** Letters that join a run in progress. */
  takeSteering(): Letter[] {
    return this.#take((letter) => letter.delivery === 'steer');
  }

  /** The letters that a new run begins with: everything that waits, up to and including the user's first prompt. */
  takeForRun(): Letter[] {
    const first = this.#letters.findIndex(
      (letter) => letter.delivery === 'queue' && letter.origin.kind === 'human' && !letter.isQuiet,
    );
    const end = first < 0 ? this.#letters.length : first + 1;
    const steering = this.#letters.slice(end).filter((letter) => letter.delivery === 'steer');
    const taken = new Set([...this.#letters.slice(0, end), ...steering]);
    return this.#take((letter) => taken.has(letter));
  }

  /**
   * For a run that cannot be recorded: its prompts are given up, and their uuids returned; what others sent waits for the next
   * prompt. It does not start a run, or that would be tried endlessly.
   */
  giveUpPrompts(): string[] {
    const letters = this.takeForRun();
    const isTheirs = ({ origin }: Letter) => origin.kind !== 'human' && origin.kind !== 'harness';
    this.putBack(letters.filter(isTheirs).map((letter) => ({ ...letter, isQuiet: true })));
    return letters.flatMap(({ origin, uuid }) => (origin.kind === 'human' && uuid ? [uuid] : []));
  }

  /** Withdraws queued prompts that were not read; returns their uuids. */
  withdrawPrompts(): string[] {
    const taken = this.#take((letter) => letter.origin.kind === 'human' && !letter.isQuiet);
    return taken.flatMap((letter) => (letter.uuid ? [letter.uuid] : []));
  }

  /** Takes all letters that match, whichever kind they are. */
  takeWhere(wanted: (letter: Letter) => boolean): Letter[] {
    return this.#take(wanted);
  }

  promptCount(): number {
    return this.#letters.filter((letter) => letter.origin.kind === 'human' && !letter.isQuiet).length;
  }

  queuedPrompts(): string[] {
    return this.#letters.flatMap((letter) =>
      letter.origin.kind === 'human' && !letter.isQuiet && letter.uuid ? [letter.uuid] : [],
    );
  }

  /** Those that wait, also the quiet ones. */
  waitingPrompts(): string[] {
    return this.#letters.flatMap(({ origin, uuid }) => (origin.kind === 'human' && uuid ? [uuid] : []));
  }

  /** Calls back at every post; the returned function ends it. */
  onPost(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #take(wanted: (letter: Letter) => boolean): Letter[] {
    const taken = this.#letters.filter(wanted);
    if (taken.length > 0) this.#letters = this.#letters.filter((letter) => !taken.includes(letter));
    return taken;
  }
}
