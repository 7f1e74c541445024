/**
 * A provider in a separate process that streams one long answer, the same to everyone, in pieces of a few letters. It says when an
 * answer begins, and when it ends.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is asked. */
export const prompt = 'explain it';

const pieceMs = 20;
const pieceLetters = 24;
const section = (index: number) => `## Part ${index}

The **loop** in part ${index} runs one step too far: \`values[values.length]\` is undefined, and adding it gives \`NaN\`, which
then spreads through every sum, mean and median that is built on it until a report shows it.

- read each value once, without an index
- refuse what is not a number

\`\`\`ts
export function sum${index}(values: number[]): number {
  let total = 0;
  for (const value of values) total += value; // no index to get wrong
  return total;
}
\`\`\`
`;

const answer = Array.from({ length: 12 }, (_, index) => section(index + 1)).join('\n');

if (import.meta.main) serve();

function serve(): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // Codex also asks before anyone has written a prompt.
      const isAsked = Buffer.concat(chunks).includes(prompt);
      void reply(request.url ?? '', response, isAsked ? answer : 'Ready.');
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  });
}

async function reply(url: string, response: ServerResponse, text: string): Promise<void> {
  const stream = streams.find(({ suffix }) => url.split('?')[0]?.endsWith(suffix));
  if (!stream) return void response.writeHead(404).end('{}');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (event: Sent) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  stream.begin.forEach(write);
  if (text === answer) process.stdout.write('begin\n');
  for (let at = 0; at < text.length && !response.destroyed; at += pieceLetters) {
    write(stream.piece(text.slice(at, at + pieceLetters)));
    await new Promise((resolve) => setTimeout(resolve, pieceMs));
  }
  stream.end(text).forEach(write);
  if (text === answer && !response.destroyed) process.stdout.write('end\n');
  response.end();
}

/** An event of a stream. */
type Sent = { type: string } & Record<string, unknown>;

interface Stream {
  suffix: string;
  begin: Sent[];
  piece(text: string): Sent;
  end(text: string): Sent[];
}

const item = (text: string, status: string) => ({
  ...{ type: 'message', id: 'msg_0', role: 'assistant', status },
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});
const response = { id: 'resp_0', object: 'response', status: 'in_progress', output: [] as object[] };
const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const at = { output_index: 0, content_index: 0, item_id: 'msg_0' };

const streams: Stream[] = [
  {
    suffix: '/messages',
    begin: [
      {
        type: 'message_start',
        message: {
          ...{ id: 'msg_0', type: 'message', role: 'assistant', model: 'claude-bench', content: [] },
          ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 1 } },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    piece: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: () => [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ],
  },
  {
    suffix: '/responses',
    begin: [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item: item('', 'in_progress') },
    ],
    piece: (delta) => ({ type: 'response.output_text.delta', ...at, delta }),
    end: (text) => [
      { type: 'response.output_item.done', output_index: 0, item: item(text, 'completed') },
      {
        type: 'response.completed',
        response: { ...response, status: 'completed', output: [item(text, 'completed')], usage },
      },
    ],
  },
];
