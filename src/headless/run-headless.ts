import { endSignals } from '../lib/processes/end-signals.ts';
import type { Session } from '../session/session.ts';
import { processIo } from './process-io.ts';
import { type HeadlessRequest, type Interrupts, runPrompt } from './run-prompt.ts';

/** Runs a request on the process's own streams and signals. */
export async function runHeadless(request: HeadlessRequest): Promise<number> {
  const interrupts = watchSignals(request.inputFormat === 'text');
  const io = processIo(interrupts.readerGone);
  if (request.inputFormat === 'text') return runPrompt(request, io, interrupts);
  const { serveHost } = await import('./host/serve-host.ts');
  return serveHost(request, io, interrupts);
}

/**
 * The first SIGINT ends the turn; SIGTERM, SIGHUP or a closed reader closes the session. Either way all our processes
 * are ended and the result so far is printed. A second signal does not wait for that.
 */
function watchSignals(isOneShot: boolean): Interrupts & { readerGone(): void } {
  let session: Session | undefined;
  let code: number | undefined;
  const first = new AbortController();
  const ending = new AbortController();
  const end = (exitCode: number, gently: (session: Session) => void) => {
    if (code !== undefined || !session) return void leave(exitCode);
    code = exitCode;
    first.abort();
    gently(session);
  };
  const leave = async (exitCode: number) => {
    await session?.close();
    process.exit(exitCode);
  };
  const close = (open: Session) => {
    void open.close();
    ending.abort();
  };
  const interrupt = () =>
    end(130, (open) => {
      // With a host, its earlier messages are answered; here nothing waits for another turn.
      if (isOneShot) open.beginNothing();
      open.send({ type: 'interrupt' });
    });
  process.on('SIGINT', interrupt);
  for (const [signal, exit] of Object.entries(endSignals)) process.on(signal, () => end(exit, close));
  return {
    attach: (opened) => {
      session = opened;
    },
    interrupt,
    readerGone: () => end(1, close),
    exitCode: () => code,
    signal: first.signal,
    ending: ending.signal,
  };
}
