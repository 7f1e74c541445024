import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustQuestion } from '../../tui/trust.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { declineTrust, describeTrust, grantTrust, isDeclined, isPerson } from './repository-trust.ts';
import { renderDescription } from './trust-text.ts';

/** Places where a repository could hold anything that needs trust. */
const places = ['.cadre', '.claude', '.mcp.json', '.agents'];

/** The repository's settings that the user has neither trusted nor refused; undefined if there are none. */
export async function findTrustQuestion(cwd: string): Promise<TrustQuestion | undefined> {
  const root = findRoot(cwd) ?? cwd;
  const mayHold = [cwd, root].some((directory) => places.some((name) => existsSync(join(directory, name))));
  if (!mayHold || !isPerson(process.env as Record<string, string>)) return undefined;
  const found = await describeTrust({ cwd });
  if (!found.ok || found.value.refusal) return undefined;
  const open = found.value.pieces.filter(
    ({ standing }) => standing === 'new' || standing === 'changed',
  ).length;
  const { text, isWhole } = renderDescription(found.value);
  // Content that cannot be shown whole is not asked about: cadre trust says what to do.
  if (open === 0 || !isWhole || isDeclined(found.value, { cwd })) return undefined;
  return {
    text,
    count: open,
    grant: () => grantTrust(found.value, { cwd }),
    decline: () => declineTrust(found.value, { cwd }),
  };
}
