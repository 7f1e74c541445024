import { z } from 'zod';
import { formatError, ok, type Result, usage } from '../../lib/result.ts';
import { defineTool, errorResult, type Tool, textResult } from '../../protocol/tool.ts';
import { outputToolName } from '../../protocol/tool-names.ts';
import { withoutProgress } from '../without-progress.ts';
import description from './synthetic-output.md' with { type: 'text' };
import { findSchemaFault, type JsonSchema } from './synthetic-output-schema.ts';
import { type Issue, validateJson } from './synthetic-output-validate.ts';

/** A run whose answer must have a given form: the tool that takes it, and its state. */
export interface StructuredOutput {
  readonly tool: Tool;
  /** The harness's message, sent once, when the model ends its turn without submitting an answer. */
  readonly reminder: string;
  /** The reason for failure if that happens again. */
  readonly missing: string;
  /** Forgets the previous run. */
  begin(): void;
  /**
   * A message called the tool. If it did not run, because a rule, a hook or broken input kept it from that, this was an
   * attempt too: otherwise a model could submit the same refused answer endlessly.
   */
  noteCall(refusal: string): void;
  /** `missing`: no valid answer yet. `failed`: all attempts are used up. */
  /** The last answer without the requested form, for those who keep it. */
  rejected(): unknown;
  state(): { kind: 'missing' } | { kind: 'given'; value: unknown } | { kind: 'failed'; reason: string };
}

/** A JSON schema, or a zod schema. */
export type OutputSchema = z.ZodType | JsonSchema;

/** The first one, and one more with the errors of the first. */
const maxAttempts = 2;

/** `schema` is a JSON schema of an object, or a zod schema of one. `onValue` receives every valid value. */
export function outputTool(
  schema: OutputSchema,
  onValue: (value: unknown) => void = () => {},
): Result<StructuredOutput> {
  const form = readForm(schema);
  if (!form.ok) return form;
  const { told, check } = form.value;
  let attempts = 0;
  let hasRun = false;
  let given: { value: unknown } | undefined;
  let rejected: unknown;
  let reason = '';

  const tool = defineTool({
    name: outputToolName,
    description: description.trim(),
    // Anything is accepted here and checked below, so that an invalid answer counts as an attempt.
    schema: z.unknown().meta(told),
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: () => 'the answer',
    run: (input) =>
      withoutProgress(async () => {
        hasRun = true;
        const checked = await check(input);
        if (checked.ok) {
          given = { value: checked.value };
          onValue(checked.value);
          return textResult('Your answer has the right form and was submitted.', { value: checked.value });
        }
        attempts++;
        rejected = input;
        const faults = checked.problem.map(formatIssue).join('\n');
        reason = `The answer does not have the requested form:\n${faults}`;
        const next = attempts < maxAttempts ? 'Fix this and call again: there is one more attempt.' : '';
        return errorResult([reason, next].filter(Boolean).join('\n'));
      }),
  });

  return ok({
    tool,
    reminder: `Your answer has not been submitted. Call ${outputToolName} with it now.`,
    missing: `The model ended without submitting its answer (${outputToolName}).`,
    begin() {
      attempts = 0;
      hasRun = false;
      given = undefined;
      rejected = undefined;
    },
    noteCall(refusal) {
      if (!hasRun) {
        attempts++;
        reason = `The answer was not accepted (${outputToolName}): ${refusal}`;
      }
      hasRun = false;
    },
    rejected: () => rejected,
    state() {
      if (given) return { kind: 'given', value: given.value };
      return attempts >= maxAttempts ? { kind: 'failed', reason } : { kind: 'missing' };
    },
  });
}

interface Form {
  /** The report to the model. */
  told: JsonSchema;
  check(value: unknown): Promise<Result<unknown, Issue[]>>;
}

function readForm(schema: z.ZodType | JsonSchema): Result<Form> {
  return isZod(schema) ? readZodForm(schema) : readJsonForm(schema);
}

function isZod(schema: z.ZodType | JsonSchema): schema is z.ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

function readJsonForm(schema: JsonSchema): Result<Form> {
  const fault = findSchemaFault(schema);
  if (fault !== undefined) return refuse(fault);
  const { $schema: _, $id: __, id: ___, ...told } = schema;
  const check = async (value: unknown) => {
    const issues = validateJson(schema, value);
    return issues.length === 0 ? ok(value) : { ok: false as const, problem: issues };
  };
  return ok({ told, check });
}

function readZodForm(schema: z.ZodType): Result<Form> {
  let json: JsonSchema;
  try {
    json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  } catch (error) {
    return refuse(`it cannot be written as a JSON schema: ${formatError(error)}`);
  }
  const { $schema: _, id: __, ...told } = json;
  if (told.type !== 'object') return refuse('expected a schema of an object');
  const check = async (value: unknown) => {
    const parsed = await schema.safeParseAsync(value);
    return parsed.success
      ? ok(parsed.data)
      : { ok: false as const, problem: parsed.error.issues.slice(0, 10) };
  };
  return ok({ told, check });
}

function refuse(fault: string): Result<never> {
  return usage(
    `The answer schema is invalid: ${fault}.`,
    'Give a JSON schema of an object, such as {"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}.',
  );
}

function formatIssue({ path, message }: Issue): string {
  return `- ${path.length > 0 ? path.map(String).join('.') : 'the answer'}: ${message}`;
}
