import { boundText, visible, visibleLine } from '../lib/text/text.ts';
import { createLayout } from '../store/layout.ts';
import { findSession } from '../store/sessions.ts';
import { readTasks } from '../store/task-records.ts';
import { listOrigin, type WorkOrigin } from '../workspace/worktrees/origin.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';

type Origin = WorkOrigin & Pick<WorktreeRecord, 'slug'>;

const maxBody = 4000;
const maxValue = 200;

export function titleWork({ title, slug }: Pick<Origin, 'title' | 'slug'>): string {
  const line = visibleLine(title ?? '', maxValue).trim();
  return line === '' ? `Work in ${slug}` : line;
}

/** The message of a commit that is made for an agent: its task, its report about it, and whose work it is. */
export function composeWork(origin: Origin, report = ''): string {
  const body = boundText(visible(report).trim(), maxBody);
  // Apart from the report, whatever its last lines look like.
  return [titleWork(origin), ...(body === '' ? [] : [body]), listOrigin(origin).join('\n')].join('\n\n');
}

/** An agent's own message with whose work it is. */
export function signWork(message: string, origin: WorkOrigin): string {
  return addTrailers(message, listOrigin(origin));
}

const trailer = /^[A-Za-z0-9][A-Za-z0-9-]*: \S/;

/** At the end, in one block with those that are there. Git's own command for it runs programs that are configured. */
export function addTrailers(message: string, trailers: readonly string[]): string {
  const text = message.trimEnd();
  const paragraphs = text.split(/\n{2,}/);
  const last = paragraphs.at(-1)?.split('\n') ?? [];
  const hasBlock = paragraphs.length > 1 && last.every((line) => trailer.test(line));
  const added = trailers.filter((line) => !hasBlock || !last.includes(line));
  if (added.length === 0) return text;
  const gap = text === '' ? '' : hasBlock ? '\n' : '\n\n';
  return `${text}${gap}${added.join('\n')}`;
}

/** What agents reported at the end of their last run, by the transcripts of their sessions. */
export function openReports(home: string): (record: WorkOrigin) => Promise<string | undefined> {
  return async ({ session, agentId }) => {
    if (agentId === null) return undefined;
    const found = await findSession(createLayout(home), session);
    const tasks = found.ok ? await readTasks(found.value.path) : found;
    return tasks.ok ? tasks.value.findLast(({ task }) => task.id === agentId)?.end?.text : undefined;
  };
}
