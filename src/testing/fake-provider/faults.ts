import { isRecord } from '../../lib/fields/field-values.ts';

/**
 * A fault in one answer on the wire. Plain JSON, so a script can live in a file. Where `event` names one
 * of the answer's server-sent events, a number counts from 0, or from the end if negative; a string means the last event
 * that contains it (`message_stop`, `[DONE]`, `finish_reason":"`).
 */
export type Fault =
  /** The answer stops: by an orderly end of the connection, by breaking it, or by silence on an open one. */
  | { kind: 'cut'; afterBytes?: number; afterEvents?: number; by?: 'end' | 'reset' | 'silence' }
  | { kind: 'missing'; event: EventName }
  | { kind: 'duplicated'; event: EventName }
  /** Swapped with the next one. */
  | { kind: 'swapped'; event: EventName }
  /** Its JSON is cut off. */
  | { kind: 'malformed'; event: EventName }
  /** The last piece of the last tool call's input is missing. */
  | { kind: 'truncated_input' }
  /** An error replaces this event and ends the stream. In the wire's own words for the status, or in these. */
  | {
      kind: 'error_event';
      event: EventName;
      message?: string;
      status?: number;
      error?: Record<string, unknown>;
    }
  /** Garbage bytes before this event. By default NULs and half a character, as data. */
  | { kind: 'garbage'; event: EventName; bytes?: number[] }
  /** An unterminated line of this many bytes before this event. */
  | { kind: 'huge_line'; event: EventName; bytes: number }
  /** This many bytes at a time, with a pause of the injected clock before each. */
  | { kind: 'drip'; bytes: number; pauseMs: number }
  /** The events, under another content type. */
  | { kind: 'content_type'; type: string }
  /** One JSON object instead of a stream. */
  | { kind: 'not_streamed' };

export type EventName = number | string;

/** An answer as sent over the wire. */
export interface WireStream {
  contentType: string;
  pieces: Iterable<Uint8Array>;
  pauseMs: number;
  /** Whether the connection breaks after everything is sent. */
  resets: boolean;
  /** Set if the connection stays open after this many bytes, which are all. */
  silentAfterBytes?: number | undefined;
}

export function encodeStream(frames: Iterable<string>): WireStream {
  return { contentType: 'text/event-stream', pieces: encoded(frames), pauseMs: 0, resets: false };
}

/** The events of an answer with the fault in them. `error` writes an error in the provider's words. */
export function faultyStream(
  given: Iterable<string>,
  fault: Fault,
  error: (message: string, status: number) => unknown,
): WireStream {
  const frames = [...given];
  const whole = encodeStream(frames);
  switch (fault.kind) {
    case 'cut':
      return cutStream(cut(frames, fault), fault.by);
    case 'drip':
      return { ...whole, pieces: dripped(frames, fault.bytes), pauseMs: fault.pauseMs };
    case 'content_type':
      return { ...whole, contentType: fault.type };
    case 'huge_line':
      return { ...whole, pieces: inserted(frames, place(frames, fault.event), hugeLine(fault.bytes)) };
    case 'garbage':
      return { ...whole, pieces: inserted(frames, place(frames, fault.event), [garbage(fault.bytes)]) };
    case 'not_streamed':
      return whole;
    default:
      return encodeStream(changed(frames, fault, error));
  }
}

function cutStream(bytes: Uint8Array, by: Extract<Fault, { kind: 'cut' }>['by']): WireStream {
  return {
    contentType: 'text/event-stream',
    pieces: [bytes],
    pauseMs: 0,
    resets: by === 'reset',
    silentAfterBytes: by === 'silence' ? bytes.length : undefined,
  };
}

type EventFault = Extract<
  Fault,
  { kind: 'missing' | 'duplicated' | 'swapped' | 'malformed' | 'error_event' | 'truncated_input' }
>;

function changed(
  frames: string[],
  fault: EventFault,
  error: (message: string, status: number) => unknown,
): string[] {
  if (fault.kind === 'truncated_input') return withoutLastInput(frames);
  const at = place(frames, fault.event);
  const frame = frames[at] ?? '';
  const before = frames.slice(0, at);
  const after = frames.slice(at + 1);
  switch (fault.kind) {
    case 'missing':
      return [...before, ...after];
    case 'duplicated':
      return [...before, frame, frame, ...after];
    case 'swapped':
      return [...before, ...after.slice(0, 1), frame, ...after.slice(1)];
    case 'malformed':
      return [...before, halved(frame), ...after];
    case 'error_event':
      return [
        ...before,
        errorFrame(fault.error ?? error(fault.message ?? 'something broke', fault.status ?? 500)),
      ];
  }
}

function place(frames: readonly string[], event: EventName): number {
  const at =
    typeof event === 'string'
      ? frames.findLastIndex((frame) => frame.includes(event))
      : event < 0
        ? frames.length + event
        : event;
  if (at >= 0 && at < frames.length) return at;
  throw new Error(
    `the answer has no event ${JSON.stringify(event)} for the fault, only ${frames.length} events`,
  );
}

/** For any wire: if inputs come in pieces, the last is left out; if they come whole, they are cut. */
function withoutLastInput(frames: string[]): string[] {
  const last = frames.findLastIndex((frame) =>
    /"partial_json":"(?!")|"tool_calls".*"arguments":"(?!")/.test(frame),
  );
  if (last >= 0) return frames.filter((_, index) => index !== last);
  const call = frames.findLastIndex((frame) => frame.includes('functionCall'));
  if (call >= 0) return frames.map((frame, index) => (index === call ? halved(frame) : frame));
  return frames.map((frame) =>
    frame.replace(wholeArguments, (_, text) => `"arguments":${JSON.stringify(half(text))}`),
  );
}

const wholeArguments = /"arguments":("(?:[^"\\]|\\.)+")/g;

function half(json: string): string {
  const text: string = JSON.parse(json);
  return text.slice(0, text.length / 2);
}

function halved(frame: string): string {
  const end = frame.trimEnd().length;
  return `${frame.slice(0, end - Math.ceil((end - frame.lastIndexOf('data:')) / 3))}\n\n`;
}

function errorFrame(error: unknown): string {
  const name = isRecord(error) && error.type === 'error' ? 'event: error\n' : '';
  return `${name}data: ${JSON.stringify(error)}\n\n`;
}

const encoder = new TextEncoder();

function* encoded(frames: Iterable<string>): Generator<Uint8Array> {
  for (const frame of frames) yield encoder.encode(frame);
}

function cut(frames: string[], fault: Extract<Fault, { kind: 'cut' }>): Uint8Array {
  const kept = frames.slice(0, fault.afterEvents ?? frames.length);
  const bytes = encoder.encode(kept.join(''));
  return bytes.slice(0, fault.afterBytes ?? bytes.length);
}

function* dripped(frames: string[], size: number): Generator<Uint8Array> {
  const bytes = encoder.encode(frames.join(''));
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

function* inserted(frames: string[], at: number, more: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield* encoded(frames.slice(0, at));
  yield* more;
  yield* encoded(frames.slice(at));
}

function garbage(bytes: number[] | undefined): Uint8Array {
  return bytes
    ? Uint8Array.from(bytes)
    : Buffer.concat([Buffer.from('data: '), Buffer.from('0000ff00c30a0a', 'hex')]);
}

const chunkBytes = 1024 * 1024;

function* hugeLine(bytes: number): Generator<Uint8Array> {
  yield encoder.encode('data: ');
  for (let left = bytes; left > 0; left -= chunkBytes) yield Buffer.alloc(Math.min(left, chunkBytes), 'x');
}
