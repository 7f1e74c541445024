import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory } from '../lib/files.ts';
import type { Ids } from '../lib/ids.ts';
import { codeOf } from '../lib/result.ts';

/** The most of a plan that is shown for approval, and handed back afterwards. */
export const mostPlanCharacters = 100_000;

/** Where a session's plan is written: a name of its own in the directory for plans, kept after approval. */
export function newPlanFile(directory: string, ids: Ids): string {
  ensurePrivateDirectory(directory);
  return join(directory, `plan-${ids.token(10)}.md`);
}

export type PlanText = { ok: true; text: string } | { ok: false; reason: string };

export function readPlan(file: string): PlanText {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '') return { ok: false, reason: `The plan file ${file} is empty.` };
    if (text.length > mostPlanCharacters)
      return {
        ok: false,
        reason: `The plan has ${text.length} characters; at most ${mostPlanCharacters} can be shown.`,
      };
    return { ok: true, text };
  } catch (error) {
    const reason =
      codeOf(error) === 'ENOENT'
        ? `There is no plan yet. Write it to ${file} first.`
        : `The plan file ${file} cannot be read.`;
    return { ok: false, reason };
  }
}
