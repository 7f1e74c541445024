import { type Clock, manualClock } from '../../src/lib/clock.ts';
import { anthropicModel } from '../../src/models/anthropic/anthropic.ts';
import { findFacts } from '../../src/models/facts.ts';
import { googleModel } from '../../src/models/google.ts';
import type { ModelParts } from '../../src/models/model-parts.ts';
import { openaiModel } from '../../src/models/openai.ts';
import { responsesModel } from '../../src/models/openai-responses.ts';
import type { Fetch } from '../../src/models/transport.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/index.ts';

/** A way to speak to a provider that the fake one understands as well. */
export interface Wire {
  name: string;
  provider: ModelParts['endpoint']['provider'];
  id: string;
  /** Below the fake provider's address. */
  path: string;
  make(parts: ModelParts): Model;
  /** Whether an answer is told to be whole only by its very last event, so that nothing shorter counts. */
  hasLastWord: boolean;
  /** Whether a call's input comes as a whole as well, so that nothing follows from its pieces. */
  hasWholeInputs?: true;
}

export const wires: Wire[] = [
  {
    name: 'anthropic',
    provider: 'anthropic',
    id: 'claude-sonnet-4-5',
    path: '/v1',
    make: anthropicModel,
    hasLastWord: true,
  },
  {
    name: 'openai',
    provider: 'openai',
    id: 'some-model',
    path: '/v1',
    make: openaiModel,
    hasLastWord: false,
  },
  {
    name: 'responses',
    provider: 'openai',
    id: 'gpt-5.2',
    path: '/v1',
    make: responsesModel,
    hasLastWord: true,
    hasWholeInputs: true,
  },
  {
    name: 'google',
    provider: 'google',
    id: 'gemini-2.5-pro',
    path: '/v1beta',
    make: googleModel,
    hasLastWord: true,
    hasWholeInputs: true,
  },
];

export function wireNamed(name: string): Wire {
  const wire = wires.find((candidate) => candidate.name === name);
  if (!wire) throw new Error(`no wire ${name}`);
  return wire;
}

/** The adapter of a wire, over any transport. */
export function modelOver(
  wire: Wire,
  fetch: Fetch,
  url = 'http://fake.invalid',
  clock: Clock = manualClock(),
): Model {
  const endpoint = { provider: wire.provider, baseUrl: `${url}${wire.path}`, key: 'very-secret-key-123' };
  const facts = findFacts(wire.provider, wire.id);
  return wire.make({ endpoint, id: wire.id, facts, fetch, clock });
}

/** A transport that answers everything with these chunks. */
export function chunksAsFetch(chunks: readonly Uint8Array[], type = 'text/event-stream'): Fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
}

export const question: ModelRequest = {
  system: ['You are being tested.'],
  tools: [{ name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
  maxOutputTokens: 100,
  thinking: { type: 'off' },
};

export async function collect(model: Model): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(question, new AbortController().signal)) events.push(event);
  return events;
}
