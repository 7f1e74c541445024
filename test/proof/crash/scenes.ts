import { execFileSync, spawn } from 'node:child_process';
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
import { fakeProvider, say } from '../../../src/testing/index.ts';
import { answer, type Plan, type Step } from './model.ts';

interface SceneKind {
  plan: Plan;
  settings: Record<string, unknown>;
  isRepository?: true;
}

const act = (name: string): Step => ({ kind: 'do', name });
const write = (name: string): Step => ({ kind: 'write', name });
const hire = (name: string, input: Record<string, unknown> = {}): Step => ({ kind: 'hire', name, input });
const later = { run_in_background: true };
const unconfined = { sandbox: { enabled: false } };

/** What the sessions do that are killed. */
export const sceneKinds = {
  agents: {
    plan: {
      lead: [act('l1'), hire('b', later), hire('a', { subagent_type: 'boss' }), act('l2'), write('l3')],
      a: [act('a1'), hire('c', later), hire('d'), write('a2')],
      b: [act('b1'), write('b2')],
      c: [act('c1')],
      d: [write('d1')],
    },
    settings: { ...unconfined, agents: { maxDepth: 2 } },
  },
  forks: {
    plan: {
      lead: [act('l1'), hire('f'), hire('g'), act('l2')],
      f: [act('f1'), write('f2')],
      g: [act('g1')],
    },
    settings: { ...unconfined, agents: { fork: true } },
  },
  worktrees: {
    plan: {
      lead: [hire('w', { isolation: 'worktree' }), act('l1'), { kind: 'land', name: 'landed' }],
      w: [act('w1'), write('w2')],
    },
    settings: unconfined,
    isRepository: true,
  },
  compaction: {
    plan: {
      lead: [act('l1'), act('l2'), hire('a'), act('l3'), act('l4'), act('l5'), act('l6')],
      a: [act('a1')],
    },
    settings: { ...unconfined, autoCompactWindow: 2500 },
  },
  confined: {
    plan: { lead: [act('l1'), hire('b', later), write('l2')], b: [act('b1')] },
    settings: { sandbox: { enabled: true } },
  },
} satisfies Record<string, SceneKind>;

export type SceneName = keyof typeof sceneKinds;
export const sceneNames = Object.keys(sceneKinds) as SceneName[];

export interface RunEnd {
  code: number | null;
  killed: boolean;
  /** From the start of the process to its first request. */
  firstRequestMs: number | undefined;
  tookMs: number;
  said: string;
}

/** A home and a workspace of their own, in which one session is killed and resumed. */
export interface Scene {
  readonly name: SceneName;
  readonly top: string;
  readonly work: string;
  readonly home: string;
  readonly complaints: readonly string[];
  run(program: string, resumes: boolean, how?: Kill): Promise<RunEnd>;
  clear(): Promise<void>;
}

export interface Kill {
  /** A point of the test build. */
  at?: string;
  /** Where the test build writes down the points that it passes. */
  list?: string;
  afterMs?: number;
}

/** Far more than any scene needs: a model that goes round in circles is stopped. */
const maxRequests = 80;
const maxRunMs = 60_000;

export async function openScene(name: SceneName): Promise<Scene> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  const [work, home] = [join(top, 'work'), join(top, 'state')];
  mkdirSync(work);
  const kind: SceneKind = sceneKinds[name];
  const env = { PATH: '/usr/bin:/bin', HOME: top, SHELL: '/bin/sh', CADRE_HOME: home };
  if (kind.isRepository) prepareRepository(work, env);
  let requests = 0;
  let heard: (() => void) | undefined;
  const provider = await fakeProvider({
    script: (request) => {
      heard?.();
      return ++requests > maxRequests ? say('Too many requests.') : answer(request, kind.plan);
    },
  });
  return {
    ...{ name, top, work, home, complaints: provider.complaints },
    async run(program, resumes, how = {}) {
      const start = performance.now();
      let firstRequestMs: number | undefined;
      heard = () => {
        firstRequestMs ??= performance.now() - start;
      };
      const end = await runProgram(program, describeRun(kind, resumes), {
        cwd: work,
        env: {
          ...env,
          ANTHROPIC_BASE_URL: provider.url,
          ...(how.at === undefined ? {} : { CADRE_CRASH_AT: how.at }),
          ...(how.list === undefined ? {} : { CADRE_CRASH_LIST: how.list }),
        },
        afterMs: how.afterMs,
      });
      return { ...end, firstRequestMs, tookMs: performance.now() - start };
    },
    async clear() {
      await provider[Symbol.asyncDispose]();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** The workspace's files and their content, without git's own and ours. */
export function readWork({ work }: Scene): Record<string, string> {
  const names = readdirSync(work).filter((name) => name.endsWith('.txt'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(work, name), 'utf8')]));
}

function describeRun({ settings }: SceneKind, resumes: boolean): string[] {
  const boss = { description: 'Starts others', prompt: 'You lead.', tools: ['Agent', 'Bash', 'Write'] };
  return [
    ...['-p', `${resumes ? 'Go on.' : 'Begin.'} [role lead]`, ...(resumes ? ['--continue'] : [])],
    ...['--permission-mode', 'bypassPermissions', '--agents', JSON.stringify({ boss })],
    ...['--settings', JSON.stringify(settings)],
  ];
}

function prepareRepository(work: string, env: Record<string, string>): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@example.invalid');
  writeFileSync(join(work, 'first.txt'), 'first\n');
  git('add', '--all');
  git('commit', '-qm', 'Start');
}

interface RunOptions {
  cwd: string;
  env: Record<string, string>;
  afterMs: number | undefined;
}

function runProgram(
  program: string,
  args: string[],
  { cwd, env, afterMs }: RunOptions,
): Promise<Pick<RunEnd, 'code' | 'killed' | 'said'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs ?? maxRunMs);
    child.once('error', reject);
    // Not `close`: its commands may hold the pipes.
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, killed: signal === 'SIGKILL', said });
    });
  });
}
