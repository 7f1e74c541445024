import type { Origin, UserBlock } from '../protocol/index.ts';

/**
 * The one way into an agent: a person typing, a finished task, mail, an answer that comes late.
 *
 * A *steer* letter joins at the next turn boundary; a *queue* letter waits until the agent would go idle.
 * Not a log: what was taken is in the transcript, what was not is posted again by its owner on resume.
 */
export interface Letter {
  delivery: 'steer' | 'queue';
  content: UserBlock[];
  origin: Origin;
  /** The message's uuid, where the sender chose one. */
  uuid?: string;
}

export class Inbox {
  #letters: Letter[] = [];
  readonly #listeners = new Set<() => void>();

  post(letter: Letter): void {
    this.#letters.push(letter);
    for (const listener of this.#listeners) listener();
  }

  /** For what goes along with the next letter and wakes nobody by itself. */
  postQuietly(letter: Letter): void {
    this.#letters.push(letter);
  }

  /** What was taken and could not be read after all waits again, in front of what came since. Wakes nobody. */
  putBack(letters: readonly Letter[]): void {
    this.#letters = [...letters, ...this.#letters];
  }

  /** Puts other words into what waits and is like this. */
  rewrite(wanted: (letter: Letter) => boolean, content: UserBlock[]): void {
    this.#letters = this.#letters.map((letter) => (wanted(letter) ? { ...letter, content } : letter));
  }

  isEmpty(): boolean {
    return this.#letters.length === 0;
  }

  /** What joins a run that is under way. */
  takeSteering(): Letter[] {
    return this.#take((letter) => letter.delivery === 'steer');
  }

  /** What a new run begins with: everything that waits, up to and including the first prompt of a person. */
  takeForRun(): Letter[] {
    const first = this.#letters.findIndex(
      (letter) => letter.delivery === 'queue' && letter.origin.kind === 'human',
    );
    const end = first < 0 ? this.#letters.length : first + 1;
    const steering = this.#letters.slice(end).filter((letter) => letter.delivery === 'steer');
    const taken = new Set([...this.#letters.slice(0, end), ...steering]);
    return this.#take((letter) => taken.has(letter));
  }

  /** Takes back queued prompts, newest state of what was never read; returns their uuids. */
  withdrawPrompts(): string[] {
    const taken = this.#take((letter) => letter.origin.kind === 'human');
    return taken.flatMap((letter) => (letter.uuid ? [letter.uuid] : []));
  }

  /** Takes what is like this, whoever it was for. */
  takeWhere(wanted: (letter: Letter) => boolean): Letter[] {
    return this.#take(wanted);
  }

  promptCount(): number {
    return this.#letters.filter((letter) => letter.origin.kind === 'human').length;
  }

  queuedPrompts(): string[] {
    return this.#letters.flatMap((letter) =>
      letter.origin.kind === 'human' && letter.uuid ? [letter.uuid] : [],
    );
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
