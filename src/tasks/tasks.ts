import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { formatError } from '../lib/result.ts';
import {
  isAgentTask,
  isSubAgent,
  type Suspension,
  type TaskEnd,
  type TaskHandle,
  type TaskSpec,
  type TaskStarter,
  type TaskStatus,
  type TaskView,
  taskPrefixes,
  type WaitingCall,
} from '../protocol/index.ts';
import { finishedHandle } from './finished-handle.ts';
import { markResting } from './mark-resting.ts';
import { stoppedEnd } from './stopped-end.ts';
import { isUnderWay, transitions } from './task-states.ts';
import { WaitingCalls } from './waiting-calls.ts';

export { isUnderWay } from './task-states.ts';

/** The registry's view of its surroundings. */
export interface TaskSurroundings {
  clock: Clock;
  ids: Ids;
  /** Where a task's output goes; the directory exists. */
  outputFile(taskId: string): string;
  /** Every change of state, including the end. Called before the agent is notified of that end. */
  changed(task: TaskView, end?: TaskEnd): void;
  /** An agent has made progress. Not a change of state. */
  progressed?(task: TaskView): void;
  /** An event of a running task, for the agent that started it. */
  told?(task: TaskView, text: string): void;
  /** The end of a run in the background, once, for the agent that started it. */
  ended(task: TaskView, end: TaskEnd): void;
  /** Its owner already has the result: an unread notification of the end need not repeat it. */
  retrieved?(task: TaskView, end: TaskEnd): void;
  /** Removes a finished task from memory; false keeps it. */
  evict?(task: TaskView, end: TaskEnd): boolean;
  /** The id of the agent that has this name. */
  resolve?(name: string): string | undefined;
  /** A finished task that is no longer in memory. */
  recall?(taskId: string): { task: TaskView; end: TaskEnd } | undefined;
}

interface Entry {
  view: TaskView;
  controller: AbortController;
  result: Promise<TaskEnd>;
  settle(end: TaskEnd): void;
  backgrounded: Promise<void>;
  noteBackgrounded(): void;
  /** Releases the slot that it waited for. */
  release?(): void;
  /** It continues elsewhere when the session ends; and the session has ended. */
  outlives: boolean;
  isLeft?: boolean;
}

/** Why the run of a task that outlives the session ends: nothing is stopped. */
export const leftRunning = 'The session has ended; this continues elsewhere.';

/** Finished tasks that stay in memory; older ones are read back from disk on request. */
const maxFinished = 50;

/**
 * The life cycle of everything that outlives a turn. It knows no kinds: the runner is in the spec. A stop is final: a
 * natural end that comes after it is dropped.
 */
export class Tasks implements TaskStarter {
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Set<Entry>();
  #finished: { view: TaskView; end: TaskEnd }[] = [];
  readonly waiting = new WaitingCalls();
  #isClosing = false;

  constructor(private readonly surroundings: TaskSurroundings) {}

  spawn(spec: TaskSpec): TaskHandle {
    const entry = this.#enter(spec);
    if (spec.ready) void this.#runWhenReady(entry, spec, spec.ready(entry.controller.signal));
    else this.#run(entry, spec);
    return this.#handle(entry);
  }

  offer(call: WaitingCall): () => void {
    return this.waiting.offer(call);
  }

  /** By its id, or by an agent's name. */
  find(address: string): TaskHandle | undefined {
    const id = this.#idOf(address);
    const entry = this.#entries.get(id);
    return entry ? this.#handle(entry) : this.#recall(id);
  }

  view(address: string): TaskView | undefined {
    const id = this.#idOf(address);
    const entry = this.#entries.get(id);
    return entry ? { ...entry.view } : this.surroundings.recall?.(id)?.task;
  }

  #idOf(address: string): string {
    // No name hides an id.
    if (this.#entries.has(address)) return address;
    const named = this.surroundings.resolve?.(address);
    return named === undefined || this.surroundings.recall?.(address) ? address : named;
  }

  /** Those in memory: all running tasks, and the newest finished ones. */
  list(): TaskView[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry.view }));
  }

  running(): TaskView[] {
    return [...this.#underWay].map((entry) => ({ ...entry.view }));
  }

  /** Whether a matching task is running. Called at every change, with up to a thousand tasks, so nothing is copied. */
  someRunning(wanted: (task: Readonly<TaskView>) => boolean): boolean {
    for (const { view } of this.#underWay) if (wanted(view)) return true;
    return false;
  }

  countRunning(wanted: (task: Readonly<TaskView>) => boolean): number {
    let count = 0;
    for (const { view } of this.#underWay) if (wanted(view)) count++;
    return count;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** The session ends: its work is ended, and what is suspended stays so. */
  async close(reason: string): Promise<void> {
    this.#isClosing = true;
    await Promise.all([
      this.#leaveAll(),
      this.killAll(reason, (view) => !this.#entries.get(view.id)?.outlives),
    ]);
  }

  /** What runs elsewhere is not stopped, and has no end here. */
  async #leaveAll(): Promise<void> {
    const left = [...this.#underWay].filter(({ outlives }) => outlives);
    await Promise.all(
      left.map((entry) => {
        entry.isLeft = true;
        entry.controller.abort(leftRunning);
        return entry.result;
      }),
    );
  }

  async killAll(reason: string, wanted: (task: Readonly<TaskView>) => boolean = () => true): Promise<void> {
    const wantedNow: Entry[] = [];
    for (const entry of this.#underWay) if (wanted(entry.view)) wantedNow.push(entry);
    await Promise.all(wantedNow.map((entry) => this.#handle(entry).kill(reason)));
  }

  #enter(spec: TaskSpec): Entry {
    const id = spec.id ?? taskPrefixes[spec.kind] + this.surroundings.ids.token(12);
    const before = this.#entries.get(id);
    if (before && isUnderWay(before.view)) throw new Error(`task ${id} is already running`);
    const result = Promise.withResolvers<TaskEnd>();
    const backgrounded = Promise.withResolvers<void>();
    const view: TaskView = {
      id,
      runId: this.surroundings.ids.uuid(),
      kind: spec.kind,
      status: 'pending',
      description: spec.description,
      startedAt: timestamp(this.surroundings.clock),
      outputFile: this.surroundings.outputFile(id),
      owner: spec.owner,
      isBackgrounded: spec.background,
      ...(spec.toolUseId ? { toolUseId: spec.toolUseId } : {}),
      ...(spec.agent ? { agent: spec.agent } : {}),
      ...(spec.suspended ? { suspended: spec.suspended } : {}),
    };
    const entry: Entry = {
      view,
      controller: new AbortController(),
      result: result.promise,
      settle: result.resolve,
      backgrounded: backgrounded.promise,
      noteBackgrounded: () => backgrounded.resolve(),
      outlives: spec.outlives === true,
    };
    if (spec.background) entry.noteBackgrounded();
    if (before) this.#finished = this.#finished.filter((finished) => finished.view !== before.view);
    this.#entries.set(id, entry);
    this.#underWay.add(entry);
    return entry;
  }

  async #runWhenReady(entry: Entry, spec: TaskSpec, ready: Promise<() => void>): Promise<void> {
    this.surroundings.changed({ ...entry.view });
    entry.release = await ready;
    if (!entry.controller.signal.aborted) this.#run(entry, spec);
    else this.#end(entry, { status: 'killed', text: '' });
  }

  #run(entry: Entry, spec: TaskSpec): void {
    const { view, controller } = entry;
    this.#move(entry, 'running');
    spec
      .run({
        id: view.id,
        runId: view.runId,
        outputFile: view.outputFile,
        signal: controller.signal,
        suspend: (suspension) => this.#suspend(view, suspension),
        rest: (isResting) => {
          if (isUnderWay(view) && markResting(view, isResting)) this.surroundings.changed({ ...view });
        },
        progress: (progress) => {
          if (view.agent) view.agent = { ...view.agent, progress };
          this.surroundings.progressed?.({ ...view });
        },
        tell: (text) => {
          if (isUnderWay(view)) this.surroundings.told?.({ ...view }, text);
        },
      })
      .then(
        (end) => this.#end(entry, end),
        (error) => this.#end(entry, { status: 'failed', text: '', reason: formatError(error) }),
      );
  }

  #suspend(view: TaskView, suspension: Suspension | undefined): void {
    if (!isUnderWay(view) || view.suspended?.until === suspension?.until) return;
    if (suspension) view.suspended = suspension;
    else delete view.suspended;
    this.surroundings.changed({ ...view });
  }

  #handle(entry: Entry): TaskHandle {
    const { view } = entry;
    return {
      id: view.id,
      kind: view.kind,
      runId: view.runId,
      outputFile: view.outputFile,
      status: () => view.status,
      result: () => entry.result,
      kill: async (reason = 'stopped', by) => {
        if (!isUnderWay(view)) return this.#giveUp(view, reason, by);
        const isFirst = by !== undefined && view.stoppedBy === undefined;
        if (by) view.stoppedBy ??= by;
        // At once: if the process dies before an agent has ended, it does not continue.
        if (isFirst && isSubAgent(view)) this.surroundings.changed({ ...view });
        entry.controller.abort(reason);
        await entry.result;
      },
      moveToBackground: () => {
        if (view.isBackgrounded || !isUnderWay(view)) return false;
        view.isBackgrounded = true;
        entry.noteBackgrounded();
        this.surroundings.changed({ ...view });
        return true;
      },
      isBackgrounded: () => view.isBackgrounded,
      backgrounded: () => entry.backgrounded,
      noteRetrieved: (by) => this.#noteRetrieved(entry, by),
    };
  }

  /** An agent that gave up waiting would continue when its session is opened again. One that the user stops does not. */
  #giveUp(view: TaskView, reason: string, by: TaskView['stoppedBy']): void {
    const finished = this.#finished.find((one) => one.view === view);
    if (!finished || !view.suspended || !by) return;
    delete view.suspended;
    view.stoppedBy = by;
    view.error = reason;
    this.surroundings.changed({ ...view }, { ...finished.end, outcome: 'killed', reason });
  }

  #noteRetrieved({ view }: Entry, by: string | null): void {
    const finished = this.#finished.find((one) => one.view === view);
    if (!finished || view.owner !== by || view.retrieved) return;
    view.retrieved = true;
    this.surroundings.retrieved?.({ ...view }, finished.end);
  }

  #recall(id: string): TaskHandle | undefined {
    const found = this.surroundings.recall?.(id);
    return found && finishedHandle(found.task, found.end);
  }

  #end(entry: Entry, end: TaskEnd): void {
    const { view, controller } = entry;
    if (entry.isLeft) {
      this.#underWay.delete(entry);
      entry.settle({ status: 'killed', text: '', reason: leftRunning });
      return;
    }
    const stopped = controller.signal.aborted;
    const final = stopped ? stoppedEnd(view, end, String(controller.signal.reason)) : end;
    if (final.reason) view.error = final.reason;
    delete view.isResting;
    this.#settleSuspension(entry, final);
    this.#move(entry, final.status, final);
    if (view.isBackgrounded) this.surroundings.ended({ ...view }, final);
    entry.release?.();
    entry.settle(final);
    this.#finished.push({ view, end: final });
    if (this.#finished.length > maxFinished) this.#evictOldest();
  }

  /**
   * Work that came to its end, or that the user stopped, is over. What gave up waiting, or was cut off by the end of the session or
   * of an agent above it that gave up, is not: it continues with that one.
   */
  #settleSuspension({ view, controller }: Entry, { status }: TaskEnd): void {
    if (status !== 'killed' || view.stoppedBy) delete view.suspended;
    else if (controller.signal.aborted) {
      const above = view.owner === null ? undefined : this.#entries.get(view.owner);
      const reason = above?.controller.signal.aborted ? undefined : above?.view.suspended;
      if (reason && isAgentTask(view)) view.suspended ??= reason;
      else if (!this.#isClosing) delete view.suspended;
    }
  }

  #evictOldest(): void {
    const oldest = this.#finished[0];
    if (!oldest || !this.surroundings.evict?.({ ...oldest.view }, oldest.end)) return;
    this.#finished.shift();
    this.#entries.delete(oldest.view.id);
  }

  #move(entry: Entry, status: TaskStatus, end?: TaskEnd): void {
    if (!transitions[entry.view.status].includes(status))
      throw new Error(`task ${entry.view.id} cannot go from ${entry.view.status} to ${status}`);
    entry.view.status = status;
    if (transitions[status].length === 0) {
      entry.view.endedAt = timestamp(this.surroundings.clock);
      this.#underWay.delete(entry);
    }
    this.surroundings.changed({ ...entry.view }, end);
  }
}
