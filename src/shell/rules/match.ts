import { matchesDomain, parseDomain, parseHost } from '../../lib/hosts.ts';
import { matchesName } from '../../places/name-pattern.ts';
import { coversAll, isWholeTool, matchesToolName } from '../../places/names.ts';
import { hasUntoldNames, matchesPathRule } from '../../places/path-rules.ts';
import { resolvePath } from '../../places/paths.ts';
import type { Call } from '../../places/types.ts';
import type { Access, Rule } from '../../protocol/permission.ts';
import { isMcpToolName } from '../../protocol/tool-names.ts';
import { readScript } from '../walk/script.ts';
import { judgeShell } from './judge-line.ts';
import { namesHost } from './named-hosts.ts';

const families: ReadonlyMap<string, readonly string[]> = new Map([
  ['Edit', ['Edit', 'Write', 'NotebookEdit', 'MultiEdit']],
  ['Read', ['Read', 'Grep', 'Glob', 'LSP', 'NotebookRead']],
  ['Bash', ['Bash', 'Monitor']],
]);

/** The rules that apply to one access, and the deny rule that may apply where a command hides itself. */
export interface MatchedRules {
  deny?: Rule;
  ask?: Rule;
  allow?: Rule;
  unclear?: Rule;
  /** A refusing or asking rule that may apply to another name of the same file. */
  untold?: Rule;
}

/** Order and specificity do not matter: for each behaviour the first rule that matches is named. */
export function matchRules(rules: readonly Rule[], call: Call, access: Access): MatchedRules {
  const matched: MatchedRules = {};
  const shellRules: Rule[] = [];
  for (const rule of rules) {
    if (refusesHost(rule, call, access)) matched[rule.behaviour] ??= rule;
    if (!coversTool(rule, call.tool, access)) continue;
    if (access.kind === 'shell' && isCommandRule(rule, call)) shellRules.push(rule);
    else if (!matched[rule.behaviour] && coversAccess(rule, call, access)) matched[rule.behaviour] = rule;
    else if (mayCover(rule, call, access)) matched.untold ??= rule;
  }
  if (access.kind !== 'shell') return matched;
  const unread = findUnreadRule(rules, call, access);
  const judged = shellRules.length === 0 ? {} : judgeShell(access, shellRules, call.workspace);
  return { ...(unread ? { unclear: unread } : {}), ...judged, ...matched };
}

/** A refusing rule about files or hosts, which may apply to a line that could not be read: nothing in it is known. */
function findUnreadRule(
  rules: readonly Rule[],
  { workspace }: Call,
  access: Extract<Access, { kind: 'shell' }>,
): Rule | undefined {
  const refusing = rules.find(
    ({ behaviour, tool }) => behaviour !== 'allow' && ['Read', 'Edit', 'WebFetch'].includes(tool),
  );
  return refusing && readScript(access, workspace).parsed.isUnread ? refusing : undefined;
}

function coversTool(rule: Rule, tool: string, access: Access): boolean {
  // Written and read files are matched, whichever tool is used; a grant applies only to the tools it was meant for.
  if (rule.behaviour !== 'allow') {
    if (rule.tool === 'Edit' && access.kind === 'write') return true;
    if (rule.tool === 'Read' && access.kind === 'read') return true;
    if (rule.tool === 'Bash' && access.kind === 'shell') return true;
    if (rule.tool === 'WebFetch' && access.kind === 'network' && isDomainRule(rule)) return true;
  }
  // `mcp__server` and `mcp__server__*` cover everything of a server, also what is not a tool.
  if (
    access.kind === 'mcp' &&
    isMcpToolName(rule.tool) &&
    matchesToolName(rule.tool, `mcp__${access.server}__`)
  )
    return true;
  return families.get(rule.tool)?.includes(tool) || matchesToolName(rule.tool, tool);
}

function isCommandRule(rule: Rule, call: Call): boolean {
  return !isWholeTool(rule) && findParameter(rule, call) === undefined;
}

function coversAccess(rule: Rule, call: Call, access: Access): boolean {
  if (coversAll(rule) || rule.specifier === undefined) return true;
  if (access.kind === 'network' && isDomainRule(rule)) return coversHost(rule, access.url);
  const parameter = findParameter(rule, call);
  if (parameter) return rule.behaviour !== 'allow' && matchesParameter(parameter, call);
  if (access.kind === 'read' || access.kind === 'write')
    return matchesPathRule(rule, resolvePath(access.path, call.workspace), access.kind, call.workspace);
  if (rule.tool === 'Agent') return namesType(rule, call);
  if (rule.tool === 'Skill') return namesSkill(rule, call);
  // A specifier that says nothing about this access grants nothing, and refuses rather than being skipped.
  return rule.behaviour !== 'allow';
}

function mayCover(rule: Rule, { workspace }: Call, access: Access): boolean {
  if (rule.behaviour === 'allow' || (access.kind !== 'read' && access.kind !== 'write')) return false;
  return hasUntoldNames(resolvePath(access.path, workspace), workspace);
}

/** `Agent(Explore)`, `Agent(a, b)`: agent types. The meaning of an omitted one is known, and judged, where agents start. */
function namesType({ specifier = '', behaviour }: Rule, { input }: Call): boolean {
  if (!input) return behaviour !== 'allow';
  const given = input.subagent_type ?? input.type;
  if (typeof given !== 'string') return behaviour === 'ask';
  return specifier.split(',').some((entry) => matchesName(plainType(entry), plainType(given)));
}

/** `Skill(name)` and `Skill(name *)`: a skill with any arguments; `Skill(name part*)`: with matching ones. */
function namesSkill({ specifier = '', behaviour }: Rule, { input }: Call): boolean {
  const name = typeof input?.skill === 'string' ? input.skill : undefined;
  if (name === undefined) return behaviour !== 'allow';
  const pattern = specifier.trim().replace(/^\//, '');
  const patterns = [pattern, pattern.replace(/(?: \*|:\*)$/, '')];
  const given = typeof input?.args === 'string' ? `${name} ${input.args.trim()}` : name;
  return patterns.some((one) => matchesName(one, name) || matchesName(one, given));
}

function plainType(name: string): string {
  const plain = name.trim().toLowerCase();
  return plain === 'general' ? 'general-purpose' : plain;
}

/** `domain:example.com`, `domain:*.example.com`, `domain:*`; each optionally with a port. */
function isDomainRule(rule: Rule): boolean {
  return rule.specifier?.startsWith('domain:') === true;
}

function coversHost(rule: Rule, url: string): boolean {
  const refuses = rule.behaviour !== 'allow';
  const pattern = parseDomain(rule.specifier?.slice('domain:'.length) ?? '');
  const host = parseHost(url);
  return pattern && host ? matchesDomain(pattern, host, refuses) : refuses;
}

/** A command that names a host is a request to it, judging by the text. */
function refusesHost(rule: Rule, { workspace }: Call, access: Access): boolean {
  if (access.kind !== 'shell' || rule.behaviour === 'allow' || rule.tool !== 'WebFetch') return false;
  const pattern = isDomainRule(rule) ? parseDomain(rule.specifier?.slice('domain:'.length) ?? '') : undefined;
  return pattern !== undefined && namesHost(readScript(access, workspace), pattern);
}

/** The rule that grants exactly this host by name: no wildcard, and not the whole tool. */
export function findExactGrant(rules: readonly Rule[], url: string): Rule | undefined {
  const host = parseHost(url);
  return rules.find((rule) => {
    if (rule.behaviour !== 'allow' || rule.tool !== 'WebFetch' || !isDomainRule(rule)) return false;
    const pattern = parseDomain(rule.specifier?.slice('domain:'.length) ?? '');
    return pattern && host && !pattern.below && matchesDomain(pattern, host, false);
  });
}

interface Parameter {
  name: string;
  value: string;
}

/** `name:value` where such a parameter is known, or the call has it. For a shell only two: `timeout:*` is a command. */
function findParameter(rule: Rule, call: Call): Parameter | undefined {
  const [, name, value] = /^([a-z_A-Z]\w*):(.+)$/s.exec(rule.specifier ?? '') ?? [];
  if (name === undefined || value === undefined) return undefined;
  const known =
    families.get('Bash')?.includes(rule.tool) === true
      ? shellParameters.has(name)
      : agentParameters.has(name) || (call.input !== undefined && Object.hasOwn(call.input, name));
  return known ? { name, value } : undefined;
}

const shellParameters: ReadonlySet<string> = new Set(['run_in_background', 'dangerouslyDisableSandbox']);
const agentParameters: ReadonlySet<string> = new Set([
  'model',
  'isolation',
  'subagent_type',
  'run_in_background',
]);

function matchesParameter({ name, value }: Parameter, call: Call): boolean {
  // Without the input nothing shows that the rule does not apply.
  if (!call.input) return true;
  const given = Object.hasOwn(call.input, name) ? call.input[name] : undefined;
  if (given === undefined || given === null || typeof given === 'object') return false;
  return value === '*' || String(given) === value;
}
