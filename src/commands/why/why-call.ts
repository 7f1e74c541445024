import { resolve } from 'node:path';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { PermissionContext } from '../../permissions/context.ts';
import { decide } from '../../permissions/decide.ts';
import type { Access, RuleBehaviour } from '../../protocol/permission.ts';
import type { Tool } from '../../protocol/tool.ts';
import { canonicalToolName, isMcpToolName } from '../../protocol/tool-names.ts';
import type { ConfinementState } from '../../session/sandbox.ts';
import { parseRules } from '../../settings/known-tools.ts';
import type { Finding } from '../../shell/judge/shell-case.ts';

/** One line of `cadre why --batch`. */
export interface WhyCall {
  id?: unknown;
  tool: string;
  input: Record<string, unknown>;
  rules?: { allow?: string[]; ask?: string[]; deny?: string[] };
}

export interface CallVerdict {
  id: unknown;
  decision: RuleBehaviour;
  /** The decision's origin, or `input` if the call itself cannot be read. */
  by: string;
  reason: string;
  /** For a shell command: whether it was judged with the sandbox on. */
  sandbox?: ConfinementState['state'];
  /** For a shell command: each of its commands. */
  parts?: { command: string; decision: RuleBehaviour; reason: string }[];
}

export interface WhyContext {
  readonly permissions: PermissionContext;
  readonly tools: readonly Tool[];
  readonly confinement: ConfinementState;
}

/** `Tool(…)` as people write it: a command, a path, a pattern, an address, or the whole input as JSON. */
export function readCall(text: string, userHome: string): Result<WhyCall> {
  const [, name, inside] = /^\s*([\w:@.-]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text) ?? [];
  if (name === undefined)
    return usage(
      `${JSON.stringify(text)} is not a tool call.`,
      "Write it as Tool(argument), for example 'Bash(git log)'.",
    );
  const tool = canonicalToolName(name);
  return ok({ tool, input: (inside && readObject(inside)) || buildInput(tool, inside, userHome) });
}

function readObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

function buildInput(tool: string, inside: string | undefined, userHome: string): Record<string, unknown> {
  if (inside === undefined) return {};
  switch (tool) {
    case 'Bash':
      return { command: inside };
    case 'Grep':
    case 'Glob':
      return { pattern: inside };
    case 'WebFetch':
      return { url: inside.replace(/^domain:/, 'https://') };
    case 'Agent':
      return { subagent_type: inside };
    default:
      // As a shell would have expanded it, had the call not been quoted.
      return { file_path: inside.replace(/^~(?=\/|$)/, userHome) };
  }
}

export function judgeLine(call: WhyCall, { permissions, tools, confinement }: WhyContext): CallVerdict {
  const id = call?.id ?? null;
  const refuse = (reason: string): CallVerdict => ({ id, decision: 'deny', by: 'input', reason });
  if (typeof call?.tool !== 'string') return refuse('expected "tool", a name');
  if (typeof call.input !== 'object' || call.input === null || Array.isArray(call.input))
    return refuse('expected an object in "input"');
  const tool = canonicalToolName(call.tool);
  const own = readRules(call, permissions.workspace.cwd);
  if (!own.ok) return refuse(own.problem.message);
  const accesses = findAccesses(tool, call.input, permissions.workspace.cwd, tools);
  if (!accesses.ok) return refuse(accesses.problem.message);
  const findings: Finding[] = [];
  const { ceiling, role, mode, rules, workspace } = permissions;
  const decision = decide(
    ceiling,
    role,
    mode,
    [...own.value, ...rules],
    { tool, accesses: accesses.value, input: call.input, workspace },
    (found) => findings.push(...found),
  );
  const parts = listParts(findings);
  return {
    id,
    decision: decision.behaviour,
    by: decision.by,
    reason: decision.reason,
    sandbox: accesses.value.some(({ kind }) => kind === 'shell') ? confinement.state : undefined,
    parts: parts.length > 1 ? parts : undefined,
  };
}

/** The strictest decision on each command, in the order of the text. */
function listParts(findings: readonly Finding[]): NonNullable<CallVerdict['parts']> {
  const rank = { allow: 0, ask: 1, deny: 2 };
  const parts = new Map<Finding['command'], { command: string; decision: RuleBehaviour; reason: string }>();
  for (const { command, decision } of findings) {
    if (!command) continue;
    const before = parts.get(command);
    if (before && rank[before.decision] >= rank[decision.behaviour]) continue;
    const { words, assignments } = command.command;
    const text = [...assignments.map(({ name }) => `${name}=…`), ...words.map((word) => word.text)].join(' ');
    parts.set(command, {
      command: text || '(redirection)',
      decision: decision.behaviour,
      reason: decision.reason,
    });
  }
  return [...parts.values()];
}

/**
 * As the tool itself reports. For a file tool the path is enough, so users need not write the rest; any other unreadable
 * input is an error, not a call that touches nothing.
 */
function findAccesses(
  name: string,
  input: Record<string, unknown>,
  cwd: string,
  tools: readonly Tool[],
): Result<Access[]> {
  if (name === 'Bash' || name === 'Monitor')
    return typeof input.command === 'string'
      ? ok([{ kind: 'shell', command: input.command, cwd }])
      : usage(`expected a string in "input.command" of ${name}`);
  const tool = tools.find((one) => one.name === name);
  const parsed = tool?.schema.safeParse(input);
  if (tool && parsed?.success) return ok(tool.access(parsed.data, cwd));
  if (isMcpToolName(name) || touchesNothing.has(name)) return ok([{ kind: 'none' }]);
  const path = input.file_path ?? input.path ?? input.notebook_path;
  const kind = fileTools.get(name);
  if (kind)
    return typeof path === 'string'
      ? ok([{ kind, path: resolve(cwd, path) }])
      : usage(`expected a path in "input.file_path" of ${name}`);
  if (name === 'WebFetch' && typeof input.url === 'string') return ok([{ kind: 'network', url: input.url }]);
  return tool
    ? usage(`the input does not match the schema of ${name}`)
    : usage(`${visibleLine(name, 100)} is not a known tool here`);
}

const fileTools: ReadonlyMap<string, 'read' | 'write'> = new Map([
  ...['Read', 'Grep', 'Glob', 'LSP', 'NotebookRead'].map((name) => [name, 'read'] as const),
  ...['Edit', 'Write', 'NotebookEdit', 'MultiEdit'].map((name) => [name, 'write'] as const),
]);

/** Tools that exist only in a session. */
const touchesNothing: ReadonlySet<string> = new Set([
  ...['Agent', 'SendMessage', 'Skill', 'EnterPlanMode', 'ExitPlanMode'],
]);

function readRules({ rules }: WhyCall, cwd: string): ReturnType<typeof parseRules> {
  const isObject = typeof rules === 'object' && rules !== null && !Array.isArray(rules);
  if (rules !== undefined && !isObject)
    return usage('expected an object in "rules", with lists named allow, ask and deny');
  const unknown = Object.keys(rules ?? {}).find((key) => !/^(?:allow|ask|deny)$/.test(key));
  if (unknown !== undefined)
    return usage(`"rules.${visibleLine(unknown, 100)}" is unknown; expected allow, ask or deny`);
  const all: Extract<ReturnType<typeof parseRules>, { ok: true }>['value'] = [];
  for (const behaviour of ['allow', 'ask', 'deny'] as const) {
    const texts = rules?.[behaviour] ?? [];
    if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string'))
      return usage(`expected a list of rules in "rules.${behaviour}"`);
    const parsed = parseRules(texts, { behaviour, layer: 'cli', source: 'rules on this line', base: cwd });
    if (!parsed.ok) return parsed;
    all.push(...parsed.value);
  }
  return ok(all);
}
