import type { AgentDefinition } from '../../agents/definition.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { matchesToolName } from '../../places/names.ts';
import type { Rule, Tool } from '../../protocol/index.ts';
import { canonicalToolName, outputToolName } from '../../protocol/tool-names.ts';
import { mainTools } from '../agents/definitions.ts';
import type { Kernel } from '../kernel.ts';
import type { Features } from '../opening.ts';

/** The tools of a session: those of its features, filtered by options and rules. */
export class ToolPool {
  readonly #taped = new Map<Tool, Tool>();

  constructor(
    private readonly kernel: Kernel,
    private readonly features: Features,
    /** The rules of files and the command line. */
    private readonly rules: readonly Rule[],
  ) {}

  /** The harness's own tools, unfiltered. */
  builtIn(): readonly Tool[] {
    return this.features.tools('ours');
  }

  /** The lead's tools, as filtered by its definition. */
  forLead(main: AgentDefinition | undefined): Result<Tool[]> {
    const chosen = this.#choose(this.kernel.options.tools);
    if (!chosen.ok) return chosen;
    const tools = main ? mainTools(main, chosen.value) : chosen.value;
    const named = [...(this.kernel.options.tools ?? []), ...(main && main.tools !== '*' ? main.tools : [])];
    // Its schema would be in every request: the lead has it where it is asked for by name.
    const isWanted = ({ name }: Tool) => name !== 'Report' || named.includes(name);
    return ok(tools.filter(isWanted).map((tool) => this.onTape(tool)));
  }

  /** All tools of the session, whatever the lead's definition leaves it: its agents choose from these. */
  forAgents(): Result<Tool[]> {
    const all = this.#choose(namesForAll(this.kernel.options.tools));
    return all.ok ? ok(all.value.map((tool) => this.onTape(tool))) : all;
  }

  /** Actions of agents and skills are on the tape themselves, so the tools that start and stop them are not. */
  onTape(tool: Tool): Tool {
    const { tape } = this.kernel;
    if (!tape || this.features.isDriving(tool) || tool.name === 'TaskStop') return tool;
    const known = this.#taped.get(tool) ?? tape.wrapTool(tool);
    this.#taped.set(tool, known);
    return known;
  }

  #choose(only: readonly string[] | undefined): Result<Tool[]> {
    return poolTools(this.builtIn(), ownTools(this.kernel, this.features), only, this.rules);
  }
}

/** Tools of the program that opened the session. */
export function ownTools({ options }: Kernel, features: Features): readonly Tool[] {
  return [...(options.ownTools ?? []), ...features.tools('given')];
}

/**
 * The tools that the model is shown, in their stable order. `only` names the built-in ones to keep. A tool that a rule
 * denies as a whole is left out, since showing it would only cause refusals.
 */
export function poolTools(
  builtIn: readonly Tool[],
  own: readonly Tool[],
  only: readonly string[] | undefined,
  rules: readonly Rule[],
): Result<Tool[]> {
  const kept = only === undefined || only.includes('default') ? ok([...builtIn]) : pick(builtIn, only);
  if (!kept.ok) return kept;
  const undescribed = own.find(({ schema }) => typeof schema.toJSONSchema !== 'function');
  if (undescribed)
    return usage(
      `The schema of the tool ${undescribed.name} cannot be written as a JSON schema.`,
      'Make it with zod 4.2 or later.',
    );
  const names = new Set(own.map((tool) => tool.name));
  const pool = [...kept.value.filter((tool) => !names.has(tool.name)), ...own];
  return ok(pool.filter((tool) => !isDenied(tool.name, rules)));
}

/**
 * The tools that `--tools` leaves to the whole session: agents, forks and skills choose from these only. Undefined if
 * there is no limit. Reading and stopping one's own background commands comes with the shell.
 */
export function namesForAll(only: readonly string[] | undefined): string[] | undefined {
  if (only === undefined || only.includes('default')) return undefined;
  const wanted = only.map(canonicalToolName);
  return wanted.includes('Bash') ? [...new Set([...wanted, 'TaskOutput', 'TaskStop'])] : wanted;
}

/**
 * The session's ceiling on tools. `--tools` does not limit tools of the program that opened the session, MCP servers,
 * or structured output.
 */
export function toolCeiling(
  only: readonly string[] | undefined,
  own: readonly Tool[],
): { tools?: readonly string[] } {
  const names = namesForAll(only);
  return names ? { tools: [...names, ...own.map(({ name }) => name), ...unlimited] } : {};
}

const unlimited = [outputToolName, 'McpCall', 'ListMcpResourcesTool', 'ReadMcpResourceTool'];

function pick(tools: readonly Tool[], names: readonly string[]): Result<Tool[]> {
  const wanted = names.map(canonicalToolName);
  const unknown = names.find((_, index) => !tools.some((tool) => tool.name === wanted[index]));
  if (unknown !== undefined)
    return usage(
      `--tools: no tool is named "${unknown}".`,
      `Available tools: ${tools.map((tool) => tool.name).join(', ')}.`,
    );
  return ok(tools.filter((tool) => wanted.includes(tool.name)));
}

export function isDenied(name: string, rules: readonly Rule[]): boolean {
  return rules.some(
    (rule) => rule.behaviour === 'deny' && rule.specifier === undefined && matchesToolName(rule.tool, name),
  );
}
