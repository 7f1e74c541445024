import type { Clock } from '../lib/clock.ts';
import { formatError, type Result } from '../lib/result.ts';
import { totalTokens } from '../protocol/index.ts';
import type { WorkflowProgram } from './journal-records.ts';
import { readCallOptions } from './read-call-options.ts';
import type { WorkflowScript } from './read-script.ts';
import type { RunPort } from './run-port.ts';
import { type HostFunctions, runScript } from './run-script.ts';
import type { ProgramEnd } from './run-types.ts';

/** What a run executes. */
export interface RunnableProgram {
  /** As its journal has it. */
  record: WorkflowProgram;
  execute(run: RunPort, around: ProgramSurroundings): Promise<ProgramEnd>;
}

export interface ProgramSurroundings {
  /** Real time: how long the process of a script computes has nothing to do with that of the session. */
  clock: Clock;
  maxCalls: number;
  /** Tokens that the session may use. */
  maxTokens?: number | undefined;
  /** The program computes, and may make further calls before it waits; or no longer. */
  hold(isHeld: boolean): void;
  /** Further global functions of scripts, for one run. */
  functions: HostFunctions;
}

/** A program of the harness itself that `cadre run NAME` starts. Its names are reserved for scripts. */
export interface BuiltInProgram {
  name: string;
  /** One line for people. */
  about: string;
  phases?: readonly string[];
  /** Says what is wrong with the arguments before anything is started. */
  check?(args: unknown): Promise<Result<void>>;
  /** What it throws ends the run as failed. */
  run(run: RunPort, args: unknown): Promise<ProgramEnd>;
}

export function prepareBuiltInProgram(
  { name, phases = [], run: act }: BuiltInProgram,
  args: unknown,
): RunnableProgram {
  return {
    record: { kind: 'built-in', name, phases, args },
    execute: async (run) => {
      try {
        return await act(run, args);
      } catch (error) {
        return { ok: false, reason: formatError(error) };
      }
    },
  };
}

export function prepareScript(script: WorkflowScript, args: unknown): RunnableProgram {
  const { meta, file, source } = script;
  return {
    record: { kind: 'script', name: meta.name, path: file, source, phases: meta.phases, args },
    execute: (run, { clock, maxCalls, maxTokens, hold, functions }) =>
      runScript(script, {
        ...{ args, clock, maxCalls, budget: maxTokens, hold, signal: run.signal },
        functions: { ...functions, ...makeScriptFunctions(run) },
        spent: () => totalTokens(run.spent()),
        phase: (name) => run.phase(name),
        log: (text) => run.log(text),
      }),
  };
}

function makeScriptFunctions(run: RunPort): HostFunctions {
  return {
    agent: async (prompt, given) => {
      const options = readCallOptions(given);
      if (!options.ok) throw new Error(`agent(prompt, options): ${options.problem.message}`);
      for (const name of options.value.ignored)
        run.log(`agent(): the option ${name} is not known and was ignored.`);
      return run.agent(String(prompt), options.value.options);
    },
    ask: async (text, choices) => {
      const listed = Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : undefined;
      return run.ask({ text: String(text), ...(listed ? { choices: listed } : {}) });
    },
  };
}
