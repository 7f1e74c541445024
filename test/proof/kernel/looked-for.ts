import { existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isWithin } from '../../../src/workspace/paths.ts';
import { type Job, runJobs } from './driver.ts';
import { type Allowed, type Given, judgeLine, postures } from './judged.ts';
import { buildLayouts, type Layout } from './layout.ts';
import { commitAll } from './layout-git.ts';
import { type RuleSet, ruleSets } from './rule-sets.ts';
import { jobOf } from './run-cases.ts';
import type { Event } from './trace.ts';

/** A file that programs open without being told to, below or above the workspace, and lines that make them do it. */
export interface LookedFor {
  /** Relative to the workspace. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** What may be in its place, and the rules under which opening it would be wrong. */
export interface Plant {
  readonly name: string;
  readonly rules: RuleSet;
  put(layout: Layout, path: string): void;
}

const outside = ({ base }: Layout) => join(base, 'outside', 'secret.txt');
const refused = ({ workspace }: Layout) => join(workspace, '.env');

export const plants: readonly Plant[] = [
  {
    name: 'a link out of the workspace',
    rules: findRules('none'),
    put: (layout, path) => symlinkSync(outside(layout), path),
  },
  {
    name: 'a link to a refused file',
    rules: findRules('one-file'),
    put: (layout, path) => symlinkSync(refused(layout), path),
  },
  {
    name: 'a second name of a refused file',
    rules: findRules('one-file'),
    put: (layout, path) => linkSync(refused(layout), path),
  },
];

function findRules(name: string): RuleSet {
  const found = ruleSets.find((set) => set.name === name);
  if (!found) throw new Error(`no rules are called ${name}`);
  return found;
}

/** Runs every line that is allowed, and lists what was opened, or would have been, without standing in the line. */
export async function listLookedFor(lines: readonly string[]): Promise<LookedFor[]> {
  using layouts = buildLayouts(['clean']);
  const [layout] = layouts.all as [Layout];
  const ran = await runAllowed(lines, layout, findRules('none'));
  const found = new Map<string, string[]>();
  for (const { line, events } of ran)
    for (const path of listOwnOpens(line, events, layout))
      found.set(path, [...new Set([...(found.get(path) ?? []), line])]);
  const paths = [...found]
    .map(([path, all]) => ({ path, lines: all }))
    .sort((a, b) => a.path.length - b.path.length);
  // A name that is looked for in every directory: at the top, above it, and in one below.
  const groups = Map.groupBy(paths, ({ path }) =>
    path.includes('.git/') ? path : `${basename(path)} ${describeDepth(path)}`,
  );
  return [...groups.values()].flatMap(([first]) => first ?? []);
}

function describeDepth(path: string): string {
  if (path.startsWith('..')) return 'above';
  return path.includes('/') ? 'below' : 'top';
}

/** The home is the user's own: what is there was not put there by a repository. */
function listOwnOpens(line: string, events: readonly Event[], { base, workspace, home }: Layout): string[] {
  return events
    .filter(
      ({ kind, path, call }) =>
        kind === 'read' && isWithin(path, base) && !isWithin(path, home) && !call.includes('O_DIRECTORY'),
    )
    .map(({ path }) => relative(workspace, path))
    .filter((path) => path !== '' && !line.includes(path) && !isContent(path));
}

/** What a search meets by its way, and what git keeps by its id. */
function isContent(path: string): boolean {
  if (/(?:^|\/)\.git\/(?:objects\/(?!info)|refs\/|logs\/|hooks\/)/.test(path)) return true;
  return !/(?:^|\/)\.[^/.][^/]*(?:\/|$)|rc$/.test(path);
}

/** Lines that open the planted file although they run without asking, in words. */
export async function findOpened({ path, lines }: LookedFor, plant: Plant): Promise<string[]> {
  using layouts = buildLayouts(['plain']);
  const [layout] = layouts.all as [Layout];
  commitAll(layout.workspace);
  const place = join(layout.workspace, path);
  mkdirSync(dirname(place), { recursive: true });
  // What git itself keeps there is its content, and other tests have it.
  if (existsSync(place) && !/(?:exclude|attributes)$/.test(path)) return [];
  rmSync(place, { force: true });
  plant.put(layout, place);
  const ran = await runAllowed(lines, layout, plant.rules);
  return ran
    .filter(({ line, events, output }) => {
      const opens = events.some(
        (one) => one.kind === 'read' && one.failed === undefined && one.path === place,
      );
      // Of git it counts what it prints: there may be many such files off its way, and it compares by reading.
      return opens && (!/\bgit\b/.test(line) || plant.rules.name === 'none' || output.includes('canary'));
    })
    .map(({ line }) => `${line}: opens ${path}, ${plant.name}`);
}

async function runAllowed(lines: readonly string[], layout: Layout, rules: RuleSet) {
  const judged = lines.flatMap((line): (Given & { allowed: Allowed })[] => {
    const [posture] = postures as [Given['posture']];
    const given: Given = { line, cwd: layout.workspace, layout, posture, shell: 'bash', rules };
    const allowed = judgeLine(given);
    return allowed ? [{ ...given, allowed }] : [];
  });
  const jobs: Job[] = [];
  for (const one of judged) {
    const job = await jobOf(one, one.allowed, false);
    if (!('problem' in job)) jobs.push(job);
  }
  const ran = await runJobs(layout, jobs);
  return ran.map(({ trace, output }, index) => ({
    line: jobs[index]?.line ?? '',
    events: trace.events,
    output,
  }));
}
