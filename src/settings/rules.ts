import { parseDomain } from '../lib/hosts.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { Rule, RuleBehaviour, SettingsLayer } from '../protocol/permission.ts';
import { canonicalToolName } from '../protocol/tool-names.ts';
import { findInvisible, findUselessCommand, findUselessPath, goesUpAfterWildcard } from './rule-faults.ts';

const maxRuleLength = 4096;

/** Tools that were merged into others: rules about them apply to those. */
const merged: ReadonlyMap<string, string> = new Map([
  ['MultiEdit', 'Edit'],
  ['NotebookRead', 'Read'],
]);

const pathTools: ReadonlySet<string> = new Set([
  'Cd',
  'Read',
  'Edit',
  'Write',
  'NotebookEdit',
  'Grep',
  'Glob',
]);

/**
 * One rule: `Tool`, `Tool(specifier)`, `mcp__server`, `mcp__server__*`. `source` is the file or flag that contains
 * it, `base` the directory that a specifier starting with one slash is relative to.
 */
export function parseRule(
  text: string,
  behaviour: RuleBehaviour,
  layer: SettingsLayer,
  source: string,
  base: string,
): Result<Rule> {
  const refuse = (reason: string) =>
    usage(
      `${source}: permission rule ${quote(text)} (${behaviour}): ${reason}`,
      'Write a rule as Tool or Tool(specifier), for example Read, Edit(src/**), Bash(npm test).',
    );
  const trimmed = text.trim();
  if (trimmed === '') return refuse('expected a tool name, found nothing');
  if (trimmed.length > maxRuleLength) return refuse(`expected at most ${maxRuleLength} characters`);
  if (trimmed.includes('\0')) return refuse('a rule cannot contain a NUL character');
  const open = trimmed.indexOf('(');
  const name = (open < 0 ? trimmed : trimmed.slice(0, open)).trim();
  if (open >= 0 && !trimmed.endsWith(')')) return refuse('expected a closing parenthesis at the end');
  if (!/^[\w.:@/*-]+$/.test(name)) return refuse('expected a tool name before the parenthesis');
  if (holdsSeveral(trimmed, open))
    return refuse('expected one rule, found several; write each as its own string');
  const tool = merged.get(name) ?? canonicalToolName(name);
  const specifier = open < 0 ? undefined : trimmed.slice(open + 1, -1).trim();
  const fault =
    findFault(tool, specifier, behaviour) ?? findUseless(trimmed, name, specifier, behaviour, base);
  if (fault) return refuse(fault);
  return ok({ behaviour, tool, layer, source, base, specifier });
}

/** `Bash(rm:*),Read(x)`: the first parenthesis is closed, and behind it another rule begins. */
function holdsSeveral(text: string, open: number): boolean {
  if (open < 0) return false;
  let depth = 0;
  for (let at = open; at < text.length - 1; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0)
      return /^[\s,;|&]*[A-Za-z_*][\w.:@/*-]*\s*\(/.test(text.slice(at + 1));
  }
  return false;
}

/** The value of a flag that lists tools: split at commas and white space outside parentheses. */
export function splitToolList(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      entries.push(entry);
      entry = '';
    } else entry += character;
  }
  return [...entries, entry].filter((item) => item !== '');
}

/** The text of a rule as users write it. */
export function formatRule(rule: Pick<Rule, 'tool' | 'specifier'>): string {
  return rule.specifier === undefined ? rule.tool : `${rule.tool}(${rule.specifier})`;
}

function findFault(
  tool: string,
  specifier: string | undefined,
  behaviour: RuleBehaviour,
): string | undefined {
  if (specifier === '') return 'the parentheses are empty: add a pattern, or remove them';
  if (/^mcp_+$/.test(tool)) return 'expected a server after mcp__, such as mcp__github or mcp__github__*';
  if (/^mcp__.*__$/.test(tool)) return `expected a tool after ${tool}: ${tool.slice(0, -2)} or ${tool}*`;
  // A granting wildcard must not reach unintended tools.
  if (behaviour === 'allow' && tool.includes('*') && !/^mcp__[^*]+__[^*]*\*$/.test(tool))
    return 'an allow rule may use * in a tool name only after mcp__<server>__';
  // Dropping the `!` would reverse the rule's meaning, so it is not silently tolerated.
  if (pathTools.has(tool) && specifier?.startsWith('!')) return 'path patterns cannot be negated with !';
  if (pathTools.has(tool) && goesUpAfterWildcard(specifier ?? ''))
    return 'a path pattern cannot have .. after a wildcard';
  const domain = tool === 'WebFetch' && specifier?.startsWith('domain:') ? specifier.slice(7) : undefined;
  if (domain !== undefined && !parseDomain(domain))
    return 'expected a host after domain:, such as example.com, *.example.com or localhost:3000';
  return undefined;
}

/** A restriction that restricts nothing is refused; a grant that grants nothing does no harm. */
function findUseless(
  text: string,
  name: string,
  specifier: string | undefined,
  behaviour: RuleBehaviour,
  base: string,
): string | undefined {
  if (behaviour === 'allow') return undefined;
  const hidden = findInvisible(text);
  if (hidden !== undefined || specifier === undefined) return hidden;
  const tool = merged.get(name) ?? canonicalToolName(name);
  if (tool === 'Bash') return findUselessCommand(specifier);
  if (name.includes('*') && !name.startsWith('mcp__')) return 'a rule for several tools has no parentheses';
  const address = tool === 'WebFetch' ? /^url:\s*(?:https?:\/\/)?([^/\s]+)/.exec(specifier)?.[1] : undefined;
  if (address !== undefined) return `requests are named by their host: WebFetch(domain:${address})`;
  return pathTools.has(tool) ? findUselessPath(name, specifier, base) : undefined;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
