/** The library's door: explicit names only. What is not here may change at any time. */

export type { AgentDefinition } from './agents/definition.ts';
export type { GivenAgent, GivenAgents } from './agents/definitions/given-agents.ts';
export type { AgentStep, Placement } from './agents/kernel.ts';
export type { AgentRequest, AgentSpec } from './agents/spec.ts';
export type { DescribedPiece, TrustDescription, TrustWhere } from './commands/trust/repository-trust.ts';
export { describeTrust, grantTrust, revokeTrust } from './commands/trust/repository-trust.ts';
export { branch, branchBySize } from './handoffs/branch.ts';
export { chain } from './handoffs/chain.ts';
export type { HandoffCall, HandoffEnd, HandoffOptions } from './handoffs/handoff.ts';
export { handoff } from './handoffs/handoff.ts';
export { exportSchema } from './handoffs/json-schemas.ts';
export type { HandoffLibrary, LoadLibraryOptions } from './handoffs/load-library.ts';
export { loadBuiltInLibrary, loadLibrary } from './handoffs/load-library.ts';
export { parallel } from './handoffs/parallel.ts';
export type { HandoffTask, Pattern, PatternContext, PatternEnd } from './handoffs/pattern.ts';
export type { PhaseOptions } from './handoffs/phase.ts';
export { phase } from './handoffs/phase.ts';
export type { PhaseRecord } from './handoffs/phase-records.ts';
export { renderResult } from './handoffs/render-result.ts';
export type { RoleFindings, RoleName } from './handoffs/roles.ts';
export type { PatternResult } from './handoffs/run-pattern.ts';
export { runPattern } from './handoffs/run-pattern.ts';
export type { PhaseSavings, SavingsReport } from './handoffs/savings.ts';
export type {
  AnalysisFindings,
  CheckOutcomes,
  HandoffRequest,
  HandoffRequestInput,
  HandoffResponse,
  ResearchFindings,
  ValidateFindings,
  WriteFindings,
} from './handoffs/schema.ts';
export type { CheckReport, ChecksPort, HandoffSetup } from './handoffs/setup.ts';
export type { GivenHook, GivenHooks } from './hooks/given-hooks.ts';
export type { CommandEntry, CommandSource } from './knowledge/command-source.ts';
export type { Clock, ManualClock } from './lib/clock.ts';
export { manualClock, systemClock } from './lib/clock.ts';
export type { Ids } from './lib/ids.ts';
export type { Problem, Result } from './lib/result.ts';
export { version } from './lib/version.ts';
export type { ServerStatus } from './mcp/status.ts';
export type { HostServers } from './mcp/transport/host.ts';
export type { WaitingQuestion } from './permissions/approval-hub.ts';
export { ApprovalHub } from './permissions/approval-hub.ts';
export type * from './protocol/index.ts';
export { defineTool, errorResult, textOf, textResult } from './protocol/index.ts';
export type { Engine, EngineOptions } from './remote/engine.ts';
export { openEngine, prepareEngine } from './remote/open-engine.ts';
export type { RewindReport, RewindWish } from './rewind/report.ts';
export type { SpawnRequest } from './session/agents/spawn.ts';
export type { Contribution, Feature, FeatureKernel } from './session/feature.ts';
export { openSession } from './session/open.ts';
export type { Resume, SessionOptions } from './session/options.ts';
export type { SessionRewind } from './session/rewind-session.ts';
export type { RunOptions, RunResult } from './session/run-once.ts';
export { clearSession, forkSession, runAgent, runOnce } from './session/run-once.ts';
export type { Session, SessionInfo } from './session/session.ts';
export type { ContextPart, ContextReport } from './session/session-views.ts';
export type { WorkflowDesk } from './session/workflows/workflows.ts';
export type { AgentSettings } from './settings/loaded.ts';
export type { Checkpoint } from './store/checkpoints.ts';
export type { PastedRange, PromptEntry, PromptHistory, PromptQuery } from './store/prompt-history.ts';
export type { RipgrepSource } from './tools/search/ripgrep.ts';
export type { OutputSchema } from './tools/structured-output/synthetic-output.ts';
export type {
  AgentCallEnd,
  AgentCallOptions,
  CallOutcome,
  RunPort,
  RunQuestion,
} from './workflows/run-port.ts';
export type { RunEnd } from './workflows/run-types.ts';
