import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { readSmallText } from '../workspace/find-markdown.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { applyProposal, type Proposal, parseProposal, renderProposal } from './dream-proposal.ts';
import { readTarget, writeTarget } from './dream-target.ts';

const maxFileSize = 256 * 1024;

/** Where the proposals of one project are kept: `<home>/dreams/<project>`. */
export function dreamDirectory(home: string, project: string): string {
  return join(home, 'dreams', project);
}

export function saveProposal(directory: string, proposal: Proposal): Result<string> {
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const path = join(directory, `${proposal.id}.md`);
  const written = writeAtomic(path, renderProposal(proposal));
  return written.ok ? ok(path) : written;
}

export interface ListedProposals {
  /** Newest first. */
  proposals: Proposal[];
  broken: { file: string; reason: string }[];
}

export async function listProposals(directory: string): Promise<ListedProposals> {
  const listed: ListedProposals = { proposals: [], broken: [] };
  for (const name of listDreamNames(directory)) {
    const file = join(directory, name);
    const text = readSmallText(resolveRealPath(file), maxFileSize);
    const parsed = text.ok ? await parseProposal(text.value) : fail(text.problem);
    if (parsed.ok) listed.proposals.push(parsed.value);
    else listed.broken.push({ file, reason: parsed.problem });
  }
  listed.proposals.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return listed;
}

function listDreamNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^d[\w-]+\.md$/.test(name));
  } catch {
    return [];
  }
}

/** By its id or a unique beginning of it; without one the newest open proposal. */
export async function findProposal(directory: string, id: string | undefined): Promise<Result<Proposal>> {
  const { proposals } = await listProposals(directory);
  const open = proposals.filter(({ state }) => state === 'open');
  if (id === undefined) {
    const [newest] = open;
    return newest
      ? ok(newest)
      : usage('This project has no open proposal.', 'Run cadre dream run to make one.');
  }
  const matching = proposals.filter((proposal) => proposal.id.startsWith(id));
  const [only, another] = matching;
  if (only && !another) return ok(only);
  const shown = visibleLine(id, 60);
  return usage(
    only ? `${shown} matches ${matching.length} proposals.` : `This project has no proposal ${shown}.`,
    'Run cadre dream list to see them.',
  );
}

/** Makes a proposal's changes, and records that it was accepted. Only for a person who has seen it. */
export function acceptProposal(directory: string, proposal: Proposal, root: string): Result<string> {
  if (proposal.state !== 'open') return usage(`${proposal.id} was already ${proposal.state}.`);
  const target = readTarget(root, proposal.target);
  if (!target.ok) return target;
  const written = writeTarget(target.value, applyProposal(target.value.text, proposal));
  if (!written.ok) return written;
  const saved = saveProposal(directory, { ...proposal, state: 'accepted' });
  return saved.ok ? ok(join(root, proposal.target)) : saved;
}

export function rejectProposal(directory: string, proposal: Proposal, reason?: string): Result<string> {
  if (proposal.state !== 'open') return usage(`${proposal.id} was already ${proposal.state}.`);
  return saveProposal(directory, { ...proposal, state: 'rejected', ...(reason ? { reason } : {}) });
}
