import { expect, test } from 'bun:test';
import { nameWork, streams } from '../../src/remote/job.ts';
import { openJobKey } from '../../src/remote/keys.ts';
import { sealRow } from '../../src/remote/sealed-rows.ts';
import { formatSteps, readJobState, type Step } from '../../src/remote/steps.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

const commit = 'a'.repeat(40);
const worktree = { slug: 'one', base: commit, head: commit, tip: commit, agentId: null, createdAt: '' };

async function readState(...holders: Step[][]) {
  const key = get(openJobKey(temporaryDirectory().path));
  const rows = holders
    .flatMap((steps, at) => formatSteps(steps, at + 1, 0))
    .map((row, seq) => ({ seq: seq + 1, ...sealRow(key, nameWork('job', 'ada'), row) }));
  const read = async (_: string, stream: string, after: number) => ({
    ...{ ok: true as const, value: stream === streams.steps ? rows.filter(({ seq }) => seq > after) : [] },
  });
  return get(await readJobState({ read }, { jobId: 'job', submitter: 'ada' }, () => true));
}

const readBack = async (step: Step) => (await readState([step])).files;

test('files of a job are told by whole names of commits, and by places inside their worktree', async () => {
  expect(await readBack({ kind: 'files', head: commit, tip: commit, worktrees: [worktree] })).toBeDefined();
  for (const tip of ['--pathspec-from-file=x', 'HEAD', ''])
    expect(await readBack({ kind: 'files', head: commit, tip })).toBeUndefined();
  for (const more of [{ head: '--x' }, { base: '-x' }, { stands: '../..' }, { stands: '/etc' }]) {
    const worktrees = [{ ...worktree, ...more }];
    expect(await readBack({ kind: 'files', head: commit, tip: commit, worktrees })).toBeUndefined();
  }
});

test('RM4 what each holder wrote about places leads to those of the last one', async () => {
  const says = (cwd: string) => `${JSON.stringify({ type: 'agent-state', cwd })}\n`;
  const hold = (top: string): Step[] => [
    { kind: 'place', cwd: top, top },
    { kind: 'log', file: 'agent-a', data: says(`${top}/src`) },
  ];
  const { logs, place } = await readState(hold('/home/ada/work'), hold('/jobs/1'), hold('/srv/2'));
  expect(logs.get('agent-a')).toBe(says('/srv/2/src').repeat(3));
  expect(place).toEqual({ cwd: '/srv/2', top: '/srv/2' });
});
