import { expect, test } from 'bun:test';
import { streams } from '../../src/remote/job.ts';
import { openJobKey } from '../../src/remote/keys.ts';
import { sealRow } from '../../src/remote/sealed-rows.ts';
import { formatSteps, readJobState, type Step } from '../../src/remote/steps.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

const commit = 'a'.repeat(40);
const worktree = { slug: 'one', base: commit, head: commit, tip: commit, agentId: null, createdAt: '' };

async function readBack(step: Step) {
  const key = get(openJobKey(temporaryDirectory().path));
  const rows = formatSteps([step], 1, 0).map((row, seq) => ({ seq: seq + 1, ...sealRow(key, 'job', row) }));
  const read = async (_: string, stream: string, after: number) => ({
    ...{ ok: true as const, value: stream === streams.steps ? rows.filter(({ seq }) => seq > after) : [] },
  });
  return get(await readJobState({ read }, 'job', () => true)).files;
}

test('files of a job are told by whole names of commits, and by places inside their worktree', async () => {
  expect(await readBack({ kind: 'files', head: commit, tip: commit, worktrees: [worktree] })).toBeDefined();
  for (const tip of ['--pathspec-from-file=x', 'HEAD', ''])
    expect(await readBack({ kind: 'files', head: commit, tip })).toBeUndefined();
  for (const more of [{ head: '--x' }, { base: '-x' }, { stands: '../..' }, { stands: '/etc' }]) {
    const worktrees = [{ ...worktree, ...more }];
    expect(await readBack({ kind: 'files', head: commit, tip: commit, worktrees })).toBeUndefined();
  }
});
