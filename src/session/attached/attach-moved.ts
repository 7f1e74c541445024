import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoorView } from '../../door/frames.ts';
import type { Clock } from '../../lib/clock.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { MovedTo } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { jobsBell, readOrder } from '../../remote/job.ts';
import { type JobKey, openJobKey, readKnownKeys } from '../../remote/keys.ts';
import { type JobState, readJobState } from '../../remote/steps.ts';
import { createSessionLayout } from '../../store/layout.ts';
import { restoreLogs } from '../remote/restore-logs.ts';
import type { Surroundings } from '../surroundings.ts';
import { type AttachedParts, AttachedSession } from './attached-session.ts';
import { checkEngine, connectMoved } from './connect-moved.ts';

/** Looks at a session on a worker: its conversation is read into a directory of its own, which goes when the user leaves. */
export async function attachMoved(
  { home, clock }: Pick<Surroundings, 'home' | 'clock'>,
  { engine, session, job }: { engine: Engine; session: string; job: MovedTo },
  terminal: AttachedParts['terminal'],
): Promise<Result<AttachedSession>> {
  const right = checkEngine(engine, job.engine);
  if (!right.ok) return right;
  const key = openJobKey(home);
  if (!key.ok) return key;
  const known = readKnownKeys(home);
  if (!known.ok) return known;
  const accepts = (signer: string) => known.value.has(signer);
  const before = emptyDoorView(session);
  const client = await connectMoved({ engine, key: key.value, jobId: job.jobId, accepts, clock, before });
  if (!client.ok) return client;
  // After the events, so that none is missed in between: one that is in both is left out.
  const state = await readJobState(engine, { jobId: job.jobId, submitter: key.value.name }, accepts);
  if (!state.ok) return state;
  await enqueueAgain(engine, key.value, job, clock);
  const mirror = mkdtempSync(join(tmpdir(), 'cadre-attach-'));
  const transcript = writeMirror(mirror, session, state.value);
  const { close } = client.value;
  const parts = {
    ...client.value,
    close() {
      close();
      rmSync(mirror, { recursive: true, force: true });
    },
  };
  return ok(new AttachedSession({ client: parts, clock, home, transcript, terminal }));
}

/** Whoever moved it may have ended before the job was in the queue. A job that is there, or was, is not handed out twice. */
async function enqueueAgain(engine: Engine, key: JobKey, { jobId }: MovedTo, clock: Clock): Promise<void> {
  const signed = await readOrder(engine, jobId, new Set([key.name]), clock);
  if (!signed.ok || !signed.value) return;
  const { label } = signed.value.order;
  if (label === undefined) return;
  await engine.enqueue({ id: jobId, label, priority: 5 });
  await engine.ring(jobsBell);
}

function writeMirror(mirror: string, session: string, state: JobState): string {
  const files = createSessionLayout(mirror, session);
  const place = state.place ?? { cwd: mirror };
  restoreLogs(files, state, { place, home: mirror, sessionId: session });
  return files.transcript;
}

function emptyDoorView(sessionId: string): DoorView {
  return {
    ...{ sessionId, cwd: '', state: 'running', model: '', permissionMode: 'default', transcript: null },
    ...{ tasks: [], questions: [], isLeadRunning: false, cost: { totalMicroUsd: 0, rows: [] } },
    ...{ effort: { chosen: null, levels: [] }, contextWindow: 0, commands: [], scratchpad: null },
  };
}
