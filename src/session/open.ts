import { ok, type Result } from '../lib/result.ts';
import { loadSettings } from '../settings/load.ts';
import { openTrust } from '../settings/trust.ts';
import { assemble } from './assemble.ts';
import { checkOptions } from './check-options.ts';
import { identify } from './identity.ts';
import { learnSecrets } from './learn-secrets.ts';
import { openReel, type SessionReel, withRecordedOptions } from './open-reel.ts';
import type { SessionOptions } from './options.ts';
import { claimSession, sweepDead } from './owner.ts';
import { findEarlier } from './restore.ts';
import { checkSandbox, noticeRoot, sweepConfined, sweepSandboxes, withSandboxNoted } from './sandbox.ts';
import { Session } from './session.ts';
import { settle } from './settle.ts';
import { checkWritableHome, lookAround, settingsPlaces } from './surroundings.ts';
import { sweepDeadWorktrees } from './worktrees.ts';

/**
 * Opens a session: reads settings once, settles every choice into a value, and wires the parts. Whatever is wrong
 * with the user's input or configuration is found here, before a token is spent.
 */
export async function openSession(given: SessionOptions = {}): Promise<Result<Session>> {
  const wanted = await withRecordedOptions(given);
  if (!wanted.ok) return wanted;
  const options = wanted.value;
  const place = lookAround(options);
  const home = checkWritableHome(place);
  if (!home.ok) return home;
  const checked = checkOptions(options, place);
  if (!checked.ok) return checked;
  const trust = openTrust({ home: place.home, root: place.root, everything: options.trust === true });
  const settings = await loadSettings({
    ...settingsPlaces(place),
    sources: options.settingSources ?? ['user', 'project', 'local'],
    ...(options.settings === undefined ? {} : { flagSettings: options.settings }),
    trusted: options.trust === true,
    trust,
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
  if (!reel?.isReplay) sweepSandboxes(around.layout);
  sweepDead(around.layout.home, around.outside.ids);
  const sweepNotices = reel?.isReplay
    ? []
    : [
        ...noticeRoot(around, options.sandbox ?? settings.value.sandbox.enabled ?? true),
        ...(await sweepConfined(around.layout.home)),
        ...(await sweepDeadWorktrees(around)),
      ];
  // Before the history is read: what another process still adds to it would be missed.
  const { id, files } = identity.value;
  const claim = claimSession(around.layout.home, id, files.directory, around.outside.ids);
  if (!claim.ok) return claim;
  const settled = await settle({
    identity: identity.value,
    options: { ...options, ...questionsOf(options, reel) },
    around,
    settings: settings.value,
    trust,
    earlier: earlier.value,
    reel,
    releaseClaim: claim.value,
    sweepNotices,
  });
  if (settled.ok) return ok(new Session(assemble(settled.value)));
  claim.value();
  return settled;
}

/** On a tape, and from one, answers to questions are there too. */
function questionsOf(
  options: SessionOptions,
  reel: SessionReel | undefined,
): Pick<SessionOptions, 'onQuestion'> {
  const onQuestion = reel?.wrapQuestions(options.onQuestion);
  return onQuestion ? { onQuestion } : {};
}
