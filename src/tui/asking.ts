import type { Answer } from '../protocol/index.ts';
import type { ShownQuestion } from '../view/index.ts';
import type { App } from './app.ts';
import { isEmpty } from './editor/index.ts';
import { AnswerKeys, isEndKey } from './keys/answer-keys.ts';
import type { Key } from './keys/key.ts';
import {
  type DialogStep,
  findOption,
  getField,
  openDialog,
  pasteIntoDialog,
  pressDialog,
  withPlan,
} from './questions/dialog.ts';
import { askerLine, questionLines } from './questions/question-lines.ts';
import type { Read } from './questions/read.ts';
import type { AskingDrawn } from './screen/asking-lines.ts';
import type { Asking } from './state.ts';

/** The user must not have typed for this long before a question takes the keys, so no one answers a question unseen. */
const quietMs = 300;

/** The minimum time before a page counts as drawn. */
const drawnMs = 30;

/** How a key scrolls a question that is longer than the screen. */
type Turn = 'up' | 'down' | 'space' | 'home' | 'end';

export interface AskingWorld {
  answer(questionId: string, answer: Answer): void;
  /** Lets the user change text in their editor. */
  edit(text: string): Promise<string | undefined>;
  /** The user is needed. */
  call(entry: ShownQuestion): void;
}

/**
 * Shows the questions one after another and takes the answers. Text typed into the prompt is never an answer: a question
 * gets the keys when the prompt is empty and the user has paused typing, or when a key calls it.
 */
export class Questions {
  readonly #put = new Set<string>();
  readonly #called = new Set<string>();
  /** Questions that are also in the conversation, whole. */
  readonly #written = new Set<string>();
  /** The user has called a question and not typed since: all waiting ones follow it. */
  #isGoingThrough = false;
  #typedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  readonly #typing: AnswerKeys;
  /** The part of each question that has been on the screen. */
  readonly #read = new Map<string, Read>();
  #turnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly app: App,
    private readonly world: AskingWorld,
  ) {
    this.#typing = new AnswerKeys(app.clock, (key) => this.#act(key));
  }

  /** Checks whether there is another question to show, or whether the current one has ended. */
  update(): void {
    const { view, asking, panel } = this.app.state;
    for (const entry of view.questions) this.#call(entry);
    if (panel) return;
    const current = asking && view.questions.find(({ question }) => question.id === asking.entry.question.id);
    if (current) return;
    const next = view.questions.find(
      ({ question, isBackground }) => (this.#isGoingThrough || !isBackground) && !this.#put.has(question.id),
    );
    if (next) return void this.#open(next, false);
    this.#isGoingThrough = false;
    if (asking) this.app.change({ asking: undefined });
  }

  /** Called by key: the question shown, or else the oldest waiting one. Those set aside follow it again. */
  summon(): boolean {
    const { view, asking } = this.app.state;
    this.#put.clear();
    this.#isGoingThrough = view.questions.length > 0;
    if (asking) {
      this.app.change({ asking: { ...asking, isFocused: true } });
      return true;
    }
    const [first] = view.questions;
    if (first) this.#open(first, true);
    return first !== undefined;
  }

  /** Every key, wherever it goes. */
  noteKey(): void {
    this.#typedAt = this.app.clock.monotonic();
    this.#isGoingThrough = false;
    const { asking } = this.app.state;
    if (asking && !asking.isFocused) this.#watch();
  }

  /** The keys for the prompt: the given one and those before it that turned out to be typing. */
  press(key: Key): readonly Key[] {
    const { asking } = this.app.state;
    if (asking && this.#scroll(asking, key)) return [];
    if (!asking?.isFocused) return [key];
    if (key.name !== 'escape' && !this.#isSeen(asking)) {
      this.app.change({ asking: { ...asking, isFocused: false } });
      return [key];
    }
    const isLong = (this.app.questionShown(asking)?.scroll.most ?? 0) > 0;
    const typed = this.#typing.take(key, asking.dialog, isLong);
    if (typed.kind === 'prompt') {
      this.app.change({ asking: { ...asking, isFocused: false } });
      return typed.keys;
    }
    for (const one of typed.keys) this.#act(one);
    return [];
  }

  #act(key: Key): void {
    const { asking, columns } = this.app.state;
    if (!asking?.isFocused || (key.name !== 'escape' && !this.#isSeen(asking))) return;
    if (!asking.dialog.typing && !findOption(asking.dialog, key) && isEndKey(key))
      return void this.#turn(asking, 'end');
    if (!asking.dialog.typing && this.#stepTo(asking, key)) return;
    const step = pressDialog(asking.dialog, key, columns);
    if (isYes(step, asking) && !this.#isRead(asking)) return;
    if (step.kind === 'stay') this.app.change({ asking: { ...asking, dialog: step.dialog } });
    else if (step.kind === 'later') this.#putAside(asking.entry.question.id);
    else if (step.kind === 'edit') void this.#edit();
    else this.#answer(asking.entry.question.id, step.answer);
  }

  /** Left and right go through the waiting questions, those of the background and those set aside too. */
  #stepTo({ entry }: Asking, key: Key): boolean {
    const by = key.name === 'right' ? 1 : key.name === 'left' ? -1 : 0;
    const { questions } = this.app.state.view;
    if (by === 0 || questions.length < 2) return false;
    const at = questions.findIndex(({ question }) => question.id === entry.question.id);
    const next = questions[(Math.max(0, at) + by + questions.length) % questions.length];
    if (next) this.#open(next, true);
    return true;
  }

  paste(text: string): boolean {
    const { asking } = this.app.state;
    if (!asking?.isFocused) return false;
    // Not an answer: it is for the prompt.
    const isAnswer = asking.dialog.typing !== undefined && this.#isSeen(asking);
    if (!isAnswer) this.app.change({ asking: { ...asking, isFocused: false } });
    if (!isAnswer) return false;
    this.app.change({ asking: { ...asking, dialog: pasteIntoDialog(asking.dialog, text) } });
    return true;
  }

  /** On a screen too small for the question, no key answers it. */
  #isSeen(asking: Asking): boolean {
    return this.app.questionShown(asking) !== undefined;
  }

  /** Nothing is allowed before its last line was on the screen; a notice says how to get there. */
  #isRead(asking: Asking): boolean {
    const { unread = 0 } = this.app.questionShown(asking) ?? {};
    if (unread > 0)
      this.app.change({
        hint: `Read the remaining ${unread === 1 ? 'line' : `${unread} lines`} first (pagedown or end)`,
      });
    return unread === 0 && !this.#isTurning();
  }

  /** The last page may not have been drawn yet. */
  #isTurning(): boolean {
    return this.app.clock.monotonic() - this.#turnedAt < drawnMs;
  }

  /** The user can scroll before the question has the keys. */
  #scroll(asking: Asking, key: Key): boolean {
    const turn = this.#turnOf(asking, key);
    const isFree = turn === 'up' || turn === 'down';
    if (!turn || (!isFree && !this.app.questionShown(asking)?.scroll.most)) return false;
    return this.#turn(asking, turn);
  }

  #turn(asking: Asking, turn: Turn): boolean {
    const shown = this.app.questionShown(asking);
    if (!shown) return true;
    const { read, scroll } = shown;
    const isBack = turn === 'up' || turn === 'home';
    // A page not drawn yet has not been read: the key comes too early.
    if (!isBack && !read.isWhole && this.#isTurning()) return true;
    this.#turnedAt = this.app.clock.monotonic();
    this.#read.set(asking.entry.question.id, read);
    const at = Math.min(asking.down, scroll.most);
    // Jumping to the end with its own key is a decision to skip the part in between.
    const known = turn === 'end' && !read.isWhole ? { ...read, to: Math.max(read.to, scroll.most) } : read;
    const down = Math.min(Math.max(0, nextLine(turn, at, known, scroll)), scroll.most);
    this.app.change({ asking: { ...asking, down, read: known } });
    return scroll.most > 0;
  }

  #turnOf({ isFocused, dialog }: Asking, { name, text, ctrl, alt }: Key): Turn | undefined {
    if (name === 'pageup') return 'up';
    if (name === 'pagedown') return 'down';
    if (
      (name === 'end' || name === 'home') &&
      !dialog.typing &&
      (isFocused || isEmpty(this.app.state.editor))
    )
      return name;
    const isSpace = name === 'text' && text === ' ' && !ctrl && !alt;
    const isFree = isFocused && !dialog.typing && !getField(dialog).isMany && !this.#typing.isWaiting;
    return isSpace && isFree ? 'space' : undefined;
  }

  #open(entry: ShownQuestion, byKey: boolean): void {
    this.#typing.forget();
    const read = this.#read.get(entry.question.id);
    const opened = { entry, dialog: openDialog(entry), isFocused: byKey, down: 0, read };
    // A question too long for the screen is also written where the terminal can scroll to it.
    if (this.app.questionShown(opened)?.scroll.most !== 0 && !this.#written.has(entry.question.id)) {
      const { view } = this.app.state;
      this.#written.add(entry.question.id);
      this.app.say((drawing) => {
        const lines = questionLines(entry.question, drawing);
        return ['', askerLine(entry, view, drawing), ...lines];
      });
    }
    this.#turnedAt = this.app.clock.monotonic();
    this.app.change({ asking: opened });
    if (!byKey) this.#watch();
  }

  /** The question takes the keys after it was visible for a moment without typing. */
  #watch(): void {
    this.#cancel?.();
    this.#cancel = this.app.clock.after(quietMs, () => {
      const { asking, editor } = this.app.state;
      const quiet = this.app.clock.monotonic() - this.#typedAt >= quietMs - 5;
      const isTyping = !isEmpty(editor) || editor.search !== undefined;
      if (!asking || asking.isFocused || (isTyping && !this.#isGoingThrough)) return;
      if (quiet) this.app.change({ asking: { ...asking, isFocused: true } });
      else this.#watch();
    });
  }

  #answer(questionId: string, answer: Answer): void {
    this.#read.delete(questionId);
    this.app.change({ asking: undefined });
    this.world.answer(questionId, answer);
    this.app.take({ type: 'answer_sent', questionId });
    this.app.flush();
  }

  #putAside(questionId: string): void {
    this.#put.add(questionId);
    this.app.change({ asking: undefined });
    this.update();
  }

  async #edit(): Promise<void> {
    const { asking } = this.app.state;
    const plan = asking?.dialog.form.question.input.plan;
    if (!asking || typeof plan !== 'string') return;
    const edited = await this.world.edit(plan);
    const now = this.app.state.asking;
    if (edited === undefined || now?.entry.question.id !== asking.entry.question.id) return;
    this.app.change({ asking: { ...now, dialog: withPlan(now.dialog, edited), down: 0 } });
  }

  #call(entry: ShownQuestion): void {
    if (this.#called.has(entry.question.id)) return;
    this.#called.add(entry.question.id);
    this.world.call(entry);
  }
}

function nextLine(turn: Turn, at: number, read: Read, { page, most }: AskingDrawn['scroll']): number {
  if (turn === 'home') return 0;
  if (turn === 'end') return most;
  const by = Math.max(1, page - 1);
  if (turn === 'up') return at - by;
  // At another width, lines above may have to be read again: they come first.
  return !read.isWhole && at > read.to ? read.to : at + by;
}

/** It allows something, or takes the next step of an answer that will. */
function isYes(step: DialogStep, { dialog }: Asking): boolean {
  if (step.kind === 'answer') return step.answer.behaviour === 'allow';
  if (step.kind !== 'stay' || step.dialog.at <= dialog.at) return false;
  return !step.dialog.given.at(-1)?.keys.includes('n');
}
