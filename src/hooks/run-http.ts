import { readAll } from '../lib/read-all.ts';
import { formatError } from '../lib/result.ts';
import { compileStars } from '../lib/text/star-pattern.ts';
import { visibleLine } from '../lib/text/text.ts';
import { openTransport } from '../models/transport.ts';
import type { HttpHandler } from './entry.ts';
import { failed, type HookRun } from './hook-run.ts';
import type { HookHost } from './host.ts';
import { withinTime } from './within-time.ts';

const maxBytes = 1024 * 1024;

/** Sends the event to the configured address only: no redirect is followed. */
export async function runHttp(
  host: HookHost,
  handler: HttpHandler,
  input: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookRun> {
  if (!isAllowed(handler.url, host.allowedUrls))
    return failed('its address is not in allowedHttpHookUrls, so nothing was sent');
  return withinTime(host.clock, timeoutMs, signal, async (within, cutOff) => {
    try {
      return await send(host, handler, input, within);
    } catch (error) {
      return cutOff() ?? failed(`its server could not be reached: ${visibleLine(formatError(error), 300)}`);
    }
  });
}

async function send(
  host: HookHost,
  handler: HttpHandler,
  input: string,
  signal: AbortSignal,
): Promise<HookRun> {
  const transport = openTransport(host.variables);
  if (!transport.ok) return failed(transport.problem.message);
  const response = await transport.value(handler.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fillHeaders(handler, host.variables) },
    body: input,
    signal,
  });
  const body = (await readAll(response.body, maxBytes))?.toString();
  if (body === undefined) return failed(`its server answered with more than ${maxBytes} bytes`);
  if (!response.ok) return { ...failed(`its server answered ${response.status}`), stdout: body };
  return { kind: 'ended', stdout: body, stderr: '' };
}

/** `$NAME` and `${NAME}`, for the names that the hook lists; any other name is empty. */
function fillHeaders(
  { headers, variables }: HttpHandler,
  known: Readonly<Record<string, string>>,
): Record<string, string> {
  const fill = (text: string) =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return variables.includes(name) ? (known[name] ?? '').replace(/[\r\n\0]/g, '') : '';
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

function isAllowed(url: string, patterns: readonly string[] | undefined): boolean {
  if (!patterns) return true;
  const { href } = new URL(url);
  return patterns.some((pattern) => compileStars(pattern).test(href));
}
