import { toolUses, totalTokens } from '../protocol/message.ts';
import type { TranscriptRecord } from '../protocol/record.ts';
import type { TodoItem } from '../protocol/tool.ts';
import type { Agent } from './agent.ts';
import { isAtWork } from './agents.ts';
import type { Shown } from './chain.ts';
import { Draft } from './draft.ts';
import { reduceTask } from './reduce/task.ts';
import type { SessionFacts, View } from './view.ts';

/** The state at the end. */
export function readFacts(
  records: readonly TranscriptRecord[],
  shown: readonly Shown[],
): Partial<SessionFacts> {
  const header = records.find((record) => record.type === 'cadre-transcript');
  const state = records.findLast((record) => record.type === 'session-state');
  const title = records.findLast((record) => record.type === 'custom-title');
  const message = records.findLast((record) => record.type === 'user' || record.type === 'assistant');
  const id = header?.sessionId ?? message?.sessionId;
  return {
    ...(id === undefined ? {} : { id }),
    ...(header ? { cwd: header.cwd } : {}),
    ...(state ? { model: state.model, mode: state.permissionMode, cwd: state.cwd } : {}),
    ...(title ? { title: title.customTitle } : {}),
    todos: findTodos(shown),
    context: { used: countContextTokens(shown), window: null },
  };
}

function findTodos(shown: readonly Shown[]): readonly TodoItem[] {
  for (const record of shown.toReversed()) {
    if (record.type === 'compaction' && record.summary.type === 'user') {
      const { origin } = record.summary;
      return origin.kind === 'compaction' ? origin.carried.todos : [];
    }
    if (record.type !== 'assistant') continue;
    const written = toolUses(record.message).findLast(({ name }) => name === 'TodoWrite');
    const { todos } = written?.input ?? {};
    if (Array.isArray(todos)) return todos.filter(isTodo);
  }
  return [];
}

function isTodo(value: unknown): value is TodoItem {
  if (typeof value !== 'object' || value === null) return false;
  const { content, status } = value as Record<string, unknown>;
  return typeof content === 'string' && typeof status === 'string';
}

function countContextTokens(shown: readonly Shown[]): number {
  const last = shown.findLast((record) => record.type !== 'user');
  if (last?.type === 'compaction') return last.boundary.postTokens;
  return last?.type === 'assistant' ? totalTokens(last.message.usage) : 0;
}

/** How far an agent that was cut off had come: its own records say so, those of the lead only how it started. */
export type CutWork = Pick<Agent, 'toolUses' | 'tokens'> & { endedAt: number };

/** The tasks in these records. None of them is running: they ended with the session that wrote the records. */
export function withTasks(
  view: View,
  records: readonly TranscriptRecord[],
  cutWork: (agentId: string) => CutWork | undefined = () => undefined,
): View {
  const draft = new Draft(view, view.at);
  const seen = new Set<string>();
  for (const record of records) {
    if (record.type !== 'task-state') continue;
    reduceTask(draft, record.task, record.end);
    seen.add(record.task.id);
  }
  for (const id of seen) {
    const agent = draft.view.agents.get(id);
    const task = draft.view.tasks.get(id);
    if (agent && isAtWork(agent.state))
      draft.putAgent({
        ...agent,
        state: 'killed',
        outcome: 'interrupted',
        endedAt: agent.startedAt,
        isCutOff: true,
        ...cutWork(id),
      });
    if (task && isAtWork(task.state)) draft.putTask({ ...task, state: 'killed', endedAt: task.startedAt });
  }
  return draft.view;
}
