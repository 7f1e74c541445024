import { AsyncLocalStorage } from 'node:async_hooks';
import { formatError } from '../lib/result.ts';
import type { TaskEnd, TaskSpec, TaskStarter } from '../protocol/task.ts';
import type { Tool, ToolContext, ToolProgress, ToolResult } from '../protocol/tool.ts';
import type { Recorder } from './recorder.ts';
import { callName, throughJson } from './reel.ts';
import type { TapeEffect } from './tape.ts';

/** Marks what happens inside a tool: a model that it asks is part of its result, not of the tape. */
export class Inside {
  readonly #inside = new AsyncLocalStorage<boolean>();

  get isInside(): boolean {
    return this.#inside.getStore() === true;
  }

  run<T>(act: () => T): T {
    return this.#inside.run(true, act);
  }

  /** For work that a tool only starts: it runs independently, and so does all that follows from it. */
  leave<T>(act: () => T): T {
    return this.#inside.run(false, act);
  }
}

export function recordedTool(
  tool: Tool,
  recorder: Recorder,
  inside: Inside,
  outsideClock: ToolContext['clock'],
): Tool {
  // The state of the disk for a call is on the tape with its result, so nothing else needs to look.
  const { foresee: _, preview, ...taped } = tool;
  return {
    ...taped,
    preview: preview ? withoutFailure(preview) : undefined,
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      const call = callName(context.agentId, context.toolUseId);
      recorder.mark({ type: 'call', call, name: tool.name, input });
      const watched = { ...watch(context, recorder, inside, call), clock: outsideClock };
      try {
        const running = tool.run(input, watched);
        for (;;) {
          const next = await inside.run(() => running.next());
          if (next.done) {
            const result = throughJson(next.value);
            await recorder.step({ type: 'result', call, result });
            return result;
          }
          const progress = throughJson(next.value);
          await recorder.step({ type: 'progress', call, progress });
          yield progress;
        }
      } catch (error) {
        await recorder.step({ type: 'threw', call, message: formatError(error) });
        throw error;
      }
    },
  };
}

/** A call that fails before anybody is asked would leave no trace on the tape: it is asked about, and fails when it runs. */
function withoutFailure(preview: NonNullable<Tool['preview']>): NonNullable<Tool['preview']> {
  return async (input, context) => {
    const shown = await preview(input, context);
    return shown && 'fails' in shown
      ? { text: shown.fails, risk: { level: 'low', reasons: [] }, value: undefined }
      : shown;
  };
}

/** The tool's context, recording every effect that its agent would miss in a replay. */
function watch(context: ToolContext, recorder: Recorder, inside: Inside, call: string): ToolContext {
  const note = (effect: TapeEffect) => recorder.note({ type: 'effect', call, effect });
  const { directory, todos, history, tasks } = context;
  return {
    ...context,
    directory: {
      root: directory.root,
      get current() {
        return directory.current;
      },
      move(path) {
        note({ type: 'moved', path });
        directory.move(path);
      },
    },
    todos: {
      replace(items) {
        note({ type: 'todos', items });
        todos.replace(items);
      },
    },
    // Without the content afterwards: a replay does not know it, and a session on a tape cannot be rewound.
    history: {
      keep(path, before, toolUseId) {
        const bytes = before && 'link' in before ? null : before;
        const kept = bytes && Buffer.from(recorder.mask.hideInBytes(bytes)).toString('base64');
        note({ type: 'kept', path, before: kept });
        return history.keep(path, before, toolUseId);
      },
    },
    tasks: watchTasks(tasks, recorder, inside, note),
  };
}

function watchTasks(
  tasks: TaskStarter,
  recorder: Recorder,
  inside: Inside,
  note: (effect: TapeEffect) => void,
): TaskStarter {
  return {
    find: (id) => tasks.find(id),
    running: tasks.running ? () => tasks.running?.() ?? [] : undefined,
    offer: tasks.offer ? (call) => tasks.offer?.(call) ?? (() => {}) : undefined,
    spawn({ run, ...spec }: TaskSpec) {
      note({ type: 'spawned', spec });
      const watched: TaskSpec = {
        ...spec,
        async run(task) {
          const end = throughJson(ended(await inside.run(() => run(task)), task.signal));
          await recorder.step({ type: 'task', task: task.id, end });
          return end;
        },
      };
      return inside.leave(() => tasks.spawn(watched));
    },
  };
}

/** A task that was stopped ends as stopped, whatever its runner returned. In a replay it may not be stopped at all. */
function ended(end: TaskEnd, signal: AbortSignal): TaskEnd {
  return signal.aborted
    ? { ...end, status: 'killed', outcome: 'killed', reason: String(signal.reason) }
    : end;
}
