/**
 * A provider in a separate process: it makes the lead start a hundred agents, and each of these streams words, ten
 * pieces a second, in answers of twenty seconds with a look at a file between them, for as long as the bench runs.
 * The first one streams fifty pieces a second, each of which says when it was sent.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { preciseNow } from './steps.ts';

export const manyAgents = 100;
const words: Pieces = { ms: 100, next: () => 'about twenty letters ' };
const stamps: Pieces = { ms: 20, next: () => `${stampOf(preciseNow())} ` };
const answerSeconds = 20;

/** What one agent says, and how often. */
interface Pieces {
  ms: number;
  next(): string;
}

/** The last digit first: of a line that changes only what follows the first difference is written. */
function stampOf(time: number): string {
  return `${reversed(Math.round(time * 10).toString(36))};`;
}

/** When the pieces of the text were sent. */
export function stampsIn(text: string): number[] {
  return Array.from(
    text.matchAll(/([0-9a-z]{9});/g),
    ([, digits = '']) => Number.parseInt(reversed(digits), 36) / 10,
  );
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

if (import.meta.main) serve(Number(process.argv[2] ?? 60));

function serve(seconds: number): void {
  const end = preciseNow() + seconds * 1_000;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks).toString() || '{}', response, end));
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  });
}

let areStarted = false;

interface Asked {
  messages?: { role: string; content: unknown }[];
  tools?: { name: string }[];
}

function answer(body: string, response: ServerResponse, end: number): void {
  const { messages = [], tools = [] } = JSON.parse(body) as Asked;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object) =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const asked = JSON.stringify(messages);
  const usage = { input_tokens: Math.round(body.length / 4), output_tokens: 1 };
  send('message_start', { message: { ...start, usage } });
  const isLead = tools.some(({ name }) => name === 'Agent');
  if (!isLead && !JSON.stringify(messages.at(-1)).includes(summaryWish)) {
    stream(send, response, asked.includes('Stream stamps') ? stamps : words, (end - preciseNow()) / 1_000);
    return;
  }
  // A lead that was compacted begins with one message again.
  const isFirst = isLead && !areStarted;
  areStarted ||= isLead;
  if (isFirst) startAgents(send);
  else text(send, [isLead ? 'Started.' : 'Words were streamed, and more are to come. '.repeat(20)]);
  finish(send, response, isFirst ? 'tool_use' : 'end_turn');
}

/** Of the request for a summary, with which an agent compacts its conversation. */
const summaryWish = 'The context window is almost full.';

const start = {
  ...{ id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude-bench', content: [] },
  ...{ stop_reason: null, stop_sequence: null },
};

type Send = (type: string, data: object) => void;

function startAgents(send: Send): void {
  for (let index = 0; index < manyAgents; index++) {
    const input = {
      description: `Words ${index}`,
      prompt: index === 0 ? 'Stream stamps.' : 'Stream words.',
      subagent_type: 'Explore',
      run_in_background: true,
    };
    send('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'Agent', input: {} },
    });
    send('content_block_delta', {
      index,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    });
    send('content_block_stop', { index });
  }
}

function text(send: Send, pieces: string[]): void {
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (const one of pieces)
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: one } });
  send('content_block_stop', { index: 0 });
}

function stream(send: Send, response: ServerResponse, { ms, next }: Pieces, seconds: number): void {
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  let left = (Math.min(seconds, answerSeconds) * 1_000) / ms;
  const timer = setInterval(() => {
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: next() } });
    if (--left > 0) return;
    clearInterval(timer);
    send('content_block_stop', { index: 0 });
    const goesOn = seconds > answerSeconds;
    if (goesOn) look(send);
    finish(send, response, goesOn ? 'tool_use' : 'end_turn');
  }, ms);
  response.on('close', () => clearInterval(timer));
}

let looks = 0;

function look(send: Send): void {
  const input = { pattern: `*.${++looks}` };
  send('content_block_start', {
    index: 1,
    content_block: { type: 'tool_use', id: `toolu_look_${looks}`, name: 'Glob', input: {} },
  });
  send('content_block_delta', {
    index: 1,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  });
  send('content_block_stop', { index: 1 });
}

function finish(send: Send, response: ServerResponse, reason: string): void {
  send('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 1_000 },
  });
  send('message_stop', {});
  response.end();
}
