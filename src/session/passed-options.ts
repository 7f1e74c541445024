import { failure, ok, type Result } from '../lib/result.ts';
import type { SessionOptions } from './options.ts';

/**
 * What becomes of an option of a session when a teammate of it is opened in a process of its own. `passed`: the teammate's session has it
 * too. `own`: that session has its own. `here`: code or connections of this process, which another one cannot have.
 */
const fates: Readonly<Record<keyof SessionOptions, 'passed' | 'own' | 'here'>> = {
  cwd: 'own',
  worktree: 'own',
  environment: 'own',
  additionalDirectories: 'passed',
  clock: 'own',
  ids: 'own',
  machine: 'own',
  ripgrep: 'own',
  holder: 'own',
  journalCopy: 'own',
  model: 'own',
  thinking: 'passed',
  fallbackModel: 'passed',
  wait: 'passed',
  systemPrompt: 'own',
  appendSystemPrompt: 'own',
  outputSchema: 'own',
  maxTurns: 'own',
  // It pays from the account of its leader, with all limits of that.
  maxBudgetUsd: 'own',
  maxTokens: 'own',
  agents: 'here',
  agentsFlag: 'passed',
  agent: 'own',
  coordinator: 'own',
  teammateMode: 'own',
  engine: 'own',
  remote: 'own',
  teamMember: 'own',
  teamPart: 'own',
  onTeamEnd: 'own',
  agentLimits: 'passed',
  streamAgents: 'own',
  features: 'here',
  hooks: 'here',
  skills: 'passed',
  disableSlashCommands: 'passed',
  commandSources: 'here',
  pluginDirectories: 'passed',
  mcpServers: 'passed',
  mcpConfig: 'passed',
  strictMcpConfig: 'passed',
  hostServers: 'here',
  tools: 'passed',
  ownTools: 'here',
  allowedTools: 'passed',
  disallowedTools: 'passed',
  // Follows from the leader's current mode and the teammate's definition.
  permissionMode: 'own',
  planModeInstructions: 'passed',
  allowBypass: 'passed',
  interactive: 'own',
  oneShot: 'own',
  // Its questions come to the leader's queue, where they are answered as the leader's own are.
  onQuestion: 'own',
  attended: 'own',
  answersElicitations: 'own',
  approvals: 'own',
  judge: 'here',
  sandbox: 'passed',
  settings: 'passed',
  settingSources: 'passed',
  trust: 'passed',
  inherited: 'own',
  resume: 'own',
  fork: 'own',
  sessionId: 'own',
  title: 'own',
  persist: 'own',
  record: 'own',
  replay: 'own',
  byHand: 'own',
};

/** The options that a teammate in another process is opened with: the same rules, layers of settings, tools, servers and trust. */
export function pickPassed(options: Readonly<Record<string, unknown>> | SessionOptions): SessionOptions {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== undefined && Reflect.get(fates, name) === 'passed',
    ),
  );
}

/** Why a teammate of this session cannot run in another process. */
export function checkPassable(options: SessionOptions): Result<void> {
  const bound = Object.entries(options).flatMap(([name, value]) =>
    value !== undefined && Reflect.get(fates, name) === 'here' ? [name] : [],
  );
  const hint = 'Set teammateMode to "in-process".';
  if (bound.length > 0)
    return failure(`The options ${bound.join(', ')} of this session cannot reach teammates in panes.`, hint);
  if (options.persist === false)
    return failure('Teammates in panes share the stored session, and this one is not stored.', hint);
  return ok(undefined);
}
