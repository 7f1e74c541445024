import type { Clock } from '../lib/clock.ts';
import { randomIds } from '../lib/ids.ts';
import { formatWait } from '../lib/text/duration.ts';
import { visibleProse } from '../lib/text/text.ts';
import { isRefusal } from '../models/attempts.ts';
import { maxPacedMs } from '../models/pacer/note.ts';
import { type AgentEvent, addUsage, type Outcome } from '../protocol/index.ts';
import type { SessionInfo } from '../session/session.ts';
import { chooseWhole } from '../session/whole-outcome.ts';
import { agentLines } from './agent-lines.ts';
import { debugLine } from './debug-log.ts';
import { type FrameOptions, Frames } from './frames.ts';
import { type Io, writeFrame } from './io.ts';

type RunEnded = Extract<AgentEvent, { type: 'run_ended' }>;

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Where the events of a headless run go. */
export interface Output {
  accept(event: AgentEvent): Promise<void>;
  /** Prints the result at the end. False when it could not be delivered. */
  finish(): Promise<boolean>;
  /** Informs a reconnecting host of what runs in the background. */
  recall?(): Promise<void>;
}

export function createOutput(
  format: OutputFormat,
  info: SessionInfo,
  options: FrameOptions & { debug: boolean; verbose: boolean },
  io: Io,
  /** Logs must not contain secrets. */
  hide: (text: string) => string = (text) => text,
): Output {
  const tellsAgents = format !== 'stream-json' && (options.verbose || io.errorIsTerminal);
  const lines = [
    ...(options.debug ? [(event: AgentEvent) => debugLine(event, options.clock)] : []),
    ...(tellsAgents ? [agentLines()] : []),
  ];
  const output = plainOutput(format, new Frames(info, randomIds, options), io, options.clock);
  if (lines.length === 0) return output;
  return {
    ...output,
    async accept(event) {
      for (const formatLine of lines) {
        const line = formatLine(event);
        if (line !== undefined) io.writeErr(hide(line));
      }
      await output.accept(event);
    },
  };
}

function plainOutput(format: OutputFormat, frames: Frames, io: Io, clock: Clock): Output {
  if (format === 'stream-json') return streamOutput(frames, io);
  return format === 'json' ? jsonOutput(frames, io, clock) : textOutput(io);
}

function streamOutput(frames: Frames, io: Io): Output {
  let delivered = true;
  return {
    async accept(event) {
      for (const frame of frames.of(event)) delivered = (await writeFrame(io, frame)) && delivered;
    },
    finish: async () => delivered,
    async recall() {
      delivered = (await writeFrame(io, frames.background())) && delivered;
    },
  };
}

/** One object, even if the end of background work made the agent run again: it is about all of its runs. */
function jsonOutput(frames: Frames, io: Io, clock: Clock): Output {
  const ends: RunEnded[] = [];
  const warn = openWarnings(io);
  const begun = clock.monotonic();
  let ended = begun;
  return {
    async accept(event) {
      warn(event);
      if (event.type !== 'run_ended' || event.agentId !== null) return void frames.of(event);
      ends.push(event);
      ended = clock.monotonic();
    },
    async finish() {
      const whole = joinEnds(ends, ended - begun);
      return whole === undefined || writeFrame(io, frames.result(whole));
    },
  };
}

function joinEnds(ends: readonly RunEnded[], wholeMs: number): RunEnded | undefined {
  const last = ends.at(-1);
  const outcomes = ends.map(({ outcome }) => outcome);
  const whole = chooseWhole(outcomes);
  if (!last || !whole || ends.length === 1) return last;
  return {
    ...last,
    durationMs: wholeMs,
    modelMs: ends.reduce((sum, { modelMs }) => sum + modelMs, 0),
    outcome: {
      ...whole,
      text: joined(outcomes),
      turns: outcomes.reduce((sum, { turns }) => sum + turns, 0),
      usage: outcomes.map(({ usage }) => usage).reduce(addUsage),
    },
  };
}

function textOutput(io: Io): Output {
  const outcomes: Outcome[] = [];
  const warn = openWarnings(io);
  const notices: string[] = [];
  return {
    async accept(event) {
      warn(event);
      // The model still writes.
      if (event.type === 'model_streamed') io.openOut?.();
      if (event.type === 'notice_given' && event.level !== 'debug') notices.push(event.text);
      if (event.type === 'run_ended' && event.agentId === null) outcomes.push(event.outcome);
    },
    async finish() {
      const text = io.outputIsTerminal ? visibleProse(joined(outcomes)) : joined(outcomes);
      const delivered = text === '' || (await io.writeOut(text.endsWith('\n') ? text : `${text}\n`));
      const { kind, reason, failure } = chooseWhole(outcomes) ?? {};
      // An unfinished run was reported when the wait ended, a suspended one when it began.
      const isTold = kind === 'unfinished' || failure?.resetsAt !== undefined;
      if (reason && !isTold && !notices.some((text) => text.includes(reason)))
        io.writeErr(`cadre: ${reason}\n`);
      return delivered;
    },
  };
}

/** An answer of a given form is one object, whose last version counts: a report may come after the first. */
function joined(outcomes: readonly Outcome[]): string {
  const answer = outcomes.findLast(({ output }) => output !== undefined);
  return answer ? JSON.stringify(answer.output) : outcomes.flatMap(({ text }) => text || []).join('\n\n');
}

/** Messages for a person while a run is in progress whose result is printed at its end. */
function openWarnings(io: Io): (event: AgentEvent) => void {
  // A hundred agents that wait for the same limit are one message.
  const told = new Set<string>();
  return (event) => {
    if (event.type === 'request_waited' && event.suspended) {
      const { model, until } = event.suspended;
      const key = `${model} ${Math.round(until / 60_000)}`;
      if (!told.has(key)) io.writeErr(`cadre: ${sentence(event.reason)}\n`);
      told.add(key);
      return;
    }
    const text = formatWarning(event);
    if (text !== undefined)
      io.writeErr(`cadre: ${event.agentId === null ? '' : `agent ${event.agentId}: `}${text}\n`);
  };
}

function formatWarning(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'notice_given':
      return event.level === 'debug' ? undefined : event.text;
    case 'request_retried':
      return retryText(event);
    case 'request_waited':
      return event.delayMs >= tellableMs && !event.suspended ? sentence(event.reason) : undefined;
    case 'conversation_compacted':
      return `the conversation was too long for the model's context window and was compacted (about ${event.preTokens} tokens before, ${event.postTokens} after).`;
    case 'fallback_taken':
      return `using ${event.to} instead of ${event.from}: ${sentence(event.reason)}`;
    default:
      return undefined;
  }
}

/** Shorter waits are normal between requests. */
const tellableMs = 1_000;

function sentence(text: string): string {
  return text.replace(/([^.!?…])$/, '$1.');
}

/** A refusal that suspends is reported as such. */
function retryText(event: Extract<AgentEvent, { type: 'request_retried' }>): string | undefined {
  if (isRefusal(event.failure) && (event.isLast || event.delayMs > maxPacedMs)) return undefined;
  const when = event.delayMs < 1 ? 'now' : `in ${formatWait(Math.max(1000, event.delayMs))}`;
  const said = sentence(event.failure.message);
  if (event.isLast) return said;
  return `${said} Trying again ${when} (attempt ${event.attempt}).`;
}
