/** The library's door: explicit names only. What is not here may change at any time. */

export type { AgentDefinition } from './agents/definition.ts';
export type { GivenAgent, GivenAgents } from './agents/given-agents.ts';
export type { AgentSettings } from './agents/settings.ts';
export type { GivenHook, GivenHooks } from './hooks/given-hooks.ts';
export type { Clock, ManualClock } from './lib/clock.ts';
export { manualClock, systemClock } from './lib/clock.ts';
export type { Ids } from './lib/ids.ts';
export type { Problem, Result } from './lib/result.ts';
export { version } from './lib/version.ts';
export type { HostServers } from './mcp/host-transport.ts';
export type { ServerStatus } from './mcp/status.ts';
export type { WaitingQuestion } from './permissions/approval-hub.ts';
export { ApprovalHub } from './permissions/approval-hub.ts';
export type * from './protocol/index.ts';
export { defineTool, errorResult, textOf, textResult } from './protocol/index.ts';
export { openSession } from './session/open.ts';
export type { Resume, SessionOptions } from './session/options.ts';
export type { RunOptions, RunResult } from './session/run-once.ts';
export { runAgent, runOnce } from './session/run-once.ts';
export type { Session, SessionInfo } from './session/session.ts';
export type { SpawnRequest } from './session/spawn.ts';
export type { DescribedPiece, TrustDescription, TrustWhere } from './session/trust.ts';
export { describeTrust, grantTrust, revokeTrust } from './session/trust.ts';
