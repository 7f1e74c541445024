import { join } from 'node:path';
import { z } from 'zod';
import { readBounded } from '../../../lib/files/read-bounded.ts';
import { ok, type Result, usage } from '../../../lib/result.ts';
import { parseQuietly } from '../../../remote/job.ts';

/** In the repository, beside what else is Cadre's. */
export const setupFile = '.cadre/worker.json';
const maxFile = 64 * 1024;

const insidePath = z
  .string()
  .min(1)
  .max(1000)
  .refine((path) => path.split('/').every((part) => !['', '.', '..', '.git'].includes(part)), {
    error: 'expected a path inside the repository',
  });
const toolName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/, 'expected the name of a program');
const wanted = z
  .string()
  .regex(/^(?:\*|(?:>=)?\d+(?:\.\d+){0,3})$/, 'expected a version such as "22", ">=22.1" or "*"');

const setupSchema = z.strictObject({
  /** A shell command that is run at the top of the repository. */
  setup: z.string().min(1).max(10_000).optional(),
  /** Programs by name, with the version that is needed. */
  tools: z.record(toolName, wanted).optional(),
  /** Variables that must be set on the worker. Their values are the worker's. */
  variables: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/))
    .max(100)
    .optional(),
  /** Directories that the setup fills, kept for the next job with the same inputs. */
  cache: z.array(insidePath).max(20).optional(),
  /** Files and directories whose content decides whether the setup must run again; by default all. */
  inputs: z.array(insidePath).min(1).max(100).optional(),
  timeoutMinutes: z.number().positive().max(120).optional(),
});

export type WorkerSetup = z.output<typeof setupSchema>;

/** What the repository at `top` asks of a worker. Undefined if it asks for nothing. */
export function readSetup(top: string): Result<WorkerSetup | undefined> {
  const read = readBounded(join(top, setupFile), maxFile, { refusesLinks: true });
  if (read.state === 'missing') return ok(undefined);
  if (read.state !== 'read')
    return usage(`${setupFile} cannot be read: expected a file of at most ${maxFile / 1024} KB.`);
  const content = parseQuietly(read.bytes.toString('utf8'));
  if (content === undefined) return usage(`${setupFile} is not valid JSON.`);
  const setup = setupSchema.safeParse(content);
  return setup.success ? ok(setup.data) : usage(`${setupFile} is not valid: ${z.prettifyError(setup.error)}`);
}
