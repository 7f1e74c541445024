import { basename, resolve } from 'node:path';
import type { AgentDefinition } from '../../agents/definition.ts';
import { flagProblem, type LoadedAgents, loadAgents } from '../../agents/definitions/load-agents.ts';
import { findType } from '../../agents/steps/type.ts';
import { adaptToTeammate } from '../../agents/teammate-definition.ts';
import { resolveTools } from '../../agents/tool-filter.ts';
import { fillTextPlaces, nameTextPlaces } from '../../knowledge/text-places.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { isOn } from '../../lib/switch.ts';
import { endSentence, visibleLine } from '../../lib/text/text.ts';
import type { PermissionMode, Rule, Tool } from '../../protocol/index.ts';
import type { AgentSettings } from '../../settings/loaded.ts';
import type { FileJudge } from '../../workspace/file-judge.ts';
import { agentSettings, openFileJudge, readStartRules } from '../environment.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { SessionOptions } from '../options.ts';
import { noteUnknownNames } from './unknown-names.ts';

/** The agent types, how they run, and what the session's own agent runs as. */
export interface AgentDefinitions {
  definitions: readonly AgentDefinition[];
  settings: AgentSettings;
  /** The definition that the main agent runs as, if any. */
  main: AgentDefinition | undefined;
  /** The judge of the files that models get from the start on. */
  judge: FileJudge;
  /** Those of the command line and of files, by which the session starts. */
  rules: readonly Rule[];
  /** The session's options, filled in from the main agent's definition where the user set nothing. */
  options: SessionOptions;
}

export function definitionFeature(
  { on }: { on: boolean },
  own: readonly Tool[],
): SessionFeature<AgentDefinitions> {
  return { name: 'agent definitions', open: (kernel) => loadDefinitions(kernel, on, own) };
}

async function loadDefinitions(
  kernel: Kernel,
  coordinates: boolean,
  own: readonly Tool[],
): Promise<Result<AgentDefinitions & { notices: string[] }>> {
  const { options, place, settings, environment, restored, trust } = kernel;
  const { cwd, root, home, userHome } = place;
  const rules = readStartRules(options, settings, place, own);
  if (!rules.ok) return rules;
  const judge = openFileJudge(place, settings, options, rules.value);
  const loaded = await loadAgents({
    ...{ cwd, root, home, userHome, trust, judge },
    later: (act) => void place.atEnd.push(act),
    sources: options.settingSources,
    additionalDirectories: (options.additionalDirectories ?? []).map((path) => resolve(cwd, path)),
    pluginDirectories: (options.pluginDirectories ?? []).map((path) => resolve(cwd, path)),
    flagAgents: options.agentsFlag,
    agents: options.agents,
    simple: isOn(environment.CADRE_SIMPLE) || isOn(environment.CLAUDE_CODE_SIMPLE),
  });
  const problem = flagProblem(loaded);
  if (problem) return fail(problem);
  const definitions = loaded.definitions.map((definition) => fillPrompt(definition, cwd, kernel.id));
  const named = mainAgent(options.agent ?? restored?.state?.agent, { ...loaded, definitions });
  if (!named.ok) return named;
  const chosen = agentSettings(options, settings, environment);
  const { teamPart } = options;
  const main = named.value && teamPart ? adaptToTeammate(named.value, chosen, teamPart.effort) : named.value;
  return ok({
    ...{ definitions, judge, rules: rules.value },
    // A coordinator's agents begin with its prompt to them, not with its conversation.
    settings: coordinates ? { ...chosen, fork: false } : chosen,
    main,
    options: fillOptions(readMainOptions(main, restored?.state !== undefined), options),
    notices: [
      ...nameRefused(loaded.broken),
      ...brokenNotice(loaded.broken),
      ...noteUnknownNames(
        rules.value,
        'Agent',
        definitions.map(({ name }) => name),
      ),
    ],
  });
}

/** A file's text may name the plugin, the project and the session. */
function fillPrompt(
  definition: AgentDefinition,
  projectDirectory: string,
  sessionId: string,
): AgentDefinition {
  const { prompt, plugin: pluginRoot } = definition;
  const filled = fillTextPlaces(prompt, nameTextPlaces({ projectDirectory, sessionId, pluginRoot }));
  return filled === prompt ? definition : { ...definition, prompt: filled };
}

/** A file that is left out for its content is named: the user may have meant it to be read. */
export function nameRefused(broken: readonly { file: string; reason: string; isRefused?: true }[]): string[] {
  const refused = broken.filter(({ isRefused }) => isRefused);
  const shown = refused
    .slice(0, maxNamed)
    .map(({ file, reason }) => visibleLine(`${file}: not read for a model: ${reason}; ignored`, 1_000));
  const more = refused.length - shown.length;
  return more > 0 ? [...shown, `${more} more files are not read for a model.`] : shown;
}

const maxNamed = 20;

function brokenNotice(broken: LoadedAgents['broken']): string[] {
  const count = broken.filter(({ isRefused }) => !isRefused).length;
  if (count === 0) return [];
  const files = count === 1 ? 'One agent file' : `${count} agent files`;
  return [
    `${files} could not be read and ${count === 1 ? 'is' : 'are'} ignored. Run cadre agents to see why.`,
  ];
}

/** The definition that the main agent runs as (`--agent`); undefined without one. */
export function mainAgent(
  name: string | undefined,
  { definitions, broken }: LoadedAgents,
): Result<AgentDefinition | undefined> {
  if (name === undefined) return ok(undefined);
  const found = findType(definitions, name);
  if (found) return ok(found);
  const wrong = broken.find(({ file }) => basename(file, '.md') === name);
  if (wrong) {
    const place = wrong.line === undefined ? wrong.file : `${wrong.file}:${wrong.line}`;
    return usage(
      `--agent ${visibleLine(name, 100)}: ${place}: ${endSentence(wrong.reason)}`,
      'Fix the file.',
    );
  }
  const names = definitions.map((definition) => definition.name).sort();
  return usage(
    `--agent: no agent is named "${visibleLine(name, 100)}".`,
    `Available: ${names.join(', ')}. Run cadre agents to see broken files and why.`,
  );
}

/** An empty prompt is what hosts send that want none of their own: it does not take the agent's away. */
function fillOptions(ofAgent: SessionOptions, given: SessionOptions): SessionOptions {
  const systemPrompt = given.systemPrompt || ofAgent.systemPrompt;
  return { ...ofAgent, ...given, ...(systemPrompt === undefined ? {} : { systemPrompt }) };
}

/** A definition's settings for the session where the user set nothing. */
export function readMainOptions(definition: AgentDefinition | undefined, goesOn: boolean): SessionOptions {
  if (!definition) return {};
  const { name, prompt, maxTurns } = definition;
  // A resumed session keeps its model and mode, since the user may have changed them.
  const model = goesOn || definition.model === 'inherit' ? undefined : definition.model;
  const mode = goesOn ? undefined : readMode(definition);
  return {
    agent: name,
    systemPrompt: prompt,
    ...(model === undefined ? {} : { model }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
  };
}

/** The main agent is at depth 0: only its definition's own lists apply. */
export function mainTools(definition: AgentDefinition, tools: readonly Tool[]): Tool[] {
  return resolveTools(tools, { definition, background: false, depth: 0, maxDepth: 1 }).tools;
}

/** A repository's or a plugin's file may narrow the mode, never widen it, and no file may skip questions. */
function readMode({ permissionMode, source }: AgentDefinition): PermissionMode | undefined {
  if (permissionMode === 'bypassPermissions') return undefined;
  const fromOutside = source === 'project' || source === 'plugin';
  const narrows = permissionMode === 'plan' || permissionMode === 'dontAsk' || permissionMode === 'default';
  return fromOutside && !narrows ? undefined : permissionMode;
}
