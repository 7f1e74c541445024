import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { explainWhyNotRun } from '../places/why-not-run.ts';
import { badHeader } from './config.ts';
import { serverEnvironment } from './server-environment.ts';

export interface HelperRun {
  command: string;
  name: string;
  url: string;
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  owner: string;
  clock: Clock;
  signal: AbortSignal;
}

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

/**
 * Headers that a program of the user's makes for each connection, such as a token that expires: it prints one JSON
 * object. It is part of the server's entry, so it runs only if that may be used. Its output is never shown.
 */
export async function runHeadersHelper(run: HelperRun): Promise<Result<Record<string, string>>> {
  const { command, name, url, cwd, environment, owner, clock, signal } = run;
  const held = await explainWhyNotRun({ command, directories: [cwd], userHome: environment.HOME ?? '/' });
  if (held !== undefined) return failure(`headersHelper was not run: ${held}.`);
  const pieces: Uint8Array[] = [];
  let size = 0;
  const child = spawnOwned({
    file: '/bin/sh',
    args: ['-c', command],
    cwd,
    env: serverEnvironment(
      environment,
      { CLAUDE_CODE_MCP_SERVER_NAME: name, CLAUDE_CODE_MCP_SERVER_URL: url },
      cwd,
    ),
    owner,
    clock,
    timeoutMs,
    signal,
    output(chunk) {
      size += chunk.length;
      if (size > maxBytes) child.kill();
      else pieces.push(chunk);
    },
    errorOutput() {},
  });
  const end = await child.ended;
  if (size > maxBytes) return failure(`headersHelper printed more than ${maxBytes} bytes.`);
  if (end.timedOut) return failure(`headersHelper did not end within ${timeoutMs / 1000} s.`);
  if (end.problem !== undefined || end.code !== 0)
    return failure(`headersHelper ended with ${end.problem ?? end.code ?? end.signal}.`);
  return read(Buffer.concat(pieces).toString('utf8'));
}

/** A message never contains part of the output, which may be a token. */
function read(text: string): Result<Record<string, string>> {
  const headers = parseJson(text);
  if (headers === undefined) return failure('headersHelper: expected JSON on stdout.');
  if (!isTexts(headers)) return failure('headersHelper: expected one JSON object of strings.');
  const bad = badHeader(headers);
  if (bad === undefined) return ok(headers);
  return failure(`headersHelper: ${bad.slice(0, 40)} is not a valid header.`);
}

function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}
