import { z } from 'zod';
import { ok, type Result, usage } from '../lib/result.ts';
import { type MonitorInput, monitorSchema } from './monitor/monitor-schema.ts';

/** Background work that a program starts itself. The user wants it, so no permission question is asked. */
export type SpawnRequest =
  | { kind: 'local_bash'; command: string; description?: string; timeout?: number }
  | {
      kind: 'local_agent';
      prompt: string;
      description?: string;
      type?: string;
      name?: string;
      model?: string;
    }
  | {
      /** A member of the team that the session leads. */
      kind: 'in_process_teammate';
      name: string;
      prompt: string;
      description?: string;
      type?: string;
      model?: string;
    }
  | {
      /** A run of a workflow: a new one, or one that is resumed. */
      kind: 'local_workflow';
      /** The name of a workflow. */
      name?: string | undefined;
      /** A script that is not among the workflows, by its path. */
      file?: string | undefined;
      args?: unknown;
      /** Arguments as a user typed them: text for a workflow that takes text, otherwise JSON. */
      argsText?: string | undefined;
      /** The id of the run to resume. */
      resume?: string | undefined;
      /** With `resume`: the text of its script from now on. You vouch for it: it needs no trust. */
      source?: string | undefined;
      /** Runs calls again whose agent type or model is another one now. */
      rerunDiverged?: boolean | undefined;
      /** Starts as many agents as it wants without a question. */
      yes?: boolean | undefined;
      description?: string | undefined;
    }
  | ({ kind: 'monitor_mcp' } & MonitorInput)
  | {
      kind: 'dream';
      /** What to look for. */
      about?: string | undefined;
      /** How the task is shown; else what it is about. */
      description?: string | undefined;
      model?: string | undefined;
      maxTokens?: number | undefined;
    };

const filled = (expected: string) =>
  z
    .string({ error: `expected ${expected}` })
    .refine((text) => text.trim() !== '', `expected ${expected}, got an empty string`);
const words = z.string({ error: 'expected text' });

const schemas = {
  local_bash: z.strictObject({
    kind: z.literal('local_bash'),
    command: filled('a command'),
    description: words.optional(),
    timeout: z.number({ error: 'expected milliseconds' }).positive('expected milliseconds').optional(),
  }),
  local_agent: z.strictObject({
    kind: z.literal('local_agent'),
    prompt: filled('a task for the agent'),
    description: words.optional(),
    type: words.optional(),
    name: words.optional(),
    model: words.optional(),
  }),
  in_process_teammate: z.strictObject({
    kind: z.literal('in_process_teammate'),
    name: filled('the name of the teammate'),
    prompt: filled('a task for the teammate'),
    description: words.optional(),
    type: words.optional(),
    model: words.optional(),
  }),
  local_workflow: z.strictObject({
    kind: z.literal('local_workflow'),
    name: words.optional(),
    file: words.optional(),
    args: z.unknown().optional(),
    argsText: words.optional(),
    resume: words.optional(),
    source: words.optional(),
    rerunDiverged: z.boolean().optional(),
    yes: z.boolean().optional(),
    description: words.optional(),
  }),
  dream: z.strictObject({
    kind: z.literal('dream'),
    about: words.optional(),
    description: words.optional(),
    model: words.optional(),
    maxTokens: z.number({ error: 'expected a number of tokens' }).optional(),
  }),
};

/** A program's request to start something, checked: whatever it is, the answer is a value. */
export function checkSpawnRequest(request: unknown): Result<SpawnRequest> {
  const kind: unknown =
    typeof request === 'object' && request !== null ? Reflect.get(request, 'kind') : undefined;
  if (kind === 'monitor_mcp') return checkMonitor(request as object);
  const known = Object.keys(schemas).find((name): name is keyof typeof schemas => name === kind);
  if (!known) return usage(`kind: expected ${Object.keys(schemas).join(', ')} or monitor_mcp.`);
  const read = schemas[known].safeParse(request);
  return read.success ? ok(read.data as SpawnRequest) : explain(read.error);
}

function checkMonitor(request: object): Result<SpawnRequest> {
  const { kind: _, ...input } = request as { kind: unknown };
  const read = monitorSchema.safeParse(input);
  return read.success ? ok({ kind: 'monitor_mcp', ...read.data }) : explain(read.error);
}

function explain({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }): Result<never> {
  const [first] = issues;
  const at = first?.path.map(String).join('.');
  return usage(`${at ? `${at}: ` : ''}${first?.message ?? 'not a request'}.`);
}
