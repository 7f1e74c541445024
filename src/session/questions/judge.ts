import { ok, type Result } from '../../lib/result.ts';
import { LimitedJudge } from '../../permissions/judge-limits.ts';
import type { Answer, Judge, JudgedCall, Model, Verdict } from '../../protocol/index.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { Kernel } from '../kernel.ts';
import type { Models } from '../models.ts';
import type { SessionFeature } from '../opening.ts';
import type { SessionOptions } from '../options.ts';
import type { SessionAudit } from './questions.ts';
import { answerEntry, questionEntry } from './questions.ts';

export interface SessionJudges {
  /** Judges calls in `auto` mode. */
  judge: Judge;
  /** Whether the model that the settings name for it exists. */
  checkJudge(): Result<void>;
  /** A small model's opinion of an agent's result. */
  judgeHandoff(text: string): Promise<string | undefined>;
}

/** The models that judge in place of a person. */
export function judgeFeature(models: Models): SessionFeature<SessionJudges> {
  return {
    name: 'judges',
    open(kernel) {
      const { options, settings, audit, questions } = kernel;
      const limited = new LimitedJudge(options.judge ?? namedJudge(kernel, models));
      questions.listen({ allowed: () => limited.noteAllowed() });
      return {
        judge: auditedJudge(limited, audit),
        checkJudge: () => checkJudge(options, settings, models),
        judgeHandoff: namedHandoffJudge(kernel, models),
      };
    },
  };
}

/** Every verdict is in the audit log. An allow that cannot be logged becomes a question again. */
function auditedJudge(limited: LimitedJudge, audit: SessionAudit): Judge {
  return {
    async judge(subject: JudgedCall, signal: AbortSignal): Promise<Verdict> {
      const verdict = await limited.judge(subject, signal);
      if (verdict.behaviour === 'ask') return verdict;
      const noted = await noteVerdict(audit, subject, verdict);
      if (noted.ok || verdict.behaviour === 'deny') return verdict;
      return {
        behaviour: 'ask',
        reason: `the judge's verdict could not be logged: ${noted.problem.message}`,
      };
    },
  };
}

async function noteVerdict(
  audit: SessionAudit,
  { question }: JudgedCall,
  { behaviour, reason }: Verdict,
): Promise<Result<void>> {
  const asked = await audit.write(questionEntry(question));
  if (!asked.ok) return asked;
  const answer: Answer = behaviour === 'allow' ? { behaviour } : { behaviour: 'deny', message: reason };
  return audit.write({ ...answerEntry(question, answer, 'judge'), reason });
}

/** The model is loaded when it is first asked. */
function namedJudge({ settings, place }: Kernel, models: Models): Judge {
  let found: Result<Model> | undefined;
  const model = () => {
    found ??= models.resolve(settings.autoMode.model ?? null);
    return found;
  };
  return {
    async judge(subject, signal) {
      const { modelJudge } = await import('../../permissions/judge-model.ts');
      return modelJudge({ model, clock: place.clock }).judge(subject, signal);
    },
  };
}

/** The model that judges calls, else a small one, else the session's own; loaded when it is first asked. */
function namedHandoffJudge({ settings, place, id }: Kernel, models: Models) {
  const model = () => {
    const small = models.resolve(settings.autoMode.model ?? 'haiku');
    return small.ok ? small : models.resolve(null);
  };
  return async (text: string) => {
    const { handoffJudge } = await import('../../agents/judge-handoff.ts');
    return handoffJudge({ model, clock: place.clock, sessionId: id })(text);
  };
}

function checkJudge(options: SessionOptions, settings: LoadedSettings, models: Models): Result<void> {
  if (options.judge || settings.autoMode.model === undefined) return ok(undefined);
  const found = models.resolve(settings.autoMode.model);
  if (found.ok) return ok(undefined);
  return { ok: false, problem: { ...found.problem, message: `autoMode.model: ${found.problem.message}` } };
}

export const noJudge =
  'No model is set to judge calls, so mode auto asks the same questions as mode default. Set one in your settings: {"autoMode": {"model": "haiku"}}.';
