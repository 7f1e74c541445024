import { existsSync } from 'node:fs';
import { processIo } from '../../headless/process-io.ts';
import { isTerminal } from '../../lib/is-terminal.ts';
import { ok, type Result } from '../../lib/result.ts';
import { attachLive } from '../../session/attached/attach-live.ts';
import type { AttachedSession } from '../../session/attached/attached-session.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { watchStops } from '../ask/stop-signals.ts';
import type { FlagsOf } from '../table/commands.ts';
import { loadOwnSettings, warnOfPassword } from '../worker/engine-address.ts';
import { type OwnEngine, ownEngine } from '../worker/own-engine.ts';
import { chooseSession } from './choose-session.ts';

export type AttachFlags = FlagsOf<'attach'>;

/** `cadre attach`: looks at a session that another process or a worker has, and steers it. Leaving it ends nothing. */
export async function attach(word: string | undefined, flags: AttachFlags): Promise<number | Result<string>> {
  warnOfPassword(flags.engine);
  const around = lookAround({});
  const engine = ownEngine(around, flags.engine);
  try {
    const found = await findTarget(word, around, engine);
    if (!found.ok) return found;
    if (found.value === 'left') return 130;
    const { open, cwd } = found.value;
    const isFrames = flags.outputFormat === 'stream-json';
    if (!isTerminal(0) || !isTerminal(1) || isFrames) return await attachLines(open, flags);
    const { showSession } = await import('../terminal.ts');
    return await showSession({ session: { cwd }, attach: open });
  } finally {
    await engine.close();
  }
}

interface Target {
  cwd: string;
  open(): Promise<Result<AttachedSession>>;
}

async function findTarget(
  word: string | undefined,
  around: Surroundings,
  engine: OwnEngine,
): Promise<Result<Target | 'left'>> {
  const settings = await loadOwnSettings(around);
  if (!settings.ok) return settings;
  const chosen = await chooseSession(around, word, processIo().terminal, () => listMoved(around, engine));
  if (!chosen.ok) return chosen;
  if (chosen.value === 'left') return ok('left');
  const { terminal = {} } = settings.value;
  if (chosen.value.kind === 'live') {
    const { id, summary } = chosen.value.entry;
    return ok({ cwd: summary?.cwd ?? around.cwd, open: () => attachLive(around, id, terminal) });
  }
  const { id: session, job, cwd = around.cwd } = chosen.value;
  return ok({
    cwd: existsSync(cwd) ? cwd : around.cwd,
    async open() {
      const opened = await engine.open();
      if (!opened.ok) return opened;
      const { attachMoved } = await import('../../session/attached/attach-moved.ts');
      return attachMoved(around, { engine: opened.value, session, job }, terminal);
    },
  });
}

/** Undefined without an engine: then no session can have been moved. */
async function listMoved(around: Surroundings, engine: OwnEngine) {
  const address = await engine.address();
  if (!address.ok) return undefined;
  const opened = await engine.open();
  if (!opened.ok) return opened;
  const { openJobKey } = await import('../../remote/keys.ts');
  const { listMoves } = await import('../../session/moves/move-index.ts');
  const key = openJobKey(around.home);
  return key.ok ? listMoves(opened.value, key.value) : key;
}

async function attachLines(open: Target['open'], flags: AttachFlags): Promise<number | Result<never>> {
  const stops = watchStops();
  const opened = await open();
  if (!opened.ok) return opened;
  const { attachHeadless } = await import('../../headless/attach.ts');
  const { systemClock } = await import('../../lib/clock.ts');
  const request = {
    format: flags.outputFormat,
    includePartialMessages: flags.includePartialMessages === true,
    clock: systemClock,
    signal: stops.signal,
  };
  const code = await attachHeadless(opened.value, request, processIo());
  stops.release();
  return stops.code() ?? code;
}
