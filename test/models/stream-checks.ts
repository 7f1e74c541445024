import type { AssistantBlock, ModelEvent } from '../../src/protocol/index.ts';
import type { RecordedStream } from './streams.ts';
import { chunksAsFetch, collect, modelOver } from './wires.ts';

export async function play({ wire }: RecordedStream, chunks: readonly Uint8Array[]): Promise<ModelEvent[]> {
  return collect(modelOver(wire, chunksAsFetch(chunks)));
}

/** What is wrong with the events when the answer comes in these pieces; undefined when nothing is. */
export async function faultOfSplit(
  stream: RecordedStream,
  whole: readonly ModelEvent[],
  chunks: readonly Uint8Array[],
): Promise<string | undefined> {
  const events = await playSafely(stream, chunks);
  if (typeof events === 'string') return events;
  const [expected, got] = [textOf(whole), textOf(events)];
  return expected === got ? undefined : `expected ${expected}\n     got ${got}`;
}

/** The same when the answer ends after so many bytes. */
export async function faultOfCut(
  stream: RecordedStream,
  whole: readonly ModelEvent[],
  length: number,
): Promise<string | undefined> {
  const events = await playSafely(stream, [stream.bytes.slice(0, length)]);
  if (typeof events === 'string') return events;
  const last = events.at(-1);
  const end = whole.at(-1);
  const calls = endedCalls(whole).map(textOf);
  const strange = endedCalls(events).find((call) => !calls.includes(textOf(call)));
  if (strange) return `a half call came out: ${JSON.stringify(strange)}`;
  if (last?.type !== 'response_ended') return faultOfEnds(events);
  const rest = stream.bytes.slice(length);
  if (stream.wire.hasLastWord && rest.some((byte) => byte !== 10 && byte !== 13))
    return 'it ended before its last event';
  const isWhole = end?.type === 'response_ended' && same(last.message.content, end.message.content);
  return isWhole ? faultOfEnds(events) : 'it ended with less than it should have';
}

/** The same when some of its bytes are others. What they say then cannot be known, only that it is in order. */
export async function faultOfCorruption(
  stream: RecordedStream,
  bytes: Uint8Array,
): Promise<string | undefined> {
  const events = await playSafely(stream, [bytes]);
  if (typeof events === 'string') return events;
  for (const event of events) {
    if (event.type !== 'block_ended' || event.block.type !== 'tool_use') continue;
    const { id, name, input } = event.block;
    if (!id || !name) return `a call without a name or an id: ${JSON.stringify(event.block)}`;
    // Nothing is run of a call that is marked as invalid.
    if (event.block.invalidInput !== undefined) continue;
    if (!stream.wire.hasWholeInputs && !same(parseOr(inputText(events, event.index) || '{}') ?? null, input))
      return `a call whose input is not what streamed: ${JSON.stringify(event.block)}`;
  }
  return faultOfEnds(events);
}

async function playSafely(
  stream: RecordedStream,
  chunks: readonly Uint8Array[],
): Promise<ModelEvent[] | string> {
  try {
    return await play(stream, chunks);
  } catch (error) {
    return `it threw: ${String(error)}`;
  }
}

/** One end, at the end; and a message only of blocks that have ended. */
function faultOfEnds(events: readonly ModelEvent[]): string | undefined {
  const ends = events.filter((event) => event.type === 'response_ended' || event.type === 'response_failed');
  if (ends.length !== 1 || ends[0] !== events.at(-1)) return `${ends.length} ends, or not at the end`;
  const last = ends[0];
  if (last?.type !== 'response_ended') return undefined;
  const ended = events.flatMap((event) =>
    event.type === 'block_ended' ? [JSON.stringify(event.block)] : [],
  );
  const missing = last.message.content.find((block) => !ended.includes(JSON.stringify(block)));
  return missing && `a block of the message never ended: ${JSON.stringify(missing)}`;
}

function endedCalls(events: readonly ModelEvent[]): AssistantBlock[] {
  return events.flatMap((event) =>
    event.type === 'block_ended' && event.block.type === 'tool_use' ? [event.block] : [],
  );
}

function inputText(events: readonly ModelEvent[], index: number): string {
  return events
    .flatMap((event) =>
      event.type === 'block_delta' && event.index === index && event.delta.type === 'tool_input'
        ? [event.delta.json]
        : [],
    )
    .join('');
}

function parseOr(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function same(a: unknown, b: unknown): boolean {
  return textOf(a) === textOf(b);
}

/** A call without an id gets one at random, and another each time. */
function textOf(value: unknown): string {
  return JSON.stringify(value).replace(/"id":"[A-Za-z0-9]{16}"/g, '"id":"made up"');
}
