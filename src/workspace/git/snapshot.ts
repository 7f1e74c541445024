import type { Clock } from '../../lib/clock.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { type GitOptions, git } from './git.ts';
import { dropSeemingChanges } from './racy-filtered.ts';

/** The state of a checkout at one moment, in git's words: not bounded, and not safe to display. */
export interface GitSnapshot {
  /** `main...origin/main [ahead 1]`, `HEAD (no branch)`, `No commits yet on main`. */
  branch: string;
  /** The branch that others are made from, as a guess. */
  mainBranch?: string | undefined;
  /** Short lines: two letters and a path from the top of the checkout. */
  changes: string[];
  /** Newest first: an abbreviated id and the subject. */
  commits: string[];
}

export interface GitSnapshotOptions {
  cwd: string;
  env: Record<string, string>;
  clock: Clock;
  /** After this time there is no snapshot: a large repository is not waited for. */
  limitMs?: number;
  /** Only the branch and the changes, which is one run of git. */
  isBrief?: boolean | undefined;
}

const defaultLimitMs = 2_000;
/** The first request of a session waits for it. */
const briefLimitMs = 500;
const maxCommits = 5;

/** Reads the checkout around a directory, and changes nothing in it. */
export async function gitSnapshot(options: GitSnapshotOptions): Promise<Result<GitSnapshot>> {
  const { cwd, env, clock, isBrief = false, limitMs = isBrief ? briefLimitMs : defaultLimitMs } = options;
  const over = new AbortController();
  const late = Promise.withResolvers<Result<never>>();
  const cancel = clock.after(limitMs, () => {
    over.abort('too late');
    late.resolve(failure(`git in ${cwd} took longer than ${limitMs} ms.`));
  });
  const look = isBrief ? lookBriefly : lookAtAll;
  const looked = look({ cwd, env, clock, signal: over.signal, timeoutMs: limitMs });
  const found = await Promise.race([looked, late.promise]);
  cancel();
  return found;
}

async function lookBriefly(options: GitOptions): Promise<Result<GitSnapshot>> {
  const status = await git(['status', '--porcelain=v1', '--branch'], options);
  if (!status.ok) return status;
  const [branch = '', ...lines] = splitLines(status.value);
  const changes = await dropSeemingChanges(lines, options);
  return ok({ branch: branch.replace(/^## /, ''), changes, commits: [] });
}

async function lookAtAll(options: GitOptions): Promise<Result<GitSnapshot>> {
  const [brief, heads, commits] = await Promise.all([
    lookBriefly(options),
    git(['for-each-ref', '--format=%(refname) %(symref)', ...mainNames], options),
    git(['rev-list', `--max-count=${maxCommits}`, '--oneline', 'HEAD', '--'], options),
  ]);
  if (!brief.ok) return brief;
  const mainBranch = heads.ok ? guessMain(splitLines(heads.value)) : undefined;
  return ok({
    ...brief.value,
    mainBranch,
    // Before the first commit there is none to name.
    commits: commits.ok ? splitLines(commits.value) : [],
  });
}

const originHead = 'refs/remotes/origin/HEAD';
const mainNames = [originHead, ...['main', 'master', 'trunk'].map((name) => `refs/heads/${name}`)];

/** The origin's head, otherwise the first existing one of the usual names. */
function guessMain(lines: readonly string[]): string | undefined {
  const targets = new Map(
    lines.map((line) => {
      const [name = '', target = ''] = line.split(' ');
      return [name, target];
    }),
  );
  const ofOrigin = targets.get(originHead)?.replace(/^refs\/remotes\/origin\//, '');
  if (ofOrigin) return ofOrigin;
  return mainNames
    .slice(1)
    .find((name) => targets.has(name))
    ?.replace(/^refs\/heads\//, '');
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
