import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { visibleLine } from '../../lib/text/text.ts';

const maxNamed = 5;

/**
 * The session's work that exists only in worktrees, except those in use, as a line; empty if there is none. Ask after opening or closing:
 * unchanged worktrees are removed by then.
 */
export async function describeUnlanded(home: string, sessionId: string): Promise<string> {
  if (!existsSync(join(home, 'worktrees'))) return '';
  const { isInUse } = await import('../../workspace/worktrees/in-use.ts');
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const slugs = listRecords(home)
    .filter((record) => record.session === sessionId && !record.scratch && !isInUse(record, home))
    .map(({ slug }) => visibleLine(slug, 80));
  if (slugs.length === 0) return '';
  const more = slugs.length > maxNamed ? ` and ${slugs.length - maxNamed} more` : '';
  return `Not landed: ${slugs.slice(0, maxNamed).join(', ')}${more}. Review it with cadre worktree diff, land it with cadre worktree land.\n`;
}
