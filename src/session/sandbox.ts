import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result, usage } from '../lib/result.ts';
import { type OpenedSandbox, openSandbox } from '../permissions/sandbox/open.ts';
import type { Sandbox } from '../protocol/sandbox.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { Settled } from './settled.ts';

/** The session's sandbox; undefined where none is wanted. Whether one works is found out with the first command. */
export function createSandbox(
  { identity, options, around, settings, reel }: Settled,
  notify: (text: string) => void,
): OpenedSandbox | undefined {
  if (!isWanted(options, settings)) return undefined;
  const directory = join(identity.files.directory, 'sandbox');
  return openSandbox({
    settings: settings.sandbox,
    home: around.layout.home,
    userHome: around.userHome,
    environment: around.environment,
    directory,
    notify,
    choose: async () => (reel?.isReplay ? assumed : choose(settings, directory)),
  });
}

/** Where the user wants no session without a sandbox. */
export async function checkSandbox(options: SessionOptions, settings: LoadedSettings): Promise<Result<void>> {
  if (!settings.sandbox.failIfUnavailable || !isWanted(options, settings) || options.replay !== undefined)
    return ok(undefined);
  const works = await (await choose(settings, '/')).probe();
  return works.ok ? works : usage(`sandbox.failIfUnavailable: ${works.problem.message}`, works.problem.hint);
}

/** Whether a sandbox was on is part of a recording: what runs unasked depends on it. */
export async function withSandboxNoted(
  options: SessionOptions,
  settings: LoadedSettings,
): Promise<SessionOptions> {
  if (options.record === undefined) return options;
  return { ...options, sandbox: await isConfined(options, settings) };
}

/** Whether commands will be confined, before there is a session. */
export async function isConfined(options: SessionOptions, settings: LoadedSettings): Promise<boolean> {
  return isWanted(options, settings) && (await (await choose(settings, '/')).probe()).ok;
}

/** Clears up behind commands that were confined when their process was killed. Says what was done. */
export async function sweepConfined(home: string): Promise<string[]> {
  if (!hasJournals(home)) return [];
  const { recoverConfined } = await import('../permissions/sandbox/recover.ts');
  return recoverConfined(home);
}

function hasJournals(home: string): boolean {
  try {
    return readdirSync(join(home, 'confined')).length > 0;
  } catch {
    return false;
  }
}

function isWanted(options: SessionOptions, settings: LoadedSettings): boolean {
  return options.sandbox ?? settings.sandbox.enabled ?? true;
}

async function choose({ sandbox }: LoadedSettings, directory: string): Promise<Sandbox> {
  const { chooseSandbox } = await import('../permissions/sandbox/choose.ts');
  return chooseSandbox({ settings: sandbox, platform: process.platform, arch: process.arch, directory });
}

/** A replay runs nothing, so nothing is confined; but what was judged once is judged the same again. */
const assumed: Sandbox = {
  name: 'replayed',
  probe: async () => ok(undefined),
  confine: async () => usage('A replay runs no commands.'),
};
