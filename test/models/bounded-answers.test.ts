import { expect, test } from 'bun:test';
import type { Fetch } from '../../src/models/transport.ts';
import { type ModelEvent, textOf } from '../../src/protocol/index.ts';
import { modelOver, question, type Wire, wires } from './wires.ts';

const megabyte = 1024 * 1024;
const gigabyte = 1024 * megabyte;
const filler = 'x'.repeat(megabyte);

/** The beginning of a text on each wire, and one piece of it. */
const texts: Record<string, { opening: object[]; piece: object }> = {
  anthropic: {
    opening: [
      {
        type: 'message_start',
        message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    piece: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: filler } },
  },
  openai: {
    opening: [{ id: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
    piece: { id: 'm', choices: [{ index: 0, delta: { content: filler } }] },
  },
  responses: {
    opening: [
      { type: 'response.created', response: { id: 'm', created_at: 0, model: 'x' } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'i', role: 'assistant', content: [] },
      },
    ],
    piece: {
      type: 'response.output_text.delta',
      item_id: 'i',
      output_index: 0,
      content_index: 0,
      delta: filler,
    },
  },
  google: {
    opening: [],
    piece: { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: filler }] } }] },
  },
};

for (const wire of wires) {
  test(`P4 ${wire.name}: a gigabyte of text is not read to its end, and is said to be too long`, async () => {
    const { opening = [], piece = {} } = texts[wire.name] ?? {};
    const { fetch, sent } = endless([...opening.map(frame), frame(piece)], 200, 'text/event-stream');
    const { last, characters } = await readAll(wire, fetch);
    expect(last).toMatchObject({ type: 'response_failed', failure: { kind: 'malformed' } });
    expect(last?.type === 'response_failed' && last.failure.message).toContain('longer than 64 MB');
    expect(characters).toBeLessThan(70 * megabyte);
    expect(sent()).toBeLessThan(100 * megabyte);
  });

  test(`P4 ${wire.name}: a gigabyte of an error is read in its beginning only, and its words are shown`, async () => {
    const { fetch, sent } = endless(['Out of order: ', filler], 500, 'text/plain');
    const { last } = await readAll(wire, fetch);
    expect(last).toMatchObject({ type: 'response_failed', failure: { kind: 'server', status: 500 } });
    expect(sent()).toBeLessThan(16 * megabyte);
  });
}

/** A response that repeats its last piece for a gigabyte, for as long as it is read. */
function endless(pieces: string[], status: number, type: string): { fetch: Fetch; sent(): number } {
  let sent = 0;
  let at = 0;
  const encoded = pieces.map((piece) => Buffer.from(piece));
  const fetch: Fetch = async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = encoded[Math.min(at++, encoded.length - 1)] ?? new Uint8Array();
        sent += piece.length;
        if (sent > gigabyte) controller.close();
        else controller.enqueue(piece);
      },
    });
    return new Response(body, { status, headers: { 'content-type': type } });
  };
  return { fetch, sent: () => sent };
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

async function readAll(wire: Wire, fetch: Fetch) {
  let last: ModelEvent | undefined;
  let characters = 0;
  for await (const event of modelOver(wire, fetch).stream(question, new AbortController().signal)) {
    if (event.type === 'block_delta' && event.delta.type === 'text') characters += event.delta.text.length;
    if (event.type === 'response_ended') characters = textOf(event.message.content).length;
    last = event;
  }
  return { last, characters };
}
