import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { leaseMs } from '../../src/lib/leases/lease.ts';
import type { Command } from '../../src/protocol/index.ts';
import { verifyChain } from '../../src/receipts/verify-chain.ts';
import type { Kernel } from '../../src/session/kernel.ts';
import type { SessionClaim } from '../../src/session/owner.ts';
import type { Restored } from '../../src/session/restore.ts';
import { readAnchors } from '../../src/store/anchors/anchors.ts';
import { leadFile } from '../../src/store/anchors/record-chain.ts';
import { locateAnchors } from '../../src/store/layout.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { seededRandom } from '../proof/random.ts';
import type { DiskFate } from './faulty-disk.ts';
import { Ledger } from './ledger.ts';
import { fairWeather, Network } from './network.ts';
import { SimulatedProcess } from './process.ts';
import { Scheduler } from './scheduler.ts';
import { home, sessionId, transcriptPath } from './session.ts';
import { SimulatedUser } from './user.ts';

/** A mistake that is built into a world on purpose, through its ports. */
export interface Plant {
  /** Wraps the disk of a process. */
  disk?(disk: Disk): Disk;
  kernel?(kernel: Kernel): void;
  /** What a process reads from the disk. */
  restored?(restored: Restored): Restored;
  /** Wraps the right to the session. */
  claim?(claim: SessionClaim): SessionClaim;
}

export interface Plan {
  seed: number;
  plant?: Plant | undefined;
  isTraced?: boolean | undefined;
}

const fates: readonly DiskFate[] = [
  ...([
    'late',
    'late',
    'crash before',
    'crash within',
    'crash within',
    'crash after',
    'ENOSPC',
    'EIO',
  ] as const),
];

/** Faults happen for so long. After that, everything has this long to come to rest. */
const faultsMs = 60_000;
const restMs = 60_000;

/** A machine with a disk, processes that open one session on it, users at the other end of a network, and an evil fate. */
export class World {
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
  readonly disk: ReturnType<typeof memoryDisk>;
  readonly network: Network<Command>;
  readonly users: SimulatedUser[];
  readonly processes: SimulatedProcess[] = [];
  #wallOffset = Date.UTC(2026, 0, 1);
  isCalm = false;
  crashes = 0;
  pauses = 0;
  faultyWrites = 0;

  constructor(readonly plan: Plan) {
    this.scheduler = new Scheduler(seededRandom(plan.seed));
    this.ledger = new Ledger(() => this.scheduler.now, plan.isTraced);
    this.disk = memoryDisk({ now: () => this.wallClock() });
    this.network = new Network(this.scheduler);
    const { random } = this.scheduler;
    this.users = Array.from(
      { length: 1 + random.below(3) },
      (_, index) => new SimulatedUser(this, index + 1, 1 + random.below(3)),
    );
  }

  /** The newest process that lives. */
  get current(): SimulatedProcess | undefined {
    return this.processes.findLast(({ state, isLost }) => state !== 'dead' && !isLost);
  }

  wallClock(): number {
    return this.#wallOffset + this.scheduler.now;
  }

  async run(): Promise<void> {
    const { scheduler } = this;
    const { random } = scheduler;
    this.network.weather = {
      ...{ drop: random.below(3) * 10, double: random.below(3) * 15, reorder: random.below(3) * 15 },
    };
    for (const user of this.users) user.begin();
    this.#supervise();
    this.#tempt();
    await scheduler.runUntil(faultsMs);
    this.#calmDown();
    await scheduler.runUntil(scheduler.now + restMs, () => this.#isAtRest);
    await this.#checkAll();
  }

  /** Over the network to a process: usually the newest. */
  transmit(command: Command, from: string): void {
    const to = this.current;
    if (!to) return;
    this.ledger.note(from, `sends ${command.type} ${'uuid' in command ? command.uuid : ''} to ${to.name}`);
    this.network.send(command, to, (message) => {
      if (
        message.type === 'stop_task' &&
        message.runId &&
        to.session?.kernel.tasks.view(message.taskId)?.status === 'running'
      )
        this.ledger.stopped(message.runId);
      to.take(message);
    });
  }

  /** A prompt was taken for good: its sender hears of it, over the same network. */
  acknowledge(uuid: string): void {
    for (const user of this.users)
      this.network.send({ type: 'prompt', uuid, content: '' }, user, () => user.acknowledged(uuid));
  }

  /** Its run failed: who asks for its result is told. */
  refuse(uuids: readonly string[]): void {
    for (const user of this.users) for (const uuid of uuids) user.refused(uuid);
  }

  /** A message is recorded: its sender hears of it, over the same network. */
  confirm(uuid: string): void {
    for (const user of this.users)
      this.network.send({ type: 'prompt', uuid, content: '' }, user, () => user.confirmed(uuid));
  }

  /** Whether a reader of the transcript finds this message. */
  async isRecorded(uuid: string): Promise<boolean> {
    const loaded = await loadTranscript(transcriptPath, this.disk);
    return loaded.ok && loaded.value.records.some((record) => 'uuid' in record && record.uuid === uuid);
  }

  noteCrash(process: SimulatedProcess): void {
    this.crashes++;
    this.ledger.note('', `after the end of ${process.name}`);
  }

  get #isStored(): boolean {
    return this.disk.stat(transcriptPath) !== undefined;
  }

  get #isAtRest(): boolean {
    const { current } = this;
    return current?.session !== undefined && current.isIdle && this.users.every((user) => user.isDone);
  }

  /** Somebody starts the program again, sooner or later. */
  #supervise(): void {
    const { random } = this.scheduler;
    const { current } = this;
    if (!current || (this.#isStored && current.state === 'paused' && random.below(3) === 0))
      this.#startProcess();
    this.scheduler.after(200 + random.below(1_800), () => this.#supervise());
  }

  #startProcess(): void {
    const process = new SimulatedProcess(this, this.processes.length + 1);
    this.processes.push(process);
    process.note('starts');
    if (!this.isCalm && this.scheduler.random.below(4) === 0) this.#planFate(process);
    process.start().catch((error: unknown) => {
      if (process.state !== 'dead') this.ledger.fault('I6', `${process.name} fell over: ${String(error)}`);
    });
  }

  /** Every now and then something goes wrong. */
  #tempt(): void {
    if (this.isCalm) return;
    const { random } = this.scheduler;
    const { current } = this;
    const dice = random.below(10);
    if (current && dice < 2) current.crash();
    else if (current && dice < 4) this.#pause(current);
    else if (current && dice < 9) this.#planFate(current);
    else this.#wallOffset += (random.below(2) === 0 ? 1 : -1) * 24 * 3_600_000;
    this.scheduler.after(random.below(12_000), () => this.#tempt());
  }

  /** For a while, which may be longer than a lease. */
  #pause(process: SimulatedProcess): void {
    process.pause();
    this.pauses++;
    this.scheduler.after(this.scheduler.random.below(2 * leaseMs), () => process.wake());
  }

  /** A process is stopped in the middle of its work until its lease has passed, and another one comes. */
  overtake(process: SimulatedProcess): void {
    // Nobody else knows of a session before it is stored.
    if (!this.#isStored) return;
    this.pauses++;
    process.pause();
    this.scheduler.now += leaseMs + 5_000;
    this.#startProcess();
    process.wake();
  }

  /** One of the next writes fails, or the process dies at it. */
  #planFate(process: SimulatedProcess): void {
    const { random } = this.scheduler;
    const fate = fates[random.below(fates.length)] ?? 'EIO';
    const count = fate === 'ENOSPC' || fate === 'EIO' ? 1 + random.below(4) : 1;
    for (let skip = random.below(8); skip > 0; skip--) process.fates.push('done');
    for (let left = count; left > 0; left--) process.fates.push(fate);
    this.faultyWrites += count;
  }

  #calmDown(): void {
    this.isCalm = true;
    this.network.weather = fairWeather;
    for (const process of this.processes) {
      process.fates.length = 0;
      process.wake();
    }
    this.users[0]?.askOnceMore();
  }

  async #checkAll(): Promise<void> {
    if (!this.#isAtRest) this.ledger.fault('I6', `not at rest after ${restMs / 1000} s: ${this.#describe()}`);
    if (!this.#isStored) {
      if (this.ledger.announcements > 0) this.ledger.fault('I1', 'the transcript is missing');
      return;
    }
    const loaded = await loadTranscript(transcriptPath, this.disk);
    if (!loaded.ok) this.ledger.fault('I1', loaded.problem.message);
    else this.ledger.checkAtRest(loaded.value);
    const anchors = readAnchors(locateAnchors(home, sessionId), this.disk);
    const chain = await verifyChain({ name: leadFile, path: transcriptPath }, anchors, this.disk);
    for (const fault of anchors.length === 0 ? [] : chain.faults) this.ledger.fault('I8', fault);
  }

  #describe(): string {
    const { current } = this;
    if (!current?.session) return `no process has the session open (${current?.name} ${current?.state})`;
    const { kernel, commands } = current.session;
    const waiting = this.users.filter((user) => !user.isDone).map(({ name }) => name);
    return `${current.name} ${commands.pump.isBusy ? 'busy' : 'idle'}, inbox ${kernel.inbox.isEmpty() ? 'empty' : 'not empty'}, ${kernel.tasks.running().length} tasks, waiting users: ${waiting.join(' ') || 'none'}`;
  }
}
