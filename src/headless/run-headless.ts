import type { Session } from '../session/session.ts';
import { onReaderGone, processIo } from './process-io.ts';
import { type HeadlessRequest, type Interrupts, runPrompt } from './run-prompt.ts';

/** Runs a request on the process's own streams and signals. */
export async function runHeadless(request: HeadlessRequest): Promise<number> {
  const io = processIo();
  const interrupts = watchSignals();
  if (request.inputFormat === 'text') return runPrompt(request, io, interrupts);
  const { serveHost } = await import('./serve-host.ts');
  return serveHost(request, io, interrupts);
}

/**
 * The first SIGINT ends the turn, so that what was done so far is printed; a second one, SIGTERM, or a reader
 * that went away, closes the session. Either way every process of ours is ended first.
 */
function watchSignals(): Interrupts {
  let session: Session | undefined;
  let code: number | undefined;
  const leave = async (exitCode: number) => {
    code = exitCode;
    await session?.close();
    process.exit(exitCode);
  };
  process.on('SIGINT', () => {
    if (code !== undefined || !session) return void leave(130);
    code = 130;
    session.send({ type: 'interrupt' });
  });
  process.on('SIGTERM', () => void leave(143));
  process.on('SIGHUP', () => void leave(129));
  onReaderGone(() => void leave(1));
  return {
    attach: (opened) => {
      session = opened;
    },
    exitCode: () => code,
  };
}
