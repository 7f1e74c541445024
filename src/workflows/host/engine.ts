import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { interruptedError, type ScriptStart } from './frames.ts';
import { prelude } from './prelude.ts';

const pageBytes = 64 * 1024;
/** A limit of the engine alone lets single large values pass: its memory itself must not grow beyond this. */
const maxMemoryBytes = 256 * 1024 * 1024;
const initialBytes = 16 * 1024 * 1024;
const maxStackBytes = 512 * 1024;

/** A script inside its own engine: no files, no network, no processes, no clock, no chance. */
export interface ScriptEngine {
  /** Runs it until it waits, and posts what it says. */
  begin(): void;
  answer(replyText: string): void;
}

export async function openEngine(start: ScriptStart, post: (frame: string) => void): Promise<ScriptEngine> {
  const wasmMemory = new WebAssembly.Memory({
    initial: initialBytes / pageBytes,
    maximum: maxMemoryBytes / pageBytes,
  });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(maxMemoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  const context = runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
  const time = { isOver: false };
  const work = (act: () => string | undefined) => runBounded(runtime, start.maxBusyMs, time, post, act);
  // What it says after an interruption follows from that, such as a call of a function that was not finished.
  const inside = openPrelude(context, start, (frame) => {
    if (!time.isOver) post(frame);
  });
  return {
    begin: () =>
      work(() => {
        const script = evaluate(context, `"use strict"; (async () => {${start.body}\n})`, start.file);
        call(context, inside, 'run', script).dispose();
        script.dispose();
        drain(runtime, context);
        return findReasonStuck(context, inside);
      }),
    answer: (replyText) =>
      work(() => {
        const text = context.newString(replyText);
        call(context, inside, 'settle', text).dispose();
        text.dispose();
        drain(runtime, context);
        return findReasonStuck(context, inside);
      }),
  };
}

function openPrelude(
  context: QuickJSContext,
  start: ScriptStart,
  post: (frame: string) => void,
): QuickJSHandle {
  const make = evaluate(context, prelude, 'prelude');
  const poster = context.newFunction('post', (text) => {
    post(context.getString(text));
  });
  const startText = context.newString(JSON.stringify(start));
  const made = context.unwrapResult(context.callFunction(make, context.undefined, poster, startText));
  for (const handle of [make, poster, startText]) handle.dispose();
  return made;
}

/**
 * Also of syntax: what a script throws before it runs ends it like what it throws later. The engine turns an interruption inside a
 * promise into a rejection, which the script may ignore; so the interruption is noted here and ends the script in any case.
 */
function runBounded(
  runtime: QuickJSRuntime,
  maxBusyMs: number,
  time: { isOver: boolean },
  post: (frame: string) => void,
  /** Returns why the script can never end, if it cannot. */
  act: () => string | undefined,
): void {
  const deadline = performance.now() + maxBusyMs;
  runtime.setInterruptHandler(() => {
    time.isOver ||= performance.now() > deadline;
    return time.isOver;
  });
  const fail = (reason: string) => post(JSON.stringify({ type: 'threw', reason }));
  try {
    const stuck = act();
    if (time.isOver) fail(interruptedError);
    else if (stuck !== undefined) fail(stuck);
    post('{"type":"idle"}');
  } catch (error) {
    fail(time.isOver ? interruptedError : describe(error));
  } finally {
    runtime.removeInterruptHandler();
  }
}

/** Until nothing is left to do but wait. */
function drain(runtime: QuickJSRuntime, context: QuickJSContext): void {
  const done = runtime.executePendingJobs();
  if (!done.error) return;
  const thrown = context.dump(done.error);
  done.error.dispose();
  throw thrown;
}

function findReasonStuck(context: QuickJSContext, inside: QuickJSHandle): string | undefined {
  const handle = call(context, inside, 'stuck');
  const stuck: unknown = context.dump(handle);
  handle.dispose();
  return typeof stuck === 'string' ? stuck : undefined;
}

function evaluate(context: QuickJSContext, code: string, file: string): QuickJSHandle {
  return context.unwrapResult(context.evalCode(code, file, { type: 'global' }));
}

function call(
  context: QuickJSContext,
  on: QuickJSHandle,
  name: string,
  ...given: QuickJSHandle[]
): QuickJSHandle {
  const method = context.getProp(on, name);
  try {
    return context.unwrapResult(context.callFunction(method, on, ...given));
  } finally {
    method.dispose();
  }
}

function describe(error: unknown): string {
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown };
  const where = typeof stack === 'string' ? /([^\s()]+:\d+)(?::\d+)?\)?\s*$/m.exec(stack)?.[1] : undefined;
  const said = `${typeof name === 'string' ? name : 'Error'}: ${String(message ?? error)}`;
  return (where && !said.includes(where) ? `${said} (${where})` : said).slice(0, 4_000);
}
