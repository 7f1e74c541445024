import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseQuietly } from '../../remote/job.ts';
import type { JobState } from '../../remote/steps.ts';
import { locateAnchors, type SessionLayout } from '../../store/layout.ts';

export const leadLog = 'transcript';
const agentLog = /^agent-[A-Za-z0-9_-]{1,100}\.jsonl$/;

/** The transcript of an agent below the lead. */
export function isAgentLog(name: string): boolean {
  return agentLog.test(name);
}

/**
 * The session's files as the last worker stored them, in this worker's own place. What this worker has of an earlier time is removed:
 * it may be more than was stored. Returns their sizes.
 */
export function restoreLogs(
  files: SessionLayout,
  { logs }: JobState,
  at: { cwd: string; home: string; sessionId: string },
): Map<string, number> {
  for (const path of [files.transcript, files.directory, locateAnchors(at.home, at.sessionId)])
    rmSync(path, { recursive: true, force: true });
  const sizes = new Map<string, number>();
  for (const [name, stored] of logs) {
    if (name !== leadLog && !isAgentLog(name)) continue;
    const path = name === leadLog ? files.transcript : join(files.subagents, name);
    const text = moveHeader(stored, at.cwd);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
    sizes.set(name, Buffer.byteLength(text));
  }
  return sizes;
}

/** A session is looked for by the directory in its first line. */
function moveHeader(text: string, cwd: string): string {
  const end = text.indexOf('\n');
  const header = parseQuietly(text.slice(0, end));
  if (typeof header !== 'object' || header === null) return text;
  return JSON.stringify({ ...header, cwd }) + text.slice(end);
}
