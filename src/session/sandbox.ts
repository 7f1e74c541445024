import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessCommands } from '../hooks/harness-commands.ts';
import { touchRegular } from '../lib/files/open-regular.ts';
import { removeTree } from '../lib/files/remove-tree.ts';
import { nameByProcess } from '../lib/files/temporary-names.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Sandbox } from '../protocol/sandbox.ts';
import type { SelfTestOptions } from '../sandbox/bwrap/self-test.ts';
import { findLeft, removeLeft, sandboxFolder, setLeftAside } from '../sandbox/guard/left-sandboxes.ts';
import { type OpenedSandbox, openSandbox } from '../sandbox/open.ts';
import { explainRoot } from '../sandbox/root-notice.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Layout } from '../store/layout.ts';
import type { Kernel } from './kernel.ts';
import { listGivenPlaces } from './knowledge/skills.ts';
import type { SessionFeature } from './opening.ts';
import type { SessionOptions } from './options.ts';
import { findDead, isClaimed } from './owner.ts';
import type { LeadPermissions } from './permissions.ts';
import type { Surroundings } from './surroundings.ts';

/** The session's sandbox, if one is wanted. Whether it works is found out with the first command. */
export function sandboxFeature({
  ownCommands,
}: Pick<LeadPermissions, 'ownCommands'>): SessionFeature<{ sandbox: OpenedSandbox | undefined }> {
  return {
    name: 'sandbox',
    open(kernel) {
      const opened = isWanted(kernel.options, kernel.settings)
        ? createSandbox(kernel, ownCommands)
        : undefined;
      const over = new AbortController();
      return {
        sandbox: opened,
        ready: () => removeLeftLater(kernel, over.signal),
        async close({ isPassed }) {
          over.abort();
          await opened?.close(isPassed);
          if (!kernel.tape?.isReplay && !isPassed)
            await removeLeft(kernel.place.layout.home, { limitMs: removeMs.atEnd });
        },
      };
    },
  };
}

/** The delay before leftovers of killed sessions are removed, and the share of time spent on it. */
const removeMs = { wait: 10_000, work: 4, rest: 20, atEnd: 500 };

/** Commands can leave any number of files, so no start, turn or end waits for all of them to be removed. */
function removeLeftLater({ place, tape }: Kernel, signal: AbortSignal): void {
  const { home } = place.layout;
  if (tape?.isReplay || findLeft(home).length === 0) return;
  const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
  let since = 0;
  const pause = () => {
    if (performance.now() - since < removeMs.work) return undefined;
    return wait(removeMs.rest).then(() => {
      since = performance.now();
    });
  };
  void wait(removeMs.wait).then(() => removeLeft(home, { pause, signal }));
}

function createSandbox(
  { identity, place, settings, tape, events, options }: Kernel,
  ownCommands: HarnessCommands,
): OpenedSandbox {
  const given = listGivenPlaces(options, place);
  const directory = join(identity.files.directory, sandboxFolder);
  return openSandbox({
    ...describeUser(place, settings),
    given: () => [identity.files.toolResults, ...given],
    directory,
    commands: () => ownCommands.list(),
    notify: (text) => events.warn(text),
    choose: async () => (tape?.isReplay ? assumed : choose(settings, directory)),
  });
}

type Around = Pick<Surroundings, 'layout' | 'userHome' | 'environment'>;

/** Who the sandbox is for. */
function describeUser({ layout, userHome, environment }: Around, settings: LoadedSettings): SelfTestOptions {
  return {
    ...{ settings: settings.sandbox, home: layout.home, userHome, environment },
    isRoot: process.getuid?.() === 0,
  };
}

/** A program that the user names for the sandbox must be one: without it commands would run unconfined. */
export async function checkPrograms({ sandbox, origin }: LoadedSettings): Promise<Result<void>> {
  for (const program of ['bwrap', 'socat'] as const) {
    const key = `${program}Path` as const;
    const given = sandbox[key];
    if (given === undefined || process.platform !== 'linux') continue;
    const { findSystemProgram } = await import('../sandbox/bwrap/find-program.ts');
    if (findSystemProgram(program, given) !== undefined) continue;
    const file = origin.get(`sandbox.${key}`)?.file ?? 'settings';
    return usage(
      `${file}: sandbox.${key}: expected an executable file, found none at ${visibleLine(given, 300)}`,
      `Fix the path, or remove the setting to use the system's ${program}.`,
    );
  }
  return ok(undefined);
}

/** Before a session: the sandbox's own programs, and where the user wants no session without it, whether it works. */
export async function checkSandbox(
  options: SessionOptions,
  settings: LoadedSettings,
  around: Around,
): Promise<Result<void>> {
  if (!isWanted(options, settings) || options.replay !== undefined) return ok(undefined);
  const programs = await checkPrograms(settings);
  if (!programs.ok || !settings.sandbox.failIfUnavailable) return programs;
  const works = await prove(settings, around);
  return works.ok ? works : usage(`sandbox.failIfUnavailable: ${works.problem.message}`, works.problem.hint);
}

/** Whether a sandbox was on is part of a recording: what runs without asking depends on it. */
export async function withSandboxNoted(
  options: SessionOptions,
  settings: LoadedSettings,
  around: Around,
): Promise<SessionOptions> {
  if (options.record === undefined) return options;
  return { ...options, sandbox: await isConfined(options, settings, around) };
}

/** Whether commands will be confined, before there is a session. */
export async function isConfined(
  options: SessionOptions,
  settings: LoadedSettings,
  around: Around,
): Promise<boolean> {
  return (await checkConfinement(options, settings, around)).state === 'on';
}

/** `on`, switched `off`, or wanted and `unavailable`, with the reason. */
export type ConfinementState = { state: 'on' } | { state: 'off' } | { state: 'unavailable'; reason: string };

/** Whether commands would be confined in a session with these options. */
export async function checkConfinement(
  options: SessionOptions,
  settings: LoadedSettings,
  around: Around,
): Promise<ConfinementState> {
  if (!isWanted(options, settings)) return { state: 'off' };
  const works = await prove(settings, around);
  return works.ok ? { state: 'on' } : { state: 'unavailable', reason: works.problem.message };
}

async function prove(settings: LoadedSettings, around: Around): Promise<Result<void>> {
  const { proveSandbox } = await import('../sandbox/bwrap/prove.ts');
  // A session that is not open yet has no directory.
  const directory = join(around.layout.home, `self-test-${nameByProcess()}`);
  const tried = await choose(settings, directory);
  const works = await proveSandbox(tried, describeUser(around, settings));
  tried.close?.();
  removeTree(directory);
  return works;
}

/** The notice about running as root, given once. */
export function noticeRoot({ layout }: Around, isWantedHere: boolean): string[] {
  const marker = join(layout.home, '.root-explained');
  const isRoot = process.getuid?.() === 0;
  const text = isRoot && !existsSync(marker) ? explainRoot(isRoot, isWantedHere) : undefined;
  if (text === undefined) return [];
  try {
    touchRegular(marker);
  } catch {
    // Given again next time.
  }
  return [text];
}

/** Moves away the private `/tmp` of sessions whose process was killed. Call it before their claims are cleared. */
export function sweepSandboxes({ home, projects }: Pick<Layout, 'home' | 'projects'>): void {
  const dead = new Set(findDead(home));
  if (dead.size > 0)
    setLeftAside(projects, home, (sessionId) => dead.has(sessionId) && !isClaimed(home, sessionId));
}

/** Cleans up after commands that were confined when their process was killed. Reports what was done. */
export async function sweepConfined(home: string): Promise<string[]> {
  if (!hasJournals(home)) return [];
  const { recoverConfined } = await import('../sandbox/guard/recover.ts');
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

async function choose(settings: LoadedSettings, directory: string): Promise<Sandbox> {
  const { chooseSandbox } = await import('../sandbox/choose.ts');
  return chooseSandbox({
    settings: settings.sandbox,
    platform: process.platform,
    arch: process.arch,
    directory,
  });
}

/** A replay runs nothing, so nothing is confined; but it judges calls as they were judged in the recording. */
const assumed: Sandbox = {
  name: 'replayed',
  probe: async () => ok(undefined),
  confine: async () => usage('A replay runs no commands.'),
};
