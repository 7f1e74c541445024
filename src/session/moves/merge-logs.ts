import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { MovedPrompt, MovedRecord, MovedTo } from '../../protocol/index.ts';
import { parseQuietly } from '../../remote/job.ts';
import { describeMove, relocateLog } from '../../remote/places.ts';
import type { JobState } from '../../remote/steps.ts';
import type { SessionLayout } from '../../store/layout.ts';
import type { Repository } from '../../workspace/worktrees/repository.ts';
import { leadLog, locateLog } from '../remote/restore-logs.ts';

/** Where the files of a session are that came back. */
export type HomeFiles =
  | { kind: 'checkout' }
  /** The checkout was changed meanwhile, and stays as it is. */
  | { kind: 'worktree'; path: string; slug: string };

const maxLog = 512 * 1024 * 1024;

/** What is here stays byte for byte; what was added elsewhere follows. The lead's last: from then on the session is here. */
export function mergeLogs(
  files: SessionLayout,
  { logs, place }: JobState,
  { job, unread }: { job: MovedTo; unread: readonly MovedPrompt[] },
  { top, main, common }: Repository,
  placed: HomeFiles,
): Result<void> {
  const lead = readBoundedText(files.transcript, maxLog) ?? '';
  const cwd = readCwd(lead) ?? top;
  const here = { cwd, top, main, common, files: files.directory };
  const from = place ?? here;
  const note = [describeMove(from, here), placed.kind === 'worktree' ? describeBeside(placed) : ''];
  for (const [name, stored] of [...logs].sort(
    ([one], [other]) => Number(one === leadLog) - Number(other === leadLog),
  )) {
    const path = locateLog(files, name);
    if (path === undefined) continue;
    const before = name === leadLog ? lead : existsSync(path) ? (readBoundedText(path, maxLog) ?? '') : '';
    const text = relocateLog(stored, from, here);
    const added =
      name === leadLog
        ? addLead(before, text, job, { note: note.join(' ').trim(), unread })
        : addLog(before, text);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const written = writeAtomic(path, added);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

function readCwd(text: string): string | undefined {
  const header = parseQuietly(text.slice(0, text.indexOf('\n')));
  const cwd = typeof header === 'object' && header !== null && 'cwd' in header ? header.cwd : undefined;
  return typeof cwd === 'string' ? cwd : undefined;
}

function describeBeside({ path, slug }: Extract<HomeFiles, { kind: 'worktree' }>): string {
  return `The checkout was changed while you were away, so your own changes are in the worktree ${slug} (${path}), and the checkout does not have them. Ask the user before you bring the two together.`;
}

/** The same lines, and those beyond them. */
function addLog(before: string, text: string): string {
  const known = before === '' ? 0 : before.slice(0, before.lastIndexOf('\n') + 1).split('\n').length - 1;
  return text.split('\n').slice(known).join('\n') === ''
    ? before
    : joinLines(before, text.split('\n').slice(known));
}

function joinLines(before: string, lines: readonly string[]): string {
  return before.slice(0, before.lastIndexOf('\n') + 1) + lines.join('\n');
}

/** What stands here behind the word of the move was written too late, and is left out. */
function addLead(before: string, text: string, { jobId }: MovedTo, more: MoreOfMove): string {
  const isMove = (line: string) =>
    line.startsWith('{"type":"moved"') && (parseQuietly(line) as MovedRecord).to?.jobId === jobId;
  const here = before.split('\n');
  const there = text.split('\n');
  const kept = here.slice(0, here.findIndex(isMove) + 1);
  const added = there.slice(there.findIndex(isMove) + 1).filter((line) => line !== '');
  const last = parseQuietly(added.at(-1) ?? '') as MovedRecord | undefined;
  if (last?.type === 'moved') added[added.length - 1] = JSON.stringify(completeMove(last, more));
  else added.push(formatTaken([...kept, ...added], more));
  return `${[...kept, ...added].join('\n')}\n`;
}

interface MoreOfMove {
  note: string;
  unread: readonly MovedPrompt[];
}

function completeMove(moved: MovedRecord, { note, unread }: MoreOfMove): MovedRecord {
  const known = new Set(moved.prompts.map(({ uuid }) => uuid));
  const prompts = [...moved.prompts, ...unread.filter(({ uuid }) => !known.has(uuid))];
  return { ...moved, prompts, ...(note === '' ? {} : { note }) };
}

/** Its holder could not say so itself: what it had finished counts. */
function formatTaken(lines: readonly string[], more: MoreOfMove): string {
  const records = lines.map((line) => parseQuietly(line) as Loose | undefined);
  const epoch = Math.max(0, ...records.map((record) => record?.epoch ?? 0)) + 1;
  const { timestamp = new Date(0).toISOString() } = records.findLast((record) => record?.timestamp) ?? {};
  const last = records.findLast((record) => record?.type === 'user' || record?.type === 'assistant');
  const isRunning = last?.type === 'user' || hasOpenCall(last);
  const begun = JSON.stringify({ type: 'epoch', timestamp, pid: process.pid, epoch });
  const read = new Set(records.map((record) => record?.uuid));
  const before = records.findLast((record) => record?.type === 'moved')?.prompts ?? [];
  const prompts = before.filter(({ uuid }) => !read.has(uuid));
  const moved: MovedRecord = { type: 'moved', timestamp, to: null, isRunning, prompts };
  return `${begun}\n${JSON.stringify({ ...completeMove(moved, more), epoch })}`;
}

interface Loose {
  type?: string;
  epoch?: number;
  timestamp?: string;
  uuid?: string;
  prompts?: MovedPrompt[];
}

function hasOpenCall(record: unknown): boolean {
  return JSON.stringify(record ?? '').includes('"type":"tool_use"');
}
