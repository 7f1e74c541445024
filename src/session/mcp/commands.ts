import type { CommandEntry, CommandSource } from '../../knowledge/command-source.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { McpPool } from '../../mcp/pool.ts';
import type { PromptDefinition } from '../../mcp/prompt-definition.ts';

/** How long a command waits for its server. */
const maxWaitMs = 30_000;

/** Prompts of MCP servers as slash commands, `/mcp__server__prompt`. The pool opens with the first server. */
export class McpCommands implements CommandSource {
  readonly from = 'an MCP server';

  /** `pool` is the pool once it is open; `opening` is undefined as long as nothing names a server. */
  constructor(
    private readonly pool: () => McpPool | undefined,
    private readonly opening: () => Promise<McpPool> | undefined,
  ) {}

  async prepare(name: string, signal: AbortSignal): Promise<string | undefined> {
    if (!name.startsWith('mcp__')) return undefined;
    const pool = await this.opening();
    return pool?.awaitPrompts(name, maxWaitMs, signal);
  }

  list(): CommandEntry[] {
    return (this.pool()?.prompts() ?? []).map(({ command, prompt }) => commandEntry(command, prompt));
  }

  async expand(name: string, args: string, signal: AbortSignal): Promise<Result<string>> {
    const pool = this.pool();
    const offer = pool?.prompts().find(({ command }) => command === name);
    if (!pool || !offer) return usage(`There is no command /${visibleLine(name, 100)}.`);
    const { server, prompt } = offer;
    const got = await pool.getPrompt(
      server,
      prompt.name,
      readArguments(args, prompt.arguments ?? []),
      signal,
    );
    if (!got.ok) return failure(got.problem);
    const texts = got.value.messages.flatMap(({ content }) => {
      if (content.type === 'text') return [content.text];
      return content.type === 'resource' && 'text' in content.resource ? [content.resource.text] : [];
    });
    return ok(texts.join('\n\n'));
  }
}

export function commandEntry(command: string, prompt: PromptDefinition): CommandEntry {
  const hint = (prompt.arguments ?? [])
    .map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`))
    .join(' ');
  return {
    name: command,
    description: visibleLine(prompt.description ?? prompt.title ?? prompt.name, 300),
    ...(hint === '' ? {} : { argumentHint: visibleLine(hint, 100) }),
  };
}

/** By position, as words; the last argument takes the rest. */
function readArguments(text: string, wanted: readonly { name: string }[]): Record<string, string> {
  const words = text.trim() === '' ? [] : text.trim().split(/\s+/);
  return Object.fromEntries(
    wanted.slice(0, words.length).map(({ name }, index) => {
      const isLast = index === wanted.length - 1;
      return [name, isLast ? words.slice(index).join(' ') : (words[index] ?? '')];
    }),
  );
}
