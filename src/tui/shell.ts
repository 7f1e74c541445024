import { labelled } from '../knowledge/label.ts';
import { boundText } from '../lib/text/text.ts';
import { noOutput, ranMark, type TextBlock } from '../protocol/index.ts';
import type { Session } from '../session/session.ts';
import { safeText } from '../tools/bash/text.ts';
import type { App } from './app.ts';
import { ranLines } from './screen/shell-lines.ts';

/** As much as is kept of what one prints: its end. */
const maxKept = 200_000;
/** As much as the agent reads of it. */
const maxTold = 30_000;
/** So often is drawn what comes in. */
const drawMs = 100;

/** What it needs of the desk that it belongs to. */
export interface ShellDesk {
  readonly app: App;
  readonly session: Session;
  warn(text: string): void;
  lookAtBranch(): void;
}

/** Commands of the person's own: `!command`. They are shown as they run; the agent reads of them with the next prompt. */
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
    // Another session may have taken its place: what was run is no business of that one.
    if (session === this.desk.session) this.#told.push(buildBlock(command, printed, reason));
  }

  /** Ends the newest one; false where none runs. */
  stop(): boolean {
    const newest = this.#running.at(-1);
    newest?.stop.abort();
    return newest !== undefined;
  }

  /** What was run since the last prompt, for the next one. */
  take(): TextBlock[] {
    return this.#told.splice(0);
  }

  /** The prompt that it went with was taken back. */
  putBack(blocks: readonly TextBlock[]): void {
    this.#told.unshift(...blocks);
  }

  /** Nothing of it is for another session. */
  forget(): void {
    this.#told = [];
  }
}

function buildBlock(command: string, text: string, reason: string | undefined): TextBlock {
  const said = labelled(
    'shell',
    { command, ...(reason === undefined ? {} : { end: reason }) },
    boundText(text.trimEnd(), maxTold) || noOutput,
  );
  return { type: 'text', text: `${ranMark}\n\n${said}` };
}
