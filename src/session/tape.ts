import { release } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { randomIds } from '../lib/ids.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { openKeyStore } from '../models/keys.ts';
import type { Command } from '../protocol/index.ts';
import type { Reel, ReelParts } from '../replay/reel.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { createLayout } from '../store/layout.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** A tape that the session is recorded on or played from. */
export type SessionReel = Reel & { commands?: readonly Command[] };

export interface OpenedReel {
  /** Undefined when the session has no tape. */
  reel: SessionReel | undefined;
  around: Surroundings;
}

/** For a replay: options that are not given are as they were in the recording. */
export async function withRecordedOptions(options: SessionOptions): Promise<Result<SessionOptions>> {
  if (options.replay === undefined) return ok(options);
  const { readTape } = await import('../replay/read-tape.ts');
  const tape = await readTape(resolve(options.cwd ?? process.cwd(), options.replay));
  return tape.ok ? ok({ ...(tape.value.header.options as Partial<SessionOptions>), ...options }) : tape;
}

/**
 * Opens the tape that `record` or `replay` names; its code is loaded only then. A run with a tape uses the tape's clock
 * and ids. A replay has the recorded session's id, so its files are kept apart.
 */
export async function openReel(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
): Promise<Result<OpenedReel>> {
  const { record, replay } = options;
  if (options.byHand && replay === undefined) return usage('--by-hand needs --replay.');
  if (record === undefined && replay === undefined) return ok({ reel: undefined, around });
  if (record !== undefined && replay !== undefined)
    return usage('Use either --record or --replay, not both.');
  if (options.resume)
    return usage(
      'A tape contains a whole session: --record and --replay cannot be combined with --resume or --continue.',
    );
  return replay === undefined
    ? openRecording(resolve(around.cwd, record ?? ''), options, around, settings)
    : openReplay(resolve(around.cwd, replay), options, around, settings);
}

async function openRecording(
  path: string,
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
): Promise<Result<OpenedReel>> {
  const { recordRun } = await import('../replay/record.ts');
  const reel = recordRun(path, { ...(await describePlace(around, settings)), options: recordable(options) });
  return reel.ok ? ok({ reel: reel.value, around: replaceClock(reel.value, around) }) : reel;
}

async function openReplay(
  path: string,
  { byHand = false }: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
): Promise<Result<OpenedReel>> {
  const { replayRun } = await import('../replay/replay.ts');
  const apart = { ...around, layout: createLayout(join(around.home, 'replays', randomIds.token(16))) };
  const reel = await replayRun(path, { ...(await describePlace(apart, settings)), byHand });
  if (!reel.ok) return reel;
  const isRepository = reel.value.wasInRepository ?? around.isRepository;
  return ok({ reel: reel.value, around: { ...replaceClock(reel.value, apart), isRepository } });
}

function replaceClock(reel: SessionReel, around: Surroundings): Surroundings {
  const outside = { clock: reel.outsideClock, ids: randomIds };
  return { ...around, clock: reel.clock, ids: reel.ids, outside };
}

/** The options that shape a run and can be written down. */
const recorded = [
  'thinking',
  'systemPrompt',
  'appendSystemPrompt',
  'maxTurns',
  'tools',
  'allowedTools',
  'disallowedTools',
  'permissionMode',
  'planModeInstructions',
  'attended',
  'interactive',
  'allowBypass',
  'settings',
  'settingSources',
  'trust',
  'sessionId',
  'sandbox',
  'worktree',
  'coordinator',
] as const;

function recordable(options: SessionOptions): Record<string, unknown> {
  const kept = recorded.flatMap((name) =>
    options[name] === undefined ? [] : [[name, options[name]] as const],
  );
  const model = typeof options.model === 'object' ? options.model.id : options.model;
  return { ...Object.fromEntries(kept), ...(model === undefined ? {} : { model }) };
}

async function describePlace(around: Surroundings, settings: LoadedSettings): Promise<ReelParts> {
  const { listSecrets } = await import('../replay/secrets.ts');
  const stored = openKeyStore(around.home).readKeys();
  return {
    secrets: [
      ...listSecrets({ ...around.environment, ...settings.env }),
      ...(stored.ok ? Object.values(stored.value) : []),
    ],
    hide: (text) => around.secrets.hide(text),
    places: {
      cwd: around.cwd,
      root: around.root,
      home: around.layout.home,
      userHome: around.userHome,
      project: basename(around.layout.projectDirectory(around.cwd)),
      shell: around.shell,
      osVersion: release(),
    },
    clock: around.clock,
    isRepository: around.isRepository,
  };
}

/** Does something to the world, under a name. */
export type Act = <T>(of: string, act: () => Promise<Result<T>>) => Promise<Result<T>>;

/**
 * What the harness itself does to the world, outside tools: the result is recorded on the tape, and a replay takes it
 * from there and does nothing.
 */
export function actOnTape(reel: SessionReel | undefined): Act {
  if (!reel) return (_, act) => act();
  return async (of, act) => {
    const text = await reel.look(of, async () => JSON.stringify(await act()));
    return text === undefined ? failure(`The tape has no result for: ${of}.`) : JSON.parse(text);
  };
}
