import type { TranscriptRecord } from '../protocol/record.ts';
import { isAtWork } from './agents.ts';
import { chainTo, type Link } from './chain.ts';
import { Draft } from './draft.ts';
import { emptyConversation, emptyView, maxOfAgent } from './empty.ts';
import type { Before, Entry, ShownConversation } from './entry.ts';
import { buildRecordEntries, listCalls, type RecordEntries } from './record-entries.ts';
import { type CutWork, readFacts, withTasks } from './record-facts.ts';
import type { SessionFacts, View } from './view.ts';

/**
 * The view of an earlier session, from its transcript or the tail of it: the first screen needs no more than that. Earlier
 * entries are added by `prependRecords`, as long as `lead.before` says that there are some. `live`: the session
 * runs in another process, so its tasks have not ended with it, and neither have the calls of a lead at work.
 */
export function fromRecords(
  records: readonly TranscriptRecord[],
  session: Partial<SessionFacts> = {},
  cutWork?: (agentId: string) => CutWork | undefined,
  live?: { isLeadRunning: boolean },
): View {
  const view = withTasks(emptyView(), records, cutWork, live !== undefined);
  const chain = chainTo(records);
  const whose = { agentId: null, agents: view.agents, isAtWork: live?.isLeadRunning === true };
  const { entries, unpaired, open } = buildRecordEntries(chain.shown, whose);
  return {
    ...view,
    session: { ...view.session, ...readFacts(records, chain.shown), ...session },
    lead: {
      ...view.lead,
      entries,
      live: { ...view.lead.live, calls: open },
      before: buildBefore(chain.before, unpaired),
    },
    at: entries.at(-1)?.at ?? 0,
  };
}

/** Adds older records of the lead. They may overlap entries already shown. */
export function prependRecords(view: View, records: readonly TranscriptRecord[]): View {
  const { lead } = view;
  if (!lead.before) return view;
  const isNew = (id: string) => !view.agents.has(id) && !view.tasks.has(id);
  const older = withTasks(
    view,
    records.filter((record) => record.type === 'task-state' && isNew(record.task.id)),
  );
  const chain = chainTo(records, lead.before);
  const whose = { agentId: null, agents: older.agents, behind: lead.entries };
  const { entries, unpaired } = buildRecordEntries(chain.shown, whose, lead.before.results);
  return {
    ...older,
    lead: {
      ...lead,
      entries: [...entries, ...lead.entries],
      // The user asked for them and will look at them for a while.
      most: lead.most + entries.length,
      before: buildBefore(chain.before, unpaired),
    },
  };
}

/**
 * Fills an agent's conversation from its transcript, or the tail of it. Live entries that are in no transcript keep their
 * place in time; the running part is not touched.
 */
export function loadConversation(view: View, agentId: string, records: readonly TranscriptRecord[]): View {
  const draft = new Draft(view, view.at);
  const { conversation, state } = draft.agent(agentId);
  const chain = chainTo(records);
  const whose = { agentId, agents: view.agents, isAtWork: isAtWork(state) };
  const { entries, unpaired, open } = buildRecordEntries(chain.shown, whose);
  const stored = entries.filter((entry) => !isLive(entry, conversation));
  const known = new Set(stored.map(({ id }) => id));
  const heard = conversation.entries.filter(({ id }) => !known.has(id));
  const all = [...stored, ...heard].sort((a, b) => a.at - b.at);
  draft.setConversation(agentId, {
    // The viewer follows it for a while; see `releaseConversation`.
    ...emptyConversation(all.length + maxWhileLooking),
    live: conversation.live.calls.length > 0 ? conversation.live : { ...conversation.live, calls: open },
    serial: conversation.serial,
    streamed: conversation.streamed,
    entries: all,
    before: buildBefore(chain.before, unpaired),
  });
  return draft.view;
}

const maxWhileLooking = 500;

/** The agent is no longer viewed: only the newest of the entries read for it stay. */
export function releaseConversation(view: View, agentId: string): View {
  const agent = view.agents.get(agentId);
  if (!agent || agent.conversation.entries.length <= maxOfAgent) return view;
  const { conversation } = agent;
  const surplus = conversation.entries.length - maxOfAgent;
  const draft = new Draft(view, view.at);
  draft.setConversation(agentId, {
    ...conversation,
    most: maxOfAgent,
    before: null,
    left: conversation.left + surplus,
    entries: conversation.entries.slice(surplus),
  });
  return draft.view;
}

/** Its calls are still shown as running. */
function isLive(entry: Entry, { live }: ShownConversation): boolean {
  return listCalls(entry).some(({ id, messageUuid }) =>
    live.calls.some((call) => call.id === id && call.messageUuid === messageUuid),
  );
}

function buildBefore(link: Link | null, results: RecordEntries['unpaired']): Before | null {
  return link && { ...link, results };
}
