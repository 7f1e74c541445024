import { withoutUnfinished } from '../agents/fork-messages.ts';
import { Roster } from '../agents/roster.ts';
import { timestamp } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { ApprovalHub } from '../permissions/approval-hub.ts';
import { Approvals } from '../permissions/approvals.ts';
import {
  type HeaderRecord,
  type LetterRecord,
  type MessageRecord,
  type PermissionUpdate,
  type SettingsDestination,
  type TitleRecord,
  type TranscriptRecord,
  transcriptFormat,
} from '../protocol/index.ts';
import type { Saved } from '../settings/change-settings.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Trust } from '../settings/trust.ts';
import { Anchors } from '../store/anchors/anchors.ts';
import { makeEpochRecord } from '../store/fence.ts';
import { locateAnchors } from '../store/layout.ts';
import { Inbox } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { SessionEvents } from './events.ts';
import type { Identity } from './identity.ts';
import { SessionLog } from './log.ts';
import { isAttended, type SessionOptions } from './options.ts';
import type { SessionClaim } from './owner.ts';
import { SessionAudit, SessionQuestions } from './questions/questions.ts';
import type { Restored } from './restore.ts';
import { openSteps, type SessionSteps } from './steps.ts';
import type { Surroundings } from './surroundings.ts';
import type { SessionReel } from './tape.ts';
import { createTasks, listEndsWithSession } from './tasks.ts';
import { listWaiting } from './waiting-prompts.ts';

/**
 * The base that every feature of a session can rely on. It is opened once, before any of them, and knows none of them.
 */
export interface Kernel extends SessionStart {
  readonly id: string;
  /** The process's variables, plus those that settings add. */
  readonly environment: Readonly<Record<string, string>>;
  /** The conversation from before this session, or from before it was resumed. */
  readonly opening: readonly MessageRecord[];
  /** Prompts that an earlier process took and did not read. */
  readonly waiting: readonly LetterRecord[];
  readonly events: SessionEvents;
  readonly inbox: Inbox;
  readonly log: SessionLog;
  readonly steps: SessionSteps;
  readonly roster: Roster;
  readonly tasks: Tasks;
  readonly audit: SessionAudit;
  readonly questions: SessionQuestions;
}

/** Facts known before a session is opened. */
export interface SessionStart {
  readonly identity: Identity;
  readonly options: SessionOptions;
  /** Where it runs, with its clock and ids. */
  readonly place: Surroundings;
  readonly settings: LoadedSettings;
  readonly trust: Trust;
  /** This process's right to the session. */
  readonly claim: SessionClaim;
  /** The conversation that it continues. */
  readonly restored: Restored | undefined;
  /** The tape that it is recorded on or played back from. */
  readonly tape: SessionReel | undefined;
}

export function openKernel(start: SessionStart): Kernel {
  const { identity, options, place, settings, restored } = start;
  const isKept = options.persist !== false;
  const events = new SessionEvents();
  const inbox = new Inbox();
  const opening = restored?.messages ?? inheritedRecords(start);
  const waiting = listWaiting(start);
  const log = createLog(start, opening, waiting);
  const earlier = identity.goesOn ? (restored?.agents ?? []) : [];
  const roster = new Roster(new Set(earlier.map(({ task }) => task.id)).size);
  const tasks = createTasks(start, { log, events, inbox, roster });
  const audit = new SessionAudit(identity.id, place, isKept, (text) => events.warnOnce(text));
  const questions = new SessionQuestions({
    approvals: new Approvals(
      options.approvals ?? new ApprovalHub(),
      place.clock,
      isAttended(options),
      options.answersElicitations,
    ),
    ...{ audit, events, onQuestion: options.onQuestion },
    save: (update, destination) => saveUpdate(start, update, destination),
  });
  return {
    ...start,
    id: identity.id,
    environment: { ...place.environment, ...settings.env },
    ...{ opening, waiting, events, inbox, log, roster, tasks, audit, questions, steps: openSteps(events) },
  };
}

/** Loaded at the first save, which most sessions never do. A replay changes nothing. */
function saveUpdate(
  { place, tape }: SessionStart,
  update: PermissionUpdate,
  destination: SettingsDestination,
): Promise<Result<Saved>> | undefined {
  if (tape?.isReplay) return undefined;
  return import('../settings/save-permissions.ts').then(({ savePermissions }) =>
    savePermissions(update, destination, place, place.outside.clock),
  );
}

function createLog(
  start: SessionStart,
  opening: readonly MessageRecord[],
  waiting: readonly LetterRecord[],
): SessionLog {
  const { identity, options, place, restored, claim } = start;
  const isForked = restored !== undefined && !identity.goesOn;
  const header: HeaderRecord = {
    type: 'cadre-transcript',
    format: transcriptFormat,
    sessionId: identity.id,
    cwd: place.cwd,
    version,
    createdAt: timestamp(place.clock),
    ...(options.teamPart && options.teamMember !== undefined ? { teamMember: options.teamMember } : {}),
    ...(isForked
      ? {
          forkedFrom: {
            sessionId: restored.sessionId,
            messageUuid: restored.messages.at(-1)?.uuid ?? null,
          },
        }
      : {}),
  };
  const inherited = opening.map((record) => ({ ...record, sessionId: identity.id }));
  return new SessionLog({
    path: identity.files.transcript,
    header,
    exists: identity.goesOn,
    prologue: identity.goesOn
      ? listResumeRecords(start)
      : [...inherited, ...titleRecords(options, identity), ...waiting],
    persist: options.persist !== false,
    clock: place.clock,
    disk: place.machine.disk,
    // Not on a tape: it is no part of the run.
    anchors: new Anchors(
      locateAnchors(place.home, identity.id),
      place.outside.clock,
      place.machine.disk,
      () => !claim.isTaken,
    ),
    fence: claim,
  });
}

/** What a resumed session writes before anything else. */
function listResumeRecords(start: SessionStart): TranscriptRecord[] {
  const { claim, place, restored } = start;
  const epoch = claim.isClosedToEarlier ? [] : [makeEpochRecord(claim, place.clock)];
  return [...epoch, ...(restored?.repairs ?? []), ...listEndsWithSession(start)];
}

function titleRecords({ title }: SessionOptions, { id }: Identity): TitleRecord[] {
  return title ? [{ type: 'custom-title', customTitle: title, sessionId: id }] : [];
}

/** A conversation that a program passes in, as records of this session. */
export function inheritedRecords({
  options,
  identity,
  place,
}: {
  options: SessionOptions;
  identity: Identity;
  place: Surroundings;
}): MessageRecord[] {
  let parentUuid: string | null = null;
  const records = (options.inherited ?? []).map((message): MessageRecord => {
    const base = {
      uuid: place.ids.uuid(),
      parentUuid,
      sessionId: identity.id,
      timestamp: timestamp(place.clock),
      isSidechain: false,
    };
    parentUuid = base.uuid;
    return message.role === 'user'
      ? { type: 'user', message, origin: { kind: 'harness' }, ...base }
      : { type: 'assistant', message, ...base };
  });
  return withoutUnfinished(records);
}
