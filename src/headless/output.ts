import { randomIds } from '../lib/ids.ts';
import type { AgentEvent, Outcome } from '../protocol/index.ts';
import type { SessionInfo } from '../session/session.ts';
import { type FrameOptions, Frames } from './frames.ts';
import { type Io, writeFrame } from './io.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Where the events of a headless run go. */
export interface Output {
  accept(event: AgentEvent): Promise<void>;
  /** What is printed when all is over. */
  finish(): Promise<void>;
}

export function outputFor(format: OutputFormat, info: SessionInfo, options: FrameOptions, io: Io): Output {
  const frames = new Frames(info.id, randomIds, options);
  if (format === 'stream-json') return streamOutput(frames, io);
  return format === 'json' ? jsonOutput(frames, io) : textOutput(io);
}

function streamOutput(frames: Frames, io: Io): Output {
  return {
    async accept(event) {
      for (const frame of frames.of(event)) await writeFrame(io, frame);
    },
    async finish() {},
  };
}

function jsonOutput(frames: Frames, io: Io): Output {
  let result: object | undefined;
  return {
    async accept(event) {
      for (const frame of frames.of(event)) if ('type' in frame && frame.type === 'result') result = frame;
    },
    async finish() {
      if (result) await writeFrame(io, result);
    },
  };
}

function textOutput(io: Io): Output {
  let outcome: Outcome | undefined;
  return {
    async accept(event) {
      if (event.type === 'run_ended' && event.agentId === null) outcome = event.outcome;
      if (event.type === 'notice_given') io.writeErr(`cadre: ${event.text}\n`);
      if (event.type === 'request_retried') io.writeErr(retryLine(event));
    },
    async finish() {
      if (!outcome) return;
      if (outcome.text) await io.writeOut(outcome.text.endsWith('\n') ? outcome.text : `${outcome.text}\n`);
      if (outcome.reason) io.writeErr(`cadre: ${outcome.reason}\n`);
    },
  };
}

function retryLine(event: Extract<AgentEvent, { type: 'request_retried' }>): string {
  const seconds = Math.max(1, Math.round(event.delayMs / 1000));
  return `cadre: ${event.failure.message} Trying again in ${seconds} s (attempt ${event.attempt}).\n`;
}
