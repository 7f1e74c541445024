import type { Engine } from '../../remote/engine.ts';
import type { JobKey } from '../../remote/keys.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { FlagsOf } from '../table/commands.ts';

export type WorkerFlags = FlagsOf<'worker run'>;

/** What a worker runs with. */
export interface WorkerStart {
  readonly flags: WorkerFlags;
  readonly around: Surroundings;
  readonly settings: LoadedSettings;
  readonly engine: Engine;
  readonly key: JobKey;
  readonly leaseMs: number;
  say(text: string): void;
}
