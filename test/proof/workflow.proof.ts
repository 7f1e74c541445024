import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { type FakeProvider, fakeProvider, lastUserText, say } from '../../src/testing/index.ts';
import { seededRandom } from './random.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');

const proof: Proof = {
  name: 'workflow',
  promise:
    'G11: a workflow killed with -9 at random moments, edited, and resumed by another version and from another directory repeats no finished call, and its result is that of an undisturbed run',
  async run(full, seed) {
    const agents = full ? 200 : 24;
    const kills = full ? 20 : 3;
    const undisturbed = await inDirectory((directory) => disturb(directory, agents, 0, seed));
    const disturbed = await inDirectory((directory) => disturb(directory, agents, kills, seed));
    const faults = [
      ...undisturbed.faults,
      ...disturbed.faults,
      ...(disturbed.result === undisturbed.result
        ? []
        : [`the results differ: ${disturbed.result.slice(0, 2_000)}`]),
      ...(disturbed.requests <= undisturbed.requests + disturbed.inFlight
        ? []
        : ['more was paid than was in flight']),
    ];
    return {
      passed: faults.length === 0,
      figures: {
        agents,
        kills: disturbed.kills,
        'finished calls run again': disturbed.repeated,
        'requests, undisturbed': undisturbed.requests,
        requests: disturbed.requests,
        'in flight at kills': disturbed.inFlight,
      },
      detail: faults.join('\n'),
    };
  },
};

export default proof;

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Disturbed {
  result: string;
  requests: number;
  repeated: number;
  inFlight: number;
  kills: number;
  faults: string[];
}

/** One run over as many processes as it takes. Each kill happens after a random number of further requests. */
async function disturb(directory: string, agents: number, kills: number, seed: number): Promise<Disturbed> {
  const random = seededRandom(seed);
  const asked = new Map<string, number>();
  let requests = 0;
  let wake = () => {};
  await using provider = await fakeProvider({
    latencyMs: 5,
    script: (request) => {
      const task = /task \d+/.exec(JSON.stringify(request.messages))?.[0] ?? lastUserText(request);
      asked.set(task, (asked.get(task) ?? 0) + 1);
      requests++;
      wake();
      return say(`result of ${task}`);
    },
  });
  const script = join(directory, 'user', '.cadre', 'workflows', 'many.js');
  mkdirSync(join(script, '..'), { recursive: true });
  writeFileSync(script, original);
  const faults: string[] = [];
  let repeated = 0;
  let inFlight = 0;
  let killed = 0;
  for (let attempt = 0; ; attempt++) {
    const place = join(directory, `work${attempt % 2}`);
    mkdirSync(place, { recursive: true });
    const ended = readEnded(directory);
    const before = new Map([...ended].map((task) => [task, asked.get(task) ?? 0]));
    const runId = findRun(directory);
    const child = start(place, directory, provider, runId, agents);
    const isLast = attempt >= kills;
    if (!isLast) {
      const until =
        requests + 1 + random.below(Math.max(1, Math.floor((agents - ended.size) / (kills - attempt))));
      const reached = new Promise<void>((resolve) => {
        wake = () => (requests >= until ? resolve() : undefined);
      });
      await Promise.race([reached, child.ended]);
      child.kill();
    }
    const { code, out } = await child.ended;
    wake = () => {};
    for (const [task, count] of before) repeated += (asked.get(task) ?? 0) - count;
    if (isLast) {
      if (code !== 0) faults.push(`the last process ended with ${code}: ${out.slice(-500)}`);
      if (repeated > 0) faults.push(`${repeated} finished calls were run again`);
      return { result: readResult(out), requests, repeated, inFlight, kills: killed, faults };
    }
    killed++;
    inFlight +=
      [...asked.values()].reduce((sum, count) => sum + count, 0) - inFlight - readEnded(directory).size;
    // As if another version had written it; and edited around its calls.
    changeVersion(directory);
    writeFileSync(script, attempt % 2 === 0 ? edited : original);
  }
}

const meta = "export const meta = { name: 'many', description: 'Many agents.', args: { type: 'number' } };\n";
const original = `${meta}const tasks = Array.from({ length: args }, (_, n) => () => agent('task ' + n));
return (await parallel(tasks)).join();`;
const edited = `${meta}// The same calls, in another order.
log('edited');
const found = [];
await Promise.all(Array.from({ length: args }, (_, n) => args - 1 - n).map(async (n) => {
  found[n] = await agent('task ' + n, { label: 'number ' + n, phase: 'all' });
}));
return found.join();`;

function start(
  place: string,
  directory: string,
  provider: FakeProvider,
  runId: string | undefined,
  agents: number,
) {
  const what = runId === undefined ? ['many', '--args', String(agents)] : ['--resume', runId];
  const child = spawn(program, ['run', ...what, '--yes', '--json'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: join(directory, 'user'), SHELL: '/bin/sh' },
      ...{ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
    },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = new Promise<{ code: number | null; out: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out }));
  });
  return { ended, kill: () => child.kill('SIGKILL') };
}

function readResult(out: string): string {
  return String((JSON.parse(out || '{}') as { value?: unknown }).value);
}

function findRun(directory: string): string | undefined {
  try {
    return readdirSync(locateRuns(directory))[0];
  } catch {
    return undefined;
  }
}

function readEnded(directory: string): Set<string> {
  const runId = findRun(directory);
  if (runId === undefined) return new Set();
  const lines = readFileSync(locateJournal(directory, runId), 'utf8').split('\n');
  const tasks = lines.flatMap((line) => {
    const found = /^\{"epoch":.*"type":"ended".*"value":"result of (task \d+)"/.exec(line);
    return found?.[1] ? [found[1]] : [];
  });
  return new Set(tasks);
}

function changeVersion(directory: string): void {
  const runId = findRun(directory);
  if (runId === undefined) return;
  const path = locateJournal(directory, runId);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"version":"[^"]*"/g, '"version":"0.0.1"'));
}

function locateRuns(directory: string): string {
  return join(directory, 'user', '.cadre', 'workflow-runs');
}

function locateJournal(directory: string, runId: string): string {
  return join(locateRuns(directory), runId, 'journal.jsonl');
}
