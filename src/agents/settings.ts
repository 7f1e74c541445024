/** How agents are run: the `agents` part of settings, with every default filled in. */
export interface AgentSettings {
  /** Whether agents may inherit the conversation. */
  fork: boolean;
  /** 1: only the main agent starts others. At most 3. */
  maxDepth: number;
  /** Agents at work at once; more wait for their turn. */
  maxConcurrent: number;
  /** Agents of one session, all told. */
  maxTotal: number;
  /** Seconds after which a call stops waiting for its agent; 0 never. */
  autoBackground: number;
  /** False: every agent runs in the foreground. */
  background: boolean;
  /** What a child of an agent in `default` starts with, where its definition says nothing. */
  permissionMode: 'default' | 'acceptEdits' | 'ask';
  /** Whether results are looked at for injected instructions before the parent reads them. */
  handoffCheck: 'off' | 'rules' | 'model';
  maxTurns?: number;
  /** Of one run, from its beginning. */
  timeoutSeconds?: number;
  /** Seconds without any sign of life from model or tools. */
  idleSeconds: number;
  maxTokens?: number;
  maxBudgetUsd?: number;
  /** A fan-out is forecast and asked about when it would start more agents at once than this... */
  askAboveAgents?: number;
  /** ... or could cost more than this. */
  askAboveUsd?: number;
  /** Tools that custom agents are denied and the user gives back. */
  giveBack?: readonly string[];
  /** In place of the parent's model, for agents that name none. */
  model?: string;
}

export const defaultAgentSettings: AgentSettings = {
  fork: false,
  maxDepth: 1,
  maxConcurrent: 20,
  maxTotal: 1_000,
  autoBackground: 120,
  background: true,
  permissionMode: 'ask',
  handoffCheck: 'rules',
  idleSeconds: 600,
  askAboveAgents: 20,
};

/** Turns that a fork may take unless something narrower is set. */
export const forkTurns = 200;
