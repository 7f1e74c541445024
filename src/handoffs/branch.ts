import { joinPath } from './chain.ts';
import { type Pattern, type PatternContext, type PatternEnd, wrapHalt } from './pattern.ts';
import type { AnalysisFindings } from './schema.ts';

type Cases = Readonly<Record<string, Pattern>>;

type CaseFindings<Given extends Cases> =
  Given[keyof Given] extends Pattern<infer Findings> ? Findings : never;

/**
 * Runs the pattern that the findings of `decide` choose, such as a quick writer for a simple task. The chosen one gets the
 * summary of the decision.
 */
export function branch<Decision, const Given extends Cases>(
  decide: Pattern<Decision>,
  choose: (findings: Decision) => keyof Given & string,
  cases: Given,
): Pattern<CaseFindings<Given>> {
  const proceed = async (
    context: PatternContext,
    end: PatternEnd<Decision>,
  ): Promise<PatternEnd<CaseFindings<Given>>> => {
    if (end.kind !== 'complete') return wrapHalt(end, (later) => proceed(context, later));
    const name = choose(end.findings);
    context.run.log(`branch: ${name}`);
    const chosen = cases[name] as Pattern<CaseFindings<Given>>;
    return chosen.run({ ...context, path: joinPath(context.path, name), carry: end.carry });
  };
  return {
    name: 'branch',
    run: async (context) =>
      proceed(context, await decide.run({ ...context, path: joinPath(context.path, 'decide') })),
  };
}

/** By the size of the task. */
export function branchBySize<Simple, Complex>(
  analyze: Pattern<AnalysisFindings>,
  cases: { simple: Pattern<Simple>; complex: Pattern<Complex> },
): Pattern<Simple | Complex> {
  return branch(analyze, ({ complexity }) => complexity, cases);
}
