import type { LineTerminal } from '../../headless/io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { MovedTo } from '../../protocol/index.ts';
import { describeLive, type LiveEntry, listLive, pickLive } from '../../session/attached/find-live.ts';
import type { MovedEntry } from '../../session/moves/move-index.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { findSession } from '../../store/sessions.ts';
import { chooseRow } from '../ask/choose-row.ts';

/** A session that can be looked at: in a process of this machine, or on a worker. */
export type ChosenSession =
  | { kind: 'live'; entry: LiveEntry }
  | { kind: 'moved'; id: string; job: MovedTo; cwd: string | undefined };

/** Sessions of this user on workers; undefined without an engine. */
export type ListMoved = () => Promise<Result<(MovedEntry & { job: MovedTo })[]> | undefined>;

/** The session that is meant: by id or title, the only one that runs, or the one that the user picks. */
export async function chooseSession(
  { layout }: Surroundings,
  word: string | undefined,
  terminal: LineTerminal | undefined,
  listMoved: ListMoved,
): Promise<Result<ChosenSession | 'left'>> {
  const live = await listLive(layout);
  if (word !== undefined) return findNamed(layout, live, word, listMoved);
  const [only, another] = live;
  if (!only) return findOnlyMoved(listMoved);
  if (!another) return ok({ kind: 'live', entry: only });
  if (!terminal)
    return usage(
      `${live.length} sessions are running. Name one of them.`,
      `For example: cadre attach ${only.id.slice(0, 8)}\n${live.map(describeLive).join('\n')}`,
    );
  terminal.show('Attach to which session?\n');
  const chosen = await chooseRow(terminal, { rows: live.map(describeRow) });
  const entry = chosen.kind === 'row' ? live[chosen.index] : undefined;
  return ok(entry ? { kind: 'live', entry } : 'left');
}

async function findOnlyMoved(listMoved: ListMoved): Promise<Result<ChosenSession>> {
  const moved = await listMoved();
  if (moved && !moved.ok) return moved;
  const [only, another] = moved?.value ?? [];
  if (!only) return usage('No session is running on this machine.', 'Start one: cadre');
  if (!another) return ok({ kind: 'moved', id: only.session, job: only.job, cwd: undefined });
  return usage(
    'No session is running on this machine, and several are on workers. Name one of them.',
    moved?.value.map(({ session, job }) => `  ${session}  on ${visibleLine(job.name, 60)}`).join('\n'),
  );
}

async function findNamed(
  layout: Surroundings['layout'],
  live: readonly LiveEntry[],
  word: string,
  listMoved: ListMoved,
): Promise<Result<ChosenSession>> {
  const picked = pickLive(live, word);
  if (!picked.ok) return picked;
  if (picked.value) return ok({ kind: 'live', entry: picked.value });
  const stored = await findSession(layout, word);
  if (stored.ok && stored.value.movedTo) {
    const { id, movedTo, cwd } = stored.value;
    return ok({ kind: 'moved', id, job: movedTo, cwd });
  }
  if (stored.ok)
    return usage(
      `Session ${stored.value.id} is not running.`,
      `Continue it: cadre --resume ${stored.value.id}`,
    );
  // Moved from another machine with the same key.
  const moved = await listMoved();
  const wanted = word.trim().toLowerCase();
  const found = moved?.ok ? moved.value.filter(({ session }) => session.startsWith(wanted)) : [];
  const [only] = found;
  return only && found.length === 1
    ? ok({ kind: 'moved', id: only.session, job: only.job, cwd: undefined })
    : stored;
}

function describeRow({ id, owner, summary }: LiveEntry): string {
  const title = summary ? visibleLine(summary.title, 50) : '(no message yet)';
  return `${title}  ${id.slice(0, 8)}  ${visibleLine(summary?.cwd ?? '', 60)}  process ${owner.pid}`;
}
