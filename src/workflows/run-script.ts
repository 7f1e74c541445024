import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { type OwnedProcess, spawnOwned } from '../lib/processes/process.ts';
import { formatError } from '../lib/result.ts';
import { LineSplitter } from '../lib/split-lines.ts';
import { stripTypes } from '../lib/strip-types.ts';
import { describeStop } from './call-gate.ts';
import {
  interruptedError,
  maxFrameBytes,
  type ScriptFrame,
  type ScriptReply,
  type ScriptStart,
  scriptArgument,
} from './host/frames.ts';
import type { WorkflowScript } from './read-script.ts';
import type { ProgramEnd } from './run-types.ts';

/** Global functions of a script that are answered here, by name. What they throw, the script can catch. */
export type HostFunctions = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

export interface ScriptNeeds {
  args: unknown;
  functions: HostFunctions;
  clock: Clock;
  signal: AbortSignal;
  maxCalls: number;
  /** Tokens that the run may use. */
  budget?: number | undefined;
  /** Tokens that it has used. */
  spent(): number;
  /** It computes, or no longer. */
  hold?(isHeld: boolean): void;
  phase(name: string): void;
  log(text: string): void;
  /** How long it may compute without waiting. */
  maxBusyMs?: number;
}

const usualBusyMs = 10_000;
/** For its process to start and load the engine, on a busy machine. */
const maxStartMs = 30_000;
const maxProcessorSeconds = 120;
const maxAddressSpaceKilobytes = 2 * 1024 * 1024;
const maxNotes = 10_000;

/**
 * Runs a workflow script to its end, in a process of its own with limited memory and time, inside an engine that has nothing
 * but the functions given here. Always ends in a value, whatever the script does.
 */
export async function runScript(
  script: Pick<WorkflowScript, 'body' | 'file' | 'isTyped'>,
  needs: ScriptNeeds,
): Promise<ProgramEnd> {
  const body = script.isTyped ? stripScriptTypes(script.body) : { ok: true as const, value: script.body };
  if (!body.ok) return { ok: false, reason: `${script.file}: ${body.problem.message}` };
  return new ScriptProcess(needs).run({
    ...{ body: body.value, file: script.file, args: needs.args ?? null, maxCalls: needs.maxCalls },
    functions: Object.keys(needs.functions),
    maxBusyMs: needs.maxBusyMs ?? usualBusyMs,
    budget: needs.budget ?? null,
  });
}

/** In a function, since a script has `return` at its top level. */
function stripScriptTypes(body: string) {
  const stripped = stripTypes(`async function script() {${body}\n}`);
  if (!stripped.ok) return stripped;
  const text = stripped.value;
  return { ok: true as const, value: `${text}\nreturn script();` };
}

class ScriptProcess {
  readonly #lines = new LineSplitter(maxFrameBytes);
  readonly #end = Promise.withResolvers<ProgramEnd>();
  readonly #open = new Set<number>();
  #child: OwnedProcess | undefined;
  #cancelBusy: () => void = () => {};
  /** What it was given to do and has not done: its start, and answers. */
  #owed = 0;
  #notes = 0;
  #isOver = false;
  #maxBusyMs = usualBusyMs;

  constructor(private readonly needs: ScriptNeeds) {}

  async run(start: ScriptStart): Promise<ProgramEnd> {
    const { clock, signal } = this.needs;
    if (signal.aborted) return { ok: false, reason: describeStop(signal) };
    this.#maxBusyMs = start.maxBusyMs;
    const stop = () => this.#finish({ ok: false, reason: describeStop(signal) });
    signal.addEventListener('abort', stop, { once: true });
    const child = spawnOwned({
      file: '/bin/sh',
      // macOS does not limit address space; there the engine's own limit and the time hold.
      args: [
        '-c',
        `ulimit -v ${maxAddressSpaceKilobytes} 2>/dev/null; ulimit -t ${maxProcessorSeconds}; exec "$@"`,
        'sh',
        ...locateHost(),
      ],
      ...{ cwd: '/', env: {}, isAlone: true, owner: 'cadre/workflow', clock, keepsInput: true },
      output: (chunk) => this.#read(chunk),
      errorOutput() {},
    });
    this.#child = child;
    this.#owed = 1;
    this.needs.hold?.(true);
    this.#watchBusy(maxStartMs);
    child.input?.write(`${JSON.stringify(start)}\n`);
    void child.ended.then(({ problem, signal: by }) =>
      this.#finish({
        ok: false,
        reason:
          problem ?? `The script needs too much memory, or its process was ended (${by ?? 'it exited'}).`,
      }),
    );
    const end = await this.#end.promise;
    signal.removeEventListener('abort', stop);
    this.#cancelBusy();
    // After a failure no further call begins: the run is about to be stopped.
    this.needs.hold?.(!end.ok);
    child.kill();
    await child.ended;
    return end;
  }

  #read(chunk: Uint8Array): void {
    this.#lines.add(chunk);
    for (let line = this.#lines.take(); line !== undefined; line = this.#lines.take()) {
      const frame = line === 'too long' ? undefined : parseFrame(line);
      if (!frame) {
        this.#fail('It sent more than 16 MB at once, or something that is not a frame.');
        return;
      }
      this.#take(frame);
    }
  }

  #take(frame: ScriptFrame): void {
    if (frame.type === 'ready') this.#watchBusy();
    else if (frame.type === 'idle') this.#noteIdle();
    else if (frame.type === 'done') this.#finish({ ok: true, value: frame.value, ...countRefused(frame) });
    else if (frame.type === 'threw') this.#fail(frame.reason, countRefused(frame));
    else if (frame.type === 'call') void this.#answer(frame);
    else if (++this.#notes > maxNotes) this.#fail(`It wrote more than ${maxNotes} lines.`);
    else if (frame.name === 'phase') this.needs.phase(frame.text);
    else this.needs.log(frame.text);
  }

  async #answer({ id, name, args }: Extract<ScriptFrame, { type: 'call' }>): Promise<void> {
    const { functions, maxCalls } = this.needs;
    if (this.#open.has(id) || id > maxCalls || !Object.hasOwn(functions, name)) {
      this.#fail(`Its process made a call that does not exist (${String(name).slice(0, 60)}).`);
      return;
    }
    this.#open.add(id);
    try {
      this.#reply({
        id,
        spent: this.needs.spent(),
        ok: true,
        value: (await functions[name]?.(...args)) ?? null,
      });
    } catch (error) {
      this.#reply({ id, spent: this.needs.spent(), ok: false, error: formatError(error) });
    }
  }

  #reply(reply: ScriptReply): void {
    // Calls may end after the script that did not wait for them.
    if (this.#isOver) return;
    reply.spent = this.needs.spent();
    const line = JSON.stringify(reply);
    const error = 'The answer is larger than 16 MB.';
    this.#owed++;
    this.needs.hold?.(true);
    this.#watchBusy();
    if (Buffer.byteLength(line) <= maxFrameBytes) this.#child?.input?.write(`${line}\n`);
    else {
      this.#owed--;
      this.#reply({ id: reply.id, spent: reply.spent, ok: false, error });
    }
  }

  /** At once: what its process says after its end must not let calls begin. */
  #finish(end: ProgramEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  #noteIdle(): void {
    if (this.#isOver || --this.#owed > 0) return;
    this.#cancelBusy();
    this.needs.hold?.(false);
  }

  /** Until it says that it is idle. */
  #watchBusy(limitMs = 1.5 * this.#maxBusyMs): void {
    this.#cancelBusy();
    // Loops in the engine's own code see no deadline: a while after it the process is killed.
    this.#cancelBusy = this.needs.clock.after(limitMs, () => this.#fail(interruptedError));
  }

  #fail(given: string, refused: Pick<ProgramEnd, 'refused'> = {}): void {
    const reason = given.startsWith(interruptedError)
      ? `It ran for more than ${this.#maxBusyMs / 1000} seconds without waiting for anything.`
      : given;
    this.#finish({ ok: false, reason, ...refused });
  }
}

function countRefused({ refused = 0 }: { refused?: number }): Pick<ProgramEnd, 'refused'> {
  return refused > 0 ? { refused } : {};
}

/** The compiled program starts itself; otherwise the runtime starts the entry beside this file, or beside the built library. */
function locateHost(): string[] {
  const { dirname } = import.meta;
  if (dirname.startsWith('/$bunfs/')) return [process.execPath, scriptArgument];
  const entry = import.meta.filename.endsWith('.ts')
    ? join('host', 'main.ts')
    : join('workflows', 'host', 'main.js');
  return [process.execPath, join(dirname, entry)];
}

function parseFrame(line: Uint8Array): ScriptFrame | undefined {
  try {
    const frame = JSON.parse(Buffer.from(line).toString('utf8')) as ScriptFrame;
    return isWellFormed(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** A script that breaks out of its engine writes frames of its own. */
function isWellFormed(frame: ScriptFrame): boolean {
  const isCount = (value: unknown) => value === undefined || Number.isSafeInteger(value);
  if (frame.type === 'call') return Array.isArray(frame.args) && Number.isInteger(frame.id);
  if (frame.type === 'note') return typeof frame.text === 'string';
  if (frame.type === 'threw') return typeof frame.reason === 'string' && isCount(frame.refused);
  if (frame.type === 'done') return isCount(frame.refused);
  return frame.type === 'ready' || frame.type === 'idle';
}
