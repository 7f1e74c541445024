import type { Clock } from '../../src/lib/clock.ts';
import type { Disk } from '../../src/lib/files/disk.ts';
import { isThere } from '../../src/lib/files/small-files.ts';
import type { Ids } from '../../src/lib/ids.ts';
import type { Machine } from '../../src/lib/machine.ts';
import { ok } from '../../src/lib/result.ts';
import type { AgentEvent, Command } from '../../src/protocol/index.ts';
import { continueFrom } from '../../src/session/continue-from.ts';
import type { Kernel } from '../../src/session/kernel.ts';
import { claimSession, type SessionClaim } from '../../src/session/owner.ts';
import type { Restored } from '../../src/session/restore.ts';
import type { SuspendedWork } from '../../src/session/suspended-work.ts';
import { type DiskFate, faultyDisk } from './faulty-disk.ts';
import { makeTask, simulatedModel, simulatedTools } from './hands.ts';
import type { Actor } from './scheduler.ts';
import {
  home,
  identify,
  openSimulated,
  type SimulatedSession,
  sessionId,
  transcriptPath,
} from './session.ts';
import type { World } from './world.ts';

/** A process of a simulated machine: it has the session open, or tries to. It can be killed, stopped and woken at any time. */
export class SimulatedProcess implements Actor {
  state: Actor['state'] = 'running';
  readonly held: (() => void)[] = [];
  readonly name: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly disk: Disk;
  readonly machine: Machine;
  /** The fates of the next operations on the disk; `done` when there are none left. */
  readonly fates: DiskFate[] = [];
  session: SimulatedSession | undefined;
  /** Another process has taken the session over. */
  isLost = false;

  constructor(
    readonly world: World,
    readonly number: number,
  ) {
    const { scheduler } = world;
    this.name = `p${number}`;
    this.clock = {
      now: () => world.wallClock(),
      monotonic: () => scheduler.now,
      after: (ms, callback) => scheduler.after(ms, callback, this),
    };
    this.ids = countIds(number);
    const own = faultyDisk(world.disk, {
      decide: (operation, path, isWrite) => this.#decide(operation, path, isWrite),
      crash: () => this.crash(),
      cut: (length) => scheduler.random.below(length + 1),
      wrote: () => {},
    });
    this.disk = world.plan.plant?.disk?.(own) ?? own;
    this.machine = {
      ...{ disk: this.disk, ids: this.ids },
      self: () => ({ pid: number, start: 'simulated' }),
      isAlive: ({ pid }) => world.processes.some((one) => one.number === pid && one.state !== 'dead'),
      locality: () => ({ host: 'simulated', space: 'one boot' }),
      uptime: () => scheduler.now,
    };
  }

  /** It runs: nothing of a dead process counts. */
  get isActive(): boolean {
    return this.state === 'running';
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  note(what: string): void {
    this.world.ledger.note(this.name, what);
  }

  /** Opens the session: up to the claim at once, the rest as `openSession` does. */
  async start(): Promise<void> {
    const { clock, ids, machine } = this;
    const exists = isThere(transcriptPath, this.disk);
    const identity = identify(exists);
    const { directory } = identity.files;
    const claimed = claimSession({
      ...{ home, sessionId, directory, transcript: transcriptPath, machine, clock, sweep() {} },
    });
    if (!claimed.ok) return this.#refuse(claimed.problem.message);
    const claim = claimed.value;
    if (this.isDead) return;
    this.note(`has epoch ${claim.epoch}${claim.takenFrom ? `, taken from p${claim.takenFrom}` : ''}`);
    this.world.ledger.claimed(this.name, claim.epoch);
    claim.onLost((problem) => {
      this.note(problem.message);
      this.world.ledger.lost(this.name);
      this.isLost = true;
    });
    const earlier = { id: sessionId, path: transcriptPath };
    const parts = { identity, options: {}, claim, place: { clock, ids, machine } };
    const restored = exists ? await continueFrom(earlier, parts) : ok(undefined);
    if (!restored.ok) {
      claim.release();
      return this.#refuse(restored.problem.message);
    }
    if (!this.isDead) this.#open(claim, restored.value);
  }

  #open(claim: SessionClaim, restored: Restored | undefined): void {
    const { clock, ids, machine } = this;
    const { plant } = this.world.plan;
    const found = restored && (plant?.restored?.(restored) ?? restored);
    this.session = openSimulated({
      ...{ clock, ids, machine, restored: found, claim: plant?.claim?.(claim) ?? claim },
      ...{ model: simulatedModel(this), tools: simulatedTools(this) },
      plant: (kernel) => {
        kernel.events.listen((event) => this.#publish(event));
        plant?.kernel?.(kernel);
      },
      goOn: (work, kernel) => this.#goOn(work, kernel),
    });
  }

  /** As `continueWork` does, with tasks in place of agents: each runs again under its id, in the background. */
  #goOn({ agents }: SuspendedWork, { tasks, inbox }: Kernel): void {
    const runs = new Set(agents.map(({ task }) => task.runId));
    inbox.takeWhere(({ origin }) => origin.kind === 'task-notification' && runs.has(origin.runId));
    for (const { task, suspended } of agents) {
      this.note(`continues ${task.id}, run ${task.runId}`);
      this.world.ledger.continued(task.runId, task.stoppedBy !== undefined);
      const ms = this.world.scheduler.random.below(2_000);
      tasks.spawn({ ...makeTask(this, ms, true), id: task.id, background: true, suspended });
    }
  }

  /** It says why, and ends. */
  #refuse(reason: string): void {
    if (this.state === 'dead') return;
    this.note(`cannot open: ${reason}`);
    this.state = 'dead';
  }

  /** A command that came over the network. */
  take(command: Command): void {
    const { session } = this;
    if (!session) return;
    const taken = session.commands.send(command);
    if (taken.ok && command.type === 'prompt' && command.uuid && session.commands.isStored(command.uuid))
      this.world.acknowledge(command.uuid);
    this.note(
      `${command.type} ${'uuid' in command ? command.uuid : ''}: ${taken.ok ? 'taken' : taken.problem.message}`,
    );
  }

  get isIdle(): boolean {
    const { session } = this;
    if (!session) return false;
    const { kernel, commands } = session;
    return !commands.pump.isBusy && kernel.inbox.isEmpty() && kernel.tasks.running().length === 0;
  }

  crash(): void {
    if (this.state === 'dead') return;
    this.note('killed');
    this.state = 'dead';
    this.world.noteCrash(this);
  }

  pause(): void {
    if (this.state !== 'running') return;
    this.note('stopped');
    this.state = 'paused';
  }

  wake(): void {
    if (this.state !== 'paused') return;
    this.note('woken');
    this.state = 'running';
    this.world.scheduler.release(this);
  }

  #decide(operation: string, path: string, isWrite: boolean): DiskFate {
    if (this.state === 'dead') return 'EIO';
    const fate = isWrite ? (this.fates.shift() ?? 'done') : 'done';
    if (fate !== 'done') this.note(`${fate}: ${operation} ${path.slice(path.lastIndexOf('/') + 1)}`);
    if (fate === 'late') this.world.overtake(this);
    return fate;
  }

  #publish(event: AgentEvent): void {
    if (this.state === 'dead') return;
    const { ledger } = this.world;
    if (event.type === 'message_added') {
      const { record } = event;
      this.note(`recorded ${record.type} ${record.uuid}`);
      ledger.announced(this.name, record.uuid);
      if (record.type === 'user' && record.origin.kind === 'task-notification')
        ledger.told(record.origin.runId);
      this.world.confirm(record.uuid);
    } else if (event.type === 'task_changed') {
      this.note(`task ${event.task.runId} ${event.task.status}`);
      if (event.end) ledger.ended(event.task.runId, event.end.status);
    } else if (event.type === 'conversation_compacted') this.note('compacted');
    else if (event.type === 'run_ended') {
      this.note(`run ended: ${event.outcome.kind} ${event.outcome.reason ?? ''}`);
      if (event.outcome.kind === 'failed') this.world.refuse(event.prompts);
    }
  }
}

/** No two processes have the same. */
function countIds(process: number): Ids {
  let next = 0;
  const count = () => ++next;
  return {
    uuid: () =>
      `00000000-0000-4000-${(0x8000 + process).toString(16)}-${count().toString(16).padStart(12, '0')}`,
    token: (length) => `${process.toString(32)}x${count().toString(32)}`.padStart(length, '0'),
  };
}
