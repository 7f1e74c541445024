import { ok, type Result, usage } from '../lib/result.ts';
import type { HeaderRecord, MessageRecord, StateRecord } from '../protocol/index.ts';
import { conversationOf } from '../store/conversation.ts';
import { findSession, latestSession } from '../store/sessions.ts';
import { loadTranscript } from '../store/transcript.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** An earlier conversation, ready to be gone on with. */
export interface Restored {
  sessionId: string;
  path: string;
  /** Where the session's files are: not always that of the present directory. */
  projectDirectory: string;
  messages: MessageRecord[];
  /** Records that make the file well-formed again; written before anything new. */
  repairs: MessageRecord[];
  state?: StateRecord;
  header?: HeaderRecord;
  /** What the user should know about what was found. */
  notices: string[];
}

export async function restore(
  options: SessionOptions,
  around: Surroundings,
): Promise<Result<Restored | undefined>> {
  if (!options.resume) return ok(undefined);
  const found = await find(options.resume, around);
  if (!found.ok) return found;
  const loaded = await loadTranscript(found.value.path);
  if (!loaded.ok) return loaded;
  const { messages, repairs, interrupted, state } = conversationOf(loaded.value, around.clock, around.ids);
  return ok({
    sessionId: found.value.id,
    path: found.value.path,
    projectDirectory: found.value.projectDirectory,
    messages,
    repairs,
    ...(state ? { state } : {}),
    ...(loaded.value.header ? { header: loaded.value.header } : {}),
    notices: [
      ...loaded.value.damage.map(
        (damage) => `${found.value.path}, line ${damage.line}: ${damage.reason}; the rest was kept.`,
      ),
      ...interrupted.map(
        (call) =>
          `The call ${call.name} (${call.id}) was interrupted; its result is unknown and it is not run again.`,
      ),
    ],
  });
}

async function find(resume: NonNullable<SessionOptions['resume']>, around: Surroundings) {
  if (resume.from === 'id') return findSession(around.layout, resume.id);
  const latest = await latestSession(around.layout, around.cwd);
  return latest
    ? ok(latest)
    : usage(
        `There is no earlier session in ${around.cwd}.`,
        'Start one: cadre -p "…". cadre sessions --all lists those of other directories.',
      );
}
