import { acceptProposal, findProposal, listProposals, rejectProposal } from '../knowledge/dream-files.ts';
import { type Proposal, renderProposal } from '../knowledge/dream-proposal.ts';
import { formatJson } from '../lib/fields/parse-json.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { visible, visibleLine } from '../lib/text/text.ts';
import { findDreams } from '../session/dreams/proposals.ts';
import { openSession } from '../session/open.ts';
import { lookAround, type Surroundings } from '../session/surroundings.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import type { FlagsOf } from './table/commands.ts';
import { isPerson } from './trust/repository-trust.ts';

export type DreamFlags = FlagsOf<'dream'>;

/** `cadre dream`: reviews past sessions, and lists earlier proposals. Nothing changes before `accept`. */
export async function manageDreams(
  action = 'list',
  id: string | undefined,
  flags: DreamFlags,
  ripgrep: RipgrepSource,
): Promise<Result<string>> {
  const around = lookAround({});
  switch (action) {
    case 'run':
      return runDream(flags, ripgrep);
    case 'list':
      return list(around, flags);
    case 'show':
      return show(around, id, flags);
    case 'accept':
    case 'reject':
      return decide(action, around, id);
    default:
      return usage(
        `cadre dream ${visibleLine(action, 60)}: unknown command.`,
        'Use cadre dream run, list, show ID, accept ID or reject ID.',
      );
  }
}

async function runDream(flags: DreamFlags, ripgrep: RipgrepSource): Promise<Result<string>> {
  const opened = await openSession({ ripgrep, persist: false, model: flags.model });
  if (!opened.ok) return opened;
  const session = opened.value;
  const stop = () => void session.close();
  process.once('SIGINT', stop);
  const { about } = flags;
  const started = await session.spawn({ kind: 'dream', about });
  const end = started.ok ? await started.value.result() : undefined;
  process.removeListener('SIGINT', stop);
  await session.close();
  if (!started.ok) return started;
  if (end?.status === 'completed') return ok(`${visible(end.text)}\n`);
  return failure(`The dream did not finish: ${end?.reason ?? 'no reason given'}`);
}

async function list(around: Surroundings, { json }: DreamFlags): Promise<Result<string>> {
  const { proposals, broken } = await listProposals(findDreams(around));
  if (json) return ok(formatJson({ proposals, broken }));
  const rows = proposals.map(
    ({ id, createdAt, state, target, add, remove, why }) =>
      `${id}  ${createdAt.slice(0, 10)}  ${state.padEnd(8)}  ${visibleLine(target, 60)}  +${add.length} -${remove.length}  ${visibleLine(why, 80)}`,
  );
  const faults = broken.map(({ file, reason }) => `broken: ${visibleLine(`${file}: ${reason}`, 500)}`);
  const lines = [...rows, ...faults];
  return ok(lines.length > 0 ? `${lines.join('\n')}\n` : 'No proposals here.\n');
}

async function show(
  around: Surroundings,
  id: string | undefined,
  { json }: DreamFlags,
): Promise<Result<string>> {
  const found = await findProposal(findDreams(around), id);
  if (!found.ok) return found;
  return ok(json ? formatJson(found.value) : page(found.value));
}

function page(proposal: Proposal): string {
  const hint =
    proposal.state === 'open'
      ? `\ncadre dream accept ${proposal.id} makes these changes; cadre dream reject ${proposal.id} drops them.\n`
      : '';
  return visible(renderProposal(proposal)) + hint;
}

/** An agent cannot accept a proposal on the user's behalf. */
async function decide(
  action: 'accept' | 'reject',
  around: Surroundings,
  id: string | undefined,
): Promise<Result<string>> {
  if (!isPerson(around.environment))
    return usage(`An agent cannot ${action} a proposal.`, 'Run the command yourself in your own terminal.');
  if (id === undefined)
    return usage(`cadre dream ${action} needs an id.`, 'cadre dream list shows the proposals.');
  const directory = findDreams(around);
  const found = await findProposal(directory, id);
  if (!found.ok) return found;
  if (action === 'reject') {
    const rejected = rejectProposal(directory, found.value);
    return rejected.ok ? ok(`Rejected ${found.value.id}; nothing has changed.\n`) : rejected;
  }
  const accepted = acceptProposal(directory, found.value, around.root);
  return accepted.ok ? ok(`Accepted: ${visible(accepted.value)} was changed.\n`) : accepted;
}
