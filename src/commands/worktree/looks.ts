import { findWorktrees, readCandidate } from '../../landing/candidates.ts';
import { diffWorktree } from '../../landing/drop.ts';
import { nameOwner } from '../../landing/render.ts';
import type { Ground } from '../../landing/types.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { diffstat } from '../../workspace/worktrees/changes.ts';
import { describeAge, formatIdentity } from '../../workspace/worktrees/identity.ts';

/** What a command of this group prints. */
export interface Done {
  text: string;
  data: unknown;
  code: number;
}

export async function listWorktrees(ground: Ground): Promise<Result<Done>> {
  const found = findWorktrees(ground);
  if (!found.ok) return found;
  const rows = [];
  for (const record of found.value) {
    const candidate = await readCandidate(record, ground);
    const stat = candidate.ok
      ? await diffstat(candidate.value.start, candidate.value.tip, record.path, ground.world)
      : candidate;
    const obstacle = candidate.ok ? candidate.value.obstacle : undefined;
    rows.push({
      id: formatIdentity(record),
      name: record.slug,
      path: record.path,
      branch: record.branch,
      createdAt: record.createdAt,
      title: record.title ?? null,
      session: record.session,
      agentId: record.agentId,
      agentName: record.agentName ?? null,
      state: candidate.ok && candidate.value.isBusy ? 'running' : 'idle',
      ...(stat.ok
        ? { files: stat.value.files.length, added: stat.value.added, removed: stat.value.removed }
        : { problem: stat.problem.message }),
      ...(obstacle === undefined ? {} : { obstacle }),
    });
  }
  const now = ground.world.clock.now();
  const lines = rows.map((row) => {
    const owner = nameOwner({ agentId: row.agentId, ...(row.agentName ? { name: row.agentName } : {}) });
    const work =
      'problem' in row
        ? row.problem
        : `${row.files} ${row.files === 1 ? 'file' : 'files'}, +${row.added} -${row.removed}`;
    const hindered = 'obstacle' in row ? `; cannot land: ${row.obstacle}` : '';
    const whose = `${owner}, ${describeAge(row.createdAt, now)}, ${row.state}`;
    const line = `${row.id} (${whose}): ${work}${hindered}. ${row.title ?? ''}`;
    return visibleLine(line, 400).trimEnd();
  });
  const text = lines.length === 0 ? 'There are no worktrees.\n' : `${lines.join('\n')}\n`;
  return ok({ text, data: rows, code: 0 });
}

export async function renderDiffs(
  ground: Ground,
  names: readonly string[],
  stat: boolean,
): Promise<Result<Done>> {
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const diffs: { name: string; session: string; diff: string }[] = [];
  for (const record of found.value) {
    const shown = await diffWorktree(ground, record, stat);
    if (!shown.ok) return shown;
    diffs.push({ name: record.slug, session: record.session, diff: shown.value });
  }
  const text =
    diffs.length === 1
      ? (diffs[0]?.diff ?? '')
      : diffs.map(({ name, diff }) => `# ${name}\n${diff}`).join('\n');
  return ok({ text, data: diffs, code: 0 });
}
