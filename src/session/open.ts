import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result } from '../lib/result.ts';
import { watchRunningCommands } from '../sandbox/running-commands.ts';
import { loadSettings } from '../settings/load.ts';
import { openTrust } from '../settings/trust.ts';
import type { Layout } from '../store/layout.ts';
import type { SessionSummary } from '../store/sessions.ts';
import { continueFrom } from './continue-from.ts';
import { openFeatures } from './features.ts';
import { identify } from './identity.ts';
import { openKernel, type SessionStart } from './kernel.ts';
import { sweepLeftFiles } from './left-files.ts';
import { Features, OpeningFailed } from './opening.ts';
import { checkOptionKinds } from './option-kinds.ts';
import type { SessionOptions } from './options.ts';
import { findOwnDirectory } from './own-directory.ts';
import { claimSession, type SessionClaim, sweepDead } from './owner.ts';
import { findEarlier, resumedMode } from './restore.ts';
import { checkSandbox, noticeRoot, sweepConfined, sweepSandboxes, withSandboxNoted } from './sandbox.ts';
import { Session } from './session.ts';
import {
  checkOptions,
  checkWritableHome,
  learnSecrets,
  listOtherTools,
  lookAround,
  type Surroundings,
  settingsPlaces,
} from './surroundings.ts';
import { openReel, type SessionReel, withRecordedOptions } from './tape.ts';
import { findLeftWork } from './worktrees/left-work.ts';
import { sweepDeadWorktrees } from './worktrees/worktrees.ts';

/**
 * Opens a session: reads settings once, settles every choice into a value, and wires the parts. Errors in the user's
 * input or configuration are found here, before any token is spent.
 */
export async function openSession(given: SessionOptions = {}): Promise<Result<Session>> {
  const kinds = checkOptionKinds(given);
  if (!kinds.ok) return kinds;
  const wanted = await withRecordedOptions(given);
  if (!wanted.ok) return wanted;
  const here = lookAround(wanted.value);
  const home = checkWritableHome(here);
  if (!home.ok) return home;
  const { options, notices } = await findOwnDirectory(wanted.value, here);
  const place = options === wanted.value ? here : lookAround(options);
  const checked = checkOptions(options, place);
  if (!checked.ok) return checked;
  const trust = openTrust({ home: place.home, root: place.root, everything: options.trust === true });
  const settings = await loadSettings({
    ...settingsPlaces(place),
    sources: options.settingSources ?? ['user', 'project', 'local'],
    ...(options.settings === undefined ? {} : { flagSettings: options.settings }),
    trusted: options.trust === true,
    trust,
    otherTools: listOtherTools(options),
  });
  if (!settings.ok) return settings;
  learnSecrets(place, settings.value);
  const confinable = await checkSandbox(options, settings.value, place);
  if (!confinable.ok) return confinable;
  const taped = await openReel(await withSandboxNoted(options, settings.value, place), place, settings.value);
  if (!taped.ok) return taped;
  const { reel, around } = taped.value;
  const earlier = await findEarlier(options, around);
  if (!earlier.ok) return earlier;
  const identity = identify(options, around, earlier.value);
  if (!identity.ok) return identity;
  const forgetCommands = watchRunningCommands(around.layout.home);
  if (!reel?.isReplay) sweepFiles(around.layout);
  sweepDead(around.layout.home);
  if (!reel?.isReplay) await sweepPanes(around);
  const sweepNotices = reel?.isReplay
    ? []
    : [
        ...notices,
        ...noticeRoot(around, options.sandbox ?? settings.value.sandbox.enabled ?? true),
        ...(await sweepConfined(around.layout.home)),
        ...(await sweepDeadWorktrees(around, identity.value.id)),
      ];
  // Before the history is read, or records that another process still adds would be missed.
  const { id, files } = identity.value;
  const claim = claimSession({
    ...{ home: around.layout.home, sessionId: id, machine: around.machine },
    ...{ directory: files.directory, transcript: files.transcript, released: forgetCommands },
  });
  if (!claim.ok) {
    forgetCommands();
    return claim;
  }
  return openClaimed({
    identity: identity.value,
    options: { ...options, ...wrapQuestions(options, reel) },
    place: around,
    settings: settings.value,
    trust,
    earlier: earlier.value,
    tape: reel,
    ...{ claim: claim.value, sweepNotices },
  });
}

/** What dead processes left, before the claims that show who they were are cleared. */
function sweepFiles(layout: Layout): void {
  sweepSandboxes(layout);
  sweepLeftFiles(layout);
}

async function sweepPanes({ home, machine, outside }: Surroundings): Promise<void> {
  if (!existsSync(join(home, 'teams'))) return;
  const { sweepLaunches } = await import('../team/executors/sweep-launches.ts');
  sweepLaunches(home, machine, outside.clock);
}

/** A session claimed by this process, with everything read before its history. */
interface Claimed extends Omit<SessionStart, 'restored'> {
  earlier: SessionSummary | undefined;
  /** Leftovers of dead sessions that were found. */
  sweepNotices: string[];
}

/** Opens the kernel and its features, or gives the claim back. */
async function openClaimed({ earlier, sweepNotices, ...claimed }: Claimed): Promise<Result<Session>> {
  const { claim } = claimed;
  const loaded = earlier ? await continueFrom(earlier, claimed) : ok(undefined);
  if (!loaded.ok) {
    claim.release();
    return loaded;
  }
  // A replay touches no repository, and reads what the recorded run read.
  const restored =
    loaded.value && !claimed.tape ? await findLeftWork(loaded.value, claimed.place) : loaded.value;
  const resumed = resumedMode(claimed.options, claimed.settings, restored);
  const options = { ...claimed.options, ...(resumed.mode ? { permissionMode: resumed.mode } : {}) };
  const kernel = openKernel({ ...claimed, options, restored });
  const features = new Features(kernel);
  const notices = [
    ...describeTakeover(claim),
    ...(restored?.notices ?? []),
    ...resumed.notices,
    ...sweepNotices,
  ];
  try {
    return ok(new Session(kernel, await openFeatures(kernel, features, notices)));
  } catch (error) {
    await features.close();
    if (error instanceof OpeningFailed) return fail(error.problem);
    throw error;
  }
}

function describeTakeover({ takenFrom }: SessionClaim): string[] {
  if (takenFrom === undefined) return [];
  return [
    `This session was open in process ${takenFrom}, which is paused. It continues here; that process can no longer change it, and the commands that it ran were ended.`,
  ];
}

/** On a tape, and from one, questions have recorded answers too. */
function wrapQuestions(
  options: SessionOptions,
  reel: SessionReel | undefined,
): Pick<SessionOptions, 'onQuestion'> {
  const onQuestion = reel?.wrapQuestions(options.onQuestion);
  return onQuestion ? { onQuestion } : {};
}
