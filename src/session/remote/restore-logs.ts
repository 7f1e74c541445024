import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listNames } from '../../lib/files/list-names.ts';
import { ledgerPath } from '../../models/budget/file-ledger.ts';
import { type CarriedPlace, readPlace, relocateLog } from '../../remote/places.ts';
import type { JobState } from '../../remote/steps.ts';
import { locateAnchors, type SessionLayout } from '../../store/layout.ts';

export const leadLog = 'transcript';
/** What was reserved and spent. */
export const ledgerLog = 'ledger';
const agentLog = /^agent-[A-Za-z0-9_-]{1,100}\.jsonl$/;

/** The transcript of an agent below the lead. */
function isAgentLog(name: string): boolean {
  return agentLog.test(name);
}

/**
 * The session's files as the last holder stored them, in this one's own place. What is there of an earlier time is removed: it may be
 * more than was stored. Returns their sizes.
 */
export function restoreLogs(
  files: SessionLayout,
  { logs, place }: Pick<JobState, 'logs' | 'place'>,
  at: { place: CarriedPlace; home: string; sessionId: string },
): Map<string, number> {
  removeLogs(files, at);
  const sizes = new Map<string, number>();
  for (const [name, stored] of logs) {
    const path = locateLog(files, name);
    if (path === undefined) continue;
    const text = relocateLog(stored, place ?? readPlace(stored), at.place);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
    sizes.set(name, Buffer.byteLength(text));
  }
  return sizes;
}

export function removeLogs(
  files: SessionLayout,
  { home, sessionId }: { home: string; sessionId: string },
): void {
  for (const path of [files.transcript, files.directory, locateAnchors(home, sessionId)])
    rmSync(path, { recursive: true, force: true });
}

/** Undefined for a name that no holder stores. */
export function locateLog(files: SessionLayout, name: string): string | undefined {
  if (name === leadLog) return files.transcript;
  if (name === ledgerLog) return ledgerPath(files.directory);
  return isAgentLog(name) ? join(files.subagents, name) : undefined;
}

/** The logs of a session, by the names under which they are stored. */
export function listLogs(files: SessionLayout, hasLedger: boolean): [name: string, path: string][] {
  return [
    [leadLog, files.transcript],
    ...(hasLedger ? [[ledgerLog, ledgerPath(files.directory)] satisfies [string, string]] : []),
    ...listNames(files.subagents)
      .filter(isAgentLog)
      .map((name): [string, string] => [name, join(files.subagents, name)]),
  ];
}
