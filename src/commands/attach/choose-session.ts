import type { LineTerminal } from '../../headless/io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { describeLive, type LiveEntry, listLive, pickLive } from '../../session/attached/find-live.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { findSession } from '../../store/sessions.ts';
import { chooseRow } from '../choose-row.ts';

/** The session that is meant: by id or title, the only one that runs, or the one that the user picks. */
export async function chooseSession(
  { layout }: Surroundings,
  word: string | undefined,
  terminal: LineTerminal | undefined,
): Promise<Result<LiveEntry | 'left'>> {
  const live = await listLive(layout);
  if (word !== undefined) return findNamed(layout, live, word);
  const [only, another] = live;
  if (!only) return usage('No session is running on this machine.', 'Start one: cadre');
  if (!another) return ok(only);
  if (!terminal)
    return usage(
      `${live.length} sessions are running. Name one of them.`,
      `For example: cadre attach ${only.id.slice(0, 8)}\n${live.map(describeLive).join('\n')}`,
    );
  terminal.show('Attach to which session?\n');
  const chosen = await chooseRow(terminal, { rows: live.map(describeRow) });
  const entry = chosen.kind === 'row' ? live[chosen.index] : undefined;
  return ok(entry ?? 'left');
}

async function findNamed(
  layout: Surroundings['layout'],
  live: readonly LiveEntry[],
  word: string,
): Promise<Result<LiveEntry>> {
  const picked = pickLive(live, word);
  if (!picked.ok) return picked;
  if (picked.value) return ok(picked.value);
  const stored = await findSession(layout, word);
  if (!stored.ok) return stored;
  return usage(
    `Session ${stored.value.id} is not running.`,
    `Continue it: cadre --resume ${stored.value.id}`,
  );
}

function describeRow({ id, owner, summary }: LiveEntry): string {
  const title = summary ? visibleLine(summary.title, 50) : '(no message yet)';
  return `${title}  ${id.slice(0, 8)}  ${visibleLine(summary?.cwd ?? '', 60)}  process ${owner.pid}`;
}
