import { dirname } from 'node:path';
import { nameOwner } from '../../landing/render.ts';
import { composeReturn, type ReturnedWork } from '../../landing/return-work.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Command } from '../../protocol/index.ts';
import { connectOwner } from '../../session/attached/connect-owner.ts';
import { findSessionOwner } from '../../session/owner.ts';
import { createLayout, createSessionLayout } from '../../store/layout.ts';
import { listReturned, removeReturned, storeReturned } from '../../store/returned-work.ts';
import { findSession } from '../../store/sessions.ts';
import { formatSession } from '../../workspace/worktrees/identity.ts';
import type { WorktreeRecord } from '../../workspace/worktrees/record.ts';

/** What became of returned work. */
export interface Returned {
  name: string;
  session: string;
  agentId: string | null;
  delivery: 'sent' | 'stored';
  /** In words. */
  message: string;
}

const patienceMs = 15_000;

/** Gives work back to its agent: through the session that has it, or with the next resume of that session. */
export async function returnWork(
  work: ReturnedWork,
  { home, clock }: { home: string; clock: Clock },
): Promise<Result<Returned>> {
  const letter = composeReturn(work);
  if (!letter.ok) return letter;
  const { slug: name, session, agentId, agentName } = work.record;
  const owner = nameOwner({ agentId, ...(agentName === undefined ? {} : { name: agentName }) });
  const about = { name, session, agentId };
  const live = findSessionOwner(home, session);
  const sent = live ? await sendLetter(home, work, letter.value) : undefined;
  if (sent?.ok)
    return ok({
      ...about,
      delivery: 'sent',
      message: `${name} was returned to ${owner}, which continues in session ${formatSession(session)} (process ${live?.pid}).`,
    });
  const found = await findSession(createLayout(home), session);
  if (!found.ok)
    return usage(
      `${name} was not returned: its session ${session} is no longer stored.`,
      `Land it, drop it, or let another agent continue in it: cadre --worktree ${name}`,
    );
  const { returned } = createSessionLayout(dirname(found.value.path), session);
  const kept = { to: agentId, message: letter.value, worktree: name, at: timestamp(clock) };
  const stored = storeReturned(returned, kept, randomIds);
  if (!stored.ok) return stored;
  const why = sent && !sent.ok ? ` It could not be sent now: ${sent.problem.message}` : '';
  return ok({
    ...about,
    delivery: 'stored',
    message: `${name} is returned to ${owner} when its session is resumed: cadre --resume ${session}.${why}`,
  });
}

/** A worktree that the user has dropped is not worked in again: what was returned of it does not reach its agent. */
export async function withdrawReturned(
  { slug, session }: Pick<WorktreeRecord, 'slug' | 'session'>,
  home: string,
): Promise<void> {
  const found = await findSession(createLayout(home), session);
  if (!found.ok) return;
  const { returned } = createSessionLayout(dirname(found.value.path), session);
  for (const { file, letter } of listReturned(returned)) if (letter.worktree === slug) removeReturned(file);
}

async function sendLetter(
  home: string,
  { record: { session, agentId } }: ReturnedWork,
  message: string,
): Promise<Result<void>> {
  const wish = { client: 'cadre worktree return', patienceMs, events: [] };
  const connected = await connectOwner(home, session, wish);
  if (!connected.ok) return connected;
  const command: Command =
    agentId === null
      ? { type: 'prompt', content: message, delivery: 'queue' }
      : { type: 'message_agent', to: agentId, message };
  try {
    return await connected.value.send(command);
  } finally {
    connected.value.close();
  }
}
