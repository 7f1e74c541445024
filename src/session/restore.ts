import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ok, type Result, usage } from '../lib/result.ts';
import type {
  FileHistoryRecord,
  LetterRecord,
  MessageRecord,
  MovedRecord,
  PermissionMode,
  StateRecord,
  TaskRecord,
} from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { StoredConversation } from '../store/conversation.ts';
import { isMessage } from '../store/lineage.ts';
import { pickOwn } from '../store/own-records.ts';
import { loadForResume } from '../store/resume-read.ts';
import { findSession, latestSession, type SessionSummary } from '../store/sessions.ts';
import type { LoadedTranscript } from '../store/transcript.ts';
import { findWaitingPrompts } from '../store/waiting-prompts.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';
import { findSuspended, type SuspendedWork, type TakenWork } from './suspended-work.ts';

/** An earlier conversation, ready to be continued. */
export interface Restored {
  sessionId: string;
  /** Its transcript. */
  path: string;
  messages: MessageRecord[];
  /** Background tasks whose end the agent has not received yet. */
  untold: TaskRecord[];
  /** Every task that was started, by any agent, in its last known state. */
  tasks: TaskRecord[];
  /** Those of them that are agents. */
  agents: TaskRecord[];
  /** Records that make the file well-formed again; written before anything new. */
  repairs: MessageRecord[];
  state?: StateRecord;
  /** The newest record of every file that agents edited. */
  edited: FileHistoryRecord[];
  /** The newest record of every other file, which commands changed. */
  changedByCommands: FileHistoryRecord[];
  /** Agents on workers that have not ended: they run on without the session. */
  remote: TaskRecord[];
  /** Present if a limit had suspended work of it. */
  suspended?: SuspendedWork;
  /** The newest word on who takes the next step, if it was ever moved. */
  moved?: MovedRecord;
  /** It is taken over as it was left, between two steps. */
  taken?: TakenWork;
  /** The newest epoch that wrote to the transcript. */
  epoch: number;
  /** Ids of calls of the lead that had begun, and whose message is damaged. */
  lost?: string[];
  /** Prompts that were taken and not read. */
  waiting?: LetterRecord[];
  /** Notices for the user about what was found. */
  notices: string[];
}

/** The session to resume, looked up but not read yet; undefined if none was asked for. */
export async function findEarlier(
  options: SessionOptions,
  { layout, cwd }: Surroundings,
): Promise<Result<SessionSummary | undefined>> {
  const { resume } = options;
  if (!resume) return ok(undefined);
  if (resume.from === 'id') return findSession(layout, resume.id);
  const latest = await latestSession(layout, cwd);
  if (latest) return ok(latest);
  return usage(
    `No earlier session in ${cwd}.`,
    'Start one with cadre -p "…", or run cadre sessions --all to list sessions of other directories.',
  );
}

export async function restore(
  { id, path }: Pick<SessionSummary, 'id' | 'path'>,
  around: Pick<Surroundings, 'clock' | 'ids' | 'machine'>,
  isHolder = false,
): Promise<Result<Restored>> {
  const loaded = await loadForResume(path, undefined, around.machine.disk);
  if (!loaded.ok) return loaded;
  const own = pickOwn(path, loaded.value.records, null);
  if (!own.ok) return own;
  const { records, foreign } = own.value;
  const { restoreConversation } = await import('../store/conversation.ts');
  const conversation = restoreConversation({ ...loaded.value, records }, around.clock, around.ids);
  const { messages, repairs, interrupted, notBegun, broken, state, untold, tasks, agents } = conversation;
  const { moved, isLast } = findMove(loaded.value.records);
  const taken =
    isHolder || (isLast && moved?.to === null) ? takeOver(conversation, isLast, moved, around) : undefined;
  const suspended = findSuspended(conversation, taken);
  const notices = await import('./restore-notices.ts');
  return ok({
    sessionId: id,
    path,
    messages,
    repairs,
    // Their end is not known yet.
    untold: untold.filter((record) => !isElsewhere(record)),
    tasks,
    agents,
    remote: listNewest(tasks).filter(isElsewhere),
    ...findNewestFiles(loaded.value.records),
    ...(state ? { state } : {}),
    ...(suspended ? { suspended } : {}),
    waiting: findWaitingPrompts(loaded.value.records),
    ...(moved ? { moved } : {}),
    ...(taken ? { taken } : {}),
    epoch: loaded.value.epoch ?? 0,
    lost: conversation.lost,
    notices: [
      ...notices.renamedNotice(loaded.value, id),
      ...notices.describeFile({ ...loaded.value, broken: [...foreign, ...broken] }),
      ...notices.lostNotice(conversation.lost),
      ...notices.cutRewind(loaded.value.records, id),
      ...notices.endedNotice(listCutOff(tasks, suspended).filter(isUnheard)),
      ...interrupted
        .filter((call) => !hasResult(call.id, agents) && !continues(call.id, suspended))
        .map(
          (call) =>
            `The call ${call.name} (${call.id}) was interrupted. Its result is unknown, and it was not run again.`,
        ),
      ...notBegun.map(
        ({ name, id: callId }) =>
          `The call ${name} (${callId}) has no result: the session ended before it changed anything.`,
      ),
    ],
  });
}

/** Whether nothing was done since it was moved. */
function findMove(records: LoadedTranscript['records']): { moved?: MovedRecord; isLast: boolean } {
  const at = records.findLastIndex(({ type }) => type === 'moved');
  const found = records[at];
  if (found?.type !== 'moved') return { isLast: false };
  return { moved: found, isLast: !records.slice(at + 1).some(isMessage) };
}

/** A holder that ended at a step has said whether the lead was running; of one that died the conversation says it. */
function takeOver(
  { messages, repairs, state }: StoredConversation,
  isLast: boolean,
  moved: MovedRecord | undefined,
  { clock }: Pick<Surroundings, 'clock'>,
): TakenWork {
  const last = messages.at(-1);
  const isUnanswered = repairs.length > 0 || (last?.type === 'user' && last.origin.kind !== 'harness');
  return {
    suspension: {
      model: state?.model ?? '',
      reason: 'It is taken over from another machine.',
      until: clock.now(),
    },
    isLeadRunning: isLast && moved ? moved.isRunning : isUnanswered,
  };
}

function findNewestFiles(
  records: LoadedTranscript['records'],
): Pick<Restored, 'edited' | 'changedByCommands'> {
  const newest = new Map<string, FileHistoryRecord>();
  const edited = new Set<string>();
  for (const record of records) {
    if (record.type !== 'file-history') continue;
    newest.set(record.path, record);
    if (record.cause === undefined) edited.add(record.path);
  }
  const all = [...newest.values()];
  return {
    edited: all.filter(({ path }) => edited.has(path)),
    changedByCommands: all.filter(({ path }) => !edited.has(path)),
  };
}

/** A call that waited for an agent whose end is stored: its result is delivered. */
function hasResult(callId: string, agents: readonly TaskRecord[]): boolean {
  return agents.some(({ task, end }) => task.toolUseId === callId && (end || task.isBackgrounded));
}

/** The agent that the call waited for continues with the session. */
function continues(callId: string, suspended: SuspendedWork | undefined): boolean {
  return suspended?.agents.some(({ task }) => task.toolUseId === callId) === true;
}

/**
 * Tasks that ended together with the session, without a record of it. An agent that continues has not ended, and a run that a later
 * one of the same agent continued has no end of its own.
 */
export function listCutOff(tasks: readonly TaskRecord[], suspended: SuspendedWork | undefined): TaskRecord[] {
  const continued = new Set(suspended?.agents.map(({ task }) => task.runId));
  return listNewest(tasks).filter(
    (record) =>
      record.end === undefined &&
      isUnderWay(record.task) &&
      !continued.has(record.task.runId) &&
      !isElsewhere(record),
  );
}

/** The newest run of each. */
function listNewest(tasks: readonly TaskRecord[]): TaskRecord[] {
  const newest = new Map(tasks.map(({ task }) => [task.id, task.runId]));
  return tasks.filter(({ task }) => newest.get(task.id) === task.runId);
}

/** An agent of the lead on a worker, which runs on without the session. One of another agent ended with that. */
function isElsewhere({ task, end }: TaskRecord): boolean {
  const isRunning = end === undefined && isUnderWay(task) && !task.stoppedBy;
  return isRunning && task.kind === 'remote_agent' && task.owner === null;
}

/** The lead gets no letter about it. */
function isUnheard({ task }: TaskRecord): boolean {
  return task.owner !== null || task.kind === 'dream';
}

export interface ResumedMode {
  /** Absent if settings decide. */
  mode?: PermissionMode;
  notices: string[];
}

/**
 * The mode of a resumed session: the one it was left in, unless another is asked for now. A mode that asks no questions
 * comes back only if it is allowed again, since the user who resumes may not be the one who agreed to it.
 */
export function resumedMode(
  { permissionMode, allowBypass }: SessionOptions,
  settings: LoadedSettings,
  restored: Restored | undefined,
): ResumedMode {
  const was = restored?.state?.permissionMode;
  if (permissionMode !== undefined || was === undefined) return { notices: [] };
  const fresh = settings.permissions.defaultMode ?? 'default';
  const isRefused =
    (was === 'bypassPermissions' &&
      (allowBypass !== true || settings.permissions.disableBypassPermissionsMode)) ||
    (was === 'auto' && settings.permissions.disableAutoMode);
  if (isRefused)
    return {
      notices: [
        `The session was last in mode ${was}, which is not allowed now. It continues in mode ${fresh}.`,
      ],
    };
  const notice = `The session continues in mode ${was}, as before. To choose another, use --permission-mode.`;
  return { mode: was, notices: was === fresh ? [] : [notice] };
}

/** The plan file from before. The transcript's value is checked, so that it cannot make any other file writable. */
export function resumedPlanFile(restored: Restored | undefined, directory: string): string | undefined {
  const file = restored?.state?.planFile;
  if (typeof file !== 'string' || dirname(file) !== resolveRealPath(directory)) return undefined;
  if (!/^plan-[\w-]{1,64}\.md$/.test(basename(file))) return undefined;
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? file : undefined;
}
