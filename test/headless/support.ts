import { mkdirSync } from 'node:fs';
import type { Io } from '../../src/headless/io.ts';
import type { HeadlessRequest, Interrupts } from '../../src/headless/run-prompt.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { type ScriptedModel, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';

export interface Pipe {
  io: Io;
  out(): string;
  err(): string;
  /** The frames written so far. */
  frames(): Record<string, unknown>[];
  /** Resolves with the first frame that fits, also one that came before. */
  frame(fits: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  write(message: object | string): void;
  end(): void;
}

/** Both ends of a headless run: what it prints, and a hand on its standard input. */
export function pipe(inputKind: Io['inputKind'] = 'pipe'): Pipe {
  let out = '';
  let err = '';
  let changed = Promise.withResolvers<void>();
  const input = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    { highWaterMark: 1000 },
    { highWaterMark: 1000 },
  );
  const writer = input.writable.getWriter();
  const frames = () =>
    out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    io: {
      input: input.readable as unknown as AsyncIterable<Uint8Array>,
      inputKind,
      outputIsTerminal: false,
      errorIsTerminal: false,
      async writeOut(text) {
        out += text;
        changed.resolve();
        changed = Promise.withResolvers<void>();
        return true;
      },
      writeErr(text) {
        err += text;
      },
    },
    out: () => out,
    err: () => err,
    frames,
    async frame(fits) {
      for (;;) {
        const found = frames().find(fits);
        if (found) return found;
        await changed.promise;
      }
    },
    write: (message) =>
      void writer.write(
        message instanceof Uint8Array
          ? message
          : new TextEncoder().encode(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
      ),
    end: () => void writer.close(),
  };
}

export const noInterrupts: Interrupts = { attach() {}, interrupt() {}, exitCode: () => undefined };

export function request(
  turns: Turn[],
  more: Partial<HeadlessRequest> = {},
): HeadlessRequest & { model: ScriptedModel } {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const model = scriptedModel(turns);
  const { session, ...rest } = more;
  return {
    session: { cwd: at.cwd, environment: at.environment, model, sandbox: false, ...session },
    inputFormat: 'text',
    outputFormat: 'text',
    includePartialMessages: false,
    replayUserMessages: false,
    includeHookEvents: false,
    forwardSubagentText: false,
    verbose: false,
    hostAnswers: false,
    debug: false,
    clock: manualClock(),
    model,
    ...rest,
  };
}

export const user = (text: string, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: text },
  ...more,
});

export const control = (id: string, subtype: string, more: object = {}) => ({
  type: 'control_request',
  request_id: id,
  request: { subtype, ...more },
});
