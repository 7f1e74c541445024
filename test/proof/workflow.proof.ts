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
import { compileProgram } from '../../scripts/compile.ts';
import type { Proof } from '../../scripts/proofs.ts';
import { noUsage } from '../../src/protocol/index.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { createLayout } from '../../src/store/layout.ts';
import { type FakeProvider, fakeProvider, lastUserText, say } from '../../src/testing/index.ts';
import { installedRipgrep } from '../../src/tools/search/ripgrep.ts';
import { seededRandom } from './random.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');

const proof: Proof = {
  name: 'workflow',
  promise:
    'G11: a workflow killed with -9 at random moments, edited, and resumed by another version and from another directory repeats no finished call, and its result is that of an undisturbed run',
  async run(full, seed) {
    const agents = full ? 200 : 24;
    const kills = full ? 20 : 3;
    // A second build takes its time: in the reduced form the journal only says that another version wrote it.
    const programs = full ? [program, await buildOtherVersion()] : [program];
    const attempts = (count: number) =>
      inDirectory((directory) => new Disturbance(directory, { agents, kills: count, seed, programs }).run());
    const undisturbed = await attempts(0);
    const disturbed = await attempts(kills);
    const faults = [
      ...undisturbed.faults,
      ...disturbed.faults,
      ...(disturbed.result === undisturbed.result
        ? []
        : [`the results differ: ${disturbed.result.slice(0, 2_000)}`]),
      ...(disturbed.tokens <= undisturbed.tokens + disturbed.tokensInFlight
        ? []
        : ['more was paid than was in flight']),
    ];
    return {
      passed: faults.length === 0,
      figures: {
        agents,
        kills: disturbed.kills,
        'finished calls run again': disturbed.repeated,
        builds: programs.length,
        'requests, undisturbed': undisturbed.requests,
        requests: disturbed.requests,
        'tokens, undisturbed': undisturbed.tokens,
        tokens: disturbed.tokens,
        'tokens in flight at kills': disturbed.tokensInFlight,
        'second owners refused': disturbed.refused,
        'lines verified': disturbed.verified,
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
  tokens: number;
  repeated: number;
  tokensInFlight: number;
  kills: number;
  refused: number;
  verified: number;
  faults: string[];
}

interface Plan {
  agents: number;
  kills: number;
  seed: number;
  /** Builds of different versions, which take turns. */
  programs: readonly string[];
}

/** One run over as many processes as it takes. Each kill happens after a random number of further requests. */
class Disturbance {
  readonly #random;
  readonly #asked = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #script: string;
  #requests = 0;
  #tokens = 0;
  #tokensInFlight = 0;
  #repeated = 0;
  #refused = 0;
  #verified = 0;
  #wake = () => {};
  /** Answers wait for it. */
  #mayAnswer: Promise<void> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly plan: Plan,
  ) {
    this.#random = seededRandom(plan.seed);
    this.#script = join(directory, 'user', '.cadre', 'workflows', 'many.js');
  }

  async run(): Promise<Disturbed> {
    await using provider = await fakeProvider({ latencyMs: 5, script: (request) => this.#answer(request) });
    mkdirSync(join(this.#script, '..'), { recursive: true });
    writeFileSync(this.#script, original);
    for (let attempt = 0; attempt < this.plan.kills; attempt++) await this.#runAndKill(provider, attempt);
    const out = await this.#finish(provider);
    if (this.plan.programs.length > 1) await this.#verify();
    if (this.#repeated > 0) this.#faults.push(`${this.#repeated} finished calls were run again`);
    return {
      ...{ result: readResult(out), requests: this.#requests, tokens: this.#tokens },
      ...{ repeated: this.#repeated, tokensInFlight: this.#tokensInFlight, kills: this.plan.kills },
      ...{ refused: this.#refused, verified: this.#verified, faults: this.#faults },
    };
  }

  async #answer(request: Parameters<typeof lastUserText>[0]) {
    const task = /task \d+/.exec(JSON.stringify(request.messages))?.[0] ?? lastUserText(request);
    this.#asked.set(task, (this.#asked.get(task) ?? 0) + 1);
    this.#requests++;
    this.#tokens += countTokens(task);
    this.#wake();
    await this.#mayAnswer;
    const usage = { ...noUsage, input_tokens: countTokens(task) - 5, output_tokens: 5 };
    return { ...say(`result of ${task}`), usage };
  }

  async #runAndKill(provider: FakeProvider, attempt: number): Promise<void> {
    const { agents, kills } = this.plan;
    const ended = readEnded(this.directory);
    // One share is left for the process that ends the run.
    const share = Math.max(1, Math.floor((agents - ended.size) / (kills - attempt + 1)));
    const until = this.#requests + 1 + this.#random.below(share);
    await this.#watchRepeats(async () => {
      const child = this.#start(provider, attempt);
      const reached = new Promise<void>((resolve) => {
        this.#wake = () => (this.#requests >= until ? resolve() : undefined);
      });
      await Promise.race([reached, child.ended]);
      child.kill();
      await child.ended;
      this.#wake = () => {};
    });
    const paid = [...readEnded(this.directory)].reduce((sum, task) => sum + countTokens(task), 0);
    this.#tokensInFlight = this.#tokens - paid;
    if (this.plan.programs.length === 1) changeVersion(this.directory);
    // Edited around its calls.
    writeFileSync(this.#script, attempt % 2 === 0 ? edited : original);
  }

  /** Where the run was killed before, two processes resume it at once: one works, the other says which. */
  async #finish(provider: FakeProvider): Promise<string> {
    const { kills } = this.plan;
    const answer = Promise.withResolvers<void>();
    if (kills > 0) this.#mayAnswer = answer.promise;
    else answer.resolve();
    return this.#watchRepeats(async () => {
      const both = (kills > 0 ? [kills, kills + 1] : [0]).map((attempt) => this.#start(provider, attempt));
      const first = await Promise.race(both.map(async (one) => ({ one, end: await one.ended })));
      answer.resolve();
      const winner = both.find((one) => one !== first.one) ?? first.one;
      const { code, out, said } = await winner.ended;
      if (code !== 0) this.#faults.push(`the last process ended with ${code}: ${out.slice(-500)}${said}`);
      if (winner === first.one) return out;
      const isTold = first.end.code === 2 && first.end.said.includes(`another process (pid ${winner.pid})`);
      if (isTold) this.#refused++;
      else this.#faults.push(`the second process ended with ${first.end.code}: ${first.end.said}`);
      return out;
    });
  }

  /** What a kill leaves behind must not look like a change of the records. */
  async #verify(): Promise<void> {
    const home = join(this.directory, 'user', '.cadre');
    const found = await locateRun(createLayout(home), this.directory, findRun(this.directory) ?? '');
    if (!found.ok) return void this.#faults.push(found.problem.message);
    const { files, faults } = await verifyRun(found.value);
    this.#verified = files.reduce((sum, file) => sum + file.lines, 0);
    this.#faults.push(...[...faults, ...files.flatMap((file) => file.faults)].slice(0, 5));
  }

  async #watchRepeats<T>(work: () => Promise<T>): Promise<T> {
    const before = [...readEnded(this.directory)].map((task) => [task, this.#asked.get(task) ?? 0] as const);
    const value = await work();
    for (const [task, count] of before) this.#repeated += (this.#asked.get(task) ?? 0) - count;
    return value;
  }

  #start(provider: FakeProvider, attempt: number) {
    const place = join(this.directory, `work${attempt % 2}`);
    mkdirSync(place, { recursive: true });
    const { programs, agents } = this.plan;
    const runId = findRun(this.directory);
    const chosen = programs[attempt % programs.length] ?? program;
    return start(chosen, place, this.directory, provider, runId, agents);
  }
}

/** What a request about it costs: another sum for each, so that one cannot hide behind another. */
function countTokens(task: string): number {
  return 1_000 + Number(/\d+/.exec(task)?.[0] ?? 0);
}

/** The same sources under the number of another version. */
async function buildOtherVersion(): Promise<string> {
  const repository = join(import.meta.dirname, '..', '..');
  const output = join(repository, 'dist', 'proof', 'cadre-other-version');
  const ripgrep = installedRipgrep();
  if (ripgrep.kind !== 'path') throw new Error('The npm package @vscode/ripgrep is not installed: npm ci');
  mkdirSync(join(output, '..'), { recursive: true });
  const plugin: Bun.BunPlugin = {
    name: 'other-version',
    setup(build) {
      build.onLoad({ filter: /src\/lib\/version\.ts$/ }, () => ({
        contents: "export const version: string = '99.0.0';",
        loader: 'ts',
      }));
    },
  };
  await compileProgram({ repository, output, ripgrep: ripgrep.path, plugins: [plugin] });
  return output;
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
  file: string,
  place: string,
  directory: string,
  provider: FakeProvider,
  runId: string | undefined,
  agents: number,
) {
  const what = runId === undefined ? ['many', '--args', String(agents)] : ['--resume', runId];
  const child = spawn(file, ['run', ...what, '--yes', '--json'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: join(directory, 'user'), SHELL: '/bin/sh' },
      ...{ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
    },
  });
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-2_000);
  });
  const ended = new Promise<{ code: number | null; out: string; said: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, said }));
  });
  return { pid: child.pid, ended, kill: () => child.kill('SIGKILL') };
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
