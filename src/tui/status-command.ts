import { basename } from 'node:path';
import { type OwnedProcess, spawnOwned } from '../lib/processes/process.ts';
import { version } from '../lib/version.ts';
import { explainWhyNotRun } from '../places/why-not-run.ts';
import type { View } from '../view/index.ts';
import type { Desk } from './desk.ts';
import { showControls } from './text/index.ts';

const maxLines = 3;
const maxCharacters = 10_000;
/** A command still running by then is stopped; its output so far is used. */
const patienceMs = 5_000;
/** The output of a slow command by then is already shown. */
const slowMs = 500;
const graceMs = 200;

/** Runs the user's status line command whenever something it could show has changed. */
export class StatusCommand {
  #shown = '';
  #running: OwnedProcess | undefined;
  #isBusy = false;
  #isClosed = false;

  constructor(
    private readonly desk: Desk,
    private readonly command: string,
  ) {}

  update(): void {
    const input = JSON.stringify(this.#facts(this.desk.app.state.view));
    if (this.#isClosed || this.#isBusy || input === this.#shown) return;
    this.#shown = input;
    this.#isBusy = true;
    void this.#run(input).then(() => {
      this.#isBusy = false;
      this.update();
    });
  }

  /** No process that it started survives. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.kill();
    await this.#running?.ended;
  }

  /** The fields that such commands know from other tools. */
  #facts({ session, cost }: View): object {
    const { id, transcriptPath, cwd } = this.desk.session.info();
    const { used, window } = session.context;
    return {
      session_id: id,
      transcript_path: transcriptPath,
      cwd,
      model: { id: session.model, display_name: basename(session.model) },
      workspace: { current_dir: cwd, project_dir: cwd },
      version,
      permission_mode: session.mode,
      cost: { total_cost_usd: cost.microUsd === null ? null : cost.microUsd / 1_000_000 },
      context_window: { used_tokens: used, size: window },
    };
  }

  async #run(input: string): Promise<void> {
    const { app, session, world } = this.desk;
    const { clock } = app;
    const decoder = new TextDecoder();
    let text = '';
    const show = () => {
      const lines = text.trimEnd().split('\n').slice(0, maxLines).map(showOwn);
      if (text.trim() !== '' && !this.#isClosed) app.change({ status: lines });
    };
    const { cwd } = session.info();
    const userHome = world.environment.HOME ?? '/';
    const held = await explainWhyNotRun({ command: this.command, directories: [cwd], userHome });
    if (this.#isClosed) return;
    if (held !== undefined) {
      app.change({ status: [showOwn(`statusLine was not run: ${held}`)] });
      return;
    }
    this.#running = spawnOwned({
      file: '/bin/sh',
      args: ['-c', this.command],
      cwd,
      env: pickDefined(world.environment),
      owner: 'cadre/status',
      ...{ clock, input, graceMs, timeoutMs: patienceMs },
      output(chunk) {
        if (text.length < maxCharacters) text += decoder.decode(chunk, { stream: true });
      },
      errorOutput: () => {},
    });
    const cancel = clock.after(slowMs, show);
    await this.#running.ended;
    cancel();
    this.#running = undefined;
    show();
  }
}

function pickDefined(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const all = Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(all);
}

/** The command may use colours; other control sequences are written out. */
function showOwn(line: string): string {
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : showControls(part, 'prose')))
    .join('');
}
