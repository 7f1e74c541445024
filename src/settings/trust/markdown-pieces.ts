import type { TrustPiece } from './piece.ts';

/** Fields that describe an agent or restrict it. Everything else in its file is a privilege. */
const harmlessInAgents: ReadonlySet<string> = new Set(
  [
    ...['name', 'description', 'color', 'model', 'effort', 'maxTurns'],
    ...['tools', 'allowedTools', 'disallowedTools', 'deniedTools', 'excludedTools', 'skills', 'maxSteps'],
    ...['background', 'runInBackground', 'isolation', 'host', 'omitClaudeMd', 'omitProjectMemory'],
    ...['autoCompactWindow', 'colour'],
  ].map(fold),
);

const harmlessInSkills: ReadonlySet<string> = new Set(
  [
    ...['name', 'description', 'when_to_use', 'argument-hint', 'arguments', 'metadata', 'license'],
    ...['compatibility', 'disable-model-invocation', 'user-invocable', 'user-invokable'],
    ...['disallowed-tools', 'model', 'effort', 'context', 'agent', 'background', 'paths'],
  ].map(fold),
);

/**
 * The privileges of an agent file: hooks, inline MCP servers, `permissionMode` (except `plan`), a first prompt that would pass
 * for the user's, a memory it writes without asking. Undefined if it has none: then all of it may load, as labelled data.
 */
export function agentPiece(file: string, fields: Readonly<Record<string, unknown>>): TrustPiece | undefined {
  const power = Object.entries(fields).filter(
    ([key, value]) => !harmlessInAgents.has(fold(key)) && !onlyNarrows(fold(key), value),
  );
  return power.length === 0 ? undefined : { kind: 'agent', file, content: Object.fromEntries(power) };
}

/** A profile, template or protocol of hand-offs: all of it, since its text instructs agents and its tools are granted. */
export function subAgentPiece(file: string, text: string): TrustPiece | undefined {
  return subAgentFile.test(file) ? { kind: 'sub-agent', file, content: text } : undefined;
}

const subAgentFile = /(?:^|[\\/])sub-agents[\\/](?:profiles|templates|protocols)[\\/][^\\/]+$/;

function onlyNarrows(key: string, value: unknown): boolean {
  if (key === 'permissionmode') return value === 'plan';
  // A name shares a connection that was already trusted; a configuration starts one.
  return key === 'mcpservers' && Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The privileges of a command or skill: shell that runs before the model reads it, tools it allows, hooks. */
export function skillPiece(
  kind: 'command' | 'skill',
  file: string,
  fields: Readonly<Record<string, unknown>>,
  body: string,
): TrustPiece | undefined {
  const power = Object.entries(fields).filter(([key]) => !harmlessInSkills.has(fold(key)));
  const commands = inlineShell(body);
  if (power.length === 0 && commands.length === 0) return undefined;
  const content = { ...Object.fromEntries(power), ...(commands.length > 0 ? { '!': commands } : {}) };
  return { kind, file, content };
}

/** Every command that the text embeds: `` !`command` ``, and blocks that start with ```` ```! ````. */
export function inlineShell(body: string): string[] {
  return splitInlineShell(body).flatMap((part) => ('command' in part ? [part.command] : []));
}

/** Splits text into literal parts and commands to run. Execution and trust use the same split. */
export function splitInlineShell(body: string): ({ text: string } | { command: string })[] {
  const parts: ({ text: string } | { command: string })[] = [];
  let at = 0;
  for (const found of body.matchAll(inlineShellPattern)) {
    const command = (found[1] ?? found[2] ?? '').trim();
    if (command === '') continue;
    parts.push({ text: body.slice(at, found.index) }, { command });
    at = found.index + found[0].length;
  }
  return [...parts, { text: body.slice(at) }];
}

const inlineShellPattern = /^[ \t]*```+![^\n]*\n([\s\S]*?)(?:^[ \t]*```|(?![\s\S]))|!`([^`]*)`/gm;

/** `max_turns`, `max-turns` and `maxTurns` are one field. */
function fold(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}
