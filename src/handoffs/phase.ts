import { boundText, endSentence } from '../lib/text/text.ts';
import { listFailedChecks } from './check-report.ts';
import { type HandoffEnd, type HandoffOptions, handoff } from './handoff.ts';
import type {
  Carry,
  HandoffTask,
  Pattern,
  PatternContext,
  PatternEnd,
  PatternHalt,
  UserInput,
} from './pattern.ts';
import type { CallChoices } from './render-call.ts';
import { handoffRoles, type RoleFindings, type RoleName } from './roles.ts';
import {
  type CheckName,
  expectedOutputs,
  type FailedCheck,
  type HandoffPhase,
  type HandoffRequestInput,
  type HandoffResponse,
  type UserAnswer,
  type ValidateFindings,
  type WriteFindings,
} from './schema.ts';

export interface PhaseOptions extends CallChoices {
  /** A template of the user's own for this role. */
  template?: string | undefined;
  /** In place of the usual sentence about the phase. */
  instructions?: string | undefined;
  /** A validator's: which checks. All unless given. */
  checks?: readonly CheckName[] | undefined;
}

/** One hand-off as a pattern: the smallest one. Its findings have the type of its role. */
export function phase<Role extends RoleName>(
  role: Role,
  options: PhaseOptions = {},
): Pattern<RoleFindings<Role>> {
  const self: Pattern<RoleFindings<Role>> = {
    name: options.label ?? options.template ?? role,
    run: (context) => new PhaseRun(role, options, self, context).start(),
  };
  return self;
}

const usualInstructions: Record<HandoffPhase, string> = {
  research: 'Find out what the next phase must know to do the task.',
  write: 'Do the task.',
  validate: 'Validate the change.',
};

const shorter =
  'An earlier attempt ran out of time. Do only the most important part, skip whatever takes long, and answer with status partial if something is left.';
const maxFilesWhenShorter = 5;

class PhaseRun<Role extends RoleName> {
  readonly #phase: HandoffPhase;

  constructor(
    private readonly role: Role,
    private readonly options: PhaseOptions,
    private readonly self: Pattern<RoleFindings<Role>>,
    private readonly context: PatternContext,
  ) {
    this.#phase = handoffRoles[role].phase;
  }

  async start(): Promise<PatternEnd<RoleFindings<Role>>> {
    return this.#attempt(this.context.carry, '');
  }

  /** Once, and after a timeout once more with less to do. `mark` tells attempts apart. */
  async #attempt(carry: Carry, mark: string, hint?: string): Promise<PatternEnd<RoleFindings<Role>>> {
    const request = this.#buildRequest(carry, mark, hint);
    const first = await this.#hand(request);
    if (first.kind !== 'timed_out') return this.#settle(first, carry, mark);
    this.context.run.log(`${this.self.name}: timed out, trying once more with a simpler request`);
    const second = await this.#hand(simplify(request));
    return this.#settle(second, carry, `${mark}-short`);
  }

  async #hand(request: HandoffRequestInput): Promise<HandoffEnd<RoleFindings<Role>>> {
    const { run, setup, records } = this.context;
    const options: HandoffOptions<Role> = { setup, role: this.role, ...this.options, label: this.self.name };
    run.phase(this.self.name);
    const end = await handoff(run, request, options);
    const { task_id, phase: name } = request;
    const record = records.add({ task_id, label: this.self.name, phase: name }, end, this.self);
    const said = record.decision ?? record.end.replace('_', ' ');
    run.log(`${this.self.name}: ${said}, ${record.tokens_used.toLocaleString('en')} tokens`);
    return end;
  }

  #settle(end: HandoffEnd<RoleFindings<Role>>, carry: Carry, mark: string): PatternEnd<RoleFindings<Role>> {
    const again = (said: UserInput) => this.#continue(carry, mark, said);
    switch (end.kind) {
      case 'answered':
        return this.#decide(end.response, carry, mark);
      case 'timed_out':
        return halt('timed_out', `${this.self.name} timed out twice.`, {
          suggestion: 'Try again, or split the task; the report has what is known so far.',
          issues: end.text === '' ? [] : [`${this.self.name}, unfinished: ${boundText(end.text, 2_000)}`],
          continueWith: again,
        });
      case 'blocked':
        return halt('blocked', `${this.self.name} gave no valid answer: ${end.errors.join('; ')}`, {
          suggestion: `The raw answer is kept as ${end.handle}. Try again, or use another model.`,
          handle: end.handle,
          continueWith: again,
        });
      case 'refused':
        return halt('failed', end.errors.join('; '), { suggestion: 'Fix the request or the file it names.' });
      case 'ended':
        return this.#endEarly(end);
    }
  }

  #endEarly(end: { outcome: string; reason: string; text: string }): PatternHalt<RoleFindings<Role>> {
    const kind =
      (['over_budget', 'skipped', 'interrupted'] as const).find((one) => one === end.outcome) ?? 'failed';
    return halt(kind, `${this.self.name}: ${endSentence(end.reason)}`, {
      suggestion:
        kind === 'over_budget'
          ? 'Raise the budget and resume the run.'
          : 'Resume the run to continue from here.',
      issues: end.text === '' ? [] : [`${this.self.name}, unfinished: ${boundText(end.text, 2_000)}`],
    });
  }

  #decide(
    response: HandoffResponse<RoleFindings<Role>>,
    carry: Carry,
    mark: string,
  ): PatternEnd<RoleFindings<Role>> {
    const { decision, questions = [], findings, issues } = response;
    const after = this.#carryOn(response, carry);
    if (decision === 'PROCEED')
      return {
        ...{ kind: 'complete', findings, carry: after, issues },
        ...(this.#phase === 'write' ? { fixer: this.self } : {}),
      };
    if (decision === 'CLARIFY')
      return halt('needs_answers', `${this.self.name} needs answers.`, {
        suggestion: 'Answer the questions in the task, or resume the run where a user can answer.',
        questions,
        issues,
        continueWith: (said) => this.#continue(carry, mark, said),
      });
    const reason = response.reason ?? '';
    const failedChecks = this.#phase === 'validate' ? listFailures(response) : undefined;
    return halt(failedChecks ? 'validation_failed' : 'stopped', reason, {
      suggestion: suggest(response),
      issues,
      carry: after,
      ...(failedChecks ? { failedChecks } : {}),
    });
  }

  #carryOn({ context_summary, findings }: HandoffResponse<RoleFindings<Role>>, before: Carry): Carry {
    const written = this.#phase === 'write' ? (findings as WriteFindings).files_changed : [];
    const filesChanged = mergeFiles(before.filesChanged ?? [], written);
    return { summary: context_summary, ...(filesChanged.length > 0 ? { filesChanged } : {}) };
  }

  async #continue(
    carry: Carry,
    mark: string,
    { answers = [], hint }: UserInput,
  ): Promise<PatternEnd<RoleFindings<Role>>> {
    const known: UserAnswer[] = [...(carry.answers ?? []), ...answers];
    return this.#attempt({ ...carry, answers: known }, `${mark}-again`, hint);
  }

  #buildRequest(carry: Carry, mark: string, hint: string | undefined): HandoffRequestInput {
    const { task, path } = this.context;
    const instructions = this.options.instructions ?? usualInstructions[this.#phase];
    const previous = pickPrevious(this.#phase, carry);
    return {
      task_id: `${path}-${this.self.name.replace(/[^\w.-]/g, '-').slice(0, 60)}${mark}`.slice(-120),
      phase: this.#phase,
      context: {
        feature: task.feature,
        ...(task.specPath === undefined ? {} : { spec_path: task.specPath }),
        relevant_files: listFiles(task, this.#phase === 'write' ? carry : {}),
        constraints: [...(task.constraints ?? [])],
        ...(Object.keys(previous).length === 0 ? {} : { previous_findings: previous }),
      },
      instructions: hint === undefined ? instructions : `${instructions}\n\nThe user adds: ${hint}`,
      expected_output: expectedOutputs[this.#phase],
    };
  }
}

function halt<F>(
  kind: PatternHalt<F>['kind'],
  reason: string,
  more: Partial<PatternHalt<F>> & { suggestion: string },
): PatternHalt<F> {
  return { kind, reason, issues: [], ...more };
}

/** Files changed for validators, failures for writers, answers for whoever asked, the summary for all. */
function pickPrevious(phase: HandoffPhase, { summary, filesChanged, failedChecks, answers }: Carry) {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(phase === 'validate' && filesChanged ? { files_changed: [...filesChanged] } : {}),
    ...(phase === 'write' && failedChecks ? { failed_checks: [...failedChecks] } : {}),
    ...(answers && answers.length > 0 ? { answers: [...answers] } : {}),
  };
}

function listFiles(task: HandoffTask, { failedChecks, filesChanged = [] }: Carry): string[] {
  const changed = failedChecks ? filesChanged.map(({ path }) => path) : [];
  return [...new Set([...(task.relevantFiles ?? []), ...changed])].slice(0, 200);
}

function mergeFiles(before: Carry['filesChanged'] & {}, now: WriteFindings['files_changed']) {
  const byPath = new Map([...before, ...now].map((file) => [file.path, file]));
  return [...byPath.values()].slice(0, 200);
}

/** Constraints stay: they say what must not happen. */
function simplify(request: HandoffRequestInput): HandoffRequestInput {
  const { context } = request;
  return {
    ...request,
    task_id: `${request.task_id}-short`.slice(-120),
    context: { ...context, relevant_files: (context.relevant_files ?? []).slice(0, maxFilesWhenShorter) },
    instructions: `${request.instructions}\n\n${shorter}`,
  };
}

/** What the writer must fix: the failed checks, else what the validator objects to. */
function listFailures({ findings, reason = '', issues }: HandoffResponse<unknown>): FailedCheck[] {
  const failed = listFailedChecks((findings as ValidateFindings).checks);
  return failed.length > 0 ? failed : [{ check: 'review', errors: [reason, ...issues] }];
}

function suggest({ findings, issues }: HandoffResponse<unknown>): string {
  const { recommendations = [] } = findings as { recommendations?: string[] };
  return recommendations[0] ?? issues[0] ?? 'Resolve the reason, or narrow the task, and run it again.';
}
