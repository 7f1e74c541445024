import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { readSettings } from '../read-settings.ts';

/** The engine that a command is about: its flag, CADRE_ENGINE, or the user's settings. */
export function findEngine(
  given: string | undefined,
  { environment }: Pick<Surroundings, 'environment'>,
  settings: Pick<LoadedSettings, 'remote'>,
): Result<string> {
  const address = given || environment.CADRE_ENGINE || settings.remote.engine;
  return address
    ? ok(address)
    : usage(
        'There is no engine.',
        'Give its address with --engine, or set CADRE_ENGINE: redis://HOST:PORT or postgres://USER@HOST:PORT/DATABASE.',
      );
}

/** The user's own settings: a worker, and commands about engines, read those of no repository. */
export function loadOwnSettings(around: Surroundings, given?: string): Promise<Result<LoadedSettings>> {
  return readSettings(around, { sources: ['user'], flagSettings: given });
}

/** Other users of the machine see the words of a running command. */
export function warnOfPassword(given: string | undefined): void {
  if (given === undefined || !URL.parse(given)?.password) return;
  const warning = 'The password in --engine can be seen in the list of processes. Set CADRE_ENGINE instead.';
  processIo().writeErr(`${warning}\n`);
}
