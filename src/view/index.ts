export type { Agent, AgentNode } from './agent.ts';
export { type AgentSummary, colourCount } from './agent-summary.ts';
export type { Call, CallState, DiffHunk, FileDiff } from './call.ts';
export type { Conversation, Entry, EntryKind, Live, LiveBlock, Wait } from './entry.ts';
export type { Excerpt } from './excerpt.ts';
export type { QuestionKind, WaitingQuestion } from './question.ts';
export type { Task, TaskCounts, TaskRow } from './task.ts';
export type {
  AgentCost,
  Context,
  Cost,
  Lease,
  Notice,
  QueuedPrompt,
  SessionFacts,
  SurfaceEvent,
  View,
  ViewEvent,
  Worktree,
} from './view.ts';
