import { cutBytes } from './cut-bytes.ts';
import {
  type Carry,
  type Pattern,
  type PatternContext,
  type PatternEnd,
  type PatternHalt,
  wrapHalt,
} from './pattern.ts';
import { maxSummaryBytes } from './schema.ts';

/** How often a writer is called again before the user decides. */
export const maxRewrites = 2;

type LastFindings<Steps extends readonly Pattern[]> = Steps extends readonly [
  ...Pattern[],
  Pattern<infer Last>,
]
  ? Last
  : unknown;

/**
 * Phases in order, each with the summary of the one before. When a validation fails, the writer before it is called again
 * with the failures, at most twice. The findings are those of the last step.
 */
export function chain<const Steps extends readonly [Pattern, ...Pattern[]]>(
  ...steps: Steps
): Pattern<LastFindings<Steps>> {
  return {
    name: 'chain',
    // The last step decides the type; the steps before it are only passed through.
    run: (context) => new ChainRun(steps, context).start() as Promise<PatternEnd<LastFindings<Steps>>>,
  };
}

type AnyEnd = PatternEnd<unknown>;

/** A step, while it runs. */
interface Position {
  index: number;
  step: Pattern;
  context: PatternContext;
  /** The latest writer before it. */
  fixer: Pattern | undefined;
  /** How often that writer was called again for this step. */
  rewrites: number;
}

class ChainRun {
  constructor(
    private readonly steps: readonly Pattern[],
    private readonly context: PatternContext,
  ) {}

  start(): Promise<AnyEnd> {
    return this.#runStep(0, this.context.carry, undefined);
  }

  async #runStep(index: number, carry: Carry, fixer: Pattern | undefined): Promise<AnyEnd> {
    const step = this.steps[index];
    if (!step) throw new Error('a chain has at least one step');
    const context = { ...this.context, carry, path: joinPath(this.context.path, String(index + 1)) };
    return this.#proceed({ index, step, context, fixer, rewrites: 0 }, await step.run(context));
  }

  /** After a step has ended, also when a user let it continue. */
  async #proceed(at: Position, end: AnyEnd): Promise<AnyEnd> {
    const { index, fixer, rewrites } = at;
    if (end.kind === 'complete') {
      const latest = end.fixer ?? fixer;
      if (index === this.steps.length - 1) return { ...end, fixer: latest };
      return this.#runStep(index + 1, end.carry, latest);
    }
    if (end.kind !== 'validation_failed' || !fixer) return wrapHalt(end, (later) => this.#proceed(at, later));
    if (rewrites < maxRewrites) {
      this.context.run.log(
        `validation failed; the writer is called again (${rewrites + 1} of ${maxRewrites})`,
      );
      return this.#rewrite(at, fixer, end);
    }
    return {
      ...end,
      reason: `The validation still fails after ${rewrites} rewrites: ${end.reason}`,
      continueWith: ({ hint }) => this.#rewrite(at, fixer, end, hint),
    };
  }

  /** The writer with the failures, then the step that found them. */
  async #rewrite(at: Position, fixer: Pattern, failed: PatternHalt<unknown>, hint?: string): Promise<AnyEnd> {
    const { step, context } = at;
    const round = at.rewrites + 1;
    const place = joinPath(this.context.path, String(at.index + 1));
    const carry: Carry = {
      summary: joinSummaries(context.carry.summary, failed.carry?.summary),
      filesChanged: failed.carry?.filesChanged ?? context.carry.filesChanged,
      failedChecks: failed.failedChecks ?? [],
    };
    const finish = async (fixed: AnyEnd): Promise<AnyEnd> => {
      if (fixed.kind !== 'complete') return wrapHalt(fixed, finish);
      const again = { ...context, path: `${place}.retry${round}`, carry: fixed.carry };
      return this.#proceed({ ...at, context: again, rewrites: round }, await step.run(again));
    };
    const task = hint === undefined ? context.task : addHint(context, hint);
    return finish(await fixer.run({ ...context, task, path: `${place}.fix${round}`, carry }));
  }
}

function addHint({ task }: PatternContext, hint: string) {
  return { ...task, constraints: [...(task.constraints ?? []), `The user adds: ${hint}`] };
}

/** The writer gets back what it said about its change, and what the validator says about it. */
function joinSummaries(writer: string | undefined, validator: string | undefined): string | undefined {
  const half = Math.floor(maxSummaryBytes / 2) - 20;
  const parts = [
    ...(writer === undefined ? [] : [`Change: ${cutBytes(writer, half)}`]),
    ...(validator === undefined ? [] : [`Validation: ${cutBytes(validator, half)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('\n');
}

export function joinPath(path: string, part: string): string {
  return path === '' ? part : `${path}.${part}`;
}
