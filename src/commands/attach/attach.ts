import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { isTerminal } from '../../lib/is-terminal.ts';
import { ok, type Result } from '../../lib/result.ts';
import { attachLive } from '../../session/attached/attach-live.ts';
import type { AttachedSession } from '../../session/attached/attached-session.ts';
import { checkHome, lookAround } from '../../session/surroundings.ts';
import { watchStops } from '../stop-signals.ts';
import type { FlagsOf } from '../table/commands.ts';
import { loadOwnSettings } from '../worker/engine-address.ts';
import { chooseSession } from './choose-session.ts';

export type AttachFlags = FlagsOf<'attach'>;

/** `cadre attach`: looks at a session that another process has open, and steers it. Leaving it ends nothing. */
export async function attach(word: string | undefined, flags: AttachFlags): Promise<number> {
  const found = await findTarget(word);
  if (!found.ok) return complain(processIo(), found.problem);
  if (found.value === 'left') return 130;
  const { open, cwd } = found.value;
  const isFrames = flags.outputFormat === 'stream-json';
  if (isTerminal(0) && isTerminal(1) && !isFrames) {
    const { showSession } = await import('../terminal.ts');
    return showSession({ session: { cwd }, attach: open });
  }
  return attachLines(open, flags);
}

interface Target {
  cwd: string;
  open(): Promise<Result<AttachedSession>>;
}

async function findTarget(word: string | undefined): Promise<Result<Target | 'left'>> {
  const around = lookAround({});
  const home = checkHome(around);
  if (!home.ok) return home;
  const settings = await loadOwnSettings(around);
  if (!settings.ok) return settings;
  const chosen = await chooseSession(around, word, processIo().terminal);
  if (!chosen.ok || chosen.value === 'left') return chosen.ok ? ok('left') : chosen;
  const { id, summary } = chosen.value;
  const { terminal = {} } = settings.value;
  return ok({ cwd: summary?.cwd ?? around.cwd, open: () => attachLive(around, id, terminal) });
}

async function attachLines(open: Target['open'], flags: AttachFlags): Promise<number> {
  const stops = watchStops();
  const io = processIo();
  const opened = await open();
  if (!opened.ok) return complain(io, opened.problem);
  const { attachHeadless } = await import('../../headless/attach.ts');
  const { systemClock } = await import('../../lib/clock.ts');
  const request = {
    format: flags.outputFormat,
    includePartialMessages: flags.includePartialMessages === true,
    clock: systemClock,
    signal: stops.signal,
  };
  const code = await attachHeadless(opened.value, request, io);
  stops.release();
  return stops.code() ?? code;
}
