import { questionKey } from '../../permissions/approval-hub.ts';
import type { Question } from '../../protocol/permission.ts';
import type { Draft } from '../draft.ts';
import type { QuestionKind, ShownQuestion } from '../question.ts';
import { changeCall } from './call.ts';

export function addQuestion(draft: Draft, question: Question): void {
  const { questions } = draft.view;
  const key = questionKey(question);
  const before = questions.find((one) => questionKey(one.question) === key);
  const added: ShownQuestion = before
    ? { ...before, repeats: [...before.repeats, question], count: before.count + 1 }
    : {
        kind: classifyQuestion(question),
        question,
        repeats: [],
        count: 1,
        isBackground: question.asker.background === true && !isWaitedFor(draft, question),
      };
  draft.set({
    questions: before ? questions.map((one) => (one === before ? added : one)) : [...questions, added],
  });
  noteOnAgent(draft, question.agentId);
  if (question.elicitation === undefined)
    changeCall(draft, question.agentId, question.toolUseId, { state: 'asking' });
}

/** A server's question, while a call of the lead waits for that server, keeps everything waiting. */
function isWaitedFor(draft: Draft, { agentId, elicitation }: Question): boolean {
  if (!elicitation) return false;
  const { calls } = draft.conversation(agentId).live;
  return calls.some(
    ({ toolName, state }) => state === 'running' && toolName.startsWith(`mcp__${elicitation.server}__`),
  );
}

export function dropQuestion(draft: Draft, agentId: string | null, questionId: string): void {
  const { questions } = draft.view;
  const entry = questions.find((one) => isAbout(one, questionId));
  if (!entry) return;
  const left = without(entry, questionId);
  draft.set({
    questions: left
      ? questions.map((one) => (one === entry ? left : one))
      : questions.filter((one) => one !== entry),
  });
  noteOnAgent(draft, entry.question.agentId);
  for (const call of draft.conversation(agentId).live.calls)
    if (call.state === 'asking' && !isAsked(draft, agentId, call.id))
      changeCall(draft, agentId, call.id, { state: 'waiting' });
}

/** One answer settles the question and its repeats. */
export function dropEntry(draft: Draft, questionId: string): void {
  const entry = draft.view.questions.find((one) => isAbout(one, questionId));
  if (!entry) return;
  draft.set({ questions: draft.view.questions.filter((one) => one !== entry) });
  noteOnAgent(draft, entry.question.agentId);
}

/** The asker is gone. */
export function dropQuestions(draft: Draft, agentId: string): void {
  const { questions } = draft.view;
  if (!questions.some(({ question }) => question.agentId === agentId)) return;
  draft.set({ questions: questions.filter(({ question }) => question.agentId !== agentId) });
  noteOnAgent(draft, agentId);
}

function classifyQuestion({ elicitation, toolName }: Question): QuestionKind {
  if (elicitation) return 'elicitation';
  if (toolName === 'ExitPlanMode') return 'plan';
  if (toolName === 'AskUserQuestion') return 'choices';
  return toolName === 'Agent' ? 'agents' : 'permission';
}

function isAbout({ question, repeats }: ShownQuestion, id: string): boolean {
  return question.id === id || repeats.some((one) => one.id === id);
}

/** When the oldest goes, the next takes its place: they ask the same. */
function without(entry: ShownQuestion, id: string): ShownQuestion | undefined {
  const [question, ...repeats] = [entry.question, ...entry.repeats].filter((one) => one.id !== id);
  return question && { ...entry, question, repeats, count: 1 + repeats.length };
}

function isAsked(draft: Draft, agentId: string | null, callId: string): boolean {
  return draft.view.questions.some(({ question, repeats }) =>
    [question, ...repeats].some((one) => one.agentId === agentId && one.toolUseId === callId),
  );
}

function noteOnAgent(draft: Draft, agentId: string | null): void {
  if (agentId === null) return;
  const questions = draft.view.questions
    .filter(({ question }) => question.agentId === agentId)
    .flatMap(({ question, repeats }) => [question, ...repeats].map(({ id }) => id));
  draft.putAgent({ ...draft.agent(agentId), questions });
}
