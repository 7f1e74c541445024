import { addUsage, noUsage, type Usage } from '../protocol/index.ts';
import { describeStop } from './call-gate.ts';
import { makeCallKey } from './call-key.ts';
import type { AgentCallEnd, AgentCallOptions, RunPort, RunQuestion, RunStep } from './run-port.ts';

/** A call that a program made of a `memoryRun`. */
export interface MemoryCall {
  prompt: string;
  options: AgentCallOptions;
  phase: string | undefined;
}

/** The end of a call, as a script says it: an end without what is usual, or the text of a good one. */
export type ScriptedEnd = string | Partial<AgentCallEnd>;

export interface MemoryRunOptions {
  id?: string;
  signal?: AbortSignal;
  /** Ends by the order of calls, or by the call. A call without one fails. */
  ends?: readonly ScriptedEnd[] | ((call: MemoryCall, index: number) => ScriptedEnd | Promise<ScriptedEnd>);
  answers?: readonly string[];
}

export interface MemoryRun extends RunPort {
  readonly calls: readonly MemoryCall[];
  readonly logged: readonly string[];
  readonly asked: readonly RunQuestion[];
}

/** The twin of a run for tests of programs: nothing is started and nothing is kept. */
export function memoryRun(options: MemoryRunOptions = {}): MemoryRun {
  const { id = 'rmemory', signal = new AbortController().signal, ends = [], answers = [] } = options;
  const calls: MemoryCall[] = [];
  const logged: string[] = [];
  const asked: RunQuestion[] = [];
  let phase: string | undefined;
  let spent: Usage = noUsage;
  const findEnd = async (call: MemoryCall, index: number): Promise<ScriptedEnd> =>
    typeof ends === 'function' ? ends(call, index) : (ends[index] ?? noEnd);
  return {
    ...{ id, signal, calls, logged, asked },
    async agent(prompt, given = {}) {
      const key = typeof prompt === 'string' && prompt.trim() !== '' ? makeCallKey(prompt, given) : undefined;
      if (!key?.ok)
        return build({ outcome: 'refused', reason: key?.problem.message ?? 'prompt: expected text.' });
      if (signal.aborted)
        return build({ outcome: 'interrupted', reason: describeStop(signal), verdict: 'HALTED' });
      const call = { prompt, options: given, phase: given.phase ?? phase };
      const index = calls.push(call) - 1;
      const end = build(await findEnd(call, index));
      spent = addUsage(spent, end.usage);
      return end;
    },
    step: async <T>({ work }: RunStep<T>) => work(signal),
    async ask(question) {
      asked.push(question);
      return answers[asked.length - 1];
    },
    phase(name) {
      phase = name;
    },
    log: (text) => void logged.push(text),
    spent: () => spent,
  };
}

const noEnd: ScriptedEnd = { outcome: 'failed', reason: 'The script of this run has no end for the call.' };

function build(end: ScriptedEnd): AgentCallEnd {
  const given = typeof end === 'string' ? { text: end } : end;
  const outcome = given.outcome ?? 'ok';
  return {
    ...{ text: '', usage: noUsage, verdict: 'EXECUTED', outcome },
    ...(outcome === 'ok' ? { value: given.text ?? '' } : {}),
    ...given,
  };
}
