import type { AgentKernel } from '../../agents/kernel.ts';
import type { SkillUse, UsedSkill } from '../../agents/skills.ts';
import type { CommandEntry, CommandSource } from '../../knowledge/command-source.ts';
import { labelled } from '../../knowledge/label.ts';
import type { Skill } from '../../knowledge/skill.ts';
import { formatSkillText } from '../../knowledge/skill-listing.ts';
import { joinScopes, type SkillScope } from '../../knowledge/skill-scope.ts';
import { parseSlash, type Slash } from '../../knowledge/slash.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { boundText, visible, visibleLine } from '../../lib/text/text.ts';
import { expansionMark, type PromptRefusal, type UserBlock } from '../../protocol/index.ts';
import type { SessionSkills } from './skills.ts';

const maxTextSize = 200_000;

/** Slash commands as the user types them: which ones exist, and what a prompt says once they are expanded. */
export class SlashCommands {
  constructor(
    private readonly known: SessionSkills,
    private readonly agents: AgentKernel,
    private readonly sources: readonly CommandSource[],
    /** The user's own text is shown as it is; secrets are hidden in what files and commands add. */
    private readonly hide: (text: string) => string,
  ) {}

  list(): CommandEntry[] {
    const own = this.known.skills
      .filter((skill) => skill.userInvocable)
      .map((skill) => ({
        name: skill.name,
        description: formatSkillText(skill),
        ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
      }));
    return [...own, ...this.sources.flatMap((source) => source.list())];
  }

  /** The user speaks again: the last skill's scope ends. */
  endScope(): void {
    this.known.scopes.end(null);
  }

  /** A command that cannot be expanded is sent as typed, with a notice; one that would have acted is not sent. */
  async read(
    content: readonly UserBlock[],
    signal: AbortSignal,
  ): Promise<Result<UserBlock[], PromptRefusal>> {
    const read: UserBlock[] = [];
    const scopes: SkillScope[] = [];
    for (const block of content) {
      read.push(block);
      if (block.type === 'text') await this.#prepare(block.text, signal);
      const slash = block.type === 'text' ? parseSlash(block.text, (name) => this.#knows(name)) : undefined;
      const expanded = slash ? await this.#expand(slash, signal, scopes) : ok([]);
      if (!expanded.ok) return expanded;
      read.push(...expanded.value);
    }
    const scope = joinScopes(scopes);
    if (scope) this.known.scopes.begin(null, scope);
    return ok(read);
  }

  /** A user who types a server's command means it, even if the server is not connected yet. */
  async #prepare(text: string, signal: AbortSignal): Promise<void> {
    const mayCome = this.sources.filter((source) => source.prepare);
    if (mayCome.length === 0) return;
    for (const name of parseSlash(text, () => true)?.names ?? [])
      for (const source of this.#skill(name) ? [] : mayCome) {
        const problem = await source.prepare?.(name, signal);
        if (problem !== undefined && !this.#knows(name)) this.#notice(`/${name}: ${problem}`);
      }
  }

  #knows(name: string): boolean {
    return this.#skill(name) !== undefined || this.#source(name) !== undefined;
  }

  /** By its full name, else by the last part of it if only one command ends that way. */
  #skill(name: string): Skill | undefined {
    const { skills } = this.known;
    const exact = skills.find((skill) => skill.name === name);
    const ending = exact ? [] : skills.filter((skill) => skill.name.endsWith(`:${name}`));
    const found = exact ?? (ending.length === 1 ? ending[0] : undefined);
    return found?.userInvocable ? found : undefined;
  }

  #source(name: string): CommandSource | undefined {
    const listed = this.sources.find((source) => source.list().some((entry) => entry.name === name));
    return listed ?? this.sources.find((source) => source.knows?.(name));
  }

  async #expand(
    { names, args }: Slash,
    signal: AbortSignal,
    scopes: SkillScope[],
  ): Promise<Result<UserBlock[], PromptRefusal>> {
    const texts: string[] = [];
    for (const name of names) {
      const skill = this.#skill(name);
      const source = this.#source(name);
      if (skill) texts.push(...(await this.#use(skill, args, signal, scopes)));
      else if (source) {
        const asked = await this.#ask(source, name, args, signal);
        if (!asked.ok) return asked;
        texts.push(...asked.value);
      } else this.#notice(this.#unknown(name));
    }
    if (texts.length === 0) return ok([]);
    return ok([{ type: 'text', text: this.hide(`${expansionMark}\n\n${texts.join('\n\n')}`) }]);
  }

  async #use(skill: Skill, args: string, signal: AbortSignal, scopes: SkillScope[]): Promise<string[]> {
    const used = await this.#run({ skill, args, agentId: null, toolUseId: this.#callId(), signal });
    if (used.kind === 'problem') {
      this.#notice(used.problem.message);
      return [];
    }
    for (const note of used.notes) this.#notice(`/${skill.name}: ${note}.`);
    if (used.kind === 'text') {
      scopes.push(used.scope);
      return [used.text];
    }
    const said = used.result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return [`/${skill.name} runs as an agent that the user started; do not do its work yourself.\n\n${said}`];
  }

  async #run(use: SkillUse): Promise<UsedSkill> {
    const { useSkill } = await import('../../agents/skills.ts');
    return useSkill(this.agents, this.known.world, use);
  }

  async #ask(
    source: CommandSource,
    name: string,
    args: string,
    signal: AbortSignal,
  ): Promise<Result<string[], PromptRefusal>> {
    const expanded = await source.expand(name, args, signal);
    if (expanded.ok) {
      const text = boundText(visible(expanded.value), maxTextSize);
      return ok([labelled('cadre-command', { name, from: source.from }, text)]);
    }
    const { message, hint } = expanded.problem;
    if (source.acts) return fail({ command: name, reason: hint ? `${message} ${hint}` : message });
    this.#notice(`/${name}: ${message}`);
    return ok([]);
  }

  #unknown(name: string): string {
    const shown = visibleLine(name, 100);
    return this.known.skills.some((skill) => skill.name === name)
      ? `/${shown} can only be used by the model. It was sent as text.`
      : `There is no command /${shown}. It was sent as text. Run cadre commands to list the available ones.`;
  }

  #callId(): string {
    return `slash-${this.agents.ids.token(12)}`;
  }

  #notice(text: string): void {
    this.agents.notice(text);
  }
}
