import { ok, type Result } from '../lib/result.ts';
import type { ReaderRefusals } from '../permissions/reader-refusals.ts';
import { openFileJudge } from '../session/environment.ts';
import type { Surroundings } from '../session/surroundings.ts';
import { readSettings } from './read-settings.ts';

/** The judge of a session here: a list shows what a session would use, and why it leaves out the rest. */
export async function openListJudge(
  around: Surroundings,
  additionalDirectories: string[],
): Promise<Result<ReaderRefusals>> {
  const settings = await readSettings(around);
  return settings.ok ? ok(openFileJudge(around, settings.value, { additionalDirectories })) : settings;
}
