import type { Answer } from '../protocol/index.ts';
import type { WaitingQuestion } from '../view/index.ts';
import { AnswerKeys } from './answer-keys.ts';
import type { App } from './app.ts';
import { isEmpty, type Key } from './editor/index.ts';
import { openDialog, pasteIntoDialog, pressDialog, withPlan } from './questions/dialog.ts';
import { askerLine, questionLines } from './questions/question-lines.ts';
import type { Asking } from './state.ts';

/** So long nobody must have typed before a question takes the keys: nobody answers what they have not seen. */
const quietMs = 300;

export interface AskingWorld {
  answer(questionId: string, answer: Answer): void;
  /** Lets the person change a text in an editor of theirs. */
  edit(text: string): Promise<string | undefined>;
  /** A person is needed. */
  call(entry: WaitingQuestion): void;
}

/**
 * Shows the questions one after another and takes the answers. What is typed into the prompt is never an answer: a
 * question gets the keys when the prompt is empty and nobody has typed for a moment, or when it is called by a key.
 */
export class Questions {
  readonly #put = new Set<string>();
  readonly #called = new Set<string>();
  /** Somebody has called a question and not typed since: all that wait follow it. */
  #isGoingThrough = false;
  #typedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  readonly #typing: AnswerKeys;

  constructor(
    private readonly app: App,
    private readonly world: AskingWorld,
  ) {
    this.#typing = new AnswerKeys(app.clock, (key) => this.#act(key));
  }

  /** Looks whether there is another question to show, or the one that is shown is over. */
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

  /** By key: the question that is shown, or else the oldest that waits. Those that were put aside follow it again. */
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

  /** Every key, whoever it is for. */
  noteKey(): void {
    this.#typedAt = this.app.clock.monotonic();
    this.#isGoingThrough = false;
    const { asking } = this.app.state;
    if (asking && !asking.isFocused) this.#watch();
  }

  /** The keys that are for the prompt: the given one and those before it that turned out to be typing. */
  press(key: Key): readonly Key[] {
    const { asking } = this.app.state;
    if (asking && this.#scroll(asking, key)) return [];
    if (!asking?.isFocused) return [key];
    if (key.name !== 'escape' && !this.#isSeen(asking)) {
      this.app.change({ asking: { ...asking, isFocused: false } });
      return [key];
    }
    const typed = this.#typing.take(key, asking.dialog);
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
    const step = pressDialog(asking.dialog, key, columns);
    if (step.kind === 'stay') this.app.change({ asking: { ...asking, dialog: step.dialog } });
    else if (step.kind === 'later') this.#putAside(asking.entry.question.id);
    else if (step.kind === 'edit') void this.#edit();
    else this.#answer(asking.entry.question.id, step.answer);
  }

  paste(text: string): boolean {
    const { asking } = this.app.state;
    if (!asking?.isFocused) return false;
    // No answer: it is for the prompt.
    const isAnswer = asking.dialog.typing !== undefined && this.#isSeen(asking);
    if (!isAnswer) this.app.change({ asking: { ...asking, isFocused: false } });
    if (!isAnswer) return false;
    this.app.change({ asking: { ...asking, dialog: pasteIntoDialog(asking.dialog, text) } });
    return true;
  }

  /** On a screen that is too small for it nothing is an answer. */
  #isSeen(asking: Asking): boolean {
    return this.app.questionScroll(asking) !== undefined;
  }

  /** One can read on before it has the keys. */
  #scroll(asking: Asking, { name }: Key): boolean {
    if (name !== 'pageup' && name !== 'pagedown') return false;
    const { most, page } = this.app.questionScroll(asking) ?? { most: 0, page: 1 };
    const by = Math.max(1, page - 1) * (name === 'pageup' ? -1 : 1);
    const down = Math.min(Math.max(0, Math.min(asking.down, most) + by), most);
    this.app.change({ asking: { ...asking, down } });
    return most > 0;
  }

  #open(entry: WaitingQuestion, byKey: boolean): void {
    this.#typing.forget();
    const opened = { entry, dialog: openDialog(entry), isFocused: byKey, down: 0 };
    // One that is too long for the screen is also written where the terminal can scroll to it.
    if (this.app.questionScroll(opened)?.most !== 0) {
      const { view } = this.app.state;
      this.app.say((drawing) => [
        '',
        askerLine(entry, view, drawing),
        ...questionLines(entry.question, drawing),
      ]);
    }
    this.app.change({ asking: opened });
    if (!byKey) this.#watch();
  }

  /** The question takes the keys once it was in sight for a moment in which nobody typed. */
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

  #call(entry: WaitingQuestion): void {
    if (this.#called.has(entry.question.id)) return;
    this.#called.add(entry.question.id);
    this.world.call(entry);
  }
}
