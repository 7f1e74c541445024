import type { Command } from '../../src/protocol/index.ts';
import type { Actor } from './scheduler.ts';
import type { World } from './world.ts';

const patienceMs = 3_000;

/**
 * A user, or a program, at the other end of the network. One prompt after another: each is sent again, under its own uuid, until
 * the session says that it was taken. Then the session answers for it, whatever happens.
 */
export class SimulatedUser implements Actor {
  readonly state = 'running';
  readonly held: (() => void)[] = [];
  readonly name: string;
  #sent = 0;
  #waiting: string | undefined;
  /** Whether the session has taken what it waits for, and promises to read it; a run that failed ends that for good. */
  #promise: 'none' | 'given' | 'broken' = 'none';

  constructor(
    private readonly world: World,
    private readonly number: number,
    private prompts: number,
  ) {
    this.name = `u${number}`;
  }

  get isDone(): boolean {
    return this.#waiting === undefined && this.#sent === this.prompts;
  }

  begin(): void {
    this.#later(10_000, () => this.#next());
    this.#later(20_000, () => this.#meddle());
  }

  /** One prompt more: what could not be recorded is told again with the next one. */
  askOnceMore(): void {
    const wasDone = this.isDone;
    this.prompts++;
    if (wasDone) this.#next();
  }

  /** From here on it trusts the session, and sends it no second time. */
  acknowledged(uuid: string): void {
    if (uuid === this.#waiting && this.#promise === 'none') this.#promise = 'given';
  }

  /** The session says that it could not record the run of this prompt. */
  refused(uuid: string): void {
    if (uuid === this.#waiting) this.#promise = 'broken';
  }

  /** The session says that this message is recorded. */
  confirmed(uuid: string): void {
    if (uuid !== this.#waiting) return;
    this.#waiting = undefined;
    this.#later(15_000, () => this.#next());
  }

  #next(): void {
    if (this.#sent === this.prompts) return;
    const count = ++this.#sent;
    const uuid = `00000000-0000-4000-9000-${(this.number * 0x1000 + count).toString(16).padStart(12, '0')}`;
    this.#waiting = uuid;
    this.#promise = 'none';
    this.world.ledger.sent(this.name, uuid);
    this.#send(uuid);
  }

  /** The reply may have been lost, or its sender killed: it looks into the transcript before it sends again. */
  async #sendAgain(uuid: string): Promise<void> {
    if (this.#waiting !== uuid) return;
    if (await this.world.isRecorded(uuid)) this.confirmed(uuid);
    else if (this.#promise === 'given') this.#lookLater(uuid);
    else this.#send(uuid);
  }

  #send(uuid: string): void {
    const delivery = this.world.scheduler.random.below(2) === 0 ? 'steer' : 'queue';
    this.world.transmit({ type: 'prompt', uuid, content: `Prompt ${uuid}.`, delivery }, this.name);
    this.#lookLater(uuid);
  }

  #lookLater(uuid: string): void {
    this.world.scheduler.after(patienceMs, () => void this.#sendAgain(uuid), this);
  }

  /** Now and then it interrupts, compacts the conversation, or stops a task. */
  #meddle(): void {
    if (this.world.isCalm) return;
    const { random } = this.world.scheduler;
    const dice = random.below(6);
    const command: Command | undefined =
      dice < 2 ? { type: 'interrupt' } : dice < 4 ? { type: 'compact' } : this.#stopSomething();
    if (command) this.world.transmit(command, this.name);
    this.#later(20_000, () => this.#meddle());
  }

  #stopSomething(): Command | undefined {
    const tasks = this.world.current?.session?.kernel.tasks.running() ?? [];
    const task = tasks[this.world.scheduler.random.below(tasks.length || 1)];
    return task && { type: 'stop_task', taskId: task.id, runId: task.runId };
  }

  #later(maxMs: number, run: () => void): void {
    this.world.scheduler.after(this.world.scheduler.random.below(maxMs), run, this);
  }
}
