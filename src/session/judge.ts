import { ok, type Result } from '../lib/result.ts';
import { LimitedJudge } from '../permissions/judge-limits.ts';
import type { Answer, Judge, JudgedCall, Model, Verdict } from '../protocol/index.ts';
import { answerEntry, questionEntry, type SessionQuestions } from './questions.ts';
import type { Settled } from './settled.ts';

/** The judge of `auto` mode as a session has it: limited, paid from its account, and every verdict in the audit log. */
export class SessionJudge implements Judge {
  readonly #limited: LimitedJudge;

  constructor(
    settled: Settled,
    private readonly questions: () => SessionQuestions,
  ) {
    this.#limited = new LimitedJudge(settled.options.judge ?? namedJudge(settled));
  }

  async judge(subject: JudgedCall, signal: AbortSignal): Promise<Verdict> {
    const verdict = await this.#limited.judge(subject, signal);
    if (verdict.behaviour === 'ask') return verdict;
    const noted = await this.#note(subject, verdict);
    if (noted.ok || verdict.behaviour === 'deny') return verdict;
    return { behaviour: 'ask', reason: `the judge's verdict does not count: ${noted.problem.message}` };
  }

  noteAllowed(): void {
    this.#limited.noteAllowed();
  }

  async #note({ question }: JudgedCall, { behaviour, reason }: Verdict): Promise<Result<void>> {
    const asked = await this.questions().note(questionEntry(question));
    if (!asked.ok) return asked;
    const answer: Answer = behaviour === 'allow' ? { behaviour } : { behaviour: 'deny', message: reason };
    return this.questions().note({ ...answerEntry(question, answer, 'judge'), reason });
  }
}

/** The model is loaded when it is first asked. */
function namedJudge({ settings, models, around }: Settled): Judge {
  let found: Result<Model> | undefined;
  const model = () => {
    found ??= models.resolve(settings.autoMode.model ?? null);
    return found;
  };
  return {
    async judge(subject, signal) {
      const { modelJudge } = await import('../permissions/judge-model.ts');
      return modelJudge({ model, clock: around.clock }).judge(subject, signal);
    },
  };
}

/** Whether the settings name a model that there is, before anybody relies on it. */
export function checkJudge({
  options,
  settings,
  models,
}: Pick<Settled, 'options' | 'settings' | 'models'>): Result<void> {
  if (options.judge || settings.autoMode.model === undefined) return ok(undefined);
  const found = models.resolve(settings.autoMode.model);
  if (found.ok) return ok(undefined);
  return { ok: false, problem: { ...found.problem, message: `autoMode.model: ${found.problem.message}` } };
}

export const noJudge =
  'Mode auto asks what default asks: no model is named to judge. Name one in your settings: {"autoMode": {"model": "haiku"}}.';
