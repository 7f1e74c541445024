import { fail, ok, type Result, usage } from '../lib/result.ts';
import { localMinute } from '../lib/text/local-time.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Layout } from './layout.ts';
import { type SessionSummary, summarise } from './summary.ts';
import { findTranscripts, type TranscriptFile } from './transcript-files.ts';
import { readTeamMember } from './transcript-header.ts';

export type { SessionSummary } from './summary.ts';

/** Sessions with at least one message, newest first; of one directory, or of all. */
export async function listSessions(
  layout: Layout,
  cwd?: string,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (file: TranscriptFile) => boolean = () => true,
): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (const file of findTranscripts(layout, cwd)) {
    if (found.length >= limit) break;
    if (!isWanted(file)) continue;
    const summary = await summarise(file);
    if (!summary || summary.messageCount === 0) continue;
    // Two directories can share a project name; a transcript without a header is included.
    if (cwd === undefined || summary.cwd === undefined || summary.cwd === cwd) found.push(summary);
  }
  return found;
}

/** The one that the user had last: sessions of teammates in panes belong to their leaders. */
export async function latestSession(layout: Layout, cwd: string): Promise<SessionSummary | undefined> {
  return (await listSessions(layout, cwd, 1, isOfUser))[0];
}

function isOfUser({ path }: TranscriptFile): boolean {
  return readTeamMember(path) === undefined;
}

/** Finds a session of any directory by its id, or by a unique beginning of it. */
export async function findSession(layout: Layout, idOrPrefix: string): Promise<Result<SessionSummary>> {
  const wanted = idOrPrefix.trim().toLowerCase();
  const files = findTranscripts(layout);
  const exact = files.filter((file) => file.id.toLowerCase() === wanted);
  const matches = exact.length > 0 ? exact : files.filter((file) => file.id.toLowerCase().startsWith(wanted));
  if (wanted === '' || matches.length === 0) return notFound(layout, idOrPrefix, files.length);
  const [only, another] = matches;
  if (!only || (another && exact.length === 0)) return ambiguous(idOrPrefix, matches);
  const summary = await summarise(only);
  if (summary) return ok(summary);
  return fail({
    kind: 'failure',
    message: `Cannot read the session ${only.path}.`,
    hint: 'Check its permissions.',
  });
}

async function notFound(layout: Layout, wanted: string, known: number): Promise<Result<never>> {
  const newest = await listSessions(layout, undefined, 5);
  const message = `No session "${visibleLine(wanted, 60)}" in ${layout.projects}.`;
  if (newest.length === 0) return usage(message, known === 0 ? 'No session is stored there yet.' : undefined);
  return usage(message, `The newest are:\n${newest.map(describe).join('\n')}`);
}

async function ambiguous(wanted: string, matches: TranscriptFile[]): Promise<Result<never>> {
  const shown = await Promise.all(matches.slice(0, 10).map(summarise));
  const lines = shown.flatMap((summary) => (summary ? [describe(summary)] : []));
  const more = matches.length > 10 ? [`  and ${matches.length - 10} more`] : [];
  return usage(
    `"${visibleLine(wanted, 60)}" matches ${matches.length} session ids.`,
    `Give more characters of the id:\n${[...lines, ...more].join('\n')}`,
  );
}

function describe(summary: SessionSummary): string {
  return `  ${summary.id}  ${localMinute(summary.modifiedAt)}  ${summary.title}`;
}
