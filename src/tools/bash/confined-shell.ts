import { closeSync, openSync } from 'node:fs';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Fifos } from '../../lib/files/fifo.ts';
import { holdPlace } from '../../lib/files/hold-directory.ts';
import { RealPlaces } from '../../lib/files/real-places.ts';
import { openGate, type ProcessGate } from '../../lib/processes/gate.ts';
import { notStarted, type OwnedProcess, type ProcessEnd } from '../../lib/processes/process.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { ConfinedCommand, ConfinedLaunch, LaunchFile } from '../../protocol/sandbox.ts';

export interface RunningShell extends OwnedProcess {
  /** Present if it is confined. The caller calls `finish` once, when it has ended. */
  readonly confined?: ConfinedCommand | undefined;
}

type Output = (chunk: Uint8Array) => void;

export interface ConfinedOptions {
  /** `canWait`: it can be held at a gate. */
  confine(canWait: boolean): Promise<Result<ConfinedCommand>>;
  spawn(launch: ConfinedLaunch, descriptors: readonly number[], output: Output): OwnedProcess;
  fifos: Fifos;
  output: Output;
  clock: Clock;
  /** Asked once more right before the command passes the gate: setting up its sandbox takes a while. */
  check(): Result<void>;
}

/**
 * Starts a command in its sandbox. Another process may remove a path that the sandbox covers between planning and
 * start. Then nothing of the command has run, and it is planned and started once more.
 */
export async function startConfined(options: ConfinedOptions): Promise<RunningShell> {
  const first = await attempt(options);
  return new ConfinedShell(first.isOutdated ? await attempt(options) : first, options);
}

class ConfinedShell implements RunningShell {
  readonly ended: Promise<ProcessEnd>;
  #current: Attempt;
  #isKilled = false;
  #under: AbortSignal | undefined;

  constructor(first: Attempt, options: ConfinedOptions) {
    this.#current = first;
    this.ended = this.#conclude(first, options);
  }

  get pid(): number | undefined {
    return this.#current.process.pid;
  }

  get confined(): ConfinedCommand | undefined {
    return this.#current.confined;
  }

  kill(): void {
    this.#isKilled = true;
    this.#current.process.kill();
  }

  goOnUnder(signal: AbortSignal): void {
    this.#under = signal;
    this.#current.process.goOnUnder(signal);
  }

  async #conclude(first: Attempt, options: ConfinedOptions): Promise<ProcessEnd> {
    const end = await first.process.ended;
    const words = first.conclude();
    if (words === undefined) return end;
    if (this.#isKilled || end.killed || end.timedOut || end.problem !== undefined) {
      for (const chunk of words) options.output(chunk);
      return end;
    }
    first.confined?.finish({ failed: true, output: '' });
    const second = await attempt(options);
    this.#current = second;
    if (this.#under) second.process.goOnUnder(this.#under);
    if (this.#isKilled) second.process.kill();
    const last = await second.process.ended;
    for (const chunk of second.conclude() ?? []) options.output(chunk);
    return last;
  }
}

interface Attempt {
  readonly process: OwnedProcess;
  readonly confined?: ConfinedCommand;
  /** Nothing was started: a path is not as planned. */
  readonly isOutdated?: true;
  /** Call it when the command has ended. If nothing of the command ran, returns the sandbox's own message. */
  conclude(): Uint8Array[] | undefined;
}

async function attempt(options: ConfinedOptions): Promise<Attempt> {
  const fifo = options.fifos.takeGate();
  const confined = await options.confine(fifo !== undefined);
  const gate = fifo && confined.ok && confined.value.launch.gate !== undefined ? openGate(fifo) : undefined;
  if (!gate) fifo?.release();
  if (!confined.ok) return failed(confined.problem.message);
  const files = openFiles(confined.value.launch.files);
  if (files.problem === undefined) return start(confined.value, files.descriptors, gate, options);
  for (const descriptor of files.descriptors) closeSync(descriptor);
  gate?.release();
  confined.value.finish({ failed: true, output: '' });
  return { ...failed(files.problem), ...(files.isOutdated ? { isOutdated: true } : {}) };
}

function failed(problem: string): Attempt {
  return { process: notStarted({ problem }), conclude: () => undefined };
}

interface OpenedFiles {
  descriptors: number[];
  problem?: string;
  isOutdated?: true;
}

function openFiles(files: readonly LaunchFile[]): OpenedFiles {
  const descriptors: number[] = [];
  const places = new RealPlaces();
  try {
    for (const file of files) {
      const opened = file.place ? holdPlace(file.path, places) : ok(openSync(file.path, 'r'));
      if (!opened.ok)
        return { descriptors, problem: `${opened.problem.message} Try again.`, isOutdated: true };
      descriptors.push(opened.value);
    }
    return { descriptors };
  } catch {
    const paths = files.map(({ path }) => path).join(', ');
    return { descriptors, problem: `The sandbox's own files are missing (${paths}).` };
  } finally {
    places.close();
  }
}

async function start(
  confined: ConfinedCommand,
  files: readonly number[],
  gate: ProcessGate | undefined,
  { spawn, output, clock, check }: ConfinedOptions,
): Promise<Attempt> {
  const withheld = withholdExposed(confined, output, () => process.kill());
  const held = holdOutput(gate, withheld.add);
  const descriptors = gate ? [...files, gate.descriptor] : files;
  const process = spawn(confined.launch, descriptors, held.add);
  if (confined.exposes) void withheld.watch(process.ended, clock);
  for (const descriptor of files) closeSync(descriptor);
  gate?.handOver();
  try {
    // The sandbox is set up meanwhile, on another processor.
    confined.begin?.();
    // Nothing else finds the process that takes it over inside.
    const first = await process.findFirst?.();
    if (first) confined.noteFirst?.(first);
    if (check().ok) gate?.open();
    else process.kill();
  } catch (error) {
    process.kill();
    throw error;
  }
  return { process, confined, conclude: held.conclude };
}

interface WithheldOutput {
  add: Output;
  /** For a command that prints nothing. */
  watch(ended: Promise<unknown>, clock: Clock): Promise<void>;
}

/**
 * Once a command can read a path that is hidden from it, nothing more of its output is passed on, and it is stopped. A program
 * prints what it read after it read it, so a look before each piece is early enough.
 */
function withholdExposed(confined: ConfinedCommand, output: Output, kill: () => void): WithheldOutput {
  let isExposed = false;
  const look = () => {
    if (isExposed || confined.exposes?.() === undefined) return isExposed;
    isExposed = true;
    kill();
    return true;
  };
  return {
    add(chunk) {
      if (!look()) output(chunk);
    },
    async watch(ended, clock) {
      const over = new AbortController();
      void ended.finally(() => over.abort());
      while (!over.signal.aborted && !look()) await sleep(clock, exposedMs, over.signal);
    },
  };
}

const exposedMs = 200;

/** Output from before the gate was passed is not the command's: it is kept separate until that is known. */
function holdOutput(
  gate: ProcessGate | undefined,
  output: Output,
): { add: Output } & Pick<Attempt, 'conclude'> {
  const early: Uint8Array[] = [];
  let isPassed = gate === undefined;
  const pass = () => {
    isPassed = true;
    for (const chunk of early.splice(0)) output(chunk);
  };
  return {
    add(chunk) {
      if (!isPassed && gate?.isClosed()) {
        early.push(chunk);
        return;
      }
      pass();
      output(chunk);
    },
    conclude() {
      const isClosed = !isPassed && gate?.isClosed() === true;
      gate?.release();
      if (!isClosed) pass();
      // Nothing comes after its end.
      isPassed = true;
      return isClosed ? early : undefined;
    },
  };
}
