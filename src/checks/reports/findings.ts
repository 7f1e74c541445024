import { z } from 'zod';
import { parseJson } from '../../lib/fields/parse-json.ts';
import type { ParsedReport } from '../types.ts';
import { findJson, join } from './tests.ts';

const eslintSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        line: z.number().optional(),
        column: z.number().optional(),
        severity: z.number(),
        message: z.string(),
        ruleId: z.string().nullish(),
      }),
    ),
  }),
);

/** What the value of a report in JSON says; undefined where the text has no such value. */
function readJson<T>(
  text: string,
  schema: z.ZodType<T>,
  list: (found: T) => string[],
): ParsedReport | undefined {
  const parsed = schema.safeParse(findJson(text));
  return parsed.success ? { problems: list(parsed.data) } : undefined;
}

/** Warnings are not problems: eslint does not fail for them. */
export function readEslint(text: string): ParsedReport | undefined {
  return readJson(text, eslintSchema, (files) =>
    files.flatMap(({ filePath, messages }) =>
      messages
        .filter(({ severity }) => severity === 2)
        .map(({ line, column, message, ruleId }) =>
          join(`${filePath}:${line ?? 0}:${column ?? 0}`, ruleId ? `${message} (${ruleId})` : message),
        ),
    ),
  );
}

const ruffSchema = z.array(
  z.object({
    filename: z.string(),
    code: z.string().nullish(),
    message: z.string(),
    location: z.object({ row: z.number(), column: z.number() }),
  }),
);

export function readRuff(text: string): ParsedReport | undefined {
  return readJson(text, ruffSchema, (found) =>
    found.map(({ filename, location, code, message }) =>
      join(`${filename}:${location.row}:${location.column}`, [code, message].filter(Boolean).join(' ')),
    ),
  );
}

const cargoSchema = z.object({
  reason: z.literal('compiler-message'),
  message: z.object({ level: z.string(), message: z.string(), rendered: z.string().nullish() }),
});

/** Messages of `--message-format json`. Warnings that were made errors have the level `error`. */
export function readCargo(text: string): ParsedReport | undefined {
  const lines = text.split('\n').map(parseJson);
  if (!lines.some((line) => z.object({ reason: z.string() }).safeParse(line).success)) return undefined;
  const problems = lines.flatMap((line) => {
    const parsed = cargoSchema.safeParse(line);
    if (!parsed.success || !parsed.data.message.level.startsWith('error')) return [];
    const { rendered, message } = parsed.data.message;
    return /^(?:aborting|could not compile)/.test(message) ? [] : [(rendered ?? message).trim()];
  });
  return { problems };
}

const sarifSchema = z.object({
  runs: z.array(
    z.object({
      results: z
        .array(
          z.object({
            level: z.string().default('warning'),
            ruleId: z.string().default(''),
            message: z.object({ text: z.string().default('') }),
            locations: z
              .array(
                z.object({
                  physicalLocation: z
                    .object({
                      artifactLocation: z.object({ uri: z.string().default('') }).optional(),
                      region: z.object({ startLine: z.number().optional() }).optional(),
                    })
                    .optional(),
                }),
              )
              .default([]),
            suppressions: z.array(z.unknown()).optional(),
          }),
        )
        .default([]),
    }),
  ),
});

/** Results of level `error` and `warning`; notes and what was suppressed are left out. */
export function readSarif(text: string): ParsedReport | undefined {
  return readJson(text, sarifSchema, ({ runs }) =>
    runs
      .flatMap(({ results }) => results)
      .filter(({ level, suppressions }) => /^(?:error|warning)$/.test(level) && !suppressions?.length)
      .map(({ ruleId, message, locations }) => {
        const place = locations[0]?.physicalLocation;
        const at = `${place?.artifactLocation?.uri ?? ''}:${place?.region?.startLine ?? 0}`;
        return join(at, [ruleId, message.text].filter(Boolean).join(' '));
      }),
  );
}

const npmAuditSchema = z.object({
  vulnerabilities: z
    .record(z.string(), z.object({ severity: z.string(), range: z.string().default('') }))
    .optional(),
  advisories: z
    .record(
      z.string(),
      z.object({ severity: z.string(), module_name: z.string(), title: z.string().default('') }),
    )
    .optional(),
});

/** `npm audit --json`, and pnpm's, which has the form of earlier versions of npm. */
export function readNpmAudit(text: string): ParsedReport | undefined {
  const parsed = npmAuditSchema.safeParse(findJson(text));
  if (!parsed.success) return undefined;
  const { vulnerabilities, advisories } = parsed.data;
  if (!vulnerabilities && !advisories) return undefined;
  const now = Object.entries(vulnerabilities ?? {}).map(
    ([name, one]) => `${name} ${one.range}: ${one.severity}`,
  );
  const earlier = Object.values(advisories ?? {}).map(
    (one) => `${one.module_name}: ${one.title} (${one.severity})`,
  );
  return { problems: [...now, ...earlier] };
}

const cargoAuditSchema = z.object({
  vulnerabilities: z.object({
    list: z.array(
      z.object({
        advisory: z.object({ id: z.string(), title: z.string() }),
        package: z.object({ name: z.string(), version: z.string() }),
      }),
    ),
  }),
});

export function readCargoAudit(text: string): ParsedReport | undefined {
  return readJson(text, cargoAuditSchema, ({ vulnerabilities }) =>
    vulnerabilities.list.map(
      ({ advisory, package: { name, version } }) => `${name} ${version}: ${advisory.id} ${advisory.title}`,
    ),
  );
}

const pipAuditSchema = z.object({
  dependencies: z.array(
    z.object({
      name: z.string(),
      version: z.string().optional(),
      vulns: z.array(z.object({ id: z.string() })).default([]),
    }),
  ),
});

export function readPipAudit(text: string): ParsedReport | undefined {
  return readJson(text, pipAuditSchema, ({ dependencies }) =>
    dependencies.flatMap(({ name, version = '', vulns }) =>
      vulns.map(({ id }) => `${name} ${version}: ${id}`),
    ),
  );
}

const denoLintSchema = z.object({
  diagnostics: z.array(z.object({ code: z.string(), message: z.string(), filename: z.string() })),
  errors: z.array(z.unknown()).default([]),
});

export function readDenoLint(text: string): ParsedReport | undefined {
  return readJson(text, denoLintSchema, ({ diagnostics }) =>
    diagnostics.map(({ filename, code, message }) => join(filename, `${message} (${code})`)),
  );
}

/** One error a line. No line is no report: the exit code speaks then. */
export function readTsc(text: string): ParsedReport | undefined {
  return readLines(text, /^(?:.+\(\d+,\d+\): )?error TS\d+: /);
}

export function readMypy(text: string): ParsedReport | undefined {
  return readLines(text, /^.+?:\d+(?::\d+)?: error: /);
}

function readLines(text: string, form: RegExp): ParsedReport | undefined {
  const problems = text.split('\n').filter((line) => form.test(line));
  return problems.length === 0 ? undefined : { problems };
}
