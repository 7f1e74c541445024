import { linkAbort } from '../lib/abort.ts';
import { formatError } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { CallbackHandler } from './entry.ts';
import { failed, type HookRun, withoutAnswer } from './hook-run.ts';
import type { HookHost } from './host.ts';

/** Asks the program that opened the session. */
export async function runCallback(
  host: HookHost,
  handler: CallbackHandler,
  input: object,
  toolUseId: string | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookRun> {
  const controller = new AbortController();
  const unlink = linkAbort(signal, controller);
  let cancel = () => {};
  const stopped = new Promise<HookRun>((resolve) => {
    const end = (kind: 'timed_out' | 'cancelled') => () => {
      resolve(withoutAnswer(kind));
      controller.abort();
    };
    cancel = host.clock.after(timeoutMs, end('timed_out'));
    controller.signal.addEventListener('abort', end('cancelled'), { once: true });
    if (controller.signal.aborted) end('cancelled')();
  });
  const asked = Promise.resolve().then(() => handler.run(input, toolUseId, controller.signal));
  const answered = asked.then(
    (value): HookRun => ({ kind: 'ended', stdout: '', stderr: '', value: value ?? {} }),
    (error) => failed(visibleLine(formatError(error), 300)),
  );
  const heard = await Promise.race([answered, stopped]);
  cancel();
  unlink();
  return heard;
}
