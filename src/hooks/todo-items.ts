import { isRecord } from '../lib/fields/field-values.ts';
import type { BeforeTool, HookEvent, HookedCall, HookedTask, HookPlace, Hooks } from '../protocol/index.ts';

interface Item {
  content: string;
  isDone: boolean;
}

/**
 * An agent's own list, as `TodoWrite` replaces it: new items were created, ticked-off items were completed. A hook that
 * objects keeps the list as it is.
 */
export function watchTodos(listeners: {
  created?: Hooks['taskCreated'];
  completed?: Hooks['taskCompleted'];
}) {
  let known: Item[] = [];
  return {
    async findRefusal(call: HookedCall, word: BeforeTool, at: HookPlace): Promise<Refusal | undefined> {
      if (call.toolName !== 'TodoWrite' || word.decision?.behaviour === 'deny') return undefined;
      if (!listeners.created && !listeners.completed) return undefined;
      const next = readItems(word.input ?? call.input);
      for (const [index, item] of next.entries()) {
        const before = known.find(({ content }) => content === item.content);
        const task: HookedTask = { id: String(index + 1), subject: item.content };
        const made = before ? undefined : await listeners.created?.(task, at);
        if (made?.refusal !== undefined)
          return refused('TaskCreated', `"${item.content}" was not added: ${made.refusal}`);
        const done = item.isDone && !before?.isDone ? await listeners.completed?.(task, at) : undefined;
        if (done?.refusal !== undefined)
          return refused('TaskCompleted', `"${item.content}" is not completed: ${done.refusal}`);
      }
      known = next;
      return undefined;
    },
  };
}

type Refusal = NonNullable<BeforeTool['decision']>;

function refused(event: HookEvent, reason: string): Refusal {
  return { behaviour: 'deny', event, reason };
}

function readItems({ todos }: Record<string, unknown>): Item[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((item) =>
    isRecord(item) && typeof item.content === 'string'
      ? [{ content: item.content, isDone: item.status === 'completed' }]
      : [],
  );
}
