import { labelled } from '../knowledge/label.ts';
import { boundText } from '../lib/text/text.ts';
import { noOutput, ranMark, type TextBlock } from '../protocol/index.ts';
import type { ShownSession } from '../session/attached/shown-session.ts';
import { safeText } from '../tools/bash/text.ts';
import type { App } from './app.ts';
import { ranLines } from './screen/shell-lines.ts';

/** How much of a command's output is kept: its end. */
const maxKept = 200_000;
/** How much of it the agent reads. */
const maxTold = 30_000;
/** How often new output is drawn. */
const drawMs = 100;

/** The part of the desk that this class needs. */
export interface ShellDesk {
  readonly app: App;
  readonly session: ShownSession;
  warn(text: string): void;
  lookAtBranch(): void;
}

/** Shell commands that the user types as `!command`. They are shown while they run; the agent reads about them with the next prompt. */
export class OwnShell {
  readonly #running: { stop: AbortController }[] = [];
  #told: TextBlock[] = [];

  constructor(private readonly desk: ShellDesk) {}

  async run(command: string): Promise<void> {
    if (command === '') return;
    const { app, session } = this.desk;
    const { clock } = app;
    const decoder = new TextDecoder();
    const stop = new AbortController();
    const id = { stop };
    let text = '';
    let cancel: (() => void) | undefined;
    const draw = () => {
      cancel = undefined;
      const others = (app.state.shells ?? []).filter((one) => one.id !== id);
      app.change({ shells: [...others, { id, command, text: safeText(text.slice(-4_000)) }] });
    };
    this.#running.push(id);
    draw();
    const ended = await session.runOwnCommand({
      command,
      signal: stop.signal,
      output(chunk) {
        text = (text + decoder.decode(chunk, { stream: true })).slice(-maxKept);
        cancel ??= clock.after(drawMs, draw);
      },
    });
    cancel?.();
    this.#running.splice(this.#running.indexOf(id), 1);
    app.change({ shells: (app.state.shells ?? []).filter((one) => one.id !== id) });
    this.desk.lookAtBranch();
    if (!ended.ok) return this.desk.warn(ended.problem.message);
    const { reason } = ended.value;
    const printed = safeText(text);
    app.say((drawing) => ['', ...ranLines(command, printed, reason ?? null, drawing)]);
    // Another session may have replaced this one by now, and the command does not concern it.
    if (session === this.desk.session) this.#told.push(buildBlock(command, printed, reason));
  }

  /** Stops the newest one; false if none is running. */
  stop(): boolean {
    const newest = this.#running.at(-1);
    newest?.stop.abort();
    return newest !== undefined;
  }

  /** The commands run since the last prompt, for the next one. */
  take(): TextBlock[] {
    return this.#told.splice(0);
  }

  /** Called when the prompt it went with was taken back. */
  putBack(blocks: readonly TextBlock[]): void {
    this.#told.unshift(...blocks);
  }

  /** Nothing is carried over to another session. */
  forget(): void {
    this.#told = [];
  }
}

function buildBlock(command: string, text: string, reason: string | undefined): TextBlock {
  const said = labelled(
    'cadre-shell',
    { command, ...(reason === undefined ? {} : { end: reason }) },
    boundText(text.trimEnd(), maxTold) || noOutput,
  );
  return { type: 'text', text: `${ranMark}\n\n${said}` };
}
