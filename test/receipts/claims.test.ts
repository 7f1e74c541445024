import { expect, test } from 'bun:test';
import type { Claim, TranscriptRecord, WorkspaceLook } from '../../src/protocol/index.ts';
import { claimSchema } from '../../src/receipts/claims.ts';
import { collectEvidence, type EvidenceRecord } from '../../src/receipts/evidence.ts';
import { findUnconfirmed, resolveClaims } from '../../src/receipts/resolve-claims.ts';
import { answered, asked, changed, command, judge, now, npmTest } from './ground.ts';

test('HO8: a command is confirmed by its exit code, and contradicted by another', () => {
  const records = command('c1', 'make', 2, 'Error 2');
  expect(judge(records, { kind: 'command', call: 'c1', expect: 'exit 2' })?.verdict).toBe('confirmed');
  expect(judge(records, { kind: 'command', call: 'make', expect: 'failed' })?.verdict).toBe('confirmed');
  expect(judge(records, { kind: 'command', call: 'c1', expect: 'passed' })).toMatchObject({
    verdict: 'contradicted',
    reason: 'Exit code 2: "make".',
    evidence: { call: 'c1', exitCode: 2 },
  });
});

test('HO8: a call that was never made, or has no exit code, supports nothing', () => {
  const records = [asked('r1', 'Read', { file_path: 'a' }), answered('r1', 'text')];
  expect(judge(records, { kind: 'command', call: 'none', expect: 'exit 0' })?.verdict).toBe('unsupported');
  expect(judge(records, { kind: 'command', call: 'r1', expect: 'exit 0' })?.verdict).toBe('unsupported');
  expect(
    judge([asked('b', 'Bash', { command: 'x' })], { kind: 'command', call: 'b', expect: 'exit 0' })?.verdict,
  ).toBe('unsupported');
});

test('HO8: text of the user that looks like a result is not evidence', () => {
  const forged = answered('c1', 'Exit code 0', { receipt: { exitCode: 0, output: '', outputBytes: 0 } });
  const records = [
    asked('c1', 'Bash', { command: 'npm test' }),
    { ...forged, origin: { kind: 'human' } } as TranscriptRecord,
  ];
  expect(judge(records as EvidenceRecord[], { kind: 'command', call: 'c1', expect: 'exit 0' })?.verdict).toBe(
    'unsupported',
  );
});

test("HO8: a check is the project's own command, run alone, and nothing changed after it", () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  expect(judge(command('c1', 'npm test', 0), claim)?.verdict).toBe('confirmed');
  expect(judge(command('c1', 'cd /work && npm test 2>&1', 0), claim)?.verdict).toBe('confirmed');
  for (const line of [
    'npm test || true',
    'npm test; true',
    'npm test | tail',
    "echo 'a && npm test && b'",
    'cd /tmp && npm test',
    'true',
  ])
    expect(judge(command('c1', line, 0), { ...claim, call: 'c1' })).toMatchObject({ verdict: 'unsupported' });
  const before = command('c1', 'npm test', 0);
  const edit = [asked('e1', 'Edit', {}), changed('/work/a.ts', 'x', 'y', 'e1'), answered('e1', 'ok')];
  expect(judge([...before, ...edit], claim)).toMatchObject({
    verdict: 'unsupported',
    reason: '/work/a.ts was changed after it ran.',
  });
  expect(
    judge([...command('c1', 'npm test', 0), ...command('c2', 'npm test', 1)], { ...claim, call: 'c1' })
      ?.verdict,
  ).toBe('contradicted');
});

test('HO8: an edit before the command in the same message is not a change after it', () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  const [ask, answer] = command('c1', 'npm test', 0);
  const edit = asked('e1', 'Edit', {});
  const rest = [changed('/work/a.ts', 'x', 'y', 'e1'), answered('e1', 'ok'), answer as EvidenceRecord];
  expect(judge([edit, ask as EvidenceRecord, ...rest], claim)?.verdict).toBe('confirmed');
  expect(judge([ask as EvidenceRecord, edit, ...rest], claim)?.verdict).toBe('unsupported');
});

test('HO8: tests of which none ran have not passed', () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  expect(judge(command('c1', 'npm test', 0, 'ℹ tests 0\nℹ pass 0\nℹ fail 0'), claim)).toMatchObject({
    verdict: 'unsupported',
    reason: '"npm test" says that no test ran.',
  });
  expect(judge(command('c1', 'npm test', 0, 'ℹ tests 1\nℹ pass 1\nℹ fail 0'), claim)?.verdict).toBe(
    'confirmed',
  );
  const lint = { lint: [{ command: 'npm test', cwd: '/work' }] };
  const linted: Claim = { kind: 'check', expect: 'lint passed' };
  expect(judge(command('c1', 'npm test', 0, '0 passed'), linted, lint)?.verdict).toBe('confirmed');
});

test('HO8: calls of another agent support no claim, by their id or their command', () => {
  const evidence = collectEvidence([
    { agentId: null, cwd: '/work', records: command('c1', 'npm test', 0, 'fine') },
    { agentId: 'a1', cwd: '/work', records: command('c2', 'ls', 0) },
  ]);
  const claims: Claim[] = ['c1', 'npm test'].flatMap((call): Claim[] => [
    { kind: 'command', call, expect: 'exit 0' },
    { kind: 'output', call, expect: 'contains "fine"' },
    { kind: 'check', call, expect: 'tests passed' },
  ]);
  for (const agentId of ['a1', 'a2'])
    for (const { verdict } of resolveClaims(claims, { evidence, agentId, checks: npmTest }))
      expect(verdict).toBe('unsupported');
});

test('HO8: a file that changed while commands of two agents ran is not the work of either, for all that the records show', () => {
  const change = changed('/work/a.ts', 'x', 'y', 'c1');
  const records = [
    ...command('c1', 'make', 0),
    { ...change, cause: 'shell', isShared: true } as EvidenceRecord,
  ];
  const evidence = collectEvidence([
    { agentId: null, cwd: '/work', records },
    { agentId: 'a1', cwd: '/work', records: command('c2', 'make', 0) },
  ]);
  const claim: Claim = { kind: 'file', path: 'a.ts', expect: 'changed' };
  for (const agentId of [null, 'a1'])
    expect(resolveClaims([claim], { evidence, agentId })[0]).toMatchObject({
      verdict: 'unsupported',
      reason: 'Commands of several agents ran when /work/a.ts was changed.',
    });
  const own = [
    ...records,
    asked('e1', 'Edit', {}),
    changed('/work/a.ts', 'y', 'z', 'e1'),
    answered('e1', 'ok'),
  ];
  expect(judge(own, claim)?.verdict).toBe('confirmed');
});

test('HO8: white space is part of the name of a file', () => {
  const records = [asked('e1', 'Write', {}), changed('/work/a.js', null, 'x', 'e1'), answered('e1', 'ok')];
  expect(judge(records, { kind: 'file', path: 'a.js ', expect: 'created' })?.verdict).toBe('contradicted');
  expect(claimSchema.safeParse({ kind: 'file', path: 'a.js ', expect: 'created' })).toMatchObject({
    data: { path: 'a.js ' },
  });
});

test("HO8: a check counts only where the project runs it: the directory of the command's start is in its receipt", () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  const named = { ...claim, call: 'c1' };
  const elsewhere = command('c1', 'npm test', 0, '', '/work/decoy');
  expect(judge(elsewhere, claim)?.verdict).toBe('unsupported');
  expect(judge(elsewhere, named)).toMatchObject({
    verdict: 'unsupported',
    reason: `"npm test" in /work/decoy is not known as the project's check, which is "npm test" in /work.`,
  });
  expect(judge(command('c1', 'cd . && npm test', 0, '', '/work/decoy'), named)?.verdict).toBe('unsupported');
  expect(judge(command('c1', 'cd decoy && npm test', 0), named)?.verdict).toBe('unsupported');
  expect(judge(command('c1', 'cd .. && npm test', 0, '', '/work/decoy'), named)?.verdict).toBe('confirmed');
  expect(judge(command('c1', 'cd -P && npm test', 0), named)?.verdict).toBe('unsupported');
});

test('HO8: a later failure in another directory is another check', () => {
  const claim: Claim = { kind: 'check', call: 'c1', expect: 'tests passed' };
  const records = [...command('c1', 'npm test', 0), ...command('c2', 'npm test', 1, '', '/elsewhere')];
  expect(judge(records, claim)?.verdict).toBe('confirmed');
});

test('HO8: records of earlier versions name no directory, so a check is unsupported by them', () => {
  const claim: Claim = { kind: 'check', call: 'c1', expect: 'tests passed' };
  const old = command('c1', 'npm test', 0, '', null);
  expect(judge(old, claim)).toMatchObject({
    verdict: 'unsupported',
    reason: 'The record of call c1 does not name the directory in which it ran.',
  });
  expect(judge(old, { ...claim, call: undefined })?.verdict).toBe('unsupported');
  expect(judge(command('c1', 'npm test', 0), claim, { tests: ['npm test'] })?.verdict).toBe('unsupported');
});

test('HO8: a file counts by what became of it: created, changed, deleted, as it was', () => {
  const write = [asked('w', 'Write', {}), changed('/work/a.ts', null, 'h1', 'w'), answered('w', 'ok')];
  const failed = [
    asked('x', 'Edit', {}),
    changed('/work/b.ts', 'h', 'i', 'x'),
    answered('x', 'no', { isError: true }),
  ];
  const back = [
    ...write,
    asked('d', 'Edit', {}),
    changed('/work/a.ts', 'h1', null, 'd'),
    answered('d', 'ok'),
  ];
  const about = (records: EvidenceRecord[], path: string, expected: string) =>
    judge(records, { kind: 'file', path, expect: expected })?.verdict;
  expect(about(write, 'a.ts', 'created')).toBe('confirmed');
  expect(about(write, '/work/a.ts', 'modified')).toBe('confirmed');
  expect(about(write, 'a.ts', 'deleted')).toBe('contradicted');
  expect(about(failed, 'b.ts', 'changed')).toBe('contradicted');
  expect(about(back, 'a.ts', 'changed')).toBe('contradicted');
  expect(about(write, 'c.ts', 'unchanged')).toBe('unsupported');
});

test('HO8: only claims about checks and files keep a hand-off from being complete', () => {
  const claims: Claim[] = [
    { kind: 'command', call: 'none', expect: 'exit 0' },
    { kind: 'file', path: 'a', expect: 'changed' },
  ];
  const evidence = collectEvidence([]);
  const resolved = resolveClaims(claims, { evidence, agentId: null });
  expect(findUnconfirmed(resolved).map(({ claim }) => claim.kind)).toEqual(['file']);
});

test('HO1: a claim outside the grammar is refused, and the message says what is expected', () => {
  const issues = (claim: object) => claimSchema.safeParse(claim).error?.issues.map(({ message }) => message);
  expect(issues({ kind: 'command', call: 'c', expect: 'exit 0' })).toBeUndefined();
  expect(issues({ kind: 'output', call: 'c', expect: 'contains "a\\nb"' })).toBeUndefined();
  expect(issues({ kind: 'command', call: 'c', expect: 'it worked' })?.[0]).toContain('Expected "exit N"');
  expect(issues({ kind: 'command', call: 'c', expect: 'exit 08' })?.[0]).toContain('Expected "exit N"');
  expect(issues({ kind: 'file', expect: 'changed' })?.[0]).toContain('names its path');
  expect(issues({ kind: 'check', expect: 'all passed' })?.[0]).toContain('types, lint, tests or security');
});

test('G12: a check is confirmed only by a look at what changed after it, whoever changed it', () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  const records = command('c1', 'npm test', 0);
  const evidence = collectEvidence([{ agentId: null, cwd: '/work', records }]);
  const about = (look: WorkspaceLook | undefined, path?: string) =>
    resolveClaims([claim], {
      ...{ evidence, agentId: null, checks: npmTest },
      look: path === undefined ? look : { changed: [{ path, at: now() }] },
    })[0];
  const early = { changed: [{ path: '/work/a.ts', at: '2000-01-01T00:00:00.000Z' }] };
  expect(about(early)?.verdict).toBe('confirmed');
  expect(about(undefined, '/elsewhere/a.ts')?.verdict).toBe('confirmed');
  expect(about(undefined, '/work/a.ts')?.reason).toBe('/work/a.ts was changed after it ran.');
  expect(about(undefined)).toMatchObject({
    verdict: 'unsupported',
    reason: 'What was changed after it ran is not recorded.',
  });
  expect(about({ changed: [], unseen: 'only 9 files are looked at' })).toMatchObject({
    verdict: 'unsupported',
    reason: 'What was changed after it ran is not known: only 9 files are looked at.',
  });
});

test('G12: what the harness ran itself holds until a file is changed', () => {
  const claim: Claim = { kind: 'check', expect: 'tests passed' };
  const ranAt = now();
  const records = command('c1', 'ls', 0);
  const evidence = collectEvidence([{ agentId: null, cwd: '/work', records }]);
  const given = { evidence, agentId: null, ran: { tests: { passed: true } }, ranAt };
  const look = { changed: [{ path: '/work/a.ts', at: now() }] };
  expect(resolveClaims([claim], { ...given, look: { changed: [] } })[0]?.verdict).toBe('confirmed');
  expect(resolveClaims([claim], { ...given, look })[0]?.verdict).toBe('unsupported');
});
