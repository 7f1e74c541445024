import type { TodoItem } from '../../protocol/tool.ts';
import { cutEnd, maxPrompt, maxResult } from '../bound.ts';
import { sumCost } from '../cost.ts';
import type { Draft } from '../draft.ts';
import { emptyLive } from '../empty.ts';
import type { EventOf } from '../entry.ts';
import type { LeaseEvent, RewindEvent, SurfaceEvent } from '../view.ts';
import { loseCalls } from './call.ts';
import { dropEntry } from './question.ts';
import { loadTeam } from './team.ts';

const maxNotices = 100;

/** Facts about the session that only the surface knows. */
export function reduceSurface(draft: Draft, event: SurfaceEvent): void {
  switch (event.type) {
    case 'session_described':
      describe(draft, event);
      break;
    case 'branch_changed':
      draft.setSession({ branch: event.branch });
      break;
    case 'cost_reported':
      draft.set({ cost: sumCost(event.cost) });
      break;
    case 'worktrees_listed':
      draft.set({ worktrees: event.worktrees });
      break;
    case 'team_loaded':
      loadTeam(draft, event);
      break;
    case 'prompt_sent': {
      const prompt = { uuid: event.uuid, text: cutEnd(event.text, maxPrompt) };
      draft.set({ queued: [...draft.view.queued, prompt] });
      break;
    }
    case 'prompts_withdrawn':
      draft.set({ queued: draft.view.queued.filter(({ uuid }) => uuid !== (event.uuid ?? uuid)) });
      break;
    case 'answer_sent':
      dropEntry(draft, event.questionId);
      break;
  }
}

function describe(draft: Draft, { info }: Extract<SurfaceEvent, { type: 'session_described' }>): void {
  const { session } = draft.view;
  const { id = session.id, cwd = session.cwd, model = session.model, title = session.title } = info;
  const { scratchpad = session.scratchpad, permissionMode = session.mode, effort = session.effort } = info;
  const coordinator = info.mode === undefined ? session.coordinator : info.mode === 'coordinator';
  const context = { ...session.context, window: info.contextWindow ?? session.context.window };
  const mode = permissionMode;
  draft.setSession({ id, cwd, model, effort: effort ?? null, title, scratchpad, mode, coordinator, context });
}

/** An agent's new leases replace its previous ones. */
export function changeLeases(draft: Draft, { agentId, leases }: LeaseEvent): void {
  const others = draft.view.leases.filter(({ holder }) => holder !== agentId);
  draft.set({ leases: [...others, ...leases.map(({ path }) => ({ path, holder: agentId }))] });
}

/** Earlier messages stay where they were written; from here on they are not part of the conversation. */
export function rewind(draft: Draft, event: RewindEvent): void {
  const { to, head, contextTokens, restored, removed } = event;
  const { context } = draft.view.session;
  loseCalls(draft, null, draft.at);
  draft.setLive(null, emptyLive);
  if (contextTokens !== undefined) draft.setSession({ context: { ...context, used: contextTokens } });
  draft.say(null, { kind: 'rewind', to, isConversation: head !== undefined, restored, removed });
}

export function changeModel(draft: Draft, { model, contextWindow }: EventOf<'model_changed'>): void {
  const { context } = draft.view.session;
  // Another model has another window.
  draft.setSession({ model, context: { ...context, window: contextWindow ?? null } });
}

export function changeTodos(draft: Draft, agentId: string | null, todos: readonly TodoItem[]): void {
  if (agentId === null) draft.setSession({ todos });
  else draft.putAgent({ ...draft.agent(agentId), todos });
}

/** Every notice is in the list; notices that only explain a decision are in no conversation. */
export function giveNotice(draft: Draft, agentId: string | null, event: EventOf<'notice_given'>): void {
  const { level } = event;
  const text = cutEnd(event.text, maxResult);
  const { notices, serial } = draft.view;
  const notice = { id: `notice.${serial}`, at: draft.at, agentId, level, text };
  draft.set({ notices: [...notices, notice].slice(-maxNotices), serial: serial + 1 });
  if (level !== 'debug') draft.say(agentId, { kind: 'notice', level, text });
}
