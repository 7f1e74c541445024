import { spawn } from 'node:child_process';
import type { Clock } from '../../lib/clock.ts';
import { signalQuietly } from '../../lib/processes/process.ts';
import { explainStart } from '../../lib/processes/start.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';

/** Runs the program of a terminal, such as tmux. */
export type RunTerminal = (call: ProgramCall) => Promise<Result<string>>;

export interface ProgramCall {
  /** For messages: `tmux split-window`. */
  readonly what: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxOutputBytes = 1_000_000;
const maxReasonCharacters = 300;
const timeoutMs = 15_000;
/** Output that was written before the end may arrive after it. */
const drainMs = 100;

/**
 * What it prints, when it ends well. Not an owned process: it may start a terminal or a tmux server, which is meant to
 * outlive it, so neither a mark nor a sweep follows it.
 */
export function programRunner(clock: Clock): RunTerminal {
  return (call) =>
    new Promise((resolve) => {
      let child: ReturnType<typeof start>;
      try {
        child = start(call);
      } catch (error) {
        return resolve(failure(explainStart(error, call)));
      }
      const output = collect(child.stdout);
      const errors = collect(child.stderr);
      const end = (result: Result<string>) => {
        cancel();
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
        child.unref();
        resolve(result);
      };
      const cancel = clock.after(timeoutMs, () => {
        if (child.pid !== undefined) signalQuietly(-child.pid, 'SIGKILL');
        end(failure(`${call.what} did not end within ${timeoutMs / 1000} s.`));
      });
      const conclude = (code: number | null) =>
        end(code === 0 ? ok(output.text()) : describeEnd(call, code, errors.text() || output.text()));
      child.once('error', (error) => end(failure(explainStart(error, call))));
      // A terminal that it started holds the streams open: its own end is enough.
      child.once('exit', (code) => {
        const later = clock.after(drainMs, () => conclude(code));
        child.once('close', () => {
          later();
          conclude(code);
        });
      });
    });
}

function start({ file, args, cwd, env }: ProgramCall) {
  return spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
}

function collect(stream: NodeJS.ReadableStream): { text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < maxOutputBytes) chunks.push(chunk.subarray(0, maxOutputBytes - size));
    size += chunk.length;
  });
  return { text: () => Buffer.concat(chunks).toString('utf8') };
}

function describeEnd({ what }: ProgramCall, code: number | null, reason: string): Result<never> {
  const why = visibleLine(reason, maxReasonCharacters) || `exit code ${code ?? 'none'}`;
  return failure(`${what}: ${why}`);
}
