import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import type { WireObject } from './dialect.ts';

export interface CapturedRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Undefined if the body is not JSON. */
  json: WireObject | undefined;
  /** `clock.monotonic()` at arrival, and when the answer was written. */
  at: number;
  endedAt?: number;
}

export async function capture(request: IncomingMessage, clock: Clock): Promise<CapturedRequest> {
  const at = clock.monotonic();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body, json: parseObject(body), at };
}

function parseObject(body: Buffer): WireObject | undefined {
  const value = parseJson(body.toString('utf8'));
  return isRecord(value) ? value : undefined;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** Fires when the client has disconnected, or the answer is complete. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

export function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
