import { existsSync } from 'node:fs';
import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { isSessionId } from '../store/layout.ts';
import type { RunPlace, RunSession } from './verify-run.ts';

/**
 * The sessions in which agents of a workflow run worked, by its journal. One whose files are missing is left out where no call
 * ended in it: a process that was killed before its first record leaves none.
 */
export async function findRunSessions(
  journal: string,
  locate: (sessionId: string) => Promise<RunPlace | undefined>,
): Promise<RunSession[]> {
  const { agents, ended } = await readAgents(journal);
  const found = await Promise.all(
    [...agents].map(async ([id, own]) => ({ id, place: await locate(id), agents: own })),
  );
  return found.filter(({ id, place }) => place !== undefined || ended.has(id));
}

async function readAgents(journal: string) {
  const agents = new Map<string, Set<string>>();
  const latest = new Map<string, string>();
  const ended = new Set<string>();
  const onRecord = ({ type, agentId, sessionId }: Record<string, unknown>) => {
    if (typeof agentId !== 'string') return undefined;
    if (type === 'begun' && typeof sessionId === 'string' && isSessionId(sessionId)) {
      latest.set(agentId, sessionId);
      agents.set(sessionId, (agents.get(sessionId) ?? new Set()).add(agentId));
    }
    const session = latest.get(agentId);
    if (type === 'ended' && session !== undefined) ended.add(session);
    return undefined;
  };
  if (existsSync(journal)) await readJsonl(journal, { onRecord, onDamage: () => undefined });
  return { agents, ended };
}
