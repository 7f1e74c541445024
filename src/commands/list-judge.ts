import { ok, type Result } from '../lib/result.ts';
import type { ReaderRefusals } from '../permissions/reader-refusals.ts';
import { openFileJudge } from '../session/environment.ts';
import type { Surroundings } from '../session/surroundings.ts';
import { loadSettings } from '../settings/load.ts';

/** The judge of a session here: a list shows what a session would use, and why it leaves out the rest. */
export async function openListJudge(
  around: Surroundings,
  additionalDirectories: string[],
): Promise<Result<ReaderRefusals>> {
  const { home, userHome, cwd, root } = around;
  const sources = ['user', 'project', 'local'] as const;
  const settings = await loadSettings({ home, userHome, cwd, root, trusted: false, sources: [...sources] });
  return settings.ok ? ok(openFileJudge(around, settings.value, { additionalDirectories })) : settings;
}
