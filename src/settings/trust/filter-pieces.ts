import { ok } from '../../lib/result.ts';
import { readEverySetting } from '../../workspace/git/every-setting.ts';
import { type GitFilter, readOwnFilters, type TrustsFilter } from '../../workspace/git/filters.ts';
import { git } from '../../workspace/git/git.ts';
import { findMainRoot } from '../../workspace/git/main-root.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { openTrust, type Trust } from '../trust.ts';
import type { PieceCollector } from './collect.ts';
import type { TrustPiece } from './piece.ts';

/** Programs that git runs on files: a configuration can come with a directory that was copied or unpacked. */
export function filterPiece({ name, settings, isConditional }: GitFilter): TrustPiece {
  const file = isConditional ? conditionalFile : '.git/config';
  return { kind: 'git-filter', file, name, content: settings };
}

/** In the place of a file: one filter may be set in the configuration, and otherwise under a condition. */
const conditionalFile = '.git/config, includeIf';

/** For `cadre trust`. Where git cannot read the configuration it runs no filter either. */
export function collectFilters(env: Record<string, string>): PieceCollector {
  return async ({ root }) => {
    const run = (args: readonly string[]) => git(args, { cwd: root, env });
    const filters =
      findRoot(root) === undefined ? ok([]) : await readOwnFilters(run, readEverySetting({ cwd: root, env }));
    const problems = filters.ok ? [] : [filters.problem.message];
    return ok({ pieces: (filters.ok ? filters.value : []).map(filterPiece), problems });
  };
}

/** Whether filters of a repository are trusted: those of a worktree with its main checkout. */
export function createFilterTrust(options: { home: string; everything?: boolean }): TrustsFilter {
  const opened = new Map<string, Trust>();
  return (filter, cwd) => {
    const root = findMainRoot(findRoot(cwd) ?? cwd);
    const trust = opened.get(root) ?? openTrust({ ...options, root });
    opened.set(root, trust);
    // Where it runs its condition holds, which it need not where the user was asked.
    return [filter, { ...filter, isConditional: true as const }].some((one) =>
      trust.isTrusted(filterPiece(one)),
    );
  };
}
