import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../lib/files/atomic.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { readReal } from '../lib/files/open-real.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { isWithin } from '../workspace/paths.ts';
import { isPlainBelow, resolveRealPath } from '../workspace/real-path.ts';

/** The longest plan that is shown for approval and returned afterwards. */
export const maxPlanCharacters = 100_000;
/** Enough to tell a plan that is too long from one that fits. */
const maxPlanSize = 4 * maxPlanCharacters + 4;

/** Plan mode writes there without asking: not where a link of the repository leads it. */
export function choosePlans(
  wanted: string | undefined,
  { root, layout }: { root: string; layout: { plans: string } },
): { plans: string; notices: string[] } {
  if (wanted === undefined) return { plans: layout.plans, notices: [] };
  if (!isWithin(wanted, root) || isPlainBelow(wanted, root)) return { plans: wanted, notices: [] };
  const notice = `plansDirectory: ${wanted} is reached by a link, to ${resolveRealPath(wanted)}; plans are written to ${layout.plans}.`;
  return { plans: layout.plans, notices: [visibleLine(notice, 1_000)] };
}

/** The path of a session's plan: its own name in the directory for plans, kept after approval. */
export function newPlanFile(directory: string, ids: Ids): string {
  ensurePrivateDirectory(directory);
  return join(resolveRealPath(directory), `plan-${ids.token(10)}.md`);
}

export type PlanText = { ok: true; text: string } | { ok: false; reason: string };

export function readPlan(file: string): PlanText {
  const found = readReal(file as RealPath, maxPlanSize);
  if (found.state === 'missing')
    return { ok: false, reason: `There is no plan yet. Write it to ${file} first.` };
  const bytes = found.state === 'found' ? found.value.bytes : undefined;
  if (!bytes) return { ok: false, reason: `The plan file ${file} cannot be read.` };
  const text = bytes.toString('utf8');
  if (text.trim() === '') return { ok: false, reason: `The plan file ${file} is empty.` };
  if (text.length > maxPlanCharacters)
    return {
      ok: false,
      reason: `The plan has ${text.length} characters; at most ${maxPlanCharacters} can be shown.`,
    };
  return { ok: true, text };
}

/**
 * Goes into the directory as it was when the session began: if it has been swapped for a link since, writing is refused.
 */
export function writePlan(file: string, text: string): Result<void> {
  const directory = holdDirectory(dirname(file));
  if (!directory.ok) return directory;
  try {
    return writeAtomic(join(directory.value.path, basename(file)), text);
  } finally {
    directory.value.close();
  }
}
