import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { formatError, ok, type Result, usage } from '../lib/result.ts';
import { efforts } from '../protocol/effort.ts';
import { totalTokens } from '../protocol/index.ts';
import { findSchemaFault } from '../tools/structured-output/synthetic-output-schema.ts';
import type { WorkflowProgram } from './journal-records.ts';
import type { WorkflowScript } from './read-script.ts';
import type { AgentCallOptions, RunPort } from './run-port.ts';
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

const maxTimeoutMs = 24 * 60 * 60 * 1000;

/** What a script wrote as the options of `agent()`, checked field by field. Unknown fields are named, not heeded. */
function readCallOptions(given: unknown): Result<{ options: AgentCallOptions; ignored: string[] }> {
  if (given === undefined || given === null) return ok({ options: {}, ignored: [] });
  if (!isRecord(given)) return usage('expected an object.');
  const options: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const check = checks.get(name);
    if (!check) ignored.push(name.slice(0, 60));
    else if (value !== undefined && value !== null) {
      const fault = check(value);
      if (fault !== undefined) return usage(`${name}: ${fault}.`);
      options[name] = value;
    }
  }
  return ok({ options: options as AgentCallOptions, ignored });
}

type CheckField = (value: unknown) => string | undefined;

const text: CheckField = (value) => (typeof value === 'string' && value !== '' ? undefined : 'expected text');
const texts: CheckField = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : 'expected a list of text';
const checkChoice =
  (words: readonly string[]): CheckField =>
  (value) =>
    words.includes(value as string) ? undefined : `expected ${words.join(', ')}`;
const milliseconds: CheckField = (value) =>
  typeof value === 'number' && value > 0 && value <= maxTimeoutMs
    ? undefined
    : 'expected milliseconds, at most a day';

const checks: ReadonlyMap<string, CheckField> = new Map<string, CheckField>([
  ...['label', 'phase', 'agentType', 'model', 'system'].map((name): [string, CheckField] => [name, text]),
  ['schema', findSchemaFault],
  ['effort', checkChoice(efforts)],
  ['isolation', checkChoice(['worktree'])],
  ['tools', texts],
  ['hiddenFiles', texts],
  ['timeoutMs', milliseconds],
]);
