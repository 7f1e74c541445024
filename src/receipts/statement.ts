import { relative } from 'node:path';
import { z } from 'zod';
import { failure, ok, type Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { VerifiedRun } from './verify-run.ts';

export const statementType = 'https://in-toto.io/Statement/v1';
export const receiptType = 'urn:cadre:receipt:1';

const digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const claim = z.object({
  claim: z.object({
    kind: z.string(),
    call: z.string().optional(),
    path: z.string().optional(),
    expect: z.string(),
  }),
  verdict: z.string(),
  reason: z.string(),
});

const statementSchema = z.object({
  _type: z.literal(statementType),
  subject: z.array(z.object({ name: z.string(), digest })).min(1),
  predicateType: z.literal(receiptType),
  predicate: z.object({
    run: z.string(),
    kind: z.string(),
    verifiedAt: z.string(),
    version: z.string(),
    ok: z.boolean(),
    /** Chains of the run's records, as far as they agree with their anchors. */
    records: z.array(
      z.object({
        file: z.string(),
        lines: z.number(),
        faults: z.array(z.string()),
        /** What could not be verified, such as records after the last anchor. Not in statements of earlier versions. */
        notes: z.array(z.string()).optional(),
      }),
    ),
    faults: z.array(z.string()),
    /** What is no longer stored. Not in statements of earlier versions. */
    notes: z.array(z.string()).optional(),
    commands: z.number(),
    deleted: z.array(z.string()),
    claims: z.array(claim),
  }),
});
export type RunStatement = z.output<typeof statementSchema>;

export interface StatementFacts {
  at: string;
  /** Names of files are relative to it. */
  cwd: string;
  /** SHA-256 of the run's own files, by their names. */
  records: { name: string; hash: string }[];
}

/** An in-toto statement about a run: its subjects are the files that it changed, and its own records. */
export function makeStatement(run: VerifiedRun, { at, cwd, records }: StatementFacts): RunStatement {
  const name = (path: string) => {
    const way = relative(cwd, path);
    return way === '' || way.startsWith('..') ? path : way;
  };
  const changed = run.changed.flatMap(({ path, after }) =>
    after !== null && /^[0-9a-f]{64}$/.test(after) ? [{ name: name(path), digest: { sha256: after } }] : [],
  );
  const own = records.map(({ name: file, hash }) => ({
    name: `cadre:${run.id}/${file}`,
    digest: { sha256: hash },
  }));
  return {
    _type: statementType,
    subject: [...changed, ...own],
    predicateType: receiptType,
    predicate: {
      ...{ run: run.id, kind: run.kind, verifiedAt: at, version, ok: run.ok },
      records: run.files.map(({ file, lines, faults, notes }) => ({ file, lines, faults, notes })),
      faults: run.faults,
      notes: run.notes,
      commands: run.commands,
      deleted: run.changed.flatMap(({ path, after }) => (after === null ? [name(path)] : [])),
      claims: run.reports.flatMap(({ claims }) =>
        claims.map(({ claim: { kind, call, path, expect }, verdict, reason }) => ({
          claim: { kind, call, path, expect },
          verdict,
          reason,
        })),
      ),
    },
  };
}

export function parseStatement(text: string): Result<RunStatement> {
  try {
    const parsed = statementSchema.safeParse(JSON.parse(text));
    if (parsed.success) return ok(parsed.data);
    const [issue] = parsed.error.issues;
    return failure(
      `The envelope does not hold a receipt: ${issue?.path.join('.') || 'the statement'}: ${issue?.message}`,
    );
  } catch {
    return failure('The envelope does not hold a receipt: its payload is not JSON.');
  }
}
