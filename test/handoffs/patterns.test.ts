import { describe, expect, test } from 'bun:test';
import { branch, branchBySize } from '../../src/handoffs/branch.ts';
import { chain } from '../../src/handoffs/chain.ts';
import { parallel } from '../../src/handoffs/parallel.ts';
import type { Pattern } from '../../src/handoffs/pattern.ts';
import { phase } from '../../src/handoffs/phase.ts';
import { builtInPatterns } from '../../src/handoffs/programs.ts';
import { runPattern } from '../../src/handoffs/run-pattern.ts';
import type { ValidateFindings, WriteFindings } from '../../src/handoffs/schema.ts';
import {
  answerByPhase,
  builtInSetup,
  fakeRun,
  research,
  type Scripted,
  validated,
  written,
} from './support.ts';

const task = { feature: 'Add a login.', constraints: ['Keep the API.'] };
const threePhases = builtInPatterns.chain.build;

async function start<F>(pattern: Pattern<F>, script: Scripted, answers: string[] = []) {
  const run = fakeRun(script, answers);
  const result = await runPattern(run, pattern, { task, setup: await builtInSetup() });
  return { run, result, roles: run.calls.map(({ label }) => label) };
}

/** The request that a call was given. */
function readRequest(prompt: string | undefined) {
  const [, json = '{}'] = /<cadre-handoff>\n(.*)\n<\/cadre-handoff>/.exec(prompt ?? '') ?? [];
  return JSON.parse(json);
}

const failed = { check: 'tests', passed: false };
const failing = {
  ...validated,
  decision: 'STOP',
  reason: 'A test fails.',
  findings: {
    checks: {
      ...validated.findings.checks,
      tests: { passed: false, coverage: null, failures: ['login fails'] },
    },
  },
  context_summary: 'login() returns undefined.',
};

/** Answers by role; a list is used up, its last entry stays. */
function byRole(answers: Record<string, unknown>): Scripted {
  const used = new Map<string, number>();
  return (call) => {
    const label = call.label ?? '';
    const given = answers[label];
    if (given === undefined) return answerByPhase(call);
    const at = used.get(label) ?? 0;
    used.set(label, at + 1);
    const value = Array.isArray(given) ? (given[at] ?? given.at(-1)) : given;
    return isEnd(value) ? value : { answer: value };
  };
}

function isEnd(value: unknown): value is { outcome: 'failed'; timedOut: true } {
  return typeof value === 'object' && value !== null && 'outcome' in value;
}

describe('HO3 a chain', () => {
  test('runs its phases in order, each with the summary of the one before', async () => {
    const { result, roles, run } = await start(threePhases(), answerByPhase);
    expect(result).toMatchObject({ outcome: 'complete', decision: 'PROCEED' });
    expect(roles).toEqual(['researcher', 'writer', 'validator']);
    expect(run.calls.map(({ prompt }) => readRequest(prompt).task_id)).toEqual([
      '1-researcher',
      '2-writer',
      '3-validator',
    ]);
    // The compiler knows what the last phase found.
    const findings: ValidateFindings | undefined = result.findings;
    expect(findings?.checks.types.passed).toBe(true);
  });

  test('HO5 hands on the summary and the typed fields, and nothing else', async () => {
    const { run } = await start(threePhases(), answerByPhase);
    const [first, second, third] = run.calls.map(({ prompt }) => readRequest(prompt).context);
    expect(first).not.toHaveProperty('previous_findings');
    expect(second.previous_findings).toEqual({ summary: research.context_summary });
    expect(third.previous_findings).toEqual({
      summary: written.context_summary,
      files_changed: written.findings.files_changed,
    });
    expect(run.calls[1]?.prompt).not.toContain('reads tokens');
    expect([first, second, third].map(({ constraints }) => constraints)).toEqual([
      task.constraints,
      task.constraints,
      task.constraints,
    ]);
  });
});

describe('HO3 in parallel', () => {
  const four = builtInPatterns.parallel.build;

  test('all proceed: findings are kept by name, with haiku', async () => {
    const { result, run } = await start(four(), () => ({ answer: { ...validated, issues: ['slow'] } }));
    expect(result.outcome).toBe('complete');
    expect(Object.keys(result.findings ?? {})).toEqual(['types', 'lint', 'tests', 'security']);
    expect(result.issues).toEqual(['types: slow', 'lint: slow', 'tests: slow', 'security: slow']);
    expect(new Set(run.calls.map(({ model }) => model))).toEqual(new Set(['haiku']));
  });

  test('members run at the same time', async () => {
    const waiting: (() => void)[] = [];
    const run = fakeRun(() => ({ answer: validated }));
    const { agent } = run;
    run.agent = async (...given) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 4) for (const go of waiting) go();
      });
      return agent(...given);
    };
    const result = await runPattern(run, four(), { task, setup: await builtInSetup() });
    expect(result.outcome).toBe('complete');
  });

  test('one that stops stops the whole, after the others have ended', async () => {
    const { result, run } = await start(
      four(),
      byRole({ tests: failing, lint: validated, types: validated, security: validated }),
    );
    expect(result).toMatchObject({
      outcome: 'validation_failed',
      decision: 'STOP',
      reason: 'tests: A test fails.',
    });
    expect(result.failed_checks).toEqual([{ check: failed.check, errors: ['login fails'] }]);
    expect(run.calls).toHaveLength(4);
  });

  test('questions of members are joined, and each member gets its own answers', async () => {
    const asks = (question: string) => [
      { ...research, decision: 'CLARIFY', questions: [question] },
      research,
    ];
    const two = parallel({
      a: phase('researcher', { label: 'research a' }),
      b: phase('researcher', { label: 'research b' }),
    });
    const script = byRole({ 'research a': asks('Which database?'), 'research b': asks('Which port?') });
    const { result, run } = await start(two, script, ['Postgres', '8080']);
    expect(result.outcome).toBe('complete');
    expect(run.questions.map(({ text }) => text)).toEqual(['Which database?', 'Which port?']);
    expect(
      run.calls.slice(2).map(({ prompt }) => readRequest(prompt).context.previous_findings.answers),
    ).toEqual([
      [{ question: 'Which database?', answer: 'Postgres' }],
      [{ question: 'Which port?', answer: '8080' }],
    ]);
  });
});

describe('HO3 a branch', () => {
  const sized = (complexity: string) => ({ ...research, findings: { ...research.findings, complexity } });

  test.each([
    ['simple', ['analyzer', 'quick-writer']],
    ['complex', ['analyzer', 'researcher', 'architect', 'writer']],
  ])('%s: %p', async (complexity, expected) => {
    const { result, roles } = await start(
      builtInPatterns.branch.build(),
      byRole({ analyzer: sized(complexity), architect: research }),
    );
    expect(roles).toEqual(expected);
    const findings: WriteFindings | undefined = result.findings;
    expect(findings).toEqual(written.findings as WriteFindings);
  });

  test('patterns combine: a chain of a branch and of checks in parallel, whose writer is the one that ran', async () => {
    const whole = chain(
      branchBySize(phase('analyzer'), { simple: phase('quick-writer'), complex: phase('writer') }),
      parallel({
        tests: phase('validator', { label: 'tests' }),
        style: phase('validator', { label: 'style' }),
      }),
    );
    const { result, roles } = await start(
      whole,
      byRole({ analyzer: sized('simple'), tests: [failing, validated], style: validated }),
    );
    expect(result.findings?.tests.checks.tests.passed).toBe(true);
    expect(roles).toEqual(['analyzer', 'quick-writer', 'tests', 'style', 'quick-writer', 'tests', 'style']);
  });

  test('a program chooses by findings of its own', async () => {
    const pattern = branch(
      phase('researcher'),
      ({ conflicts }) => (conflicts.length > 0 ? 'careful' : 'direct'),
      {
        careful: phase('architect'),
        direct: phase('writer'),
      },
    );
    const { roles } = await start(pattern, answerByPhase);
    expect(roles).toEqual(['researcher', 'writer']);
  });
});

const timeout = {
  outcome: 'failed',
  timedOut: true,
  text: 'I was reading src/auth.ts.',
  reason: 'time limit',
};

describe('HO4 failures', () => {
  test('a timeout is tried once more with a simplified request', async () => {
    const { result, run } = await start(threePhases(), byRole({ researcher: [timeout, research] }));
    expect(result.outcome).toBe('complete');
    expect(readRequest(run.calls[1]?.prompt)).toMatchObject({
      task_id: '1-researcher-short',
      instructions: expect.stringContaining('most important part'),
      context: { constraints: task.constraints },
    });
  });

  test('after a second timeout the user gets what is known; without one the run ends with it', async () => {
    const { result, run } = await start(threePhases(), byRole({ writer: timeout }));
    expect(result).toMatchObject({
      outcome: 'timed_out',
      decision: 'STOP',
      suggestion: expect.stringContaining('split the task'),
    });
    expect(result.issues[0]).toContain('I was reading src/auth.ts.');
    expect(result.phases.map(({ label, status }) => `${label} ${status}`)).toEqual([
      'researcher complete',
      'writer partial',
      'writer partial',
    ]);
    expect(run.questions).toEqual([
      { text: expect.stringContaining(research.context_summary), choices: ['Try again', 'Stop here'] },
    ]);
  });

  test('a user who lets it try again after timeouts gets the rest of the chain', async () => {
    const { result, roles } = await start(threePhases(), byRole({ writer: [timeout, timeout, written] }), [
      'Try again',
    ]);
    expect(result.outcome).toBe('complete');
    expect(roles).toEqual(['researcher', 'writer', 'writer', 'writer', 'validator']);
  });

  test('STOP halts with the reason and a suggestion, and nobody is asked', async () => {
    const stop = { ...research, decision: 'STOP', reason: 'src/auth.ts already does it.' };
    const { result, roles, run } = await start(threePhases(), byRole({ researcher: stop }));
    expect(result).toMatchObject({
      outcome: 'stopped',
      reason: 'src/auth.ts already does it.',
      suggestion: 'Use src/auth.ts.',
    });
    expect(roles).toEqual(['researcher']);
    expect(run.questions).toEqual([]);
  });

  const clarify = { ...research, decision: 'CLARIFY', questions: ['Which provider?', 'Which port?'] };

  test('CLARIFY: the user answers, and the phase that asked runs again with the answers', async () => {
    const { result, run, roles } = await start(threePhases(), byRole({ researcher: [clarify, research] }), [
      'GitHub',
      '80',
    ]);
    expect(result.outcome).toBe('complete');
    expect(roles).toEqual(['researcher', 'researcher', 'writer', 'validator']);
    const [, again, writer] = run.calls.map(({ prompt }) => readRequest(prompt).context.previous_findings);
    expect(again.answers).toEqual([
      { question: 'Which provider?', answer: 'GitHub' },
      { question: 'Which port?', answer: '80' },
    ]);
    expect(writer).not.toHaveProperty('answers');
    // Open questions: the user answers in their own words.
    expect(run.questions.map(({ choices }) => choices)).toEqual([[], []]);
  });

  test('CLARIFY where no one can answer ends as needing answers, with the questions and how to answer', async () => {
    const { result, roles } = await start(threePhases(), byRole({ researcher: clarify }));
    expect(result).toMatchObject({
      outcome: 'needs_answers',
      decision: 'CLARIFY',
      questions: clarify.questions,
      suggestion: expect.stringContaining('Answer the questions in the task'),
    });
    expect(roles).toEqual(['researcher']);
  });

  test('an agent that asks without end is not asked about without end', async () => {
    const answers = Array.from({ length: 100 }, () => 'yes');
    const { result, run } = await start(threePhases(), byRole({ researcher: clarify }), answers);
    expect(result.outcome).toBe('needs_answers');
    expect(run.calls).toHaveLength(11);
  });

  test('a failed validation calls the writer again with the failures, then the validator', async () => {
    const { result, run, roles } = await start(threePhases(), byRole({ validator: [failing, validated] }));
    expect(result.outcome).toBe('complete');
    expect(roles).toEqual(['researcher', 'writer', 'validator', 'writer', 'validator']);
    const { task_id, context } = readRequest(run.calls[3]?.prompt);
    expect(task_id).toBe('3.fix1-writer');
    expect(context.relevant_files).toEqual(['src/login.ts']);
    expect(context.previous_findings).toEqual({
      summary: `Change: ${written.context_summary}\nValidation: ${failing.context_summary}`,
      failed_checks: [{ check: 'tests', errors: ['login fails'] }],
    });
  });

  test('after two rewrites the user decides, with everything known so far', async () => {
    const { result, run, roles } = await start(threePhases(), byRole({ validator: failing }));
    expect(result).toMatchObject({
      outcome: 'validation_failed',
      reason: 'The validation still fails after 2 rewrites: A test fails.',
    });
    expect(result.failed_checks).toEqual([{ check: 'tests', errors: ['login fails'] }]);
    expect(roles.filter((role) => role === 'writer')).toHaveLength(3);
    expect(run.questions[0]?.text).toContain('login fails');
    expect(run.questions[0]?.text).toContain(research.context_summary);
  });

  test('what the user says then is handed to the writer', async () => {
    const answers = byRole({ validator: [failing, failing, failing, validated] });
    const { result, run } = await start(threePhases(), answers, ['Use bcrypt.']);
    expect(result.outcome).toBe('complete');
    const writers = run.calls.filter(({ label }) => label === 'writer');
    expect(readRequest(writers.at(-1)?.prompt).context.constraints).toContain('The user adds: Use bcrypt.');
  });

  test('an answer that is twice not valid ends as blocked, and says where the raw answer is', async () => {
    const { result } = await start(threePhases(), byRole({ writer: 'prose' }));
    expect(result).toMatchObject({ outcome: 'blocked', raw_answer: 'run-1/raw/2-writer' });
  });

  test.each([
    ['over_budget', 'over_budget'],
    ['interrupted', 'interrupted'],
    ['skipped', 'skipped'],
    ['refused', 'failed'],
  ])('a call that ends as %s ends the pattern, and nobody is asked', async (outcome, expected) => {
    const { result, run } = await start(threePhases(), byRole({ writer: { outcome, reason: 'because' } }));
    expect(result).toMatchObject({ outcome: expected, reason: 'writer: because.' });
    expect(run.questions).toEqual([]);
  });
});
