import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DreamRequest } from '../../agents/dream.ts';
import {
  acceptProposal,
  dreamDirectory,
  findProposal,
  rejectProposal,
  saveProposal,
} from '../../knowledge/dream-files.ts';
import { applyProposal, type Proposal, renderProposal } from '../../knowledge/dream-proposal.ts';
import { readTarget } from '../../knowledge/dream-target.ts';
import { labelled } from '../../knowledge/label.ts';
import { boundText, visibleLine } from '../../lib/text/text.ts';
import { type AnsweredBy, type Question, textOf } from '../../protocol/index.ts';
import type { TranscriptRecord } from '../../protocol/record.ts';
import { dream } from '../../settings/table/settings.ts';
import { listSessions } from '../../store/sessions.ts';
import { loadTranscript } from '../../store/transcript.ts';
import { renderWhole } from '../../tools/files/preview.ts';
import type { Kernel } from '../kernel.ts';
import type { Surroundings } from '../surroundings.ts';

export interface DreamWish {
  /** How the task is shown; else what it is about. */
  description?: string | undefined;
  about?: string | undefined;
  model?: string | undefined;
  maxTokens?: number | undefined;
}

const maxSessions = 8;
const maxSessionSize = 8_000;
const maxDigestSize = 40_000;
const maxSayingLength = 1_500;

export function findDreams({ home, layout, root }: Pick<Surroundings, 'home' | 'layout' | 'root'>): string {
  return dreamDirectory(home, basename(layout.projectDirectory(root)));
}

/** A dream's input: past sessions of this directory, except its own. */
export async function dreamRequest(
  around: Surroundings,
  ownId: string,
  { about, model, maxTokens = dream.members.maxTokens.usual }: DreamWish,
): Promise<DreamRequest> {
  const { root } = around;
  const target = findTarget(root);
  const notes = readTarget(root, target);
  return {
    ...{ about, model, maxTokens },
    digest: await writeDigest(around, ownId),
    notes: notes.ok ? boundText(notes.value.text, 100_000) : '',
    target,
    project: root,
    save: (proposal) => saveProposal(findDreams(around), proposal),
  };
}

/** The existing memory file, or a new one of ours. */
function findTarget(root: string): string {
  const found = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md'].find((name) => existsSync(join(root, name)));
  return found ?? '.cadre/AGENTS.md';
}

async function writeDigest({ layout, cwd }: Surroundings, ownId: string): Promise<string> {
  const sessions = (await listSessions(layout, cwd, maxSessions + 1)).filter(({ id }) => id !== ownId);
  const parts: string[] = [];
  let room = maxDigestSize;
  for (const { id, path, modifiedAt } of sessions.slice(0, maxSessions)) {
    const loaded = await loadTranscript(path);
    if (!loaded.ok) continue;
    const said = loaded.value.records.flatMap(readSaying).join('\n\n');
    if (said === '') continue;
    const part = labelled(
      'cadre-transcript',
      { session: id, date: new Date(modifiedAt).toISOString().slice(0, 10) },
      boundText(said, Math.min(maxSessionSize, room)),
    );
    room -= part.length;
    if (room < 0) break;
    parts.push(part);
  }
  return parts.join('\n\n');
}

/** The words of users and agents, and failed calls. Other tool results are long and rarely a lesson. */
function readSaying(record: TranscriptRecord): string[] {
  if (record.type !== 'user' && record.type !== 'assistant') return [];
  const { content } = record.message;
  if (record.type === 'assistant') return saying('agent', textOf(content));
  if (record.origin.kind === 'human') return saying('user', textOf(content));
  return content.flatMap((block) =>
    block.type === 'tool_result' && block.is_error
      ? saying('a call failed', textOf(block.content).slice(0, 300))
      : [],
  );
}

function saying(who: string, text: string): string[] {
  return text.trim() === '' ? [] : [`[${who}] ${boundText(text.trim(), maxSayingLength)}`];
}

/** Longer than for other questions: the proposal was made while the user was away. */
const patienceMs = 60 * 60_000;

const answering: readonly AnsweredBy[] = ['person', 'host', 'program'];

/**
 * Shows a dream's proposal, as a diff, to the user or program that answers questions. A yes does what `cadre dream
 * accept` does, a no what `reject` does; without an answer it stays open. No model hears of it.
 */
export async function offerProposal(kernel: Kernel, id: string): Promise<void> {
  const { place, questions, events } = kernel;
  const directory = findDreams(place);
  const found = await findProposal(directory, id);
  const question = found.ok && found.value.state === 'open' ? createQuestion(kernel, found.value) : undefined;
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

/** Undefined when the proposal would no longer change anything, or the memory file cannot be read. */
function createQuestion({ place, id: sessionId }: Kernel, proposal: Proposal): Question | undefined {
  const { id, target, why, add, remove } = proposal;
  const diff = renderDiff(place.root, proposal);
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
    decision: {
      behaviour: 'ask',
      by: 'default',
      reason: `proposed after reviewing past sessions: ${visibleLine(why, 1_500)}`,
    },
    risk: { level: 'medium', reasons: ['every agent in this project reads this file'] },
    suggestions: [],
    summary: visibleLine(`Change ${target}? ${lines} to add, ${remove.length} to remove`, 300),
    askedAt,
    expiresAt: askedAt + patienceMs,
  };
}

function renderDiff(root: string, proposal: Proposal): string | undefined {
  const before = readTarget(root, proposal.target);
  if (!before.ok) return undefined;
  const after = applyProposal(before.value.text, proposal);
  return before.value.text === after ? undefined : renderWhole(before.value.text, after);
}

/**
 * It may have been decided elsewhere, or edited, while the question waited: the answer applies only to what was shown.
 */
async function accept(directory: string, shown: Proposal, root: string): Promise<string> {
  const now = await findProposal(directory, shown.id);
  if (!now.ok) return now.problem.message;
  if (now.value.state === 'open' && renderProposal(now.value) !== renderProposal(shown))
    return `${shown.id} has changed since it was shown, so nothing was done. Review it: cadre dream show ${shown.id}`;
  const accepted = acceptProposal(directory, now.value, root);
  return accepted.ok ? `${accepted.value} was updated.` : accepted.problem.message;
}

async function reject(directory: string, shown: Proposal, message: string): Promise<string> {
  const now = await findProposal(directory, shown.id);
  if (!now.ok) return now.problem.message;
  const rejected = rejectProposal(directory, now.value, visibleLine(message, 500));
  return rejected.ok ? `${shown.id} was rejected; no file was changed.` : rejected.problem.message;
}
