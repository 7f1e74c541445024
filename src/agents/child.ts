import type { AgentContext } from '../loop/agent-context.ts';
import type { Account } from '../models/budget/account.ts';
import { capsOf } from '../models/budget/caps.ts';
import type { AgentRecord, MessageRecord, UserBlock } from '../protocol/index.ts';
import type { WorktreeRecord } from '../workspace/worktree-record.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentServers } from './agent-servers.ts';
import type { ChildContext } from './child-context.ts';
import type { Effort } from './definition.ts';
import type { RunLimits } from './limits.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';
import { asAgentWorktree } from './worktrees.ts';

/** An agent that is ready to run. */
export interface Child {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly description: string;
  readonly parentToolUseId: string;
  readonly owner: string | null;
  readonly depth: number;
  readonly model: string;
  readonly account: Account;
  readonly spawnable?: readonly string[];
  readonly runLimits: RunLimits;
  readonly log: AgentLog;
  /** Its system prompt, where that is its own: it may be completed until it starts. */
  readonly system?: string[];
  /** Where it works apart from everybody else. */
  readonly worktree?: WorktreeRecord;
  readonly makeContext: ChildContext;
  /** Written before anything else of the run. */
  readonly opening: readonly (AgentRecord | MessageRecord)[];
  /** What the harness tells it before its first message. */
  readonly reminder?: string;
  /** What its first message is. */
  readonly content: readonly UserBlock[];
  /** For the parent's model and the user. */
  readonly notes: readonly string[];
  /** Gives back what it brought along. Twice does no harm. */
  release?(): Promise<void>;
}

/** What was asked for, with every choice made. */
export interface Order {
  agentId: string;
  toolUseId: string;
  description: string;
  prompt: string;
  name?: string;
  model?: string;
  effort?: Effort;
  background: boolean;
  /** The user has said that this type of agent may edit unasked. */
  editsAllowed: boolean;
  /** Its own worktree, where it is to work apart. */
  worktree?: WorktreeRecord;
  /** What git says of where it begins: the end of its system prompt. */
  gitStatus?: string;
  /** The MCP servers that it brings along. */
  servers?: AgentServers;
}

export function contextOf(child: Child, signal: AbortSignal): AgentContext {
  return child.makeContext(signal);
}

export function childBase(
  services: AgentServices,
  order: Order,
  state: AgentRecord,
  account: Account,
  isNew: boolean,
): Omit<Child, 'makeContext' | 'content' | 'notes'> {
  const { settings } = services;
  return {
    id: order.agentId,
    type: state.agentType,
    ...(state.name ? { name: state.name } : {}),
    description: order.description,
    parentToolUseId: order.toolUseId,
    owner: state.owner,
    depth: state.depth,
    model: state.model,
    account,
    runLimits: {
      idleSeconds: settings.idleSeconds,
      ...(settings.timeoutSeconds === undefined ? {} : { timeoutSeconds: settings.timeoutSeconds }),
    },
    log: services.openLog(order.agentId),
    ...(order.worktree ? { worktree: order.worktree } : {}),
    opening: isNew ? [state] : [],
  };
}

export function accountFor(
  { settings, account }: AgentServices,
  parent: LiveAgent,
  agentId: string,
): Account {
  const { maxTokens, maxBudgetUsd } = settings;
  return account(
    parent.account,
    agentId,
    capsOf({
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    }),
  );
}

export function stateOf(
  services: AgentServices,
  parent: LiveAgent,
  order: Order,
  agentType: string,
  source: AgentRecord['source'],
): Omit<AgentRecord, 'model' | 'tools' | 'cwd'> {
  return {
    type: 'agent-state',
    timestamp: new Date(services.clock.now()).toISOString(),
    agentId: order.agentId,
    agentType,
    source,
    description: order.description,
    ...(order.name ? { name: order.name } : {}),
    owner: parent.context.agentId,
    toolUseId: order.toolUseId,
    depth: parent.context.depth + 1,
    ...(order.worktree ? { worktree: asAgentWorktree(order.worktree) } : {}),
  };
}

export function withoutTurns({ maxTurns: _, ...limits }: AgentContext['limits']): AgentContext['limits'] {
  return limits;
}
