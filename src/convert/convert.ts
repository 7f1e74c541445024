import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import {
  type ConvertReply,
  type ConvertRequest,
  convertArgument,
  type HtmlText,
  type PdfText,
} from './request.ts';

export interface ConvertLimits {
  clock: Clock;
  signal: AbortSignal;
}

const timeLimitMs = 10_000;
/** All threads together, so more than the time limit. Also ends a runaway if this process was killed. */
const maxProcessorSeconds = 20;
const maxAddressSpaceKilobytes = 2 * 1024 * 1024;
const maxReplyBytes = 32 * 1024 * 1024;

/**
 * The text of an untrusted document. Libraries that read such formats cannot be bounded from within, so they run in a
 * separate process with limited memory and time, and are killed beyond these. It gets the bytes, no environment and no
 * file.
 */
export async function convertDocument<Request extends ConvertRequest>(
  request: Request,
  bytes: Uint8Array,
  limits: ConvertLimits,
): Promise<Result<Request extends { kind: 'pdf' } ? PdfText : HtmlText>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const child = spawnOwned({
    file: '/bin/sh',
    // macOS does not limit address space; there only the time limit ends a runaway.
    args: [
      '-c',
      `ulimit -v ${maxAddressSpaceKilobytes} 2>/dev/null; ulimit -t ${maxProcessorSeconds}; exec "$@"`,
      'sh',
      ...converter(),
    ],
    cwd: '/',
    env: {},
    isAlone: true,
    owner: 'cadre/convert',
    clock: limits.clock,
    signal: limits.signal,
    timeoutMs: timeLimitMs,
    input: Buffer.concat([Buffer.from(`${JSON.stringify(request)}\n`), bytes]),
    output(chunk) {
      size += chunk.length;
      if (size > maxReplyBytes) child.kill();
      else chunks.push(chunk);
    },
    errorOutput() {},
  });
  const end = await child.ended;
  if (limits.signal.aborted) return failure('it was interrupted.');
  if (end.problem !== undefined) return failure(`the converter could not be started: ${end.problem}.`);
  if (end.timedOut) return failure(`it takes longer than ${timeLimitMs / 1000} seconds.`);
  const reply = parseReply(Buffer.concat(chunks));
  if (!reply) return failure('it needs too much memory or is damaged.');
  // The kinds of requests and of replies match by construction.
  return reply.ok ? ok(reply.value as never) : failure(reply.reason);
}

/**
 * The compiled program starts itself; otherwise the runtime starts the entry beside this file, or beside the built
 * library.
 */
function converter(): string[] {
  const { dirname } = import.meta;
  if (dirname.startsWith('/$bunfs/')) return [process.execPath, convertArgument];
  const entry = import.meta.filename.endsWith('.ts') ? 'main.ts' : join('convert', 'main.js');
  return [process.execPath, join(dirname, entry)];
}

function parseReply(bytes: Buffer): ConvertReply | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as ConvertReply;
  } catch {
    return undefined;
  }
}
