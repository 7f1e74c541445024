import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import {
  call,
  calls,
  type FakeProvider,
  type FixedTurn,
  fakeProvider,
  say,
} from '../../src/testing/index.ts';
import { type Random, seededRandom } from './random.ts';

/** About what it takes until every agent has its shells, so that every part of it is met. */
const longestMs = 500;
const atOnce = 4;

const proof: Proof = {
  name: 'left-behind',
  promise:
    'G5: sessions with agents and shells, also detached ones, are killed with -9 at random; after one start no process and no file of theirs is left',
  async run(full, seed) {
    const random = seededRandom(seed);
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
    // A duration that no other process on this machine sleeps for: so they are found without any help of the product.
    const mark = `7${String(process.pid).padStart(7, '0')}${random.below(10_000)}`;
    const sum = { sessions: full ? 100 : 5, orphans: 0, left: 0, files: 0 };
    await using provider = await fakeProvider({ script: (request) => answer(request, mark) });
    try {
      mkdirSync(join(directory, 'work'));
      for (let begun = 0; begun < sum.sessions; begun += atOnce) {
        const many = Math.min(atOnce, sum.sessions - begun);
        await Promise.all(
          Array.from({ length: many }, (_, index) =>
            killed(directory, provider, random, index % 2 === 0 ? mark : undefined),
          ),
        );
        // Whatever starts next sweeps them too.
        sum.orphans += marked(mark).length;
      }
      const code = await ended(start(directory, provider, 'Only say hello.'));
      const left = marked(mark);
      sum.left = left.length;
      const files = listLeft(join(directory, 'state'));
      sum.files = files.length;
      return {
        passed: code === 0 && left.length + files.length === 0 && sum.orphans > 0,
        figures: sum,
        detail: code === 0 ? [...left, ...files].join('\n') : `the start afterwards ended with ${code}`,
      };
    } finally {
      for (const pid of marked(mark)) process.kill(Number(pid), 'SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

export default proof;

/** The lead starts two agents and a shell; each agent starts shells that would outlive everybody. */
function answer(request: ModelRequest, mark: string): FixedTurn {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  const first = request.messages[0];
  const task = first?.role === 'user' ? textOf(first.content) : '';
  if (task.includes('Only say hello.')) return say('Hello.');
  const shell = (command: string, run_in_background: boolean) => call('Bash', { command, run_in_background });
  if (task.includes('Start shells'))
    return turn === 0
      ? calls([shell(`sleep ${mark}`, true), shell(`setsid sleep ${mark} & sleep ${mark}`, true)])
      : shell(`setsid sh -c 'sleep ${mark} & sleep ${mark}' & sleep ${mark}`, false);
  const hire = (run_in_background: boolean) =>
    call('Agent', { description: 'x', prompt: 'Start shells', run_in_background });
  return turn === 0 ? calls([shell(`sleep ${mark}`, true), hire(true), hire(false)]) : say('Done.');
}

/** At a random moment of its life; with a mark, one after the first process of its kind is there, however slow the machine. */
async function killed(
  directory: string,
  provider: FakeProvider,
  random: Random,
  mark: string | undefined,
): Promise<void> {
  // Confined as by default, what a command started goes with it; unconfined, nobody but the next start ends it.
  const unconfined = ['--settings', '{"sandbox":{"enabled":false}}'];
  const isConfined = mark === undefined && random.below(2) === 0;
  const child = start(directory, provider, 'Delegate.', isConfined ? [] : unconfined);
  const end = ended(child);
  while (mark !== undefined && child.exitCode === null && marked(mark).length === 0) await pause(10);
  await pause(mark === undefined ? 50 + random.below(longestMs) : random.below(longestMs));
  child.kill('SIGKILL');
  await end;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function start(
  directory: string,
  provider: FakeProvider,
  prompt: string,
  more: readonly string[] = [],
): ChildProcess {
  const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');
  return spawn(program, ['-p', prompt, '--permission-mode', 'bypassPermissions', ...more], {
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
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** In folders of which every entry belongs to a process, and by their names anywhere. */
function listLeft(home: string): string[] {
  const all = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return all.filter((name) =>
    /^(?:running|sockets|pipes|confined)\/|\.(?:tmp|new|dead|lock|cwd)$|\/sandbox$/.test(name),
  );
}

function marked(mark: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return readFileSync(join('/proc', name, 'cmdline'), 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}
