import type { AgentDefinition } from '../agents/definition.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Tool } from '../protocol/index.ts';
import type { Kernel } from './kernel.ts';
import { mainTools } from './main-agent.ts';
import type { Features } from './opening.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import { namesForAll, poolTools } from './tool-choice.ts';

/** The tools of a session: what its features bring along, as the options and rules leave it. */
export class ToolPool {
  readonly #taped = new Map<Tool, Tool>();

  constructor(
    private readonly kernel: Kernel,
    private readonly features: Features,
    private readonly permissions: LeadPermissions,
  ) {}

  /** The harness's own, before any choice. */
  builtIn(): readonly Tool[] {
    return this.features.tools('ours');
  }

  /** The lead's, as far as its definition leaves it any. */
  forLead(main: AgentDefinition | undefined): Result<Tool[]> {
    const chosen = this.#choose(this.kernel.options.tools);
    if (!chosen.ok) return chosen;
    return ok((main ? mainTools(main, chosen.value) : chosen.value).map((tool) => this.onTape(tool)));
  }

  /** All that the session has, whatever the lead's definition leaves it: what its agents choose from. */
  forAgents(): Result<Tool[]> {
    const all = this.#choose(namesForAll(this.kernel.options.tools));
    return all.ok ? ok(all.value.map((tool) => this.onTape(tool))) : all;
  }

  /** What agents and skills do is on the tape itself, so that the tools that start and stop them are not. */
  onTape(tool: Tool): Tool {
    const { tape } = this.kernel;
    if (!tape || this.features.isDriving(tool) || tool.name === 'TaskStop') return tool;
    const known = this.#taped.get(tool) ?? tape.wrapTool(tool);
    this.#taped.set(tool, known);
    return known;
  }

  #choose(only: readonly string[] | undefined): Result<Tool[]> {
    return poolTools(this.builtIn(), ownTools(this.kernel, this.features), only, this.permissions.startRules);
  }
}

/** Tools of the program that opened the session. */
export function ownTools({ options }: Kernel, features: Features): readonly Tool[] {
  return [...(options.ownTools ?? []), ...features.tools('given')];
}
