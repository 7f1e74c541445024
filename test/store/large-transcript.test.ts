import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTranscript } from '../../bench/resume-transcript.ts';
import { loadForResume } from '../../src/store/resume-read.ts';
import { loadTranscript } from '../../src/store/transcript.ts';

const scratch = mkdtempSync(join(tmpdir(), 'cadre-large-transcript-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const sessionId = '11111111-1111-4111-8111-111111111111';

test('a transcript beyond the limit is refused by its size, before it is read', async () => {
  const path = join(scratch, 'huge.jsonl');
  writeFileSync(path, '');
  truncateSync(path, 300 * 1024 * 1024);
  for (const load of [loadTranscript, loadForResume]) {
    const loaded = await load(path);
    expect(loaded.ok ? 'loaded' : loaded.problem.message).toBe(
      `${path} is 300 MB long; above 256 MB only the part after a compaction can be read.`,
    );
  }
});

/** Peak megabytes of a process of its own that does this with the transcript. */
function measurePeak(work: string): number {
  const peak = `/VmHWM:\\s*(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]`;
  const child = Bun.spawnSync([process.execPath, '-e', `if (${work}) console.log(${peak})`], {
    cwd: join(import.meta.dirname, '..', '..'),
  });
  return Number(child.stdout.toString()) / 1024;
}

test('what a long transcript cost, and its last conversation, are read in a small part of its size', () => {
  const path = join(scratch, 'long.jsonl');
  writeTranscript(path, { sessionId, cwd: scratch, bytes: 150 * 1024 * 1024, compacted: true });
  const lead = JSON.stringify(path);
  const idle = measurePeak('true');
  const cost = measurePeak(
    `(await (await import('./src/models/budget/transcript-cost.ts')).reportFromTranscripts(${lead}, [])).ok`,
  );
  const resumed = measurePeak(
    `(await (await import('./src/store/resume-read.ts')).loadForResume(${lead})).ok`,
  );
  expect(idle).toBeGreaterThan(0);
  for (const peak of [cost, resumed]) {
    expect(peak).toBeGreaterThan(idle);
    expect(peak - idle).toBeLessThan(120);
  }
});
