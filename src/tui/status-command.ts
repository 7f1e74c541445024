import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { version } from '../lib/version.ts';
import type { View } from '../view/index.ts';
import type { Desk } from './desk.ts';
import { showControls } from './text/index.ts';

const mostLines = 3;
const patienceMs = 5_000;

/** Runs the user's own command for the status line whenever something changed that it could show. */
export class StatusCommand {
  #shown = '';
  #isRunning = false;

  constructor(
    private readonly desk: Desk,
    private readonly command: string,
  ) {}

  update(): void {
    const input = JSON.stringify(this.#facts(this.desk.app.state.view));
    if (this.#isRunning || input === this.#shown) return;
    this.#shown = input;
    this.#isRunning = true;
    void this.#run(input).then((text) => {
      this.#isRunning = false;
      const lines = text.split('\n').slice(0, mostLines).map(showOwn);
      if (text.trim() !== '') this.desk.app.change({ status: lines });
      this.update();
    });
  }

  /** The fields that such commands know from elsewhere. */
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

  #run(input: string): Promise<string> {
    const { cwd } = this.desk.session.info();
    return new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', this.command], {
        cwd,
        env: { ...this.desk.world.environment },
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: patienceMs,
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        if (text.length < 10_000) text += chunk.toString('utf8');
      });
      child.once('error', () => resolve(''));
      child.once('close', () => resolve(text.trimEnd()));
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  }
}

/** Colours are the command's own affair; anything else that a terminal would obey is shown. */
function showOwn(line: string): string {
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : showControls(part)))
    .join('');
}
