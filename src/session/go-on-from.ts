import { ok, type Result } from '../lib/result.ts';
import { conversationOf } from '../store/conversation.ts';
import { loadTranscript } from '../store/transcript.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import type { SessionPorts } from './features.ts';
import type { Kernel } from './kernel.ts';
import { lateLetter } from './task-registry.ts';

/**
 * The transcript says what the conversation of an open session is now: somebody went back in it, or it could not take
 * all that was said. What the agent was told behind its end it is told again, without being woken; what it started
 * behind it is no concern of its any more.
 */
export async function goOnFrom(
  { inbox, tasks, log, place }: Kernel,
  { lead, definitions }: Pick<SessionPorts, 'lead' | 'definitions'>,
  transcript: string,
): Promise<Result<void>> {
  const loaded = await loadTranscript(transcript);
  if (!loaded.ok) return loaded;
  const { messages, repairs, untold } = conversationOf(loaded.value, place.clock, place.ids);
  for (const repair of repairs) {
    const written = log.append(repair);
    if (!written.ok) return written;
  }
  lead.rewind(messages);
  // Ends that nobody read yet are among those that are told now.
  inbox.takeWhere(({ origin }) => origin.kind === 'task-notification');
  for (const record of untold) {
    const { task } = record;
    const view = tasks.view(task.id);
    const isOver = task.kind !== 'dream' && !(view?.runId === task.runId && isUnderWay(view));
    const letter = isOver ? lateLetter(record, definitions.settings) : undefined;
    const heard = letter ? lead.hear(letter.content, letter.origin) : ok(undefined);
    if (!heard.ok) return heard;
  }
  return ok(undefined);
}
