import { describe, expect, test } from 'bun:test';
import { loadBuiltInLibrary } from '../../src/handoffs/load-library.ts';
import { readPatternFile } from '../../src/handoffs/pattern-file.ts';
import { runPattern } from '../../src/handoffs/run-pattern.ts';
import { answerByPhase, builtInSetup, fakeRun, research, validated } from './support.ts';

async function read(source: string) {
  return readPatternFile('p.yaml', source, await loadBuiltInLibrary());
}

const yaml = `version: 1
name: careful
constraints: [No new dependencies.]
run:
  chain:
    - branch:
        simple: quick-writer
        complex:
          chain: [researcher, { phase: writer, model: opus, timeout_seconds: 60 }]
    - parallel:
        types: { phase: parallel-executor, checks: [types], label: types }
        tests: validator
`;

describe('HO3 a pattern from a file', () => {
  test('YAML and JSON describe the same composition', async () => {
    const json = JSON.stringify({
      version: 1,
      run: { chain: ['researcher', { phase: 'writer', label: 'writing' }, { parallel: { a: 'validator' } }] },
    });
    for (const [source, roles] of [
      [yaml, ['analyzer', 'researcher', 'writer', 'types', 'validator']],
      [json, ['researcher', 'writing', 'validator']],
    ] as const) {
      const file = await read(source);
      if (!file.ok) throw new Error(file.problem.message);
      const run = fakeRun((call) => {
        if (call.label === 'types') return { answer: validated };
        const sized = { ...research, findings: { ...research.findings, complexity: 'complex' } };
        return call.label === 'analyzer'
          ? { answer: sized }
          : answerByPhase({ ...call, phase: rename(call.label) });
      });
      const task = { feature: 'Go.', ...file.value.task };
      const result = await runPattern(run, file.value.pattern, { task, setup: await builtInSetup() });
      expect(result.outcome).toBe('complete');
      expect(run.calls.map(({ label }) => label ?? '')).toEqual([...roles]);
    }
  });

  test('options of a phase and constraints of the file reach the call', async () => {
    const file = await read(
      'version: 1\nconstraints: [Be brief.]\nrun: { phase: writer, model: opus, timeout_seconds: 60 }',
    );
    if (!file.ok) throw new Error(file.problem.message);
    const run = fakeRun(answerByPhase);
    await runPattern(run, file.value.pattern, {
      task: { feature: 'x', ...file.value.task },
      setup: await builtInSetup(),
    });
    expect(run.calls[0]).toMatchObject({ model: 'opus', timeoutMs: 60_000 });
    expect(run.calls[0]?.prompt).toContain('Be brief.');
  });

  test.each([
    ['run: researcher', 'p.yaml:1: version: '],
    [
      'version: 1\nrun:\n  chain:\n    - reseacher',
      'p.yaml:4: run.chain.0: Unknown template "reseacher". Did you mean researcher?',
    ],
    [
      'version: 1\nrun:\n  chain:\n    - phase: writer\n      timeout_seconds: soon',
      'p.yaml:5: run.chain.0.timeout_seconds: ',
    ],
    ['version: 1\nrun:\n  chain: []', 'p.yaml:3: run.chain: '],
    ['version: 1\nrun:\n  parallel: {}', 'p.yaml:3: run.parallel: expected 1 to 50 members'],
    [
      `version: 1\nrun: { parallel: { ${Array.from({ length: 51 }, (_, at) => `m${at}: validator`).join(', ')} } }`,
      'p.yaml:2: run.parallel: expected 1 to 50 members',
    ],
    [
      'version: 1\nrun:\n  loop: []',
      'p.yaml:3: run: expected the name of a role, or one of phase, chain, parallel and branch',
    ],
    ['version: 1\nrun:\n  branch:\n    simple: writer', 'p.yaml:4: run.branch.complex: '],
    [
      'version: 1\nrun:\n  branch: { analyze: researcher, simple: writer, complex: writer }',
      'p.yaml:3: run.branch.analyze: expected the role analyzer',
    ],
    ['version: 1\nrun: writer\nsteps: []', 'p.yaml:1: Unrecognized key: "steps"'],
    ['version: 1\nrun: [writer', 'p.yaml:2: not valid YAML or JSON'],
    ['&a [*a, *a]', 'p.yaml'],
    [`version: 1\nrun: ${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'p.yaml: nested more than 50 deep'],
  ])('%# is refused with file, line and field', async (source, message) => {
    const file = await read(source);
    expect(!file.ok && file.problem.kind).toBe('usage');
    expect(file.ok ? '' : file.problem.message).toContain(message);
  });
});

test('HO3 a field named __proto__ in a pattern file is refused with its line, and not dropped', async () => {
  const source = 'version: 1\nname: a\nrun:\n  parallel:\n    one: validator\n    __proto__: writer\n';
  for (const given of [source, '{"version":1,"name":"a","__proto__":{"x":1},"run":"writer"}']) {
    const file = await read(given);
    expect(file.ok ? '' : file.problem.message).toMatch(
      /^p\.yaml:[16]: "__proto__" cannot be the name of a field\.$/,
    );
  }
});

function rename(label = ''): string {
  return label.startsWith('writ') ? 'writer' : label;
}
