import { ok, type Result, usage } from '../../lib/result.ts';
import type { WorktreeRecord } from './record.ts';

/** Sessions are shown by the beginning of their id. */
const shownSession = 8;

/** The one name that no other worktree has: those of agents and of tasks may be used by every session again. */
export function formatIdentity({ session, slug }: Pick<WorktreeRecord, 'session' | 'slug'>): string {
  return `${formatSession(session)}/${slug}`;
}

export function formatSession(session: string): string {
  return session.slice(0, shownSession);
}

/**
 * The worktrees that a word means: by their own name, their agent's name or its id, with or without the session before it.
 * Within one session a worktree's own name comes first. Letter case counts only where it tells two apart.
 */
export function matchWorktrees(records: readonly WorktreeRecord[], word: string): WorktreeRecord[] {
  const slash = word.indexOf('/');
  const session = slash === -1 ? undefined : word.slice(0, slash);
  const name = word.slice(slash + 1);
  const among = session === undefined ? records : records.filter((one) => isSession(one.session, session));
  const exact = among.filter((one) => listNames(one).includes(name));
  const lower = name.toLowerCase();
  const isAlike = (one: WorktreeRecord) => listNames(one).some((other) => other.toLowerCase() === lower);
  const found = exact.length > 0 ? exact : among.filter(isAlike);
  const isOneSession = new Set(found.map((one) => one.session)).size === 1;
  const own = found.filter(({ slug }) => slug === name);
  return isOneSession && own.length > 0 ? own : found;
}

function listNames({ slug, agentName, agentId }: WorktreeRecord): string[] {
  return [slug, agentName, agentId].flatMap((name) => name ?? []);
}

function isSession(id: string, given: string): boolean {
  return id === given || (given.length >= shownSession && id.startsWith(given));
}

/** Each word means one worktree, or nothing is done. */
export function pickWorktrees(
  records: readonly WorktreeRecord[],
  words: readonly string[],
  isOwnSession: boolean,
): Result<WorktreeRecord[]> {
  const picked = new Set<WorktreeRecord>();
  const show = isOwnSession ? ({ slug }: WorktreeRecord) => slug : formatIdentity;
  const where = isOwnSession ? ' of this session' : '';
  const none = `${isOwnSession ? 'This session' : 'This repository'} has no worktrees of Cadre.`;
  for (const word of words) {
    const found = matchWorktrees(records, word);
    const [first] = found;
    if (first === undefined)
      return usage(
        `There is no worktree ${JSON.stringify(word)}${where}.`,
        records.length === 0 ? none : `Available: ${records.map(show).join(', ')}.`,
      );
    if (found.length > 1)
      return usage(
        `${JSON.stringify(word)} matches ${found.length} worktrees: ${found.map(show).join(', ')}.`,
        'Use one of these names.',
      );
    picked.add(first);
  }
  return ok([...picked]);
}

const units: readonly [number, string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

export function describeAge(createdAt: string, now: number): string {
  const age = now - Date.parse(createdAt);
  for (const [length, unit] of units) {
    const count = Math.floor(age / length);
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'} old`;
  }
  return 'new';
}
