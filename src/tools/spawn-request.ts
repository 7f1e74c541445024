import { z } from 'zod';
import { ok, type Result, usage } from '../lib/result.ts';
import { type MonitorInput, monitorSchema } from './monitor/monitor-schema.ts';

const filled = (expected: string) =>
  z
    .string({ error: `expected ${expected}` })
    .refine((text) => text.trim() !== '', `expected ${expected}, got an empty string`);
const words = z.string({ error: 'expected text' });

const agent = {
  prompt: filled('a task for the agent'),
  description: words.optional(),
  type: words.optional(),
  name: words.optional(),
  model: words.optional(),
};

const schemas = {
  local_bash: z.strictObject({
    kind: z.literal('local_bash'),
    command: filled('a command'),
    description: words.optional(),
    timeout: z.number({ error: 'expected milliseconds' }).positive('expected milliseconds').optional(),
  }),
  local_agent: z.strictObject({ kind: z.literal('local_agent'), ...agent }),
  /** An agent on a worker; the session needs an engine. `host`: the label of the workers that may run it. */
  remote_agent: z.strictObject({ kind: z.literal('remote_agent'), ...agent, host: words.optional() }),
  /** A member of the team that the session leads. */
  in_process_teammate: z.strictObject({
    kind: z.literal('in_process_teammate'),
    ...agent,
    name: filled('the name of the teammate'),
    prompt: filled('a task for the teammate'),
  }),
  /** A run of a workflow: a new one, or one that is resumed. */
  local_workflow: z.strictObject({
    kind: z.literal('local_workflow'),
    /** The name of a workflow. */
    name: words.optional(),
    /** A script that is not among the workflows, by its path. */
    file: words.optional(),
    args: z.unknown().optional(),
    /** Arguments as a user typed them: text for a workflow that takes text, otherwise JSON. */
    argsText: words.optional(),
    /** The id of the run to resume. */
    resume: words.optional(),
    /** With `resume`: the text of its script from now on. You vouch for it: it needs no trust. */
    source: words.optional(),
    /** Runs calls again whose agent type or model is another one now. */
    rerunDiverged: z.boolean().optional(),
    /** Starts as many agents as it wants without a question. */
    yes: z.boolean().optional(),
    description: words.optional(),
  }),
  dream: z.strictObject({
    kind: z.literal('dream'),
    /** What to look for. */
    about: words.optional(),
    /** How the task is shown; else what it is about. */
    description: words.optional(),
    model: words.optional(),
    maxTokens: z.number({ error: 'expected a number of tokens' }).optional(),
  }),
};

/** Background work that a program starts itself. The user wants it, so no permission question is asked. */
export type SpawnRequest =
  | z.output<(typeof schemas)[keyof typeof schemas]>
  | ({ kind: 'monitor_mcp' } & MonitorInput);

/** A program's request to start something, checked: whatever it is, the answer is a value. */
export function checkSpawnRequest(request: unknown): Result<SpawnRequest> {
  const kind: unknown =
    typeof request === 'object' && request !== null ? Reflect.get(request, 'kind') : undefined;
  if (kind === 'monitor_mcp') return checkMonitor(request as object);
  const known = Object.keys(schemas).find((name): name is keyof typeof schemas => name === kind);
  if (!known) return usage(`kind: expected ${Object.keys(schemas).join(', ')} or monitor_mcp.`);
  const read = schemas[known].safeParse(request);
  return read.success ? ok(read.data) : explain(read.error);
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
