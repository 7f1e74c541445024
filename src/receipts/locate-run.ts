import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { ok, type Result } from '../lib/result.ts';
import { createSessionLayout, isSessionId, type Layout, locateAnchors } from '../store/layout.ts';
import { findSession } from '../store/sessions.ts';
import type { RunPlace, RunSession } from './verify-run.ts';

/** The files of the run that a word names: the id of a workflow run, the path of a transcript, or a session's id. */
export async function locateRun(layout: Layout, cwd: string, word: string): Promise<Result<RunPlace>> {
  const journal = join(layout.home, 'workflow-runs', word, 'journal.jsonl');
  const isRun = /^r[a-z0-9]{4,40}$/.test(word);
  if (isRun && (existsSync(journal) || existsSync(locateAnchors(layout.home, word))))
    return ok({
      ...locateJournalChain(layout.home, word),
      sessions: await findRunSessions(journal, async (id) => {
        const found = await locateRun(layout, cwd, id);
        return found.ok ? found.value : undefined;
      }),
    });
  const path = resolve(cwd, word);
  const id = basename(path).replace(/\.jsonl$/, '');
  if (word.endsWith('.jsonl') && isSessionId(id) && existsSync(path))
    return ok(placeSession(layout, path, id));
  // The anchor stays when someone removes the transcript.
  if (isSessionId(word) && existsSync(locateAnchors(layout.home, word))) {
    const found = await findSession(layout, word);
    const missing = join(layout.projects, '-', `${word}.jsonl`);
    return ok(placeSession(layout, found.ok ? found.value.path : missing, word));
  }
  const found = await findSession(layout, word);
  return found.ok ? ok(placeSession(layout, found.value.path, found.value.id)) : found;
}

/** The journal of a workflow run, without the sessions of its agents. */
export function locateJournalChain(home: string, runId: string): RunPlace {
  const main = join(home, 'workflow-runs', runId, 'journal.jsonl');
  return { id: runId, kind: 'workflow', main, directory: dirname(main), anchors: locateAnchors(home, runId) };
}

function placeSession({ home }: Layout, path: string, id: string): RunPlace {
  const { directory } = createSessionLayout(dirname(path), id);
  return { id, kind: 'session', main: path, directory, anchors: locateAnchors(home, id) };
}

/** The sessions in which calls of a workflow run ended, with their agents, by its journal. */
async function findRunSessions(
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
