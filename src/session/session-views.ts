import type { CommandEntry } from '../knowledge/command-source.ts';
import type { Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { computeFullSize, measureWindow, nextRequestTokens } from '../loop/context-room.ts';
import { describeTools } from '../loop/describe-tools.ts';
import { countTextTokens } from '../loop/tokens.ts';
import type { EffortChoice } from '../protocol/effort.ts';
import type { CostReport, Lease, MessageRecord, PermissionMode, TaskView } from '../protocol/index.ts';
import type { RewindReport } from '../rewind/report.ts';
import type { TerminalSettings } from '../settings/loaded.ts';
import type { Checkpoint } from '../store/checkpoints.ts';
import type { PromptHistory } from '../store/prompt-history.ts';
import type { Kernel } from './kernel.ts';
import type { SessionRewind } from './rewind-session.ts';
import type { SessionPorts } from './session-ports.ts';
import { findTask } from './tasks.ts';

/** Read-only questions about a session. */
export class SessionViews {
  readonly #kernel: Kernel;
  readonly #ports: SessionPorts;

  constructor(kernel: Kernel, ports: SessionPorts) {
    this.#kernel = kernel;
    this.#ports = ports;
  }

  /** The user's earlier input, in this session and others. Surfaces add to it; the session does not. */
  async prompts(): Promise<PromptHistory> {
    const { openPromptHistory } = await import('../store/prompt-history.ts');
    const { place, options, tape } = this.#kernel;
    return openPromptHistory({
      home: place.layout.home,
      clock: place.clock,
      hide: (text) => place.secrets.hide(text),
      isOff: options.persist === false || tape !== undefined,
    });
  }

  /** How the next request fills the model's window, by its parts. */
  context(): ContextReport {
    return reportContext(this.#ports.lead.createContext());
  }

  /** The current conversation, as records: from the last compaction on. */
  messages(): readonly MessageRecord[] {
    return this.#ports.lead.conversation.records;
  }

  /** The points that one can go back to, oldest first. */
  async checkpoints(): Promise<Result<Checkpoint[]>> {
    const { listCheckpoints } = await import('./rewind-session.ts');
    return listCheckpoints(this.#kernel, this.#ports);
  }

  /** What `rewind` would do. */
  async previewRewind(wish: SessionRewind): Promise<Result<RewindReport>> {
    const { previewSessionRewind } = await import('./rewind-session.ts');
    return previewSessionRewind(this.#kernel, this.#ports, wish);
  }

  tasks(): TaskView[] {
    return this.#kernel.tasks.list();
  }

  /** A task by its id, or an agent by its name; also one that ended long ago. */
  task(address: string): TaskView | undefined {
    return findTask(this.#ports.agents, address);
  }

  /** The session's cost so far, by agent and model. */
  cost(): CostReport {
    return this.#ports.lead.cost();
  }

  /** The files that running agents are writing, each leased to one of them. */
  leases(): Lease[] {
    return this.#ports.leases.leases.list();
  }
}

/** The facts that a surface shows before the first event. */
export interface SessionInfo {
  id: string;
  cwd: string;
  model: string;
  /** How much the session's own agent thinks. */
  effort: EffortChoice;
  /** The model's context window in tokens, input and output together. */
  contextWindow: number;
  permissionMode: PermissionMode;
  tools: string[];
  /** The available agent types. */
  agents: { name: string; description: string; model?: string }[];
  /** The slash commands and skills that the user can type. */
  commands: CommandEntry[];
  skills: string[];
  transcriptPath: string | null;
  /** `coordinator`: the session's own agent only directs workers. */
  mode: 'normal' | 'coordinator';
  /** Where the session's agents hand files to each other; null if there is no scratchpad. */
  scratchpad: string | null;
  /** The settings of the terminal app. */
  terminal: TerminalSettings & { statusLine?: string };
  /** Whether anything may run in the background. */
  background: boolean;
  /** How long a one-shot run waits for background agents that make no progress; 0 waits without limit. */
  backgroundWaitMs: number;
}

export function describeSession(kernel: Kernel, ports: SessionPorts): SessionInfo {
  const { id, place, log, settings } = kernel;
  const { lead, prompts, coordinator, definitions } = ports;
  const { statusLine } = settings;
  return {
    id,
    cwd: place.cwd,
    model: lead.model,
    effort: lead.effort,
    contextWindow: lead.contextWindow,
    permissionMode: lead.permissionMode,
    tools: lead.tools,
    agents: definitions.definitions.map(({ name, description, model }) => ({
      ...{ name, description },
      ...(model === undefined ? {} : { model }),
    })),
    commands: prompts.commands(),
    skills: [...prompts.skillNames],
    transcriptPath: log.path,
    mode: coordinator.on ? 'coordinator' : 'normal',
    scratchpad: coordinator.scratchpad ?? null,
    terminal: { ...settings.terminal, ...(statusLine ? { statusLine: statusLine.command } : {}) },
    background: definitions.settings.background,
    backgroundWaitMs: definitions.settings.printWaitSeconds * 1000,
  };
}

/** How the next request fills the model's window. */
export interface ContextReport {
  model: string;
  /** Size of the window in tokens. */
  window: number;
  /** Tokens at which the conversation is compacted automatically; absent if that is switched off. */
  compactsAt?: number;
  used: number;
  /** False until an answer has reported its usage: `used` is then an estimate. */
  isMeasured: boolean;
  /** All parts but `messages` are estimates; the rest of `used` is the messages. */
  parts: { name: ContextPart; tokens: number }[];
}

export type ContextPart = 'system' | 'memory' | 'tools' | 'mcpTools' | 'messages';

export function reportContext(agent: AgentContext): ContextReport {
  const memory = agent.system.filter((part, index) => index > 0 && part.startsWith('# Memory\n'));
  const system = agent.system.filter((part) => !memory.includes(part));
  const isForeign = ({ name }: { name: string }) => name.startsWith('mcp__');
  const tools = describeTools(agent.tools);
  const estimateTokens = (some: unknown[]) => (some.length === 0 ? 0 : countTextTokens(JSON.stringify(some)));
  const fixed: ContextReport['parts'] = [
    { name: 'system', tokens: countTextTokens(system.join('')) },
    { name: 'memory', tokens: countTextTokens(memory.join('')) },
    { name: 'tools', tokens: estimateTokens(tools.filter((tool) => !isForeign(tool))) },
    { name: 'mcpTools', tokens: estimateTokens(tools.filter(isForeign)) },
  ];
  const used = nextRequestTokens(agent);
  const messages = Math.max(0, used - fixed.reduce((sum, { tokens }) => sum + tokens, 0));
  return {
    model: agent.model.id,
    window: measureWindow(agent),
    ...(agent.limits.autoCompact === false ? {} : { compactsAt: computeFullSize(agent) }),
    used,
    isMeasured: agent.conversation.isMeasured,
    parts: [...fixed, { name: 'messages', tokens: messages }],
  };
}
