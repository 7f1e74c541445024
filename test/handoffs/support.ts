import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadBuiltInLibrary, loadLibrary } from '../../src/handoffs/load-library.ts';
import type { HandoffSetup } from '../../src/handoffs/setup.ts';
import type { Usage } from '../../src/protocol/index.ts';
import { openTrust } from '../../src/settings/trust.ts';
import { memoryRun } from '../../src/workflows/memory-run.ts';
import type { AgentCallEnd, AgentCallOptions, RunPort, RunQuestion } from '../../src/workflows/run-port.ts';

export interface Called extends AgentCallOptions {
  prompt: string;
}

/** The answer of one call: a value for the structured answer, or a whole end. */
export type Scripted = (call: Called, index: number) => { answer: unknown } | Partial<AgentCallEnd>;

export interface FakeRun extends RunPort {
  calls: Called[];
  steps: { name: string; input: unknown; value: unknown }[];
  questions: readonly RunQuestion[];
}

export const someUsage: Usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** A run that starts no agents: `script` says how each call ends, `answers` what the user says. */
export function fakeRun(script: Scripted, answers: readonly string[] = []): FakeRun {
  const calls: Called[] = [];
  const steps: FakeRun['steps'] = [];
  const run = memoryRun({
    id: 'run-1',
    answers,
    ends({ prompt, options }, index) {
      const call = { prompt, ...options };
      calls.push(call);
      const given = script(call, index);
      const common = { usage: someUsage, agentId: `agent-${index}` };
      if (!('answer' in given)) return { outcome: 'failed', ...common, ...given };
      return { ...common, value: given.answer, text: JSON.stringify(given.answer) };
    },
  });
  return {
    ...run,
    calls,
    steps,
    questions: run.asked,
    async step(step) {
      const value = await run.step(step);
      steps.push({ name: step.name, input: step.input, value });
      return value;
    },
  };
}

export const research = {
  status: 'complete',
  decision: 'PROCEED',
  findings: {
    existing_implementations: [{ path: 'src/auth.ts', summary: 'reads tokens' }],
    conflicts: [],
    patterns_found: [],
    recommendations: ['Use src/auth.ts.'],
  },
  context_summary: 'Tokens are read in src/auth.ts.',
};

export const written = {
  status: 'complete',
  decision: 'PROCEED',
  findings: {
    files_changed: [{ path: 'src/login.ts', change: 'created' }],
    tests_written: ['test/login.ts'],
  },
  context_summary: 'login() is in src/login.ts.',
};

const passed = { passed: true, errors: [] };

export const allPassed = {
  types: passed,
  lint: passed,
  tests: { passed: true, coverage: 90, failures: [] },
  security: { passed: true, issues: [] },
};

export const validated = {
  status: 'complete',
  decision: 'PROCEED',
  findings: { checks: allPassed, explanations: [] },
  context_summary: 'All checks pass.',
};

/** The same agent's answer by the phase that its schema is for. */
export function answerByPhase({ phase = '' }: Called): { answer: unknown } {
  return { answer: phase.includes('research') ? research : phase.includes('writ') ? written : validated };
}

export async function builtInSetup(more: Partial<HandoffSetup> = {}): Promise<HandoffSetup> {
  return { library: await loadBuiltInLibrary(), ...more };
}

/** A repository, a home and a user's home below one directory, with files in them. */
export function placeFiles(directory: string, files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [root, home] = [join(directory, 'repo'), join(directory, 'home/.cadre')];
  mkdirSync(root, { recursive: true });
  return {
    root,
    load: (trusts: boolean) =>
      loadLibrary({
        ...{ cwd: root, root, home, userHome: join(directory, 'home'), managedDirectories: [] },
        trust: openTrust({ home, root, everything: trusts }),
      }),
  };
}
