import { release } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { randomIds } from '../lib/ids.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { openKeyStore } from '../models/keys.ts';
import type { Command } from '../protocol/index.ts';
import type { Reel, ReelParts } from '../replay/reel.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { layoutOf } from '../store/layout.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** A tape that the session is recorded on or played from. */
export type SessionReel = Reel & { commands?: readonly Command[] };

/** Opens the tape that `record` or `replay` names. What it needs is loaded only then. */
export async function openReel(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
): Promise<Result<SessionReel | undefined>> {
  const { record, replay } = options;
  if (record === undefined && replay === undefined) return ok(undefined);
  if (record !== undefined && replay !== undefined) return usage('Give --record or --replay, not both.');
  if (options.resume)
    return usage('A tape holds a whole session: --record and --replay go without --resume and --continue.');
  const parts = await partsOf(around, settings);
  if (record !== undefined) {
    const { recordRun } = await import('../replay/record.ts');
    return recordRun(resolve(around.cwd, record), parts);
  }
  const { replayRun } = await import('../replay/replay.ts');
  return replayRun(resolve(around.cwd, replay ?? ''), parts);
}

/** A run on a tape lives by the tape's clock and ids. A replay has the recorded session's id, so it keeps its files apart. */
export function aroundReel(around: Surroundings, reel: SessionReel | undefined): Surroundings {
  if (!reel) return around;
  const outside = { clock: reel.outsideClock, ids: randomIds };
  const layout = reel.isReplay ? layoutOf(join(around.home, 'replays', randomIds.token(16))) : around.layout;
  return { ...around, clock: reel.clock, ids: reel.ids, outside, layout };
}

async function partsOf(around: Surroundings, settings: LoadedSettings): Promise<ReelParts> {
  const { secretsIn } = await import('../replay/secrets.ts');
  const stored = openKeyStore(around.home).readKeys();
  return {
    secrets: [
      ...secretsIn({ ...around.environment, ...settings.env }),
      ...(stored.ok ? Object.values(stored.value) : []),
    ],
    places: {
      cwd: around.cwd,
      root: around.root,
      home: around.home,
      userHome: around.userHome,
      project: basename(around.layout.projectDirectory(around.cwd)),
      shell: around.shell,
      osVersion: release(),
    },
    clock: around.clock,
  };
}
