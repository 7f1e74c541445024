import { expect, test } from 'bun:test';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { renderRun, renderStatement } from '../../src/receipts/render.ts';
import { makeStatement } from '../../src/receipts/statement.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { createLayout, locateAnchors } from '../../src/store/layout.ts';
import { call, say } from '../../src/testing/index.ts';
import { openStory, type Story } from '../agents/support.ts';
import { git } from '../session/repository.ts';
import { open, type Place } from '../session/support.ts';
import { newRuns, openForTest } from '../workflows/ground.ts';

async function verify(at: Place, sessionId: string) {
  const place = await locateRun(createLayout(at.home), at.cwd, sessionId);
  if (!place.ok) throw new Error(place.problem.message);
  return { place: place.value, run: await verifyRun(place.value) };
}

const agent = '---\nname: worker\ndescription: Works\ntools: Bash, Write, Report\n---\nWork.\n';

/** A lead whose worker makes a file, runs a command and reports three claims: two are true. */
async function report(): Promise<{ story: Story; id: string }> {
  const claims = [
    { kind: 'command', call: 'exit 3', expect: 'exit 3' },
    { kind: 'file', path: 'a.txt', expect: 'created' },
    { kind: 'file', path: 'b.txt', expect: 'created' },
  ];
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'Work', prompt: 'Do it.', subagent_type: 'worker' }), say('Read.')],
      agents: {
        'Do it.': [
          call('Bash', { command: 'exit 3' }),
          call('Write', { file_path: 'a.txt', content: 'new\n' }),
          call('Report', { summary: 'I made both files.', claims }),
          say('Both files are made.'),
        ],
      },
    },
    { permissionMode: 'bypassPermissions', agents: undefined },
    await withAgent(),
  );
  await story.prompt('Go');
  const { id } = story.session.info();
  await story.session.close();
  return { story, id };
}

async function withAgent() {
  const { place } = await import('../session/support.ts');
  const at = place();
  mkdirSync(join(at.home, 'agents'), { recursive: true });
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.home, 'agents', 'worker.md'), agent);
  return at;
}

test("HO8: the verdicts on an agent's claims reach its parent, the host and cadre verify", async () => {
  const { story, id } = await report();
  const [text] = story.results();
  expect(text).toContain('Its claims: 2 of 3 confirmed, 1 contradicted.');
  expect(text).toContain('- contradicted: file b.txt created: No recorded change of');
  expect(story.toolData()[0]).toMatchObject({
    claims: [{ verdict: 'confirmed' }, { verdict: 'confirmed' }, { verdict: 'contradicted' }],
  });
  const { run } = await verify(story.at, id);
  expect(run.files.map(({ faults }) => faults)).toEqual([[], []]);
  expect(run.reports).toMatchObject([
    { claims: [{ verdict: 'confirmed' }, { verdict: 'confirmed' }, { verdict: 'contradicted' }] },
  ]);
  expect(run.ok).toBe(false);
});

test('HO8: a report without claims is labelled unchecked', async () => {
  const story = await openStory({
    lead: [call('Agent', { description: 'Look', prompt: 'Look.' }), say('Done.')],
    agents: { 'Look.': [say('All tests pass.')] },
  });
  await story.prompt('Go');
  expect(story.results()[0]).toStartWith('[Output of a sub-agent, unchecked.');
  expect(story.requestsOf('Look.')[0]?.tools.map(({ name }) => name)).not.toContain('Report');
  await story.session.close();
});

test('HO8: a removed transcript of an agent, and a changed output, are found', async () => {
  const { story, id } = await report();
  const { place } = await verify(story.at, id);
  const folder = join(place.directory, 'subagents');
  const [name = ''] = readdirSync(folder);
  const kept = readFileSync(join(folder, name));
  rmSync(join(folder, name));
  const without = await verifyRun(place);
  expect(without.files[1]).toMatchObject({ file: name, faults: ['The file is missing or cannot be read.'] });
  writeFileSync(join(folder, name), kept);
  const history = join(place.directory, 'file-history');
  for (const file of readdirSync(history)) appendFileSync(join(history, file), 'x');
  expect((await verifyRun(place)).faults[0]).toContain('does not have the hash that is its name');
});

/** A project whose tests fail, and a directory in it whose tests do nothing. */
async function failingProject(): Promise<Place> {
  const at = await withAgent();
  mkdirSync(join(at.cwd, 'decoy'));
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ checks: { tests: 'sh check.sh' } }));
  writeFileSync(join(at.cwd, 'check.sh'), 'exit 1\n');
  writeFileSync(join(at.cwd, 'decoy', 'check.sh'), 'exit 0\n');
  return at;
}

async function verdictsOf(at: Place, turns: ReturnType<typeof call>[]) {
  const claims = [{ kind: 'check', expect: 'tests passed' }];
  const lead = [
    call('Agent', { description: 'Work', prompt: 'Do it.', subagent_type: 'worker' }),
    say('Read.'),
  ];
  const story = await openStory(
    {
      lead,
      agents: { 'Do it.': [...turns, call('Report', { summary: 'It passes.', claims }), say('Done.')] },
    },
    { permissionMode: 'bypassPermissions', agents: undefined },
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  const { run } = await verify(at, story.session.info().id);
  return run.reports[0]?.claims.map(({ verdict }) => verdict);
}

test('HO8: tests that pass in another directory do not confirm that those of the project pass', async () => {
  const decoy = [call('Bash', { command: 'cd decoy' }), call('Bash', { command: 'sh check.sh' })];
  expect(await verdictsOf(await failingProject(), decoy)).toEqual(['unsupported']);
});

test('HO8: the check of an agent in a worktree is the one that runs there', async () => {
  const fix = [
    call('Write', { file_path: 'check.sh', content: 'exit 0\n' }),
    call('Bash', { command: 'sh check.sh' }),
  ];
  const read = call('Bash', { command: 'rm check.sh' });
  const at = await failingProject();
  const isolated = agent.replace('tools:', 'isolation: worktree\ntools:');
  writeFileSync(join(at.home, 'agents', 'worker.md'), isolated);
  git(at.cwd, 'init', '--quiet', '--initial-branch=main');
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Tests');
  expect(await verdictsOf(at, [read, ...fix])).toEqual(['confirmed']);
}, 20_000);

async function session(turns = [say('Hello.')]) {
  const { place } = await import('../session/support.ts');
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const opened = await open(at, turns);
  await opened.prompt('Hi');
  const { id } = opened.session.info();
  await opened.session.close();
  return { at, id };
}

test('HO8: resume, compaction and fork raise no alarm', async () => {
  const { at, id } = await session([say('One.')]);
  const resumed = await open(at, [say('Two.'), say('A summary of it.'), say('Three.')], {
    resume: { from: 'id', id },
  });
  await resumed.prompt('Again');
  resumed.session.send({ type: 'compact' });
  await resumed.prompt('And again');
  await resumed.session.close();
  const forked = await open(at, [say('Four.')], { resume: { from: 'id', id }, fork: true });
  await forked.prompt('Elsewhere');
  const other = forked.session.info().id;
  await forked.session.close();
  for (const one of [id, other])
    expect((await verify(at, one)).run).toMatchObject({ ok: true, files: [{ faults: [] }] });
});

test('HO8: the torn line of a killed process is explained, not called a change, and repaired by resuming', async () => {
  const { at, id } = await session();
  const { place } = await verify(at, id);
  appendFileSync(place.main, '{"type":"custom-title"}\n{"type":"us');
  const torn = await verifyRun(place);
  expect(torn).toMatchObject({ ok: true, files: [{ faults: [] }] });
  expect(torn.files[0]?.notes.join(' ')).toMatch(
    /The last line was written after the last anchor.*torn \(11 bytes\)/,
  );
  const resumed = await open(at, [say('Back.')], { resume: { from: 'id', id } });
  await resumed.prompt('Go on');
  await resumed.session.close();
  const after = await verifyRun(place);
  expect(after).toMatchObject({ ok: true, files: [{ faults: [] }] });
  expect(after.files[0]?.notes[0]).toContain('as they were found when the run was resumed');
});

test('G12: a report that was added behind the last anchor confirms nothing', async () => {
  const { at, id } = await session();
  const { place } = await verify(at, id);
  const cwd = at.cwd;
  const receipt = { cwd, exitCode: 0, output: 'a'.repeat(64), outputBytes: 0 };
  const timestamp = '2090-01-01T00:00:00.000Z';
  const base = { uuid: 'u1', parentUuid: null, sessionId: id, timestamp, isSidechain: false };
  const use = { type: 'tool_use', id: 'forged', name: 'Bash', input: { command: 'npm test' } };
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const message = { role: 'assistant', id: 'm', model: 'm', content: [use], stop_reason: 'tool_use', usage };
  const content = [{ type: 'tool_result', tool_use_id: 'forged', content: [{ type: 'text', text: '' }] }];
  const claim = { kind: 'command', call: 'forged', expect: 'passed' };
  const report = { summary: 'All good.', claims: [{ claim, verdict: 'confirmed', reason: '' }] };
  for (const record of [
    { type: 'assistant', message, ...base },
    { type: 'user', message: { role: 'user', content }, origin: { kind: 'tool-results' }, receipt, ...base },
    { type: 'report', timestamp, toolUseId: 'r', cwd, report },
  ])
    appendFileSync(place.main, `${JSON.stringify(record)}\n`);
  const run = await verifyRun(place);
  expect(run).toMatchObject({
    ok: false,
    commands: 0,
    reports: [
      { claims: [{ verdict: 'unsupported', reason: expect.stringContaining('after the last anchor') }] },
    ],
  });
});

test('G12: what an anchored report rests on must be anchored too', async () => {
  const { story, id } = await report();
  const { place } = await verify(story.at, id);
  const change = {
    ...{ type: 'file-history', timestamp: '2020-01-01T00:00:00.000Z', toolUseId: 'x', before: null },
    ...{ path: join(story.at.cwd, 'b.txt'), after: 'c'.repeat(64), cause: 'command' },
  };
  const agentId = readdirSync(join(place.directory, 'subagents'))[0]?.slice(
    'agent-'.length,
    -'.jsonl'.length,
  );
  appendFileSync(place.main, `${JSON.stringify({ ...change, agentId })}\n`);
  const run = await verifyRun(place);
  expect(run.reports[0]?.claims.map(({ verdict }) => verdict)).toEqual([
    'confirmed',
    'confirmed',
    'unsupported',
  ]);
  expect(run.changed.map(({ path }) => path)).not.toContain(change.path);
});

test('G12: a statement carries the notes about its records', async () => {
  const { at, id } = await session();
  const { place } = await verify(at, id);
  appendFileSync(place.main, '{"type":"custom-title"}\n');
  const statement = makeStatement(await verifyRun(place), { at: 'now', cwd: at.cwd, records: [] });
  expect(statement.predicate.records[0]?.notes?.[0]).toContain('after the last anchor');
  expect(renderStatement(statement, 'k')).toContain('note: transcript.jsonl: The last line was written');
});

test('HO8: a tail that was cut before the session was resumed is still found afterwards', async () => {
  const { at, id } = await session();
  const { place } = await verify(at, id);
  const whole = readFileSync(place.main, 'utf8').trimEnd();
  truncateSync(place.main, whole.lastIndexOf('\n') + 1);
  expect((await verifyRun(place)).files[0]?.faults[0]).toContain('Its end is missing');
  const resumed = await open(at, [say('Back.')], { resume: { from: 'id', id } });
  await resumed.prompt('Go on');
  await resumed.session.close();
  expect((await verifyRun(place)).ok).toBe(false);
});

test('HO8: a run without anchors is not verified, and removing a session removes its anchors', async () => {
  const { at, id } = await session();
  const anchors = locateAnchors(at.home, id);
  expect(dirname(anchors)).toBe(join(at.home, 'anchors'));
  const { place } = await verify(at, id);
  const { sweepSessions } = await import('../../src/store/retention.ts');
  const kept = readFileSync(anchors);
  rmSync(anchors);
  expect((await verifyRun(place)).files[0]?.faults).toEqual([
    'There is no anchor for it, so it cannot be verified.',
  ]);
  writeFileSync(anchors, kept);
  sweepSessions(createLayout(at.home), { olderThanDays: 0, now: Date.now() + 1_000, isInUse: () => false });
  expect(readdirSync(dirname(anchors))).toEqual([]);
});

test('HO8 the journal of a workflow run is verified, also when it was resumed, and one changed byte is found', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs);
  await run.agent('One');
  await run.close({ ok: false, reason: 'cut off' });
  const again = await openForTest(runs, { resume: run.id });
  await again.run.agent('One');
  await again.run.agent('Two');
  await again.run.close({ ok: true, value: null });
  const main = join(runs, run.id, 'journal.jsonl');
  const anchors = locateAnchors(dirname(runs), run.id);
  const place = { id: run.id, kind: 'workflow', main, directory: dirname(main), anchors } as const;
  expect(await verifyRun(place)).toMatchObject({ ok: true });
  const text = readFileSync(main, 'utf8');
  writeFileSync(main, text.replace('One', 'Ome'));
  expect(await verifyRun(place)).toMatchObject({ ok: false });
});

test('HO8: a stored output and a content that are gone are named, and so is a damaged line of the anchors', async () => {
  const { place: newPlace } = await import('../session/support.ts');
  const at = newPlace();
  mkdirSync(at.cwd, { recursive: true });
  const turns = [
    call('Bash', { command: 'seq 1 20000' }),
    call('Write', { file_path: 'a.txt', content: 'new\n' }),
    say('Done.'),
  ];
  const opened = await open(at, turns, { permissionMode: 'bypassPermissions' });
  await opened.prompt('Go');
  const { id } = opened.session.info();
  await opened.session.close();
  const { place, run } = await verify(at, id);
  expect(run).toMatchObject({ ok: true, notes: [] });
  rmSync(join(place.directory, 'tool-results'), { recursive: true });
  rmSync(join(place.directory, 'file-history'), { recursive: true });
  const [first = '', ...rest] = readFileSync(place.anchors, 'utf8').split('\n');
  writeFileSync(place.anchors, [first.slice(0, -9), ...rest].join('\n'));
  const after = await verifyRun(place);
  expect(after.notes).toEqual([
    expect.stringContaining('1 line of the anchors cannot be read'),
    expect.stringMatching(/^The stored output of call \S+ is gone, so it was not compared: /),
    '1 content that the records name is not stored, so it was not compared.',
  ]);
  expect(renderRun(after)).toContain('  note: 1 content');
  const statement = makeStatement(after, { at: 'now', cwd: at.cwd, records: [] });
  expect(renderStatement(statement, 'k')).toContain('  note: 1 content');
});
