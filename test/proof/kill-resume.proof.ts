import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { call, type FakeProvider, fakeProvider } from '../../src/testing/index.ts';
import { type Random, seededRandom } from './random.ts';

const steps = 6;
/** About what a run takes, so that every part of it is met. */
const longestMs = 120;

const proof: Proof = {
  name: 'kill-resume',
  promise:
    'G4: after kill -9 at any moment the session goes on, no record is lost, no command was run twice, and no process is left',
  async run(full, seed) {
    const random = seededRandom(seed);
    const faults: string[] = [];
    const rounds = full ? 300 : 8;
    let cut = 0;
    for (let round = 0; round < rounds; round++) {
      const found = await tryRound(random);
      if (found.wasCut) cut++;
      if (found.fault) faults.push(`round ${round}, killed after ${found.afterMs} ms: ${found.fault}`);
    }
    return {
      passed: faults.length === 0,
      figures: { kills: rounds, 'in the middle of a run': cut, faults: faults.length },
      detail: faults.slice(0, 10).join('\n'),
    };
  },
};

export default proof;

async function tryRound(random: Random): Promise<{ fault?: string; wasCut: boolean; afterMs: number }> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  const work = join(directory, 'work');
  mkdirSync(work);
  const afterMs = random.below(longestMs);
  await using provider = await countingProvider();
  try {
    await runProgram(directory, provider, [], afterMs);
    const done = linesOf(join(work, 'effects'));
    const wasCut = done.length < steps;
    const fault = await findFault(directory, provider);
    return { ...(fault ? { fault } : {}), wasCut, afterMs };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Every step is a command that leaves a line; what was answered once is not asked for again. */
function countingProvider(): Promise<FakeProvider> {
  let step = 0;
  return fakeProvider({
    script: () =>
      ++step > steps ? 'Done.' : call('Bash', { command: `echo ${step} >> effects; echo made ${step}` }),
  });
}

async function findFault(directory: string, provider: FakeProvider): Promise<string | undefined> {
  const path = transcriptIn(directory);
  // Killed before anything was asked: nothing is kept, and nothing needs to be.
  if (!path) return provider.received.length === 0 ? undefined : 'a request was sent and nothing was kept';
  const loaded = await loadTranscript(path);
  if (!loaded.ok) return loaded.problem.message;
  const before = uuidsOf(loaded.value.records);
  const code = await runProgram(directory, provider, ['--continue']);
  const isEmpty = loaded.value.records.every((record) => record.type !== 'user');
  if (code !== 0 && !isEmpty) return `going on ended with ${code}`;
  if (provider.complaints.length > 0) return provider.complaints.join('; ');
  const again = await loadTranscript(path);
  if (!again.ok) return again.problem.message;
  const after = new Set(uuidsOf(again.value.records));
  const lost = before.filter((uuid) => !after.has(uuid));
  if (lost.length > 0) return `lost: ${lost.join(' ')}`;
  const left = findOwned({ owner: basename(path, '.jsonl') });
  if (left.length > 0) return `left running: ${left.map((one) => one.pid).join(' ')}`;
  const effects = linesOf(join(directory, 'work', 'effects'));
  return new Set(effects).size === effects.length ? undefined : `run twice: ${effects.join(' ')}`;
}

function uuidsOf(records: readonly object[]): string[] {
  return records.flatMap((record) => ('uuid' in record ? [String(record.uuid)] : []));
}

function runProgram(
  directory: string,
  provider: FakeProvider,
  more: string[],
  killAfterMs?: number,
): Promise<number | null> {
  const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');
  const args = ['-p', 'Go on.', '--permission-mode', 'bypassPermissions', ...more];
  const child = spawn(program, args, {
    cwd: join(directory, 'work'),
    stdio: 'ignore',
    env: {
      PATH: '/usr/bin:/bin',
      HOME: directory,
      SHELL: '/bin/sh',
      CADRE_HOME: join(directory, 'state'),
      ANTHROPIC_BASE_URL: provider.url,
    },
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

function transcriptIn(directory: string): string | undefined {
  const projects = join(directory, 'state', 'projects');
  if (!existsSync(projects)) return undefined;
  const names = readdirSync(projects, { recursive: true, encoding: 'utf8' });
  const name = names.find((candidate) => /[0-9a-f-]{36}\.jsonl$/.test(candidate));
  return name === undefined ? undefined : join(projects, name);
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}
