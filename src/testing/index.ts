export type { MemoryCall, MemoryRun, MemoryRunOptions, ScriptedEnd } from '../workflows/memory-run.ts';
export { memoryRun } from '../workflows/memory-run.ts';
export type { Expectation, ExpectedParts } from './expectations.ts';
export { lastUserText, toolResults, toolResultText } from './expectations.ts';
export type { FakeProvider, FakeProviderOptions } from './fake-provider/fake-provider.ts';
export { fakeProvider } from './fake-provider/fake-provider.ts';
export type { Fault } from './fake-provider/faults.ts';
export type { CapturedRequest } from './fake-provider/http.ts';
export type { LimiterOptions } from './fake-provider/limiter.ts';
export { openLimiter } from './fake-provider/limiter.ts';
export type { MemoryWorker, MemoryWorkerOptions } from './memory-worker.ts';
export { memoryEngine, memoryWorker } from './memory-worker.ts';
export type { ConformanceCase, ConformanceSubject } from './model-conformance.ts';
export { modelConformance } from './model-conformance.ts';
export type { MemoryPlacement } from './placement.ts';
export { memoryPlacement } from './placement.ts';
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model.ts';
export { scriptedModel } from './scripted-model.ts';
export type { TemporaryWorkspace, TemporaryWorkspaceOptions } from './temporary-workspace.ts';
export { temporaryWorkspace } from './temporary-workspace.ts';
export type {
  AnswerTurn,
  FailureTurn,
  FixedTurn,
  RawTurn,
  ScriptedBlock,
  Turn,
  TurnMaker,
} from './turns.ts';
export {
  call,
  calls,
  expecting,
  failWith,
  faulty,
  hang,
  refuse,
  respond,
  say,
  sayNothing,
  think,
  together,
} from './turns.ts';
