export type { Agent, AgentNode } from './agent.ts';
export { type AgentSummary, colourCount } from './agent-summary.ts';
export { isAtWork, summariseAgent } from './agents.ts';
export { maxTail } from './bound.ts';
export type { CallState, DiffHunk, FileDiff, ShownCall } from './call.ts';
export { isOver, summariseInput } from './calls.ts';
export { emptyView } from './empty.ts';
export type { Entry, Live, LiveBlock, ShownConversation, Wait, Work } from './entry.ts';
export type { Excerpt } from './excerpt.ts';
export { formatCost, formatCount, formatDuration, formatSpent, formatTokens, formatTools } from './format.ts';
export { groupLooks, isLook, type LookEntry, summariseLooks } from './looks.ts';
export type { QuestionKind, ShownQuestion } from './question.ts';
export type { CutWork } from './record-facts.ts';
export { fromRecords, loadConversation, prependRecords, releaseConversation } from './records.ts';
export { reduce, reduceAll } from './reduce.ts';
export {
  agentRows,
  agentTree,
  findConversation,
  formatCounts,
  formatState,
  formatSummary,
  measureDuration,
  worktreeList,
} from './rows.ts';
export { countSuspended } from './status.ts';
export type { Task, TaskCounts, TaskRow } from './task.ts';
export { agentsToCome, taskCounts, taskList } from './task-list.ts';
export {
  findColour,
  listTeammates,
  type ShownBoard,
  type ShownItem,
  type ShownMail,
  type ShownMember,
  type ShownTeam,
} from './team.ts';
export type {
  AgentCost,
  Context,
  Cost,
  LeaseEvent,
  Notice,
  OpenRequest,
  QueuedPrompt,
  RewindEvent,
  SessionFacts,
  ShownLease,
  SurfaceEvent,
  View,
  ViewEvent,
  Worktree,
} from './view.ts';
export type { ShownWorkflow } from './workflow.ts';
