import { resolve } from 'node:path';
import type { HeadlessRequest } from '../headless/run-prompt.ts';
import { systemClock } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { PermissionMode, Thinking } from '../protocol/index.ts';
import type { Resume, SessionOptions } from '../session/options.ts';
import { longName } from './table/flag.ts';
import type { MainFlags } from './table/main-flags.ts';

/** The request to `cadre`: a session, and how to read and print. */
export function buildRequest(
  flags: MainFlags,
  prompt: string | undefined,
  cwd: string,
): Result<HeadlessRequest> {
  const session = buildSessionOptions(flags, cwd);
  if (!session.ok) return session;
  const output = checkOutput(flags.output, prompt);
  if (!output.ok) return output;
  const { permissionPromptTool, permissionPrompts } = flags.permissions;
  if (permissionPromptTool !== undefined && permissionPromptTool !== 'stdio')
    return usage(
      `--permission-prompt-tool ${permissionPromptTool}: only "stdio" is supported in this version.`,
    );
  return ok({
    session: session.value,
    prompt,
    ...output.value,
    hostAnswers:
      permissionPrompts !== 'none' && (permissionPromptTool === 'stdio' || permissionPrompts === 'host'),
    terminalAnswers: permissionPrompts !== 'none',
    clock: systemClock,
  });
}

/** Flags that only make sense in a stream. */
const streamFlags = [
  'includePartialMessages',
  'replayUserMessages',
  'includeHookEvents',
  'forwardSubagentText',
] as const;

type OutputChoice = Pick<
  HeadlessRequest,
  'inputFormat' | 'outputFormat' | 'print' | 'verbose' | 'debug' | (typeof streamFlags)[number]
>;

function checkOutput(flags: MainFlags['output'], prompt: string | undefined): Result<OutputChoice> {
  const { inputFormat, outputFormat } = flags;
  if (inputFormat === 'stream-json' && outputFormat !== 'stream-json')
    return usage('--input-format stream-json needs --output-format stream-json.');
  if (inputFormat === 'stream-json' && prompt !== undefined)
    return usage(
      'With --input-format stream-json, prompts are read as lines from stdin.',
      'Leave the prompt out of the command line.',
    );
  const streamOnly = streamFlags.find((name) => flags[name]);
  if (streamOnly && outputFormat !== 'stream-json')
    return usage(`${longName(streamOnly)} needs --output-format stream-json.`);
  return ok({
    inputFormat,
    outputFormat,
    includePartialMessages: flags.includePartialMessages === true,
    replayUserMessages: flags.replayUserMessages === true,
    includeHookEvents: flags.includeHookEvents === true,
    forwardSubagentText: flags.forwardSubagentText === true,
    print: flags.print === true,
    verbose: flags.verbose === true,
    debug: flags.debug === true,
  });
}

/** A flag named like a session option becomes that option. The others are listed here. */
function buildSessionOptions(flags: MainFlags, cwd: string): Result<SessionOptions> {
  const { model, permissions, configuration, session } = flags;
  if (model.model?.trim() === '')
    return usage('--model is empty.', 'Name a model: provider/id, a bare id, or opus, sonnet, haiku.');
  if (model.fallbackModel?.includes(','))
    return usage('--fallback-model takes one model, not a list.', 'Name the one to try first.');
  const mode = chooseMode(permissions);
  if (!mode.ok) return mode;
  const sources = readSources(configuration.settingSources);
  if (!sources.ok) return sources;
  const resume = readResume(session);
  if (!resume.ok) return resume;
  const options: SessionOptions = {
    cwd,
    ...model,
    ...permissions,
    ...configuration,
    ...session,
    thinking: readThinking(model),
    outputSchema: flags.output.jsonSchema,
    permissionMode: mode.value,
    allowBypass: permissions.allowDangerouslySkipPermissions === true || mode.value === 'bypassPermissions',
    additionalDirectories: permissions.addDir?.map((directory) => resolve(cwd, directory)),
    trust: permissions.trust === true,
    // Sessions know two: those that a program brings along, and the value of the flag.
    agents: undefined,
    agentsFlag: configuration.agents,
    pluginDirectories: configuration.pluginDir,
    settingSources: sources.value,
    resume: resume.value,
    fork: session.forkSession === true,
    persist: session.sessionPersistence,
  };
  // A recorded run and an agent have options too: options not given here must not replace theirs.
  return ok(keepDefined(options));
}

function chooseMode(flags: MainFlags['permissions']): Result<PermissionMode | undefined> {
  const { dangerouslySkipPermissions, permissionMode } = flags;
  if (!dangerouslySkipPermissions) return ok(permissionMode);
  if (permissionMode === undefined || permissionMode === 'bypassPermissions') return ok('bypassPermissions');
  return usage(
    `--dangerously-skip-permissions and --permission-mode ${permissionMode} cannot be combined.`,
    'Use one of them.',
  );
}

function readThinking({ thinking, maxThinkingTokens: tokens }: MainFlags['model']): Thinking | undefined {
  if (tokens !== undefined) return tokens === 0 ? { type: 'off' } : { type: 'budget', tokens };
  if (thinking === undefined) return undefined;
  return { type: thinking === 'disabled' ? 'off' : thinking };
}

const settingSources = ['user', 'project', 'local'] as const;

function readSources(given: string | undefined): Result<SessionOptions['settingSources'] | undefined> {
  if (given === undefined) return ok(undefined);
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => !settingSources.some((source) => source === name));
  if (wrong)
    return usage(
      `--setting-sources: "${wrong}" is not a source.`,
      `Choose from ${settingSources.join(', ')}, separated by commas.`,
    );
  return ok(settingSources.filter((source) => names.includes(source)));
}

function readResume(flags: MainFlags['session']): Result<Resume | undefined> {
  const { resume, forkSession } = flags;
  if (flags.continue && resume !== undefined) return usage('Give --continue or --resume, not both.');
  if (forkSession && !flags.continue && resume === undefined)
    return usage(
      '--fork-session needs --resume or --continue.',
      'Name the session to fork: cadre --resume ID --fork-session',
    );
  if (flags.continue || resume === true) return ok({ from: 'latest' });
  return ok(resume === undefined ? undefined : { from: 'id', id: resume, inOwnDirectory: true });
}
