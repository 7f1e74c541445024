import { ok, type Result } from '../../lib/result.ts';
import { readKnownKeys } from '../../remote/keys.ts';
import { watchRunningCommands } from '../../sandbox/running-commands.ts';
import type { JobPlace } from '../../session/remote/job-place.ts';
import { locateCache, prepareCheckout, type SetupGround } from '../../session/remote/setup/open-setup.ts';
import { allowedVariables, type Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { openCommandSandbox } from '../command-sandbox.ts';
import type { WorkDirectory } from './claim-directory.ts';
import type { WorkerStart } from './worker-start.ts';

/** What the worker gives to each job, and its ceiling. */
export async function openPlace(
  { flags, around, settings, say }: WorkerStart,
  worker: string,
  directory: WorkDirectory,
): Promise<Result<JobPlace & { close(): Promise<void> }>> {
  const { tools, mode = 'acceptEdits', questions, openSetup, sandbox } = flags;
  const ground = await openGround(around, settings, directory.path, {
    wantsSandbox: sandbox,
    mayRunOpen: openSetup === true,
    say,
  });
  if (!ground.ok) return ground;
  return ok({
    ...{ worker, around, directory: directory.jobs, highestMode: mode, tools, asks: questions },
    sandbox: sandbox ? undefined : false,
    prepare: (checkout, signal) => prepareCheckout(ground.value, checkout, signal),
    knownKeys: () => readKnownKeys(around.home),
    close: () => ground.value.close(),
  });
}

export interface GroundOptions {
  wantsSandbox: boolean;
  mayRunOpen: boolean;
  say(text: string): void;
}

/** Where setups of repositories run. */
export async function openGround(
  around: Surroundings,
  settings: LoadedSettings,
  directory: string,
  { wantsSandbox, mayRunOpen, say }: GroundOptions,
): Promise<Result<SetupGround & { close(): Promise<void> }>> {
  const forget = watchRunningCommands(around.home);
  const sandbox = wantsSandbox ? await openCommandSandbox(around, settings, say) : ok(undefined);
  if (!sandbox.ok) {
    forget();
    return sandbox;
  }
  return ok({
    ...{ around, allowed: allowedVariables(settings), rules: settings.rules, sandbox: sandbox.value },
    ...{ mayRunOpen, cache: locateCache(directory), say },
    async close() {
      await sandbox.value?.close();
      forget();
    },
  });
}
