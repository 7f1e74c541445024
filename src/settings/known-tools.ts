import { ok, type Result, usage } from '../lib/result.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { compileStars } from '../lib/text/star-pattern.ts';
import type { Rule } from '../protocol/permission.ts';
import { isMcpToolName } from '../protocol/tool-names.ts';
import { formatRule, parseRule } from './rules.ts';

/**
 * Tools of the program that opens the session: by name, or `unnamed` if it brings features whose tools are known only
 * once they are open.
 */
export type OtherTools = readonly string[] | 'unnamed';

/** One rule, about a tool that exists. */
export function parseKnownRule(text: string, place: RulePlace): Result<Rule> {
  const { behaviour, layer, source, base, others } = place;
  const rule = parseRule(text, behaviour, layer, source, base);
  return rule.ok ? checkTool(rule.value, others ?? []) : rule;
}

/** Several rules of one list; the first bad one is the problem. */
export function parseRules(texts: readonly string[], place: RulePlace): Result<Rule[]> {
  const rules: Rule[] = [];
  for (const text of texts) {
    const rule = parseKnownRule(text, place);
    if (!rule.ok) return rule;
    rules.push(rule.value);
  }
  return ok(rules);
}

export interface RulePlace extends Pick<Rule, 'behaviour' | 'layer' | 'source' | 'base'> {
  others?: OtherTools | undefined;
}

/**
 * A rule that names no tool protects from nothing and grants nothing: it is misspelt, so it is refused. Tools of Claude
 * Code that Cadre does not have are accepted, since its files are read too.
 */
function checkTool(rule: Rule, others: OtherTools): Result<Rule> {
  const known = [...ourTools, ...foreignTools, ...(others === 'unnamed' ? [] : others)];
  const { tool } = rule;
  if (isMcpToolName(tool) || known.some((name) => matches(tool, name))) return ok(rule);
  const meant = nearNames(tool, known)[0];
  if (meant === undefined && (others === 'unnamed' || isNewElsewhere(rule))) return ok(rule);
  const written = JSON.stringify(formatRule(rule).slice(0, 200));
  return usage(
    `${rule.source}: permission rule ${written} (${rule.behaviour}): unknown tool "${tool.slice(0, 100)}".`,
    meant === undefined
      ? `The tools are ${[...ourTools].sort().join(', ')}, and mcp__server__tool.`
      : `Did you mean ${meant}? Tool names are case-sensitive.`,
  );
}

/**
 * The tool that a name in a skill's or an agent's list most likely means, where no tool has that name. Names that
 * resemble none may belong to another product or to a program that brings its own tools.
 */
export function findMisspeltTool(name: string): string | undefined {
  const known = [...ourTools, ...foreignTools];
  const isKnown = known.some((tool) => matches(name.toLowerCase(), tool.toLowerCase()));
  if (isKnown || isMcpToolName(name) || name.length < 3) return undefined;
  const ofServer = /^mcp(?:_|[-:./]+)([a-z\d].*)$/i.exec(name)?.[1];
  if (ofServer !== undefined) return `mcp__${ofServer}`;
  return nearNames(name, known).find((tool) => Math.abs(tool.length - name.length) <= 1);
}

/** A tool of this version: not one of another product, of a program or of an MCP server. */
export function isOurTool(name: string): boolean {
  return ourTools.includes(name);
}

/** A rule of a skill's list with the tool's name in our case: other products take names in any case. */
export function correctToolCase(rule: string): string {
  const name = rule.replace(/\(.*$/s, '').trim();
  const ours = [...ourTools, ...foreignTools].find((tool) => tool.toLowerCase() === name.toLowerCase());
  return ours === undefined ? rule : ours + rule.trimStart().slice(name.length);
}

function matches(pattern: string, name: string): boolean {
  return pattern.includes('*') ? compileStars(pattern).test(name) : pattern === name;
}

/** A file of the other product may allow tools newer than this list. Missing tools are not granted. */
function isNewElsewhere({ behaviour, source }: Rule): boolean {
  return (
    behaviour === 'allow' && /(?:^|\/)\.?claude(?:-code)?\//i.test(source.replaceAll('ClaudeCode', 'claude'))
  );
}

const ourTools: readonly string[] = [
  ...['Agent', 'AskUserQuestion', 'Bash', 'Cd', 'Edit', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode'],
  ...['ExitWorktree', 'Glob', 'Grep', 'Land', 'ListMcpResourcesTool', 'McpCall', 'Monitor', 'NotebookEdit'],
  ...['Read', 'ReadMcpResourceTool', 'Report', 'SendMessage', 'Skill', 'SyntheticOutput', 'TaskCreate'],
  ...['TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate', 'TodoWrite', 'WebFetch', 'WebSearch'],
  ...['Workflow', 'Write', 'subscribe_pr_activity'],
];

/** Claude Code's tools, past and present. */
const foreignTools: readonly string[] = [
  ...['Artifact', 'BashOutput', 'ClaudeDesign', 'CronCreate', 'CronDelete', 'CronList', 'EndConversation'],
  ...['LS', 'LSP', 'ListAgents', 'MultiEdit', 'NotebookRead', 'ObserverReport', 'OfferChromeSetup'],
  ...['PowerShell', 'Projects', 'ProposeGoal', 'PushNotification', 'ReadMcpResourceDirTool'],
  ...['ReadNotifications', 'RemoteTrigger', 'ReportFindings', 'ScheduleWakeup', 'SendFeedback'],
  ...['SendUserFile', 'SendUserMessage', 'ShareOnboardingGuide', 'ShowOnboardingRolePicker'],
  ...['SlashCommand', 'StructuredOutput', 'SubagentHandback', 'TeamCreate', 'TeamDelete', 'TodoRead'],
  ...['ToolSearch', 'WaitForMcpServers', 'propose_skills'],
];
