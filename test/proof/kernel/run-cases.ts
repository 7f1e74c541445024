import { neutralGitVariables } from '../../../src/workspace/git/shell.ts';
import type { AllowedCase } from './cases.ts';
import { contradictions } from './compare.ts';
import { type Job, runJobs, searchPath } from './driver.ts';
import type { Allowed, Given } from './judged.ts';
import type { Layout } from './layout.ts';

/** A line that the kernel contradicts. */
export interface Contradiction {
  readonly one: AllowedCase;
  readonly saw: readonly string[];
}

/**
 * Runs them, one traced process for each layout, two at a time. `apart`: each in a fresh copy, so that what another line
 * did cannot be the cause.
 */
export async function runCases(cases: readonly AllowedCase[], apart = false): Promise<Contradiction[]> {
  const groups = new Map<Layout, AllowedCase[]>();
  for (const one of cases) groups.set(one.layout, [...(groups.get(one.layout) ?? []), one]);
  const waiting = [...groups];
  const found: Contradiction[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      found.push(...(await runGroup(...next, apart)));
  };
  await Promise.all([work(), work()]);
  return found.sort((a, b) => a.one.number - b.one.number);
}

async function runGroup(
  layout: Layout,
  cases: readonly AllowedCase[],
  apart: boolean,
): Promise<Contradiction[]> {
  const jobs = new Map<string, { job: Job; cases: AllowedCase[] }>();
  const failed: Contradiction[] = [];
  for (const one of cases) {
    const job = await jobOf(one, one.allowed, apart || mayChange(one.allowed));
    if ('problem' in job) failed.push({ one, saw: [job.problem] });
    else {
      // Whoever it is judged for, the same line does the same.
      const key = JSON.stringify({ ...job, changes: true });
      const known = jobs.get(key);
      jobs.set(key, {
        job: { ...job, changes: job.changes || known?.job.changes === true },
        cases: [...(known?.cases ?? []), one],
      });
    }
  }
  const all = [...jobs.values()];
  const ran = await runJobs(
    layout,
    all.map(({ job }) => job),
  );
  const found = all.flatMap(({ cases }, index) =>
    cases.flatMap((one) => {
      const saw = ran[index] ? contradictions(ran[index], one.allowed, layout) : [];
      return saw.length > 0 ? [{ one, saw }] : [];
    }),
  );
  return [...failed, ...found];
}

function mayChange({ writes, isGranted, isFree }: Allowed): boolean {
  return writes.length > 0 || isGranted === true || isFree === true;
}

/** As the shell tool would run it. */
export async function jobOf(
  given: Given,
  { decision }: Allowed,
  changes: boolean,
): Promise<Job | { problem: string }> {
  const env = commandEnvironment(given.layout);
  if (decision.behaviour !== 'allow') return { problem: decision.reason };
  try {
    const git = decision.neutralise?.git ?? [];
    const neutral = git.length > 0 ? await neutralVariables(given.layout, git) : {};
    return { line: given.line, cwd: given.cwd, shell: given.shell, env: { ...env, ...neutral }, changes };
  } catch (error) {
    return { problem: `the harness itself fails: ${error instanceof Error ? error.message : error}` };
  }
}

function commandEnvironment({ home }: Layout): Record<string, string> {
  return {
    ...{ HOME: home, PATH: searchPath, USER: 'user', LOGNAME: 'user', SHELL: '/bin/bash', LC_ALL: 'C' },
    ...{ TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat', GIT_EDITOR: 'true' },
    GIT_TERMINAL_PROMPT: '0',
  };
}

const known = new WeakMap<Layout, Map<string, Promise<Record<string, string>>>>();

function neutralVariables(layout: Layout, directories: readonly string[]): Promise<Record<string, string>> {
  const ofLayout = known.get(layout) ?? new Map<string, Promise<Record<string, string>>>();
  known.set(layout, ofLayout);
  const key = [...directories].sort().join('\0');
  const options = { env: commandEnvironment(layout), signal: new AbortController().signal };
  const found = ofLayout.get(key) ?? neutralGitVariables(directories, options);
  ofLayout.set(key, found);
  return found;
}
