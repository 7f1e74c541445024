import { joinPath } from './chain.ts';
import { cutBytes } from './cut-bytes.ts';
import type {
  Carry,
  HaltKind,
  Pattern,
  PatternContext,
  PatternEnd,
  PatternHalt,
  UserInput,
} from './pattern.ts';
import { type ChangedFile, maxSummaryBytes } from './schema.ts';

type Members = Readonly<Record<string, Pattern>>;

type MemberFindings<Given extends Members> = {
  [Name in keyof Given]: Given[Name] extends Pattern<infer Findings> ? Findings : never;
};

type AnyEnd = PatternEnd<unknown>;

/**
 * Independent patterns at the same time, each with the same input. All must proceed: one that does not halts the whole, after
 * the others have ended. Issues and questions are joined, findings are kept by name.
 */
export function parallel<const Given extends Members>(members: Given): Pattern<MemberFindings<Given>> {
  return {
    name: 'parallel',
    run: async (context) => {
      const ends = await Promise.all(
        Object.entries(members).map(
          async ([name, member]): Promise<[string, AnyEnd]> => [
            name,
            await member.run({ ...context, path: joinPath(context.path, name) }),
          ],
        ),
      );
      return join(new Map(ends), context) as PatternEnd<MemberFindings<Given>>;
    },
  };
}

function join(ends: ReadonlyMap<string, AnyEnd>, context: PatternContext): AnyEnd {
  const issues = [...ends].flatMap(([name, end]) => end.issues.map((issue) => `${name}: ${issue}`));
  const halted = [...ends].flatMap(([name, end]) => (end.kind === 'complete' ? [] : [{ name, end }]));
  if (halted.length > 0) return joinHalts(halted, ends, issues, context);
  const done = [...ends].flatMap(([name, end]) => (end.kind === 'complete' ? [{ name, end }] : []));
  return {
    kind: 'complete',
    findings: Object.fromEntries(done.map(({ name, end }) => [name, end.findings])),
    carry: joinCarries(done.map(({ name, end }) => ({ name, carry: end.carry }))),
    issues,
    fixer: done.findLast(({ end }) => end.fixer)?.end.fixer,
  };
}

interface HaltedMember {
  name: string;
  end: PatternHalt<unknown>;
}

function joinHalts(
  halted: readonly HaltedMember[],
  ends: ReadonlyMap<string, AnyEnd>,
  issues: readonly string[],
  context: PatternContext,
): PatternHalt<unknown> {
  const kind = pickKind(halted);
  const questions = [...new Set(halted.flatMap(({ end }) => end.questions ?? []))];
  const failedChecks = halted.flatMap(({ name, end }) =>
    (end.failedChecks ?? []).map((failed) => ({
      ...failed,
      check: failed.check === name ? name : `${name}: ${failed.check}`,
    })),
  );
  const canContinue = halted.every(({ end }) => end.continueWith !== undefined);
  return {
    kind,
    reason: halted.map(({ name, end }) => `${name}: ${end.reason}`).join(' '),
    suggestion: halted.map(({ end }) => end.suggestion)[0] ?? '',
    issues,
    ...(questions.length > 0 ? { questions } : {}),
    ...(failedChecks.length > 0 ? { failedChecks } : {}),
    carry: joinCarries([...ends].flatMap(([name, { carry }]) => (carry ? [{ name, carry }] : []))),
    ...(canContinue
      ? { continueWith: (said: UserInput) => continueMembers(halted, ends, said, context) }
      : {}),
  };
}

/** The one that a user can do least about comes first. */
const byWeight: readonly HaltKind[] = [
  ...(['interrupted', 'over_budget', 'failed', 'stopped', 'skipped', 'blocked'] as const),
  ...(['validation_failed', 'needs_answers', 'timed_out'] as const),
];

function pickKind(halted: readonly HaltedMember[]): HaltKind {
  return byWeight.find((kind) => halted.some(({ end }) => end.kind === kind)) ?? 'stopped';
}

/** Members that are done stay done. Each of the others gets the answers to its own questions. */
async function continueMembers(
  halted: readonly HaltedMember[],
  ends: ReadonlyMap<string, AnyEnd>,
  { answers = [], hint }: UserInput,
  context: PatternContext,
): Promise<AnyEnd> {
  const later = await Promise.all(
    halted.map(async ({ name, end }): Promise<[string, AnyEnd]> => {
      const own = answers.filter(({ question }) => end.questions?.includes(question));
      return [name, (await end.continueWith?.({ answers: own, hint })) ?? end];
    }),
  );
  return join(new Map([...ends, ...later]), context);
}

function joinCarries(members: readonly { name: string; carry: Carry }[]): Carry {
  const share = Math.floor(maxSummaryBytes / Math.max(1, members.length)) - 1;
  const summary = members
    .flatMap(({ name, carry }) =>
      carry.summary === undefined ? [] : [cutBytes(`${name}: ${carry.summary}`, share)],
    )
    .join('\n');
  const files = new Map<string, ChangedFile>(
    members.flatMap(({ carry }) => (carry.filesChanged ?? []).map((file) => [file.path, file] as const)),
  );
  return {
    ...(summary === '' ? {} : { summary }),
    ...(files.size > 0 ? { filesChanged: [...files.values()].slice(0, 200) } : {}),
  };
}
