import { z } from 'zod';
import { fail, ok, type Result } from '../lib/result.ts';
import { type PermissionMode, permissionModes } from '../protocol/permission.ts';
import type { DreamSettings } from './loaded.ts';

/**
 * The settings that we act on. Every other key is left alone: files of other products must load. This module is
 * loaded only when there is a settings file.
 */
const strings = z.array(z.string());
const count = z.number().int().min(1);

const price = z.number().min(0);
/** USD per million tokens. */
const pricing = z.object({
  input: price,
  output: price,
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
});

const permissionMode = z
  .enum([...permissionModes, 'manual'])
  .transform((mode): PermissionMode => (mode === 'manual' ? 'default' : mode));

const flag = z.boolean().optional();

/** Other keys of it load too, and are named as not acted on. */
const sandbox = z.looseObject({
  enabled: flag,
  failIfUnavailable: flag,
  autoAllowBashIfSandboxed: flag,
  allowUnsandboxedCommands: flag,
  excludedCommands: strings.optional(),
  network: z
    .looseObject({
      allowedDomains: strings.optional(),
      deniedDomains: strings.optional(),
      allowAllUnixSockets: flag,
      allowLocalBinding: flag,
    })
    .optional(),
  filesystem: z
    .looseObject({
      allowWrite: strings.optional(),
      denyWrite: strings.optional(),
      denyRead: strings.optional(),
      allowRead: strings.optional(),
    })
    .optional(),
  bwrapPath: z.string().min(1).optional(),
  socatPath: z.string().min(1).optional(),
});

const agents = z.looseObject({
  fork: z.boolean().optional(),
  maxDepth: z.number().int().min(1).max(3).optional(),
  maxConcurrent: count.optional(),
  maxTotal: count.optional(),
  autoBackground: z.number().min(0).optional(),
  background: z.boolean().optional(),
  permissionMode: z.enum(['default', 'acceptEdits', 'ask']).optional(),
  handoffCheck: z.enum(['off', 'rules', 'model']).optional(),
  maxTurns: count.optional(),
  timeoutSeconds: z.number().positive().optional(),
  idleSeconds: z.number().min(0).optional(),
  maxTokens: count.optional(),
  maxBudgetUsd: z.number().positive().optional(),
  askAboveAgents: z.number().int().min(0).optional(),
  askAboveUsd: z.number().min(0).optional(),
  giveBack: strings.optional(),
  model: z.string().min(1).optional(),
});
const worktree = z.looseObject({
  copyDirectories: strings.optional(),
  symlinkDirectories: strings.optional(),
  gate: z.string().min(1).optional(),
  baseRef: z.string().min(1).optional(),
  uncommitted: flag,
});

/** A variable's name, with a star for any letters; a star alone would let everything through. */
const variableName = z
  .string()
  .regex(/^(?=.*[A-Za-z_])[\w*()%.:/@-]+$/, 'the name of a variable, such as MY_VAR or AWS_*');

/** By name, command or address; each entry names one of them. */
const serverPattern = z.looseObject({
  serverName: z.string().optional(),
  serverCommand: strings.optional(),
  serverUrl: z.string().optional(),
});

const mcp = z.looseObject({
  startupWaitMs: z.number().int().min(0).optional(),
  timeoutMs: count.optional(),
  toolTimeoutMs: count.optional(),
});

/** `true`, or how. */
const dream = z
  .union([
    z.boolean(),
    z.looseObject({
      enabled: z.boolean().optional(),
      idleMinutes: z.number().positive().max(1_440).optional(),
      maxTokens: count.optional(),
      model: z.string().min(1).optional(),
    }),
  ])
  .transform((given): DreamSettings => (typeof given === 'boolean' ? { enabled: given } : given));

const terminal = z.looseObject({
  animation: flag,
  notify: z.enum(['bell', 'osc9', 'off']).optional(),
  theme: z.enum(['auto', 'dark', 'light']).optional(),
  screenReader: flag,
});

/** A command that prints the status line. */
const statusLine = z.looseObject({ command: z.string().min(1) });

const schema = z.looseObject({
  sandbox: sandbox.optional(),
  permissions: z
    .looseObject({
      allow: strings.optional(),
      ask: strings.optional(),
      deny: strings.optional(),
      defaultMode: permissionMode.optional(),
      additionalDirectories: strings.optional(),
      disableBypassPermissionsMode: z.enum(['disable']).or(z.boolean()).optional(),
      disableAutoMode: z.enum(['disable']).or(z.boolean()).optional(),
      questionTimeoutSeconds: count.optional(),
    })
    .optional(),
  model: z.string().min(1).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  environment: z.looseObject({ allow: z.array(variableName).optional() }).optional(),
  cleanupPeriodDays: z.number().int().min(0).optional(),
  bashOutputMaxChars: count.optional(),
  claudeMdExcludes: strings.optional(),
  modelAliases: z.record(z.string(), z.string()).optional(),
  maxTurns: count.optional(),
  fallbackModel: z.string().min(1).optional(),
  maxBudgetUsd: z.number().positive().optional(),
  maxTokens: count.optional(),
  modelPricing: z.record(z.string(), pricing).optional(),
  autoCompactEnabled: z.boolean().optional(),
  autoCompactWindow: count.optional(),
  autoMode: z.looseObject({ model: z.string().min(1).optional() }).optional(),
  plansDirectory: z.string().min(1).optional(),
  agents: agents.optional(),
  worktree: worktree.optional(),
  mcp: mcp.optional(),
  // Checked server by server where they are used: one broken entry costs one server.
  mcpServers: z.record(z.string(), z.unknown()).optional(),
  enabledMcpjsonServers: strings.optional(),
  disabledMcpjsonServers: strings.optional(),
  enableAllProjectMcpServers: z.boolean().optional(),
  allowedMcpServers: z.array(serverPattern).optional(),
  deniedMcpServers: z.array(serverPattern).optional(),
  dream: dream.optional(),
  coordinator: flag,
  scratchpad: flag,
  terminal: terminal.optional(),
  statusLine: statusLine.optional(),
  // What is in them is explained hook by hook, where they are read.
  hooks: z.record(z.string(), z.unknown()).optional(),
  disableAllHooks: z.boolean().optional(),
  allowManagedHooksOnly: z.boolean().optional(),
  allowedHttpHookUrls: strings.optional(),
});

export type SettingsFileContent = z.output<typeof schema>;

/** Which field is wrong, and how. A free value is not repeated: it may be a secret. */
export interface SettingsFault {
  path: readonly PropertyKey[];
  field: string;
  expected: string;
  found: string;
}

export function checkSettings(value: unknown): Result<SettingsFileContent, SettingsFault> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  if (!issue) return fail({ path: [], field: '', expected: 'valid settings', found: 'something else' });
  const found = valueAt(value, issue.path);
  return fail({
    path: issue.path,
    field: formatPath(issue.path),
    expected: expectedBy(issue),
    // Of a word from a fixed list it helps to see which one was written.
    found: issue.code === 'invalid_value' && typeof found === 'string' ? quote(found) : kindOf(found),
  });
}

function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return kindNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small')
    return `at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
  if (issue.code === 'too_big')
    return `at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
  if (issue.code !== 'invalid_union') return issue.message;
  return issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .map(expectedBy)
    .join(' or ');
}

const kindNames: Record<string, string> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  if (typeof value === 'number') return Number.isInteger(value) ? `the number ${value}` : 'a fraction';
  return typeof value === 'boolean' ? String(value) : (kindNames[typeof value] ?? 'nothing');
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
