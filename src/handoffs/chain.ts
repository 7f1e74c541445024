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
    run: (context) => runFrom(steps, context, 0, undefined) as Promise<PatternEnd<LastFindings<Steps>>>,
  };
}

type AnyEnd = PatternEnd<unknown>;

async function runFrom(
  steps: readonly Pattern[],
  context: PatternContext,
  index: number,
  fixer: Pattern | undefined,
): Promise<AnyEnd> {
  const step = steps[index];
  if (!step) throw new Error('a chain has at least one step');
  const at = { ...context, path: joinPath(context.path, String(index + 1)) };
  const end = await step.run(at);
  return proceed(steps, at, context, index, fixer, end, 0);
}

/** After the step at `index` has ended, also when a user let it continue. */
async function proceed(
  steps: readonly Pattern[],
  at: PatternContext,
  context: PatternContext,
  index: number,
  fixer: Pattern | undefined,
  end: AnyEnd,
  rewrites: number,
): Promise<AnyEnd> {
  const again = (later: AnyEnd) => proceed(steps, at, context, index, fixer, later, rewrites);
  if (end.kind === 'complete') {
    const latest = end.fixer ?? fixer;
    if (index === steps.length - 1) return { ...end, fixer: latest };
    return runFrom(steps, { ...context, carry: end.carry }, index + 1, latest);
  }
  if (end.kind !== 'validation_failed' || !fixer) return wrapHalt(end, again);
  const rewrite = (round: number, hint?: string) =>
    fixAndRetry(steps, at, context, index, fixer, end, round, hint);
  if (rewrites < maxRewrites) {
    context.run.log(`validation failed; the writer is called again (${rewrites + 1} of ${maxRewrites})`);
    return rewrite(rewrites + 1);
  }
  return {
    ...end,
    reason: `The validation still fails after ${rewrites} rewrites: ${end.reason}`,
    continueWith: ({ hint }) => rewrite(rewrites + 1, hint),
  };
}

async function fixAndRetry(
  steps: readonly Pattern[],
  at: PatternContext,
  context: PatternContext,
  index: number,
  fixer: Pattern,
  failed: PatternHalt<unknown>,
  round: number,
  hint: string | undefined,
): Promise<AnyEnd> {
  const carry: Carry = {
    summary: joinSummaries(at.carry.summary, failed.carry?.summary),
    filesChanged: failed.carry?.filesChanged ?? at.carry.filesChanged,
    failedChecks: failed.failedChecks ?? [],
  };
  const task = hint === undefined ? context.task : addHint(context, hint);
  const mark = { ...at, task, path: `${at.path}.fix${round}`, carry };
  const finish = async (fixed: AnyEnd): Promise<AnyEnd> => {
    if (fixed.kind !== 'complete') return wrapHalt(fixed, finish);
    const retried = { ...at, path: `${at.path}.retry${round}`, carry: fixed.carry };
    const end = await (steps[index] ?? fixer).run(retried);
    return proceed(steps, retried, context, index, fixer, end, round);
  };
  return finish(await fixer.run(mark));
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
