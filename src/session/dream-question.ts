import { acceptProposal, findProposal, rejectProposal } from '../knowledge/dream-files.ts';
import { applyProposal, type Proposal, renderProposal } from '../knowledge/dream-proposal.ts';
import { readTarget } from '../knowledge/dream-target.ts';
import { visibleLine } from '../lib/text.ts';
import type { AnsweredBy, Question } from '../protocol/index.ts';
import { renderWhole } from '../tools/preview.ts';
import { dreamsOf } from './dream-request.ts';
import type { Kernel } from './kernel.ts';

/** Longer than for other questions: it was made while nobody was there. */
const patienceMs = 60 * 60_000;

const answering: readonly AnsweredBy[] = ['person', 'host', 'program'];

/**
 * Shows a dream's proposal, as a diff, to whoever answers the session's questions. A yes does what
 * `cadre dream accept` does, a no what `reject` does; where nobody said either, it stays as it is. No model hears of it.
 */
export async function offerProposal(kernel: Kernel, id: string): Promise<void> {
  const { place, questions, events } = kernel;
  const directory = dreamsOf(place);
  const found = await findProposal(directory, id);
  const question = found.ok && found.value.state === 'open' ? questionOf(kernel, found.value) : undefined;
  if (!found.ok || !question) return;
  events.tell({ type: 'question_asked', question });
  const { answer, by } = await questions.settle(question, new AbortController().signal);
  const { behaviour } = answer;
  events.tell({ type: 'question_answered', questionId: question.id, behaviour });
  if (!answering.includes(by)) return;
  const text =
    answer.behaviour === 'allow'
      ? await accept(directory, found.value, place.root)
      : await reject(directory, found.value, answer.message);
  events.tell({ type: 'notice_given', level: 'info', text: `Dream: ${text}` });
}

/** Undefined where nothing would change any more, or the memory file cannot be read. */
function questionOf({ place, id: sessionId }: Kernel, proposal: Proposal): Question | undefined {
  const { id, target, why, add, remove } = proposal;
  const diff = diffOf(place.root, proposal);
  if (diff === undefined) return undefined;
  const askedAt = place.clock.now();
  const lines = `${add.length} ${add.length === 1 ? 'line' : 'lines'}`;
  return {
    id: place.ids.uuid(),
    sessionId,
    agentId: null,
    asker: { type: 'dream', background: true },
    toolUseId: `dream-${id}`,
    toolName: 'Dream',
    input: { proposal: id, file_path: target, why, diff },
    cwd: place.root,
    decision: { behaviour: 'ask', by: 'default', reason: `a dream proposes it: ${visibleLine(why, 1_500)}` },
    risk: { level: 'medium', reasons: ['every agent here reads this file'] },
    suggestions: [],
    summary: visibleLine(`Change ${target}? ${lines} to add, ${remove.length} to take out`, 300),
    askedAt,
    expiresAt: askedAt + patienceMs,
  };
}

function diffOf(root: string, proposal: Proposal): string | undefined {
  const before = readTarget(root, proposal.target);
  if (!before.ok) return undefined;
  const after = applyProposal(before.value.text, proposal);
  return before.value.text === after ? undefined : renderWhole(before.value.text, after);
}

/** It may have been decided elsewhere, or edited, while the question waited: what counts is what was shown. */
async function accept(directory: string, shown: Proposal, root: string): Promise<string> {
  const now = await findProposal(directory, shown.id);
  if (!now.ok) return now.problem.message;
  if (now.value.state === 'open' && renderProposal(now.value) !== renderProposal(shown))
    return `${shown.id} has changed since it was shown; nothing was done: cadre dream show ${shown.id}`;
  const accepted = acceptProposal(directory, now.value, root);
  return accepted.ok ? `${accepted.value} was changed.` : accepted.problem.message;
}

async function reject(directory: string, shown: Proposal, message: string): Promise<string> {
  const now = await findProposal(directory, shown.id);
  if (!now.ok) return now.problem.message;
  const rejected = rejectProposal(directory, now.value, visibleLine(message, 500));
  return rejected.ok ? `${shown.id} was rejected; nothing has changed.` : rejected.problem.message;
}
