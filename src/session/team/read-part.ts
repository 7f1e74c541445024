import { z } from 'zod';
import { failure, ok, type Result } from '../../lib/result.ts';
import { efforts } from '../../protocol/effort.ts';
import { permissionModes } from '../../protocol/permission.ts';
import type { SessionOptions } from '../options.ts';
import { pickPassed } from '../passed-options.ts';
import type { TeamPart } from '../team-part.ts';

const limit = z.object({
  path: z.array(z.string()),
  microUsd: z.number().nonnegative().optional(),
  tokens: z.number().nonnegative().optional(),
});

const rule = z.object({
  behaviour: z.enum(['allow', 'ask', 'deny']),
  tool: z.string(),
  specifier: z.string().optional(),
  layer: z.enum(['managed', 'cli', 'local', 'project', 'user', 'session']),
  source: z.string(),
  base: z.string(),
});

const schema = z.object({
  options: z.record(z.string(), z.unknown()),
  part: z.object({
    task: z.string().optional(),
    taskUuid: z.string().optional(),
    effort: z.union([z.enum(efforts), z.number()]).optional(),
    userApprovesPlans: z.boolean().optional(),
    leaderMode: z.enum(permissionModes).optional(),
    modeUnderDefault: z.enum(permissionModes).optional(),
    grants: z.array(rule),
    account: z.object({ ledger: z.string(), path: z.array(z.string()), limits: z.array(limit) }),
  }),
});

/** How a leader says that the session of a teammate is opened: as data that another process reads. */
export interface PassedSession {
  readonly options: SessionOptions;
  readonly part: TeamPart;
}

/** Without all of it a teammate would have other permissions than its leader meant, so it is not started at all. */
export function readPassedSession(found: unknown): Result<PassedSession> {
  const read = schema.safeParse(found);
  if (!read.success) {
    const [issue] = read.error.issues;
    return failure(
      `The launch file of this teammate is not valid: session.${issue?.path.join('.')}: ${issue?.message}.`,
      'Update Cadre, and start the teammate again.',
    );
  }
  const { options, part } = read.data;
  return ok({ options: pickPassed(options), part: part as TeamPart });
}
