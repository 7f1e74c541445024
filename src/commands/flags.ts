import { resolve } from 'node:path';
import type { HeadlessRequest } from '../headless/run-prompt.ts';
import { systemClock } from '../lib/clock.ts';
import { messageOf, ok, type Result, usage } from '../lib/result.ts';
import { type PermissionMode, permissionModes, type Thinking } from '../protocol/index.ts';
import type { Resume, SessionOptions } from '../session/options.ts';

/** The main command's flags, as commander hands them over. */
export interface Flags {
  print?: boolean;
  outputFormat: 'text' | 'json' | 'stream-json';
  inputFormat: 'text' | 'stream-json';
  includePartialMessages?: boolean;
  replayUserMessages?: boolean;
  includeHookEvents?: boolean;
  forwardSubagentText?: boolean;
  verbose?: boolean;
  agent?: string;
  coordinator?: boolean;
  model?: string;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  maxTurns?: string;
  fallbackModel?: string;
  maxBudgetUsd?: string;
  jsonSchema?: string;
  record?: string;
  replay?: string;
  byHand?: boolean;
  maxTokens?: string;
  thinking?: string;
  maxThinkingTokens?: string;
  allowedTools?: string[];
  disallowedTools?: string[];
  tools?: string[];
  permissionMode?: string;
  permissionPromptTool?: string;
  permissionPrompts?: string;
  dangerouslySkipPermissions?: boolean;
  allowDangerouslySkipPermissions?: boolean;
  addDir?: string[];
  agents?: string;
  pluginDir?: string[];
  mcpConfig?: string[];
  strictMcpConfig?: boolean;
  disableSlashCommands?: boolean;
  settings?: string;
  settingSources?: string;
  trust?: boolean;
  worktree?: string | true;
  continue?: boolean;
  resume?: string | true;
  forkSession?: boolean;
  sessionId?: string;
  sessionPersistence: boolean;
  debug?: boolean;
  screenReader?: boolean;
}

export function requestOf(flags: Flags, prompt: string | undefined, cwd: string): Result<HeadlessRequest> {
  const session = sessionOptionsOf(flags, cwd);
  if (!session.ok) return session;
  if (flags.inputFormat === 'stream-json' && flags.outputFormat !== 'stream-json')
    return usage('--input-format stream-json needs --output-format stream-json.');
  if (flags.inputFormat === 'stream-json' && prompt !== undefined)
    return usage(
      'With --input-format stream-json prompts come as lines on standard input.',
      'Leave the prompt out of the command line.',
    );
  const streamOnly = [
    flags.includePartialMessages ? '--include-partial-messages' : undefined,
    flags.replayUserMessages ? '--replay-user-messages' : undefined,
    flags.includeHookEvents ? '--include-hook-events' : undefined,
    flags.forwardSubagentText ? '--forward-subagent-text' : undefined,
  ].find((flag) => flag !== undefined);
  if (streamOnly && flags.outputFormat !== 'stream-json')
    return usage(`${streamOnly} needs --output-format stream-json.`);
  if (flags.permissionPromptTool !== undefined && flags.permissionPromptTool !== 'stdio')
    return usage(
      `--permission-prompt-tool ${flags.permissionPromptTool}: only "stdio" is possible in this version.`,
    );
  return ok({
    session: session.value,
    ...(prompt === undefined ? {} : { prompt }),
    inputFormat: flags.inputFormat,
    outputFormat: flags.outputFormat,
    includePartialMessages: flags.includePartialMessages === true,
    replayUserMessages: flags.replayUserMessages === true,
    includeHookEvents: flags.includeHookEvents === true,
    forwardSubagentText: flags.forwardSubagentText === true,
    verbose: flags.verbose === true,
    debug: flags.debug === true,
    hostAnswers: flags.permissionPromptTool === 'stdio' || flags.permissionPrompts === 'host',
    terminalAnswers: flags.permissionPrompts !== 'none',
    clock: systemClock,
  });
}

function sessionOptionsOf(flags: Flags, cwd: string): Result<SessionOptions> {
  if (flags.model?.trim() === '')
    return usage('--model is empty.', 'Name a model: provider/id, a bare id, or opus, sonnet, haiku.');
  const mode = modeOf(flags);
  if (!mode.ok) return mode;
  const maxTurns = countOf('--max-turns', flags.maxTurns);
  if (!maxTurns.ok) return maxTurns;
  const maxTokens = countOf('--max-tokens', flags.maxTokens);
  if (!maxTokens.ok) return maxTokens;
  const maxBudgetUsd = moneyOf('--max-budget-usd', flags.maxBudgetUsd);
  if (!maxBudgetUsd.ok) return maxBudgetUsd;
  const schema = schemaOf(flags.jsonSchema);
  if (!schema.ok) return schema;
  const thinking = thinkingOf(flags);
  if (!thinking.ok) return thinking;
  const sources = sourcesOf(flags.settingSources);
  if (!sources.ok) return sources;
  const resume = resumeOf(flags);
  if (!resume.ok) return resume;
  return ok({
    cwd,
    persist: flags.sessionPersistence,
    ...present('model', flags.model),
    ...present('systemPrompt', flags.systemPrompt),
    ...present('appendSystemPrompt', flags.appendSystemPrompt),
    ...present('maxTurns', maxTurns.value),
    ...present('outputSchema', schema.value),
    ...present('record', flags.record),
    ...present('replay', flags.replay),
    ...present('byHand', flags.byHand),
    ...present('maxTokens', maxTokens.value),
    ...present('maxBudgetUsd', maxBudgetUsd.value),
    ...present('fallbackModel', flags.fallbackModel),
    ...present('thinking', thinking.value),
    ...present('agent', flags.agent),
    ...present('coordinator', flags.coordinator),
    ...present('tools', flags.tools),
    ...present('allowedTools', flags.allowedTools),
    ...present('disallowedTools', flags.disallowedTools),
    ...present('permissionMode', mode.value),
    ...present(
      'additionalDirectories',
      flags.addDir?.map((directory) => resolve(cwd, directory)),
    ),
    ...present('agentsFlag', flags.agents),
    ...present('pluginDirectories', flags.pluginDir),
    ...present('mcpConfig', flags.mcpConfig),
    ...present('strictMcpConfig', flags.strictMcpConfig),
    ...present('disableSlashCommands', flags.disableSlashCommands),
    ...present('settings', flags.settings),
    ...present('settingSources', sources.value),
    ...present('resume', resume.value),
    ...present('worktree', flags.worktree),
    ...present('sessionId', flags.sessionId),
    allowBypass: flags.allowDangerouslySkipPermissions === true || mode.value === 'bypassPermissions',
    trust: flags.trust === true,
    fork: flags.forkSession === true,
  });
}

function modeOf(flags: Flags): Result<PermissionMode | undefined> {
  if (
    flags.dangerouslySkipPermissions &&
    flags.permissionMode !== undefined &&
    flags.permissionMode !== 'bypassPermissions'
  )
    return usage(
      `--dangerously-skip-permissions and --permission-mode ${flags.permissionMode} exclude each other.`,
      'Give one of them.',
    );
  if (flags.dangerouslySkipPermissions) return ok('bypassPermissions');
  const given = flags.permissionMode === 'manual' ? 'default' : flags.permissionMode;
  const mode = permissionModes.find((known) => known === given);
  if (given === undefined || mode) return ok(mode);
  return usage(
    `--permission-mode ${given}: there is no such mode.`,
    `Choose one of ${permissionModes.join(', ')}.`,
  );
}

function thinkingOf(flags: Flags): Result<Thinking | undefined> {
  const tokens = countOf('--max-thinking-tokens', flags.maxThinkingTokens, 0);
  if (!tokens.ok) return tokens;
  if (tokens.value !== undefined)
    return ok(tokens.value === 0 ? { type: 'off' } : { type: 'budget', tokens: tokens.value });
  if (flags.thinking === undefined) return ok(undefined);
  if (flags.thinking === 'adaptive') return ok({ type: 'adaptive' });
  if (flags.thinking === 'disabled') return ok({ type: 'off' });
  return usage(`--thinking ${flags.thinking}: expected adaptive or disabled.`);
}

const settingSources = ['user', 'project', 'local'] as const;

function sourcesOf(given: string | undefined): Result<SessionOptions['settingSources'] | undefined> {
  if (given === undefined) return ok(undefined);
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => !settingSources.some((source) => source === name));
  if (wrong)
    return usage(
      `--setting-sources: "${wrong}" is no source.`,
      `Choose from ${settingSources.join(', ')}, separated by commas.`,
    );
  return ok(settingSources.filter((source) => names.includes(source)));
}

function resumeOf(flags: Flags): Result<Resume | undefined> {
  if (flags.continue && flags.resume !== undefined) return usage('Give --continue or --resume, not both.');
  if (flags.forkSession && !flags.continue && flags.resume === undefined)
    return usage(
      '--fork-session goes with --resume or --continue.',
      'Say which session to fork: cadre --resume ID --fork-session',
    );
  if (flags.continue || flags.resume === true) return ok({ from: 'latest' });
  return ok(flags.resume === undefined ? undefined : { from: 'id', id: flags.resume });
}

function countOf(flag: string, text: string | undefined, least = 1): Result<number | undefined> {
  if (text === undefined) return ok(undefined);
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= least
    ? ok(count)
    : usage(`${flag} ${text}: expected a whole number from ${least}.`);
}

function schemaOf(text: string | undefined): Result<Record<string, unknown> | undefined> {
  if (text === undefined) return ok(undefined);
  const hint =
    'Give a JSON schema of an object, such as {"type":"object","properties":{"answer":{"type":"string"}}}.';
  try {
    const schema: unknown = JSON.parse(text);
    const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
    return isObject
      ? ok(schema as Record<string, unknown>)
      : usage('--json-schema: expected a JSON object.', hint);
  } catch (error) {
    return usage(`--json-schema: not valid JSON (${messageOf(error)}).`, hint);
  }
}

function moneyOf(flag: string, text: string | undefined): Result<number | undefined> {
  if (text === undefined) return ok(undefined);
  const money = Number(text);
  return Number.isFinite(money) && money > 0
    ? ok(money)
    : usage(`${flag} ${text}: expected dollars, such as 2.50.`);
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
