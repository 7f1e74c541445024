import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import type { UserRecord } from '../../src/protocol/index.ts';
import { createTranscript, loadTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { type Random, seededRandom } from './random.ts';

const sessionId = '00000000-0000-4000-8000-000000000001';

const proof: Proof = {
  name: 'transcript-cut',
  promise:
    'SE1: a transcript cut at any byte loads, keeps every earlier record, says what was damaged, and can be gone on with',
  async run(full, seed) {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-proof-'));
    try {
      const random = seededRandom(seed);
      const whole = writeTranscript(join(directory, 'whole.jsonl'), random, full ? 40 : 6);
      const faults: string[] = [];
      for (let cut = 0; cut <= whole.length; cut++) {
        const fault = await findFault(join(directory, `${cut}.jsonl`), whole.subarray(0, cut));
        if (fault) faults.push(`cut at byte ${cut} of ${whole.length}: ${fault}`);
      }
      return {
        passed: faults.length === 0,
        figures: { bytes: whole.length, cuts: whole.length + 1, faults: faults.length },
        detail: faults.slice(0, 10).join('\n'),
      };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

export default proof;

function writeTranscript(path: string, random: Random, messages: number): Buffer {
  const header = {
    type: 'cadre-transcript',
    format: 1,
    sessionId,
    cwd: '/project',
    version: '0',
    createdAt: 'then',
  } as const;
  const created = createTranscript(path, header);
  if (!created.ok) throw new Error(created.problem.message);
  for (let index = 0; index < messages; index++)
    created.value.append(message(`${index}`, random.text(random.below(200))));
  created.value.close();
  return readFileSync(path);
}

/** What a reader would hold against the transcript whose file ends here. */
async function findFault(path: string, bytes: Uint8Array): Promise<string | undefined> {
  writeFileSync(path, bytes);
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  const torn = lines.pop() ?? '';
  // A line that lacks nothing but its newline is whole.
  const expected = [...lines, ...(isWhole(torn) ? [torn] : [])]
    .map((line) => JSON.parse(line).uuid)
    .filter(Boolean);
  const first = await loadTranscript(path);
  if (!first.ok) return first.problem.message;
  if (uuidsOf(first.value.records) !== expected.join())
    return `expected ${expected.join()}, read ${uuidsOf(first.value.records)}`;
  if (torn !== '' && !isWhole(torn) && first.value.damage.length === 0) return 'the damage was not reported';

  const reopened = reopenTranscript(path);
  if (!reopened.ok) return reopened.problem.message;
  const appended = reopened.value.append(message('next', 'after the cut'));
  reopened.value.close();
  const second = appended.ok ? await loadTranscript(path) : appended;
  rmSync(path);
  if (!second.ok) return second.problem.message;
  return uuidsOf(second.value.records) === [...expected, 'next'].join()
    ? undefined
    : 'the next append was not readable';
}

function isWhole(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}') && canParse(line);
}

function canParse(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function uuidsOf(records: readonly object[]): string {
  return records.map((record) => ('uuid' in record ? record.uuid : '')).join();
}

function message(uuid: string, text: string): UserRecord {
  return {
    type: 'user',
    uuid,
    parentUuid: null,
    sessionId,
    timestamp: 'then',
    isSidechain: false,
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'human' },
  };
}
