import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { createLayout, locateAnchors } from '../../src/store/layout.ts';
import { call, say } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { open, place } from '../session/support.ts';

test('HO8: what an agent takes back after its report is not confirmed to its parent', async () => {
  const at = place();
  mkdirSync(join(at.home, 'agents'), { recursive: true });
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(
    join(at.home, 'agents', 'worker.md'),
    '---\nname: worker\ndescription: Works\ntools: Bash, Write, Report\n---\nWork.\n',
  );
  const claims = [
    { kind: 'file', path: 'a.txt', expect: 'created' },
    { kind: 'command', call: 'exit 3', expect: 'exit 3' },
  ];
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'Work', prompt: 'Do it.', subagent_type: 'worker' }), say('Read.')],
      agents: {
        'Do it.': [
          call('Bash', { command: 'exit 3' }),
          call('Write', { file_path: 'a.txt', content: 'new\n' }),
          call('Report', { summary: 'I made it.', claims }),
          call('Bash', { command: 'rm a.txt' }),
          say('It is made.'),
        ],
      },
    },
    { permissionMode: 'bypassPermissions', agents: undefined },
    at,
  );
  await story.prompt('Go');
  const { id } = story.session.info();
  await story.session.close();
  expect(story.results()[0]).toContain('Its claims: 1 of 2 confirmed, 1 contradicted.');
  const located = await locateRun(createLayout(at.home), at.cwd, id);
  if (!located.ok) throw new Error(located.problem.message);
  const run = await verifyRun(located.value);
  expect(run.reports.map((report) => report.claims.map(({ verdict }) => verdict))).toEqual([
    ['confirmed', 'confirmed'],
    ['contradicted', 'confirmed'],
  ]);
});

test('G12: records that a killed process left behind its last anchor confirm nothing, also after a resume', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const options: SessionOptions = { permissionMode: 'bypassPermissions', tools: ['Bash', 'Report'] };
  const first = await open(at, [call('Bash', { command: 'exit 1' }, 'c1'), say('Ended.')], options);
  await first.prompt('Go');
  const { id } = first.session.info();
  await first.session.close();
  // As a kill leaves it: the anchors end before the result of the command.
  const anchors = locateAnchors(at.home, id);
  const located = await locateRun(createLayout(at.home), at.cwd, id);
  if (!located.ok) throw new Error(located.problem.message);
  const transcript = readFileSync(located.value.main, 'utf8');
  const resultAt = transcript.indexOf('"tool_result"');
  const kept = readFileSync(anchors, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && (JSON.parse(line).bytes ?? 0) <= resultAt);
  writeFileSync(anchors, kept.map((line) => `${line}\n`).join(''));
  writeFileSync(located.value.main, transcript.replace('"exitCode":1', '"exitCode":0'));
  const claims = [
    { kind: 'command', call: 'c1', expect: 'exit 0' },
    { kind: 'command', call: 'c2', expect: 'exit 4' },
  ];
  const resumed = await open(
    at,
    [
      call('Bash', { command: 'exit 4' }, 'c2'),
      call('Report', { summary: 'It passed.', claims }),
      say('Done.'),
    ],
    { ...options, resume: { from: 'id', id } },
  );
  await resumed.prompt('Report');
  await resumed.session.close();
  const run = await verifyRun(located.value);
  expect(run.reports[0]?.claims.map(({ verdict }) => verdict)).toEqual(['unsupported', 'confirmed']);
  expect(readFileSync(located.value.main, 'utf8')).toContain('1 of 2 confirmed, 1 unsupported');
});
