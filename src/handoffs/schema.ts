import { z } from 'zod';
import type { Claim } from '../protocol/receipt.ts';
import { claimSchema } from '../receipts/claims.ts';

/** Goes up when a field changes its meaning or goes away; a new optional field does not change it. */
export const handoffVersion = 1;

export const handoffPhases = ['research', 'write', 'validate'] as const;
export type HandoffPhase = (typeof handoffPhases)[number];

/** About 500 tokens. Bytes, because tokens differ by model. */
export const maxSummaryBytes = 2_000;

const maxTextLength = 4_000;
const maxItems = 200;

const line = z.string().trim().min(1).max(maxTextLength);
const lines = z.array(line).max(maxItems);

export const summaryText = z
  .string()
  .trim()
  .min(1)
  .max(maxSummaryBytes)
  .refine((text) => Buffer.byteLength(text) <= maxSummaryBytes, {
    error: ({ input }) =>
      `expected at most ${maxSummaryBytes} UTF-8 bytes, got ${Buffer.byteLength(String(input))}`,
  })
  .describe('All that the next phase learns from this one. At most 2,000 UTF-8 bytes');

export const checkNames = ['types', 'lint', 'tests', 'security'] as const;
export type CheckName = (typeof checkNames)[number];

/** `not_run` says why a check has no outcome: then `passed` is false, and it is not a failure either. */
const ran = { passed: z.boolean(), not_run: line.optional() };

export const checkOutcomes = z.strictObject({
  types: z.strictObject({ ...ran, errors: lines }),
  lint: z.strictObject({ ...ran, errors: lines }),
  tests: z.strictObject({
    ...ran,
    coverage: z.number().min(0).max(100).nullable(),
    failures: lines.default([]),
  }),
  security: z.strictObject({ ...ran, issues: lines }),
});
export type CheckOutcomes = z.output<typeof checkOutcomes>;

const explanations = z
  .array(z.strictObject({ check: z.enum(checkNames), cause: line, suggestion: line }))
  .max(maxItems)
  .default([])
  .describe('For each failed check: why it fails, and what to change');

export const researchFindings = z.strictObject({
  existing_implementations: z
    .array(z.strictObject({ path: line, summary: line }))
    .max(maxItems)
    .describe('Code that already does some of it'),
  conflicts: lines.describe('Names, behaviour or decisions that the task would collide with'),
  patterns_found: lines.describe('How this project does similar things'),
  recommendations: lines,
});
export type ResearchFindings = z.output<typeof researchFindings>;

export const complexities = ['simple', 'complex'] as const;

export const analysisFindings = researchFindings.extend({
  complexity: z
    .enum(complexities)
    .describe('simple: one place, no open design question. complex: everything else'),
});
export type AnalysisFindings = z.output<typeof analysisFindings>;

const changedFile = z.strictObject({ path: line, change: z.enum(['created', 'modified', 'deleted']) });
export type ChangedFile = z.output<typeof changedFile>;

const changedFiles = z.array(changedFile).max(maxItems);

export const writeFindings = z.strictObject({
  files_changed: changedFiles,
  tests_written: lines.describe('Paths of test files'),
});
export type WriteFindings = z.output<typeof writeFindings>;

export const validateFindings = z.strictObject({ checks: checkOutcomes, explanations });
export type ValidateFindings = z.output<typeof validateFindings>;

/** Where the harness ran the checks, a model is asked for nothing but this. */
export const explainedFindings = z.strictObject({ explanations });

const failedCheck = z.strictObject({ check: z.string().max(200), errors: lines });
export type FailedCheck = z.output<typeof failedCheck>;

const userAnswer = z.strictObject({ question: line, answer: z.string().max(maxTextLength) });
export type UserAnswer = z.output<typeof userAnswer>;

/** All that goes from phase to phase. */
const previousFindings = z.strictObject({
  summary: summaryText.optional(),
  files_changed: changedFiles.optional().describe('For a validator'),
  failed_checks: z.array(failedCheck).max(maxItems).optional().describe('For a writer'),
  answers: z.array(userAnswer).max(maxItems).optional().describe("The user's, for the phase that asked"),
  checks: checkOutcomes.partial().optional().describe('Run by the harness, for the validator to explain'),
});
export type PreviousFindings = z.output<typeof previousFindings>;

export const expectedOutputs = {
  research: 'structured_findings',
  write: 'files_changed',
  validate: 'validation_result',
} as const satisfies Record<HandoffPhase, string>;

const taskId = z.string().regex(/^[\w.-]{1,120}$/, 'expected at most 120 letters, digits, "-", "_" and "."');

export const requestSchema = z
  .strictObject({
    version: z.literal(handoffVersion).default(handoffVersion),
    task_id: taskId,
    phase: z.enum(handoffPhases),
    context: z.strictObject({
      feature: z.string().trim().min(1).max(50_000),
      spec_path: line.nullable().optional(),
      relevant_files: lines.default([]),
      constraints: lines.default([]),
      previous_findings: z.union([previousFindings, summaryText]).nullable().optional(),
    }),
    instructions: z.string().trim().min(1).max(20_000),
    expected_output: z.enum(Object.values(expectedOutputs) as [string, ...string[]]),
  })
  .superRefine(({ phase, expected_output }, context) => {
    if (expected_output !== expectedOutputs[phase])
      context.addIssue({
        code: 'custom',
        path: ['expected_output'],
        message: `expected ${expectedOutputs[phase]} for the phase ${phase}`,
      });
  });
export type HandoffRequest = z.output<typeof requestSchema>;
export type HandoffRequestInput = z.input<typeof requestSchema>;

export const handoffStatuses = ['complete', 'partial', 'blocked'] as const;
export const handoffDecisions = ['PROCEED', 'STOP', 'CLARIFY'] as const;
export type HandoffDecision = (typeof handoffDecisions)[number];

/** A validator does not ask: it says whether the work may go on. */
export function listDecisions(phase: HandoffPhase): readonly HandoffDecision[] {
  return phase === 'validate' ? ['PROCEED', 'STOP'] : handoffDecisions;
}

const claim = z
  .unknown()
  .transform((value, context): Claim => {
    const read = claimSchema.safeParse(value);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  })
  .meta({ ...claimSchema.toJSONSchema() });

/** What the agent itself fills in. The harness adds the rest. */
export function buildAnswerSchema<Findings extends z.ZodType>(phase: HandoffPhase, findings: Findings) {
  return z
    .strictObject({
      status: z.enum(handoffStatuses),
      decision: z.enum(listDecisions(phase)),
      reason: line.optional().describe('Required with STOP'),
      questions: z.array(line).max(20).optional().describe('For the user. Required with CLARIFY'),
      findings,
      claims: z
        .array(claim)
        .max(maxItems)
        .default([])
        .describe('Each thing you did that can be checked: a command that ran, a file that changed'),
      context_summary: summaryText,
      issues: lines.default([]).describe('Problems that remain'),
    })
    .superRefine(checkDecision);
}

/** A whole response of one phase, as it is stored and handed on. */
export function buildResponseSchema<Findings extends z.ZodType>(phase: HandoffPhase, findings: Findings) {
  return z
    .strictObject({
      version: z.literal(handoffVersion),
      task_id: taskId,
      phase: z.literal(phase),
      ...buildAnswerSchema(phase, findings).shape,
      tokens_used: z.int().min(0).describe('Set by the harness'),
    })
    .superRefine(checkDecision);
}

export interface HandoffResponse<Findings = unknown> {
  version: typeof handoffVersion;
  task_id: string;
  phase: HandoffPhase;
  status: (typeof handoffStatuses)[number];
  decision: HandoffDecision;
  reason?: string | undefined;
  questions?: string[] | undefined;
  findings: Findings;
  claims: Claim[];
  context_summary: string;
  tokens_used: number;
  issues: string[];
}

interface Decided {
  status: string;
  decision: string;
  reason?: string | undefined;
  questions?: string[] | undefined;
}

function checkDecision({ status, decision, reason, questions }: Decided, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (decision === 'STOP' && reason === undefined) refuse('reason', 'required with STOP: say why');
  if (decision === 'CLARIFY' && (questions ?? []).length === 0)
    refuse('questions', 'required with CLARIFY: at least one question for the user');
  if (decision === 'PROCEED' && status === 'blocked')
    refuse('decision', 'a blocked phase cannot PROCEED: use STOP or CLARIFY');
}
