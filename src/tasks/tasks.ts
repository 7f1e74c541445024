import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { messageOf } from '../lib/result.ts';
import {
  type TaskEnd,
  type TaskHandle,
  type TaskSpec,
  type TaskStarter,
  type TaskStatus,
  type TaskView,
  taskPrefixes,
} from '../protocol/index.ts';

/** What the registry needs of its surroundings. */
export interface TaskSurroundings {
  clock: Clock;
  ids: Ids;
  /** Where a task's output goes; the directory exists. */
  outputFile(taskId: string): string;
  /** Every change of state, for the event stream. */
  changed(task: TaskView): void;
  /** The end of a task's run, once, for the agent that started it. */
  ended(task: TaskView, end: TaskEnd): void;
}

interface Entry {
  view: TaskView;
  controller: AbortController;
  result: Promise<TaskEnd>;
  settle(end: TaskEnd): void;
}

const transitions: Record<TaskStatus, readonly TaskStatus[]> = {
  pending: ['running', 'failed', 'killed'],
  running: ['completed', 'failed', 'killed'],
  completed: [],
  failed: [],
  killed: [],
};

/**
 * The life cycle of everything that outlives a turn. It knows no kind: the runner is in the spec.
 * A stop is final: a natural end that comes after it is dropped.
 */
export class Tasks implements TaskStarter {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly surroundings: TaskSurroundings) {}

  spawn(spec: TaskSpec): TaskHandle {
    const entry = this.#enter(spec);
    const { id, outputFile } = entry.view;
    this.#move(entry, 'running');
    spec.run({ id, outputFile, signal: entry.controller.signal }).then(
      (end) => this.#end(entry, end),
      (error) => this.#end(entry, { status: 'failed', text: '', reason: messageOf(error) }),
    );
    return this.#handle(entry);
  }

  find(id: string): TaskHandle | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#handle(entry);
  }

  list(): TaskView[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry.view }));
  }

  running(): TaskView[] {
    return this.list().filter((task) => task.status === 'running' || task.status === 'pending');
  }

  async killAll(reason: string): Promise<void> {
    await Promise.all(this.running().map((task) => this.find(task.id)?.kill(reason)));
  }

  #enter(spec: TaskSpec): Entry {
    const id = taskPrefixes[spec.kind] + this.surroundings.ids.token(12);
    let settle: (end: TaskEnd) => void = () => {};
    const result = new Promise<TaskEnd>((resolve) => {
      settle = resolve;
    });
    const view: TaskView = {
      id,
      runId: this.surroundings.ids.uuid(),
      kind: spec.kind,
      status: 'pending',
      description: spec.description,
      startedAt: timestamp(this.surroundings.clock),
      outputFile: this.surroundings.outputFile(id),
      owner: spec.owner,
      ...(spec.toolUseId ? { toolUseId: spec.toolUseId } : {}),
    };
    const entry = { view, controller: new AbortController(), result, settle };
    this.#entries.set(id, entry);
    return entry;
  }

  #handle(entry: Entry): TaskHandle {
    return {
      id: entry.view.id,
      outputFile: entry.view.outputFile,
      status: () => entry.view.status,
      result: () => entry.result,
      kill: async (reason) => {
        if (transitions[entry.view.status].length === 0) return;
        entry.controller.abort(reason);
        await entry.result;
      },
    };
  }

  #end(entry: Entry, end: TaskEnd): void {
    const stopped = entry.controller.signal.aborted;
    const final: TaskEnd = stopped
      ? { ...end, status: 'killed', reason: String(entry.controller.signal.reason) }
      : end;
    if (final.reason) entry.view.error = final.reason;
    this.#move(entry, final.status);
    this.surroundings.ended({ ...entry.view }, final);
    entry.settle(final);
  }

  #move(entry: Entry, status: TaskStatus): void {
    if (!transitions[entry.view.status].includes(status))
      throw new Error(`task ${entry.view.id} cannot go from ${entry.view.status} to ${status}`);
    entry.view.status = status;
    if (transitions[status].length === 0) entry.view.endedAt = timestamp(this.surroundings.clock);
    this.surroundings.changed({ ...entry.view });
  }
}
