import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PatternResult } from '../../src/handoffs/run-pattern.ts';
import { type Model, type ModelRequest, textOf, totalTokens } from '../../src/protocol/index.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { openSession } from '../../src/session/open.ts';
import type { Session } from '../../src/session/session.ts';
import { createLayout } from '../../src/store/layout.ts';
import { call, type FixedTurn, say, scriptedModel } from '../../src/testing/index.ts';
import { research, validated, written } from '../handoffs/support.ts';
import { follow, type Place, place } from './support.ts';

/** Which phase asks, and its how many-th request it is. */
interface Asked {
  role: 'researcher' | 'writer' | 'validator' | 'lead';
  turn: number;
}

const roles = {
  researcher: 'You research one task',
  writer: 'You implement one task',
  validator: 'You validate a change',
};

function readAsker({ system, messages }: ModelRequest): Asked {
  const text = JSON.stringify(system);
  const [role] = Object.entries(roles).find(([, words]) => text.includes(words)) ?? ['lead'];
  return { role: role as Asked['role'], turn: messages.filter((one) => one.role === 'assistant').length };
}

/** Counts what the provider reports, by phase: outside of everything that reports it later. */
function countUsage(model: Model, counted: Record<string, number>): Model {
  return {
    ...model,
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) {
        const { role } = readAsker(request);
        if (event.type === 'response_ended')
          counted[role] = (counted[role] ?? 0) + totalTokens(event.message.usage);
        yield event;
      }
    },
  };
}

async function open(at: Place, reply: (asked: Asked, request: ModelRequest) => FixedTurn, options = {}) {
  mkdirSync(at.cwd, { recursive: true });
  const model = scriptedModel((request) => reply(readAsker(request), request));
  const counted: Record<string, number> = {};
  const opened = await openSession({
    ...{ cwd: at.cwd, environment: at.environment, model: countUsage(model, counted), sandbox: false },
    // Asks about nothing: what is refused is refused by the hand-off itself.
    ...{ permissionMode: 'bypassPermissions', allowBypass: true },
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return { ...follow(opened.value, model), counted };
}

async function start(session: Session, wish: { name?: string; file?: string; args?: unknown }) {
  const task = await session.spawn({ kind: 'local_workflow', ...wish });
  if (!task.ok) return task.problem.message;
  const end = await session.workflows().ended(task.value.id);
  return end?.status === 'completed' ? (end.value as PatternResult) : (end?.reason ?? 'no end');
}

/** The harness runs the checks: a validator only explains them. */
const explained = { ...validated, findings: { explanations: [] } };
const answers = { researcher: research, writer: written, validator: explained };
const answer = ({ role }: Asked) =>
  role === 'lead' ? say('Noted.') : call('SyntheticOutput', answers[role]);

test('HO5 HO6 a chain on the wire: isolated phases, held profiles, hidden files, figures of the provider', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, '.env'), 'PASSWORD=swordfish-of-the-env\n');
  writeFileSync(join(at.cwd, 'notes.txt'), 'raw-material-of-the-research\n');
  const looks = [
    call('Read', { file_path: join(at.cwd, '.env') }),
    call('Grep', { pattern: 'PASSWORD', output_mode: 'content' }),
    call('Bash', { command: 'cat .env' }),
    call('Write', { file_path: join(at.cwd, 'new.txt'), content: 'x' }),
    call('Read', { file_path: join(at.cwd, 'notes.txt') }),
  ];
  const { session, model, counted } = await open(at, (asked) =>
    asked.role === 'researcher' ? (looks[asked.turn] ?? answer(asked)) : answer(asked),
  );
  const result = await start(session, { name: 'chain', args: 'Add a login.' });
  await session.close();
  if (typeof result === 'string') throw new Error(result);
  expect(result).toMatchObject({ outcome: 'complete', checked: false });
  const sent = (role: string) => JSON.stringify(model.requests.filter((one) => readAsker(one).role === role));
  expect(sent('researcher')).toContain('raw-material-of-the-research');
  expect(JSON.stringify(model.requests)).not.toContain('swordfish-of-the-env');
  for (const later of ['writer', 'validator'])
    expect(sent(later)).not.toContain('raw-material-of-the-research');
  expect(sent('writer')).toContain(research.context_summary);
  expect(sent('validator')).not.toContain(research.context_summary);
  const [first] = model.requests.filter((one) => readAsker(one).role === 'researcher');
  const offered = first?.tools.map(({ name }) => name) ?? [];
  expect(['Bash', 'Write', 'Edit'].filter((name) => offered.includes(name))).toEqual([]);
  // What each look came to, in order: the last one alone may be made.
  const results = listResults(model.requests.filter((one) => readAsker(one).role === 'researcher').at(-1));
  expect(results.map(({ isError }) => isError)).toEqual([true, false, true, true, false]);
  expect(existsSync(join(at.cwd, 'new.txt'))).toBe(false);
  const { basis, phases } = result.savings;
  expect(basis).toBe('requests');
  expect(phases.map(({ label, used }) => [label, used])).toEqual(
    (['researcher', 'writer', 'validator'] as const).map((role) => [role, counted[role] ?? 0]),
  );
  expect(phases[0]?.used).toBeGreaterThan(phases[1]?.used ?? 0);
});

function listResults(request: ModelRequest | undefined) {
  return (request?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_result' ? [{ isError: block.is_error === true, text: textOf(block.content) }] : [],
    ),
  );
}

/** Each: a project whose own check runs a test, a wrong program and a right one. */
const projects = {
  JavaScript: {
    files: {
      'package.json': '{ "scripts": { "test": "node sum.test.js" } }',
      'sum.test.js': "if (require('./sum.js')(2, 3) !== 5) throw new Error('2 + 3 is not 5');\n",
    },
    program: 'sum.js',
    wrong: 'module.exports = (a, b) => a - b;\n',
    right: 'module.exports = (a, b) => a + b;\n',
  },
  C: {
    files: {
      Makefile: 'test:\n\tcc -o sum sum.c test.c && ./sum\n',
      'test.c': `#include <stdio.h>\nint sum(int, int);\nint main(void) { return sum(2, 3) == 5 ? 0 : (puts("2 + 3 is not 5"), 1); }\n`,
    },
    program: 'sum.c',
    wrong: 'int sum(int a, int b) { return a - b; }\n',
    right: 'int sum(int a, int b) { return a + b; }\n',
  },
  shell: {
    files: {
      Makefile: 'test:\n\tsh test.sh\n',
      'test.sh': '[ "$(sh sum.sh 2 3)" = 5 ] || { echo "2 + 3 is not 5"; exit 1; }\n',
    },
    program: 'sum.sh',
    wrong: 'echo $(($1 - $2))\n',
    right: 'echo $(($1 + $2))\n',
  },
};

test.each(Object.entries(projects))(
  'HO4 HO7 HO8 a test that really fails (%s) brings the writer back; its second try passes, and its claims are confirmed',
  async (_, { files, program, wrong, right }) => {
    const at = place();
    mkdirSync(at.cwd, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
    let tries = 0;
    const claims = [
      { kind: 'file', path: program, expect: 'changed' },
      { kind: 'file', path: 'never-touched', expect: 'changed' },
    ];
    const findings = { files_changed: [{ path: program, change: 'modified' }], tests_written: [] };
    const { session, model } = await open(at, (asked) => {
      if (asked.role !== 'writer') return answer(asked);
      const file_path = join(at.cwd, program);
      // A file that exists is read before it is replaced.
      if (asked.turn === 0) return call('Read', { file_path });
      if (asked.turn === 2)
        return call('SyntheticOutput', {
          ...written,
          findings,
          claims: claims.slice(0, tries === 1 ? 2 : 1),
        });
      tries++;
      return call('Write', { file_path, content: tries === 1 ? wrong : right });
    });
    const result = await start(session, { name: 'chain', args: 'Add up.' });
    await session.close();
    if (typeof result === 'string') throw new Error(result);
    expect(result).toMatchObject({ outcome: 'complete', checked: true });
    expect(result.findings).toMatchObject({ checks: { tests: { passed: true } } });
    const writers = result.phases.filter(({ label }) => label === 'writer');
    expect(writers.map(({ judged }) => judged?.map(({ verdict }) => verdict))).toEqual([
      ['confirmed', 'contradicted'],
      ['confirmed'],
    ]);
    expect(writers.map(({ status }) => status)).toEqual(['partial', 'complete']);
    const second = model.requests.filter((one) => readAsker(one).role === 'writer').at(-1);
    expect(JSON.stringify(second?.messages[0])).toContain('2 + 3 is not 5');
  },
);

test('HO3 a pattern from a file runs by its path, and is checked before anything starts', async () => {
  const at = place();
  const [good, bad] = [join(at.home, 'two.yaml'), join(at.home, 'bad.yaml')];
  mkdirSync(at.home, { recursive: true });
  writeFileSync(good, 'version: 1\nrun:\n  chain: [researcher, writer]\n');
  writeFileSync(bad, 'version: 1\nrun: reseacher\n');
  const { session, model } = await open(at, answer);
  expect(await start(session, { file: bad, args: 'x' })).toContain('bad.yaml:2: run: Unknown template');
  expect(await start(session, { name: 'chain' })).toBe('chain needs a task.');
  expect(model.requests).toHaveLength(0);
  expect(await start(session, { file: good, args: 'Add a login.' })).toMatchObject({
    outcome: 'complete',
    findings: written.findings,
  });
  await session.close();
});

test('HO1 HO4 a pattern that does not complete never ends its run as completed, and says everything known', async () => {
  const stop = { ...research, decision: 'STOP', reason: 'src/auth.ts already does it.' };
  for (const [turn, words] of [
    [say('I am done.'), ['blocked', '/raw/1-researcher']],
    [call('SyntheticOutput', stop), ['stopped: src/auth.ts already does it.', 'next: Use src/auth.ts.']],
  ] as const) {
    const { session } = await open(place(), () => turn);
    const task = await session.spawn({ kind: 'local_workflow', name: 'chain', args: 'Add a login.' });
    const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
    await session.close();
    expect(end?.status).toBe('failed');
    for (const word of words) expect(end?.reason).toContain(word);
  }
});

async function verify(at: Place, runId: string) {
  const found = await locateRun(createLayout(at.home), at.cwd, runId);
  if (!found.ok) throw new Error(found.problem.message);
  return verifyRun(found.value);
}

test('HO8 G12 a pattern with claims that do not hold ends as partial, and its run is verified with its agents', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  for (const [name, text] of Object.entries(projects.shell.files)) writeFileSync(join(at.cwd, name), text);
  writeFileSync(join(at.cwd, projects.shell.program), projects.shell.right);
  const tested = { kind: 'check', expect: 'tests passed' };
  const made = { kind: 'file', path: 'ghost.sh', expect: 'created' };
  const { session } = await open(at, (asked) => {
    if (asked.role === 'researcher') return answer(asked);
    const claims = asked.role === 'writer' ? [tested, made] : [tested];
    return call('SyntheticOutput', { ...answers[asked.role as 'writer'], claims });
  });
  const task = await session.spawn({ kind: 'local_workflow', name: 'chain', args: 'Add up.' });
  const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
  await session.close();
  const result = end?.value as PatternResult;
  expect([end?.status, result.outcome, result.reason]).toEqual([
    'partial',
    'partial',
    '2 claims of writer are not confirmed by the records.',
  ]);
  expect(result.issues.join()).toContain('writer: claim contradicted: file ghost.sh created');
  // The harness ran the tests for the validator: what it says about them is true.
  expect(result.phases.at(-1)?.judged).toMatchObject([{ verdict: 'confirmed' }]);
  expect(end?.summary).toStartWith('partial: 2 claims of writer');

  const runId = end?.runId ?? '';
  const verified = await verify(at, runId);
  expect(verified).toMatchObject({ ok: false, faults: [] });
  expect(verified.files.flatMap(({ faults }) => faults)).toEqual([]);
  expect(verified.reports.map(({ claims }) => claims.map(({ verdict }) => verdict))).toEqual([
    ['unsupported', 'contradicted'],
    ['confirmed'],
  ]);
  // As if the process had been killed before the session's own transcript was anchored: no fault, and no evidence.
  const anchors = readdirSync(join(at.home, 'anchors')).map((name) => join(at.home, 'anchors', name));
  const [kept = ''] = anchors.filter((path) => readFileSync(path, 'utf8').includes('transcript.jsonl'));
  const lines = readFileSync(kept, 'utf8').split('\n');
  writeFileSync(kept, lines.filter((line) => !line.includes('"transcript.jsonl"')).join('\n'));
  const unanchored = await verify(at, runId);
  expect(unanchored.files.flatMap(({ faults }) => faults)).toEqual([]);
  expect(unanchored.files.flatMap(({ notes }) => notes).join()).toContain('killed before the first one');
  expect(unanchored.reports.flatMap(({ claims }) => claims.map(({ verdict }) => verdict))).not.toContain(
    'confirmed',
  );

  const writer = verified.files.find(({ file }) => file.includes(verified.reports[0]?.agentId ?? '-'));
  rmSync(writer?.path ?? '');
  expect((await verify(at, runId)).files.flatMap(({ faults }) => faults)).toEqual([
    'The file is missing or cannot be read.',
  ]);
});

test('HO1 an answer that is twice without the requested form is kept word for word, and corrected rather than made again', async () => {
  const wrong = { ...written, findings: { files_changed: ['sum.js'], tests_written: [] } };
  const { session, model } = await open(place(), (asked) =>
    asked.role === 'writer' ? call('SyntheticOutput', wrong) : answer(asked),
  );
  const task = await session.spawn({ kind: 'local_workflow', name: 'chain', args: 'Add up.' });
  const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
  await session.close();
  expect(end?.status).toBe('failed');
  const corrected = model.requests.filter((one) =>
    JSON.stringify(one.messages[0]).includes('as it was given'),
  );
  expect(JSON.stringify(corrected[0]?.messages[0])).toContain('sum.js');
});

test('HO1 HO4 a chain in which an answer was corrected is completed', async () => {
  let isCorrected = false;
  const { session } = await open(place(), (asked, { messages }) => {
    isCorrected ||= JSON.stringify(messages[0]).includes('its answer is not valid');
    return asked.role === 'researcher' && !isCorrected ? say('It is all there.') : answer(asked);
  });
  const task = await session.spawn({ kind: 'local_workflow', name: 'chain', args: 'Add a login.' });
  const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
  await session.close();
  expect([isCorrected, end?.status, end?.census.outcomes.failed]).toEqual([true, 'completed', 1]);
});

test('G12 a chain whose writer replaced what the failing tests run is partial, and says so', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'Makefile'), 'test:\n\t@echo it fails; exit 1\n');
  const harmless = call('Bash', { command: "printf 'test:\\n\\t@echo all well\\n' > Makefile" });
  const { session } = await open(at, (asked) =>
    asked.role === 'writer' && asked.turn === 0 ? harmless : answer(asked),
  );
  const task = await session.spawn({ kind: 'local_workflow', name: 'chain', args: 'Fix it.' });
  const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
  await session.close();
  expect(end?.status).toBe('partial');
  expect(end?.value).toMatchObject({
    issues: [`validator: tests: ${join(at.cwd, 'Makefile')} test, which says what it does, was changed.`],
  });
});

test('HO2 a broken template is refused before anything starts, also where only a later phase needs it', async () => {
  const at = place();
  const templates = join(at.home, 'sub-agents', 'templates');
  mkdirSync(templates, { recursive: true });
  writeFileSync(join(templates, 'writer.md'), 'no fields\n');
  const { session, model } = await open(at, answer);
  expect(await start(session, { name: 'chain', args: 'Add up.' })).toContain('writer.md:1: profile');
  expect(model.requests).toHaveLength(0);
  await session.close();
});
