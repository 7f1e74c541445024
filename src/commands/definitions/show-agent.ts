import type { AgentDefinition } from '../../agents/definition.ts';
import { describeLists } from '../../agents/definition.ts';
import type { LoadedAgents } from '../../agents/definitions/load-agents.ts';
import { resolveAgentModel } from '../../agents/steps/model.ts';
import { findType } from '../../agents/steps/type.ts';
import { type ResolvedTools, resolveTools } from '../../agents/tool-filter.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { openSearch } from '../../models/open-search.ts';
import { type ModelConfig, resolveModel } from '../../models/resolve.ts';
import type { Tool } from '../../protocol/index.ts';
import { describeAgentTools } from '../../session/agents/agents.ts';
import { agentSettings, openFileJudge } from '../../session/environment.ts';
import { readGitStatus, readMemory, renderPrompts } from '../../session/knowledge/knowledge.ts';
import { makeSkillTool } from '../../session/knowledge/skill-use.ts';
import { findSkills } from '../../session/knowledge/skills.ts';
import { planTools } from '../../session/lead/plan-mode.ts';
import { createModelConfig } from '../../session/models.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { describeWorktreeTools } from '../../session/worktrees/worktrees.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { coreTools } from '../../tools/index.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import { readSettings } from '../read-settings.ts';
import { type Weight, weighRequest } from './weigh.ts';

interface ShowOptions {
  around: Surroundings;
  loaded: LoadedAgents;
  ripgrep: RipgrepSource;
  json: boolean;
}

interface Shown {
  definition: AgentDefinition;
  model: string;
  foreground: ResolvedTools<Tool>;
  background: ResolvedTools<Tool>;
  weight: Weight;
}

/** An agent's setup here: its tools, what each layer removed, its model, and the size of its first request. */
export async function describeAgent(name: string, options: ShowOptions): Promise<Result<string>> {
  const definition = findType(options.loaded.definitions, name);
  if (!definition)
    return usage(
      `Unknown agent type ${visibleLine(name, 100)}.`,
      `Available: ${options.loaded.definitions.map((one) => one.name).join(', ')}. cadre agents also lists broken files.`,
    );
  const settings = await readSettings(options.around);
  if (!settings.ok) return settings;
  const shown = await look(definition, options, settings.value);
  return ok(options.json ? formatJson(buildReport(shown)) : page(shown));
}

async function look(
  definition: AgentDefinition,
  options: ShowOptions,
  settings: LoadedSettings,
): Promise<Shown> {
  const { around } = options;
  const env = { ...around.environment, ...settings.env };
  const config = createModelConfig(around, settings);
  const search = openSearch(undefined, config);
  const agents = agentSettings({}, settings, env);
  const { definitions } = options.loaded;
  const { isRepository, home } = around;
  const { skills } = await findSkills({}, around, openFileJudge(around, settings));
  const apart = describeWorktreeTools(notRunning, notRunning);
  const all = [
    ...coreTools(options.ripgrep, home, { environment: env, search }),
    ...describeAgentTools({ definitions, settings: agents }, notRunning, notRunning),
    ...planTools(notRunning),
    ...(isRepository ? [...apart.drivingTools, ...apart.tools] : []),
    ...(await makeSkillTool(skills, [], notRunning)),
  ];
  const plans = definition.permissionMode === 'plan';
  const choose = (background: boolean) =>
    resolveTools(all, {
      definition,
      background,
      plans,
      depth: 1,
      maxDepth: agents.maxDepth,
      giveBack: agents.giveBack,
    });
  const foreground = choose(definition.background);
  const model = resolveShownModel(definition, agents.model, config);
  const { renderAgent } = renderPrompts(around, await readMemory(around, settings));
  const gitStatus = definition.omitProjectMemory ? undefined : await readGitStatus(around, around.cwd);
  const system = [...renderAgent(definition, model, around.cwd), ...(gitStatus ? [gitStatus] : [])];
  return {
    definition,
    model,
    foreground,
    background: choose(true),
    weight: weighRequest(system, foreground.tools),
  };
}

/** Tools are only described here. */
function notRunning(): never {
  throw new Error('no agents are running');
}

function resolveShownModel(
  definition: AgentDefinition,
  environment: string | undefined,
  config: ModelConfig,
): string {
  const parent = resolveModel(undefined, config);
  const chosen = resolveAgentModel({
    definition,
    environment,
    parent: parent.ok ? parent.value.id : 'as the main agent',
    resolve: (name) => {
      const found = resolveModel(name, config);
      return found.ok ? ok(found.value.id) : found;
    },
    said: new Set(),
  });
  return chosen.ok ? chosen.value.model : chosen.problem.message;
}

function buildReport({ definition, model, foreground, background, weight }: Shown): object {
  const listLayers = ({ layers, tools }: ResolvedTools<Tool>) => ({
    tools: tools.map((tool) => tool.name),
    layers,
  });
  return {
    ...definition,
    resolvedModel: model,
    foreground: listLayers(foreground),
    background: listLayers(background),
    unknownTools: foreground.unknown,
    problem: foreground.problem,
    firstRequest: weight,
  };
}

function page({ definition, model, foreground, background, weight }: Shown): string {
  const { name, source, file, description, permissionMode, maxTurns, isolation, host, spawnable, notes } =
    definition;
  const facts: [string, string | undefined][] = [
    ['from', file === undefined ? source : `${source}, ${file}`],
    ['for', description],
    ['model', `${definition.model ?? 'inherit'}, here ${model}`],
    ['lists', describeLists(definition)],
    ['may start', spawnable?.join(', ')],
    ['mode', permissionMode],
    ['turns', maxTurns === undefined ? undefined : `at most ${maxTurns}`],
    ['isolation', isolation],
    ['host', host],
    ['runs', definition.background ? 'always in the background' : undefined],
    ['memory', definition.omitProjectMemory ? 'no project memory, no git status' : undefined],
    [
      'unknown',
      foreground.unknown.length > 0 ? `${foreground.unknown.join(', ')}: unknown tool here` : undefined,
    ],
    ...notes.map((note): [string, string] => ['note', note]),
    ['problem', foreground.problem],
  ];
  const only = new Set(background.tools.map((tool) => tool.name));
  const lost = foreground.tools.filter((tool) => !only.has(tool.name)).map((tool) => tool.name);
  return [
    visibleLine(name, 200),
    ...facts.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)}  ${visibleLine(text, 500)}`] : [])),
    '',
    `Tools: ${foreground.tools.map((tool) => tool.name).join(', ') || 'none'}`,
    ...foreground.layers.flatMap(({ name: layer, removed }, index) => [
      `  ${index + 1}. ${layer}: ${removed.length === 0 ? 'removes nothing' : `removes ${removed.length}`}`,
      ...removed.map(({ tool, reason }) => `     ${tool}: ${reason}`),
    ]),
    ...(lost.length > 0 ? [`  Not available in the background: ${lost.join(', ')}.`] : []),
    '',
    `First request: ${weight.total.toLocaleString('en')} bytes, plus the task itself`,
    `  system ${weight.system.toLocaleString('en')}, tools ${weight.tools.toLocaleString('en')}: ${weight.byTool
      .map(({ name: tool, bytes }) => `${tool} ${bytes.toLocaleString('en')}`)
      .join(', ')}`,
    '',
  ].join('\n');
}
