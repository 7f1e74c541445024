import { existsSync } from 'node:fs';
import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { isSessionId } from '../store/layout.ts';
import type { RunPlace, RunSession } from './verify-run.ts';

/** The sessions in which calls of a workflow run ended, with their agents, by its journal. */
export async function findRunSessions(
  journal: string,
  locate: (sessionId: string) => Promise<RunPlace | undefined>,
): Promise<RunSession[]> {
  const sessions = await readSessions(journal);
  return Promise.all([...sessions].map(async ([id, agents]) => ({ id, place: await locate(id), agents })));
}

/** An agent that was cut off, and continued in another session, has its whole transcript there: only the last one counts. */
async function readSessions(journal: string): Promise<Map<string, Set<string>>> {
  const latest = new Map<string, string>();
  const sessions = new Map<string, Set<string>>();
  const onRecord = ({ type, agentId, sessionId }: Record<string, unknown>) => {
    if (typeof agentId !== 'string') return undefined;
    if (type === 'begun' && typeof sessionId === 'string' && isSessionId(sessionId))
      latest.set(agentId, sessionId);
    const session = latest.get(agentId);
    if (type === 'ended' && session !== undefined)
      sessions.set(session, (sessions.get(session) ?? new Set()).add(agentId));
    return undefined;
  };
  if (existsSync(journal)) await readJsonl(journal, { onRecord, onDamage: () => undefined });
  return sessions;
}
