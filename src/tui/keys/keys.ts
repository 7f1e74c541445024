import type { PermissionMode } from '../../protocol/index.ts';
import { isBusy } from '../app.ts';
import type { Questions } from '../asking.ts';
import type { SlashCommand } from '../commands/command.ts';
import type { Completer } from '../completer.ts';
import type { Desk } from '../desk.ts';
import { applyKey, type Editor, expandText, isEmpty, withEdited } from '../editor/index.ts';
import { pasteField } from '../panels/field.ts';
import { pastePick } from '../panels/pick.ts';
import { pasteLetter, pressPanel } from '../panels/press.ts';
import { pasteComment } from '../panels/press-review.ts';
import { openTranscript, pasteQuery } from '../panels/press-transcript.ts';
import { enterRoster, pressRoster } from '../panels/roster.ts';
import { tasksPanel } from '../panels/rows.ts';
import { promptWidth } from '../screen/prompt-lines.ts';
import { submit, takeBack } from '../submit.ts';
import { paste, pasteImage } from '../terminal/images.ts';
import type { Input, Key } from './key.ts';

const againMs = 2_000;

/** Routes every key: to the front panel, to the question that has the keys, or to the prompt. */
export class Keys {
  #leaveBefore = Number.NEGATIVE_INFINITY;
  #escapeBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly desk: Desk,
    private readonly questions: Questions,
    private readonly commands: () => readonly SlashCommand[],
    private readonly completer: Completer,
    private readonly options: { modes: readonly PermissionMode[]; pause(): void },
  ) {}

  /** Inputs that arrived together. */
  take(inputs: readonly Input[]): void {
    for (const input of inputs) {
      if ('pasted' in input) this.paste(input.pasted);
      else this.press(input);
    }
  }

  press(key: Key): void {
    const { app } = this.desk;
    const { panel, hint } = app.state;
    if (hint !== undefined) app.change({ hint: undefined });
    if (key.ctrl && key.name === 'z') return void this.options.pause();
    if (key.ctrl && key.name === 'c') return void this.#interruptKey(key);
    if (key.ctrl && key.name === 'q') return void this.#summon();
    if (panel) return void pressPanel(this.desk, panel, key);
    if (key.ctrl && key.name === 'o') return void openTranscript(this.desk);
    if (pressRoster(this.desk, key)) return;
    if (key.ctrl && key.name === 't') return void this.desk.open(tasksPanel(app.state.view));
    // Before it is noted: a key after a pause may be the answer itself.
    for (const one of this.questions.press(key)) {
      this.questions.noteKey();
      this.#prompt(one);
    }
  }

  /** Keys typed before there was a screen. */
  goOnWith(editor: Editor): void {
    if (isEmpty(editor)) return;
    this.questions.noteKey();
    this.#write(editor);
  }

  paste(text: string): void {
    const { app } = this.desk;
    const { panel } = app.state;
    if (panel?.kind === 'zoom') return void pasteLetter(this.desk, panel, text);
    if (panel?.kind === 'field') return void pasteField(this.desk, panel, text);
    if (panel?.kind === 'pick') return void pastePick(this.desk, panel, text);
    if (panel?.kind === 'review') return void pasteComment(this.desk, panel, text);
    if (panel?.kind === 'transcript') return void pasteQuery(this.desk, panel, text);
    if (panel || this.questions.paste(text)) return;
    this.questions.noteKey();
    if (app.state.editor.search)
      return void this.#prompt({ name: 'text', text, ctrl: false, alt: false, shift: false });
    void paste(this.desk, text, (editor) => this.#write(editor));
  }

  #summon(): void {
    if (this.desk.app.state.panel) this.desk.app.closePanel();
    if (!this.questions.summon()) this.desk.hint('No question is waiting.');
  }

  /** Clears the prompt; with an empty prompt, or in a question, it interrupts the turn. Pressing it twice quits. */
  #interruptKey(key: Key): void {
    const { app } = this.desk;
    const { panel, asking, editor, roster } = app.state;
    if (panel) return void app.closePanel();
    if (roster) return void app.change({ roster: undefined });
    if (!asking?.isFocused) {
      this.questions.noteKey();
      if (editor.search) return void this.#prompt(key);
      if (!isEmpty(editor)) return void this.desk.clearPrompt();
    }
    if (this.desk.shell.stop()) return;
    const isIdle = app.state.view.session.runStartedAt === null;
    if (isIdle || this.desk.isAttached || this.#isAgain()) return void this.#leave('ctrl-c');
    this.#leaveBefore = app.clock.monotonic();
    this.desk.send({ type: 'interrupt' });
    const { view } = app.state;
    const later = this.desk.nameStopped({ ...view, session: { ...view.session, runStartedAt: null } });
    this.desk.hint(`Interrupted. ctrl-c again to quit${later}`);
  }

  #isAgain(): boolean {
    return this.desk.app.clock.monotonic() - this.#leaveBefore < againMs;
  }

  /** On the second press: names the work it stops first. */
  #leave(key: 'ctrl-c' | 'ctrl-d'): void {
    const { app, isAttached } = this.desk;
    if (this.#isAgain()) return void this.desk.leave();
    this.#leaveBefore = app.clock.monotonic();
    this.desk.hint(
      isAttached
        ? `${key} again to leave; the session keeps running (esc stops the turn)`
        : `${key} again to quit${this.desk.nameStopped()}`,
    );
  }

  #prompt(key: Key): void {
    const { desk } = this;
    const { app } = desk;
    const { editor: before } = app.state;
    // During a search every key belongs to it: escape leaves it, and does nothing else.
    if (!before.search && this.#command(key)) return;
    const width = promptWidth(before, app.drawing());
    const { editor, effect } = applyKey(before, key, { width, history: desk.world.history.list() });
    if (effect === 'submit') {
      app.change({ editor });
      void submit(desk, this.commands());
    } else if (effect === 'image') void pasteImage(desk, (pasted) => this.#write(pasted));
    else if (editor !== before) this.#write(editor);
  }

  /** Whenever the typed text changes, the suggestions follow. */
  #write(editor: Editor): void {
    this.desk.app.change({ editor });
    this.completer.update();
  }

  /** Keys other than editing. False: it is the editor's. */
  #command(key: Key): boolean {
    const { desk } = this;
    const isNothingTyped = isEmpty(desk.app.state.editor);
    if (this.completer.press(key)) return true;
    if (key.ctrl && key.name === 'b') return this.#background();
    if (key.name === 'up') return isNothingTyped && takeBack(desk);
    if (key.name === 'down') return enterRoster(desk);
    if (key.name === 'escape') this.#stop();
    else if (key.name === 'tab' && key.shift) this.#nextMode();
    else if (key.ctrl && key.name === 'g') void this.#edit();
    else if (key.text === '?' && !key.ctrl && !key.alt && isNothingTyped) this.#open('help');
    else if (key.ctrl && key.name === 'd' && isNothingTyped) this.#leaveAtOnce();
    else return false;
    return true;
  }

  /** Unless that would stop something. */
  #leaveAtOnce(): void {
    if (this.desk.nameStopped() === '') this.desk.leave();
    else this.#leave('ctrl-d');
  }

  /** Escape stops a command of the user, or else the turn. With neither, twice rewinds: background work keeps running. */
  #stop(): void {
    if (this.desk.shell.stop()) return;
    const { app } = this.desk;
    const { view, editor } = app.state;
    if (view.session.runStartedAt !== null) return void this.desk.send({ type: 'interrupt' });
    if (!isEmpty(editor)) return;
    const isAgain = app.clock.monotonic() - this.#escapeBefore < againMs;
    this.#escapeBefore = isAgain ? Number.NEGATIVE_INFINITY : app.clock.monotonic();
    if (isAgain) this.#open('rewind');
    else
      this.desk.hint(
        `${isBusy(view) ? 'Background work keeps running (ctrl-t to view). ' : ''}esc again to rewind to an earlier prompt`,
      );
  }

  /** One of our commands, by a key. */
  #open(name: 'help' | 'rewind'): void {
    const { editor } = this.desk.app.state;
    void this.commands()
      .find((one) => one.name === name)
      ?.run('', this.desk, editor);
  }

  /** The typed text opens in the user's editor, and comes back to be sent or not. */
  async #edit(): Promise<void> {
    const { app, world } = this.desk;
    const edited = await world.edit(expandText(app.state.editor));
    if (edited === undefined) return;
    this.#write(withEdited(app.state.editor, edited));
  }

  /** Only if a call waits for work that could run in the background; otherwise the key is the editor's. */
  #background(): boolean {
    const { live } = this.desk.app.state.view.lead;
    if (!live.calls.some(({ state }) => state === 'running')) return false;
    this.desk.send({ type: 'background_tasks' });
    return true;
  }

  #nextMode(): void {
    const { mode } = this.desk.app.state.view.session;
    const { modes } = this.options;
    const next = modes[(modes.indexOf(mode) + 1) % modes.length] ?? 'default';
    this.desk.send({ type: 'set_permission_mode', mode: next });
  }
}
