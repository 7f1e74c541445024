import { basename, dirname, join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Disk, DiskFile } from '../lib/files/disk.ts';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/files.ts';
import { type JsonlWriter, openJsonlWriter } from '../lib/jsonl/jsonl.ts';
import { claimLease } from '../lib/leases/claim-lease.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import type { Machine } from '../lib/machine.ts';
import { fail, failure, ok, type Result, usage } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { Anchors } from '../store/anchors/anchors.ts';
import { RecordChain } from '../store/anchors/record-chain.ts';
import { locateAnchors } from '../store/layout.ts';
import { keyFormat } from './call-key.ts';
import { type JournalBody, type JournalHeader, journalFormat } from './journal-records.ts';
import { locateJournal, type RecordedRun, readJournal } from './read-journal.ts';

export interface JournalWish {
  /** The directory of all runs, in Cadre's directory: the anchors of their journals are beside it. */
  runs: string;
  runId: string;
  isNew: boolean;
  machine: Machine;
  clock: Clock;
}

/** Claims a run for this process and opens its journal. Nothing of it is read before the claim. */
export async function openJournal(wish: JournalWish): Promise<Result<RunJournal>> {
  const { runs, runId, machine, isNew, clock } = wish;
  const directory = join(runs, runId);
  if (!isNew && !machine.disk.stat(locateJournal(runs, runId)))
    return usage(`There is no workflow run ${runId}.`, '`cadre workflows runs` lists them.');
  const made = ensurePrivateDirectory(directory, machine.disk);
  if (!made.ok) return made;
  const claimed = claimLease({ directory, machine }, 'owner');
  if (!claimed.ok) return claimed;
  if (claimed.value.state === 'held') {
    const { by } = claimed.value;
    const away = by && by.host !== machine.locality().host ? ` on ${by.host}` : '';
    return usage(
      `Workflow run ${runId} is being run by another process (pid ${by?.pid ?? 'unknown'}${away}).`,
      'Wait until it ends, or stop it there.',
    );
  }
  const { lease, hasElder } = claimed.value;
  const opened = await openHeld(wish, lease, hasElder);
  if (opened.ok) findKeeper(clock).keep(lease);
  else lease.release();
  return opened;
}

async function openHeld(wish: JournalWish, lease: HeldLease, hasElder: boolean): Promise<Result<RunJournal>> {
  const { runs, runId, machine, isNew, clock } = wish;
  const path = locateJournal(runs, runId);
  let recorded = isNew ? ok(newRun(runId, clock)) : await readJournal(runs, runId, machine.disk);
  if (!recorded.ok) return recorded;
  const raised = lease.raise(recorded.value.newestEpoch + 1);
  if (!raised.ok) return raised;
  const anchors = new Anchors(locateAnchors(dirname(runs), runId), clock, machine.disk, () => lease.check());
  const chain = new RecordChain(anchors, basename(path));
  const writer = openJsonlWriter(path, isNew ? 'create' : 'existing', machine.disk, chain);
  if (!writer.ok) return writer;
  if (isNew) {
    const header = writer.value.append(recorded.value.header);
    if (!header.ok) return header;
  }
  if (hasElder && !isNew) {
    // Whatever the earlier owner, which is alive, writes from here on is ignored. What it wrote until now is read.
    const claimed = writer.value.append({ type: 'claimed', epoch: lease.epoch, at: timestamp(clock) });
    if (!claimed.ok) return claimed;
    recorded = await readJournal(runs, runId, machine.disk);
    if (!recorded.ok) return recorded;
  }
  const synced = openSync(path, machine.disk, runs, runId);
  if (!synced.ok) return synced;
  return ok(
    new RunJournal(writer.value, { file: synced.value, chain, anchors }, lease, wish, recorded.value),
  );
}

function newRun(runId: string, clock: Clock): RecordedRun {
  const header: JournalHeader = {
    type: 'cadre-workflow-run',
    format: journalFormat,
    keyFormat,
    runId,
    version,
    createdAt: timestamp(clock),
  };
  return { header, newestEpoch: 0, records: [], damage: [] };
}

/** The same file a second time: what one descriptor wrote, any other one makes durable. */
function openSync(path: string, disk: Disk, runs: string, runId: string): Result<DiskFile> {
  try {
    const file = disk.open(path, { access: 'append' });
    disk.syncDirectory(join(runs, runId));
    return ok(file);
  } catch (error) {
    return fail(describeFileError(error, path, 'open'));
  }
}

/** A run's journal, held by this process. */
export class RunJournal {
  #syncing: Promise<Result<void>> | undefined;
  #next: Promise<Result<void>> | undefined;
  #isOpen = true;

  constructor(
    private readonly writer: JsonlWriter,
    private readonly kept: { file: DiskFile; chain: RecordChain; anchors: Anchors },
    private readonly lease: HeldLease,
    private readonly wish: JournalWish,
    readonly recorded: RecordedRun,
  ) {}

  /** Resolves when the record survives a power cut. Fails once another process has the run. */
  async write(body: JournalBody): Promise<Result<void>> {
    if (!this.#isOpen) return failure(`The journal of run ${this.wish.runId} is closed.`);
    if (!this.lease.check()) return failure(this.#describeLoss());
    const written = this.writer.append({ epoch: this.lease.epoch, at: timestamp(this.wish.clock), ...body });
    if (!written.ok) return written;
    this.kept.chain.anchor();
    const synced = await this.#sync();
    if (!synced.ok) return synced;
    // A reader ignores records that came after a later epoch: such a one was not written, whatever the disk says.
    return this.lease.check() ? ok(undefined) : failure(this.#describeLoss());
  }

  /** Calls back once, when another process has taken the run over. */
  onLost(callback: (reason: string) => void): void {
    this.lease.onLost(() => callback(this.#describeLoss()));
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.writer.close();
    this.kept.file.close();
    this.kept.anchors.close();
    findKeeper(this.wish.clock).drop(this.lease);
    this.lease.release();
  }

  /** One at a time: all that was written while one runs shares the next. */
  #sync(): Promise<Result<void>> {
    if (!this.#syncing) {
      this.#syncing = this.#syncOnce().finally(() => {
        this.#syncing = undefined;
      });
      return this.#syncing;
    }
    this.#next ??= this.#syncing.then(() => {
      this.#next = undefined;
      return this.#sync();
    });
    return this.#next;
  }

  async #syncOnce(): Promise<Result<void>> {
    try {
      await this.kept.file.syncSoon();
      return ok(undefined);
    } catch (error) {
      return fail(describeFileError(error, this.writer.path, 'write'));
    }
  }

  #describeLoss(): string {
    const { successor } = this.lease;
    const by = successor ? `process ${successor.pid}` : 'another process';
    return `Workflow run ${this.wish.runId} was taken over by ${by} while this process was paused.`;
  }
}
