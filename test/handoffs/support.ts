import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadBuiltInLibrary, loadLibrary } from '../../src/handoffs/load-library.ts';
import type { HandoffSetup } from '../../src/handoffs/setup.ts';
import type { Usage } from '../../src/protocol/index.ts';
import { openTrust } from '../../src/settings/trust.ts';
import type { AgentCallEnd, AgentCallOptions, RunPort, RunQuestion } from '../../src/workflows/run-port.ts';

export interface Called extends AgentCallOptions {
  prompt: string;
}

/** The answer of one call: a value for the structured answer, or a whole end. */
export type Scripted = (call: Called, index: number) => { answer: unknown } | Partial<AgentCallEnd>;

export interface FakeRun extends RunPort {
  calls: Called[];
  steps: { name: string; input: unknown; value: unknown }[];
  questions: RunQuestion[];
  lines: string[];
}

export const someUsage: Usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** A run that starts no agents: `script` says how each call ends, `answers` what the user says. */
export function fakeRun(script: Scripted, answers: (string | undefined)[] = []): FakeRun {
  const calls: Called[] = [];
  const steps: FakeRun['steps'] = [];
  const questions: RunQuestion[] = [];
  const lines: string[] = [];
  return {
    id: 'run-1',
    signal: new AbortController().signal,
    calls,
    steps,
    questions,
    lines,
    async agent(prompt, options = {}) {
      const index = calls.length;
      calls.push({ prompt, ...options });
      const given = script({ prompt, ...options }, index);
      const common = { text: '', usage: someUsage, verdict: 'EXECUTED', agentId: `agent-${index}` } as const;
      if (!('answer' in given)) return { outcome: 'failed', ...common, ...given };
      return { outcome: 'ok', ...common, value: given.answer, text: JSON.stringify(given.answer) };
    },
    async step({ name, input, work }) {
      const value = await work(new AbortController().signal);
      steps.push({ name, input, value });
      return value;
    },
    async ask(question) {
      questions.push(question);
      return answers.shift();
    },
    phase() {},
    log: (text) => void lines.push(text),
    spent: () => someUsage,
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
