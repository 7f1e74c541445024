import { readTextField } from '../lib/fields/field-values.ts';
import { parseFrontmatter } from '../lib/frontmatter/frontmatter.ts';
import { fail, ok, type Result } from '../lib/result.ts';

/**
 * A dream's proposed changes to a memory file: lines to add and lines to remove. It is a file of ours that is never
 * part of a prompt; only what a person accepts enters the memory file itself.
 */
export interface Proposal {
  id: string;
  createdAt: string;
  /** The repository's root. */
  project: string;
  /** The memory file, relative to the root. */
  target: string;
  state: 'open' | 'accepted' | 'rejected';
  /** Why it was rejected, in the user's words. */
  reason?: string;
  why: string;
  add: string[];
  remove: string[];
}

export function renderProposal(proposal: Proposal): string {
  const { id, createdAt, project, target, state, reason, why, add, remove } = proposal;
  const fields = { id, created: createdAt, project, target, state, ...(reason ? { reason } : {}) };
  return [
    '---',
    ...Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    '---',
    why,
    '',
    '```diff',
    ...remove.map((line) => `- ${line}`),
    ...add.map((line) => `+ ${line}`),
    '```',
    '',
  ].join('\n');
}

/** Reads its current state: a person may have edited it before accepting it. */
export async function parseProposal(text: string): Promise<Result<Proposal, string>> {
  const parsed = await parseFrontmatter(text);
  if (!parsed.ok) return fail(`line ${parsed.problem.line}: ${parsed.problem.reason}`);
  const { data, body } = parsed.value;
  const field = (name: string) => readTextField(data[name]);
  const [id, createdAt, project, target] = ['id', 'created', 'project', 'target'].map(field);
  const state = (['open', 'accepted', 'rejected'] as const).find((word) => word === data.state);
  if (!id || !createdAt || !project || !target || !state)
    return fail('expected the fields id, created, project, target and state');
  const reason = field('reason');
  const [why = '', rest] = body.split(/^```diff\n/m, 2);
  const lines = (rest ?? '').split(/^```/m, 1)[0]?.split('\n') ?? [];
  const starting = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(`${sign} `) && line.trim() !== sign ? [line.slice(2)] : []));
  return ok({
    id,
    createdAt,
    project,
    target,
    state,
    reason: reason || undefined,
    why: why.trim(),
    add: starting('+'),
    remove: starting('-'),
  });
}

/** The memory file with the changes made. A missing line is not removed, and an existing one is not added. */
export function applyProposal(before: string, { add, remove }: Pick<Proposal, 'add' | 'remove'>): string {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const kept = lines.filter((line) => !remove.includes(line));
  const fresh = add.filter((line) => !kept.includes(line));
  const gap = kept.length > 0 && fresh.length > 0 && kept.at(-1)?.trim() !== '' && !isList(kept.at(-1));
  return `${[...kept, ...(gap ? [''] : []), ...fresh].join('\n')}\n`;
}

function isList(line: string | undefined): boolean {
  return /^\s*[-*]\s/.test(line ?? '');
}
