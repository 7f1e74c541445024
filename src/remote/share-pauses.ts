import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { listOwnHolds, noteForeignHold } from '../models/pacer/foreign-holds.ts';
import { parseNote } from '../models/pacer/note.ts';
import type { Engine } from './engine.ts';
import { parseQuietly } from './job.ts';
import type { JobKey } from './keys.ts';
import { openRow, sealRow } from './sealed-rows.ts';
import { openWaiter } from './wait.ts';

export interface PauseSharing {
  engine: Engine;
  clock: Clock;
  /** Whose sessions are paused. */
  home: string;
  /** The worker's, and the ones whose word it takes. */
  key: JobKey;
  knownKeys(): Result<ReadonlySet<string>>;
  /** Whether sessions may be asking a model now. */
  isBusy(): boolean;
}

/** Rung when a provider has refused a worker. */
const pauseBell = 'pauses';
/** Signed for this, and for no job. */
const pauseStream = 'pause';
const busyMs = 500;
const idleMs = 5_000;
/** Over before others would see it. */
const minPauseMs = 500;

const pauseSchema = z.object({ model: z.string(), at: z.number(), hold: z.unknown() });

export interface PauseShare {
  /** Looks at once: a job begins. */
  look(): void;
  stop(): Promise<void>;
}

/**
 * When a provider refuses one worker for a time, all workers with the same key wait: each hears of the limits that the others met. No
 * key and no address is said, only the hash under which each one's pacer keeps the limit.
 */
export function sharePauses(sharing: PauseSharing): PauseShare {
  const { engine, clock, isBusy } = sharing;
  const end = new AbortController();
  const told = new Map<string, number>();
  const heard = new Map<string, number>();
  const waiter = openWaiter(engine, clock, (topic) => topic === pauseBell);
  const share = async () => {
    let readAt = Number.NEGATIVE_INFINITY;
    while (!end.signal.aborted) {
      await tellHolds(sharing, told);
      // The bell may ring more often.
      if (clock.monotonic() - readAt >= busyMs) {
        readAt = clock.monotonic();
        await hearHolds(sharing, heard);
      }
      await waiter.wait(isBusy() ? busyMs : idleMs, end.signal);
    }
  };
  const sharingNow = share();
  return {
    look: () => waiter.wake(),
    async stop() {
      end.abort();
      await sharingNow;
      waiter.close();
    },
  };
}

async function tellHolds(
  { engine, clock, home, key }: PauseSharing,
  told: Map<string, number>,
): Promise<void> {
  const now = clock.now();
  for (const { model, hold } of listOwnHolds(home, now)) {
    const forMs = hold.at + hold.delayMs - now;
    if (forMs < minPauseMs || (told.get(model) ?? 0) >= hold.at) continue;
    const body = JSON.stringify({ model, at: hold.at, hold });
    const sealed = sealRow(key, pauseStream, { stream: pauseStream, key: model, body });
    const noted = await engine.note('pause', `${model} ${key.name.slice(-12)}`, sealed.body, forMs);
    if (!noted.ok) return;
    told.set(model, hold.at);
    await engine.ring(pauseBell);
  }
}

/** For as long as the engine says: clocks of machines differ. */
async function hearHolds(
  { engine, clock, home, key, knownKeys }: PauseSharing,
  heard: Map<string, number>,
): Promise<void> {
  const [notes, known] = [await engine.notes('pause'), knownKeys()];
  if (!notes.ok || !known.ok) return;
  for (const { id, body, forMs } of notes.value) {
    const row = openRow(pauseStream, pauseStream, body);
    if (!row || row.signer === key.name || !known.value.has(row.signer)) continue;
    const pause = pauseSchema.safeParse(parseQuietly(row.body));
    if (!pause.success || heard.get(id) === pause.data.at) continue;
    heard.set(id, pause.data.at);
    const { hold } = parseNote(JSON.stringify({ sessions: 0, hold: pause.data.hold })) ?? {};
    if (!hold) continue;
    const mine = { ...hold, at: clock.now(), delayMs: Math.ceil(Math.min(forMs, hold.delayMs)) };
    noteForeignHold(home, { model: pause.data.model, hold: mine });
  }
}
