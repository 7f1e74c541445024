import { type GivenAgents, readGivenAgents } from '../../agents/definitions/given-agents.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { version } from '../../lib/version.ts';
import type { SessionOptions } from '../../session/options.ts';
import type { SessionInfo } from '../../session/session.ts';
import { checkFields, readPlugins } from './initialize-fields.ts';
import type { ControlRequest } from './wire.ts';

/** The settings that an `initialize` request adds to the command line. */
export interface HostOptions {
  session: Partial<SessionOptions>;
  /** In addition to those of the command line. */
  pluginDirectories?: string[];
  forwardSubagentText?: boolean;
  /** Servers to run or connect to, as one value of `--mcp-config`: in addition to those of the command line. */
  mcpConfig?: string[];
  /** MCP servers that the host runs itself. */
  hostServerNames?: string[];
  /** Their settings, by name. */
  hostServerConfigs?: Record<string, unknown>;
}

export function readHostOptions(request: ControlRequest['request']): Result<HostOptions> {
  const fields = checkFields(request);
  if (!fields.ok) return fields;
  const plugins = readPlugins(request.plugins);
  if (!plugins.ok) return plugins;
  const agents = readAgents(request.agents);
  if (!agents.ok) return agents;
  const skills = readSkills(request.skills);
  if (!skills.ok) return skills;
  const prompt = readSystemPrompt(request.systemPrompt);
  const { appendSystemPrompt: append, planModeInstructions, title } = request;
  return ok({
    pluginDirectories: plugins.value,
    session: keepDefined({
      planModeInstructions: typeof planModeInstructions === 'string' ? planModeInstructions : undefined,
      title: typeof title === 'string' ? title : undefined,
      systemPrompt: prompt,
      outputSchema: isRecord(request.jsonSchema) ? request.jsonSchema : undefined,
      appendSystemPrompt: typeof append === 'string' && append !== '' ? append : undefined,
      agents: agents.value,
      skills: skills.value,
    }),
    mcpConfig: hasContent(request.mcpServers) ? [JSON.stringify({ mcpServers: request.mcpServers })] : [],
    hostServerNames: readNames(request.sdkMcpServers),
    hostServerConfigs: isRecord(request.sdkMcpServerConfigs) ? request.sdkMcpServerConfigs : undefined,
    forwardSubagentText: request.forwardSubagentText === true || undefined,
  });
}

/** Checked here, so that the error can name the agent that is wrong. */
function readAgents(given: unknown): Result<GivenAgents | undefined> {
  if (given === undefined || given === null) return ok(undefined);
  if (!isRecord(given))
    return usage(
      "The host's initialize request, agents: expected an object of agents by name.",
      'Give each description and prompt.',
    );
  const missing = findMissingField(given);
  if (missing)
    return usage(
      `The host's initialize request, agents: ${missing}, which this version does not support.`,
      'Leave it out.',
    );
  const [broken] = readGivenAgents(given, { source: 'library', file: 'agents' }).broken;
  if (!broken) return ok(given as GivenAgents);
  return usage(
    `The host's initialize request, agents: ${broken.reason}.`,
    'Expected an object of agents by name, each with description and prompt.',
  );
}

/** Fields of agents that change what an agent does and are not there. */
const missingAgentFields = ['criticalSystemReminder_EXPERIMENTAL', 'observer', 'observerMessage'];

function findMissingField(agents: unknown): string | undefined {
  for (const [name, fields] of Object.entries(Object(agents))) {
    const found = missingAgentFields.find((field) => hasContent(Object(fields)[field]));
    if (found) return `${visibleLine(name, 100)} uses "${found}"`;
  }
  return undefined;
}

/** An empty list is a choice too. */
function readSkills(given: unknown): Result<string[] | undefined> {
  if (given === undefined || given === null) return ok(undefined);
  if (Array.isArray(given) && given.every((name): name is string => typeof name === 'string'))
    return ok(given);
  return usage(
    "The host's initialize request, skills: expected a list of names.",
    'Leave it out to use all skills.',
  );
}

/** The answer to `initialize`: its required fields, and nothing that does not exist. */
export function initializeResponse(info: SessionInfo, request: ControlRequest['request']): object {
  const names = readNames(request.sdkMcpServers);
  const manifests = isRecord(request.sdkMcpServerManifests) && names.length > 0;
  return {
    claude_code_version: version,
    hooks_applied: hasContent(request.hooks) || undefined,
    plugins_applied: hasContent(request.plugins) || undefined,
    mcp_servers_applied: isRecord(request.mcpServers) || undefined,
    sdk_mcp_manifests_parked: manifests
      ? Object.fromEntries(names.map((name) => [name, 'not_honoured']))
      : undefined,
    commands: info.commands.map(({ name, description, argumentHint = '' }) => ({
      name,
      description,
      argumentHint,
    })),
    agents: info.agents,
    output_style: 'default',
    available_output_styles: ['default'],
    models: [{ value: info.model, displayName: info.model, description: 'The model of this session' }],
    account: {},
    hook_on_failure_supported: true,
  };
}

const dynamicBoundary = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

function readSystemPrompt(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return undefined;
  return given.filter((part) => typeof part === 'string' && part !== dynamicBoundary).join('\n\n');
}

function readNames(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((name) => typeof name === 'string' && name !== '') : [];
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : true;
}
