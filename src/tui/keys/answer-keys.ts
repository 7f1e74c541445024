import type { Clock } from '../../lib/clock.ts';
import { type Dialog, findOption, getField } from '../questions/dialog.ts';
import type { Key } from './key.ts';

/** A key followed by another within this time is typing. */
const pauseMs = 150;
/** The same for keys that have only moved the cursor so far. */
const followMs = 600;

/** Goes to the end of a long question, as in a pager. */
export function isEndKey({ name, text, ctrl, alt }: Key): boolean {
  return name === 'end' || (name === 'text' && text === 'G' && !ctrl && !alt);
}

/** Where keys end up: in the dialog, or, if they were typing, in the prompt. */
export type KeysFor = { readonly kind: 'dialog' | 'prompt'; readonly keys: readonly Key[] };

const nothing: KeysFor = { kind: 'dialog', keys: [] };

/**
 * Tells an answer from text typed without looking. A key that answers waits for a moment, and another one within it
 * turns both into typing; several characters at once, and a key that is not an answer, are typing anyway. No typed
 * text is lost.
 */
export class AnswerKeys {
  /** It waits to become an answer. */
  #waiting: { key: Key; cancel(): void } | undefined;
  /** They have moved the cursor, and may still turn out to be typing. */
  #moved: { keys: readonly Key[]; at: number } = { keys: [], at: 0 };

  constructor(
    private readonly clock: Clock,
    /** Takes a key that has waited long enough. */
    private readonly act: (key: Key) => void,
  ) {}

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** `isLong`: part of the question is not visible, and `G` goes to its end. */
  take(key: Key, dialog: Dialog, isLong = false): KeysFor {
    const { key: waited } = this.#stopWaiting() ?? {};
    const isText = !dialog.typing && key.name === 'text' && !key.ctrl && !key.alt;
    if (!isText) return this.#other(key, waited);
    const before = waited ? [...this.#recent(), waited] : this.#recent();
    const { isMany } = getField(dialog);
    const option = findOption(dialog, key);
    if (isMany && (option || key.text === ' ')) return { kind: 'dialog', keys: [key] };
    const isMeant = option !== undefined || (isLong && !isMany && isEndKey(key));
    if (waited || !isMeant || (before.length > 0 && !option?.isLasting)) {
      this.#moved = { keys: [], at: 0 };
      return { kind: 'prompt', keys: [...before, key] };
    }
    this.#waiting = { key, cancel: this.clock.after(pauseMs, () => this.#ripe(key, option?.isLasting)) };
    return nothing;
  }

  /** Another question: nothing typed before is for it. */
  forget(): void {
    this.#stopWaiting();
    this.#moved = { keys: [], at: 0 };
  }

  /** A key of another kind confirms the one before it as an answer; a return this soon after it is not a second one. */
  #other(key: Key, waited: Key | undefined): KeysFor {
    this.#moved = { keys: [], at: 0 };
    if (!waited) return { kind: 'dialog', keys: [key] };
    if (key.name === 'escape') return { kind: 'dialog', keys: [key] };
    return { kind: 'dialog', keys: key.name === 'return' ? [waited] : [waited, key] };
  }

  #ripe(key: Key, isLasting: boolean | undefined): void {
    this.#waiting = undefined;
    this.#moved = isLasting
      ? { keys: [...this.#recent(), key], at: this.clock.monotonic() }
      : { keys: [], at: 0 };
    this.act(key);
  }

  #recent(): readonly Key[] {
    return this.clock.monotonic() - this.#moved.at < followMs ? this.#moved.keys : [];
  }

  #stopWaiting() {
    const waiting = this.#waiting;
    waiting?.cancel();
    this.#waiting = undefined;
    return waiting;
  }
}
