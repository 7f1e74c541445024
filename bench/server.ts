/**
 * The provider of the bench: two streaming formats, no latency, nothing else. It runs in a separate process,
 * so that neither the measured program nor the bench slows it down.
 *
 * Not the fake provider of `src/testing`: that one checks what it is asked; this one only has to be fast.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { preciseNow, type SeenRequest, type Step } from './steps.ts';
import { anthropicStream } from './streams/anthropic.ts';
import { responsesStream } from './streams/responses.ts';

const formats: [suffix: string, render: (step: Step, index: number) => string][] = [
  ['/messages', anthropicStream],
  ['/responses', responsesStream],
];

let script: Step[] = [];
let seen: SeenRequest[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => receive(request, Buffer.concat(chunks), response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

function receive(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const arrivedAt = preciseNow();
  const path = (request.url ?? '').split('?')[0] ?? '';
  const render = formats.find(([suffix]) => path.endsWith(suffix))?.[1];
  if (request.method === 'POST' && render) {
    answer(path, arrivedAt, body, render, response);
    return;
  }
  const reply = control(path, body);
  response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(reply ?? { error: { type: 'not_found_error', message: `no ${path} here` } }));
}

function answer(
  path: string,
  arrivedAt: number,
  body: Buffer,
  render: (step: Step, index: number) => string,
  response: ServerResponse,
): void {
  const index = seen.length;
  const text = render(script[index] ?? { kind: 'text', text: 'Done.' }, index);
  const request: SeenRequest = { path, arrivedAt, answeredAt: 0, bytes: body.length, asExpected: true };
  seen.push(request);
  const reply = () => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
    request.answeredAt = preciseNow();
  };
  const step = script[index];
  if (step?.kind === 'call' && step.thinkMs) setTimeout(reply, step.thinkMs);
  else reply();
  const before = script[index - 1];
  if (before?.kind === 'call') request.asExpected = body.includes(before.yields);
}

/** The bench's own door: load a script, read what was seen. */
function control(path: string, body: Buffer): unknown {
  if (path === '/bench/script') {
    script = JSON.parse(body.toString()) as Step[];
    seen = [];
    return { steps: script.length };
  }
  if (path === '/bench/seen') return seen;
  return undefined;
}
