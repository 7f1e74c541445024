import { maxTextSize, parseFrontmatter } from '../lib/frontmatter/frontmatter.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { isWholeTool } from '../places/names.ts';
import type { Rule } from '../protocol/permission.ts';
import { canonicalToolName } from '../protocol/tool-names.ts';
import { parseRule } from '../settings/rules.ts';
import { skillPiece } from '../settings/trust/markdown-pieces.ts';
import { pieceFile, type Trust, type TrustStanding } from '../settings/trust.ts';
import { readSmallText } from '../workspace/find-markdown.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { readSkill } from './read-skill.ts';
import type { Skill } from './skill.ts';
import { alwaysLeft, type SkillScope } from './skill-scope.ts';

export interface SkillWorld {
  /** The repository's root. */
  root: string;
  cwd: string;
  trust: Trust;
}

/** A skill as its file is now, and which parts of it may take effect. */
export interface OpenSkill {
  skill: Skill;
  body: string;
  /** Whether its commands may run, judged as the agent's own. */
  mayRun: boolean;
  /** In force while it runs. */
  scope: SkillScope;
  /** Fields that were ignored and why, in sentences. */
  notes: string[];
}

/**
 * Reads a skill's text when it is used. Trust is checked for these exact bytes: a file that changed since it was
 * trusted is no longer trusted.
 */
export async function openSkill(skill: Skill, world: SkillWorld): Promise<Result<OpenSkill>> {
  const { within } = skill;
  const real = resolveRealPath(skill.file);
  if (within !== undefined && !isWithin(real, resolveRealPath(within)))
    return failure(`${skill.file}: this link points outside ${within}.`);
  const text = readSmallText(real, maxTextSize);
  if (!text.ok) return failure(`${skill.file}: ${text.problem}.`);
  const parsed = await parseFrontmatter(text.value);
  if (!parsed.ok) return failure(`${skill.file}:${parsed.problem.line}: ${parsed.problem.reason}.`);
  const { data, body } = parsed.value;
  // Its lists are read again too: what is trusted must be what takes effect.
  const now = readSkill(data, body, { ...skill, fallbackName: 'skill', prefix: '' });
  if (!now.ok) return failure(`${skill.file}: ${now.problem.reason}.`);
  const fresh: Skill = { ...now.value, name: skill.name };
  const isTrusted = findSkillStanding(skill, data, body, world) === 'trusted';
  const notes: string[] = [];
  const scope = buildScope(fresh, isTrusted && skill.source !== 'plugin', world.cwd, notes);
  return ok({ skill: fresh, body: body.trim(), mayRun: isTrusted, scope, notes });
}

/** Whether the user trusts what a skill could do. Only skills from the repository need to be trusted. */
export function findSkillStanding(
  { kind, source, file }: Skill,
  data: Readonly<Record<string, unknown>>,
  body: string,
  { root, trust }: SkillWorld,
): TrustStanding {
  if (source !== 'project') return 'trusted';
  const piece = skillPiece(kind, pieceFile(root, file), data, body);
  if (!piece) return 'trusted';
  return trust.isTrusted(piece) ? 'trusted' : trust.findStanding(piece) === 'changed' ? 'changed' : 'new';
}

/** A file's lists in force: limits always apply, permissions only if the file is trusted. */
function buildScope(skill: Skill, mayGrant: boolean, cwd: string, notes: string[]): SkillScope {
  const { name, file, allowedTools, disallowedTools } = skill;
  const parseScopeRules = (texts: readonly string[], behaviour: 'allow' | 'deny'): Rule[] =>
    texts.flatMap((text) => {
      const rule = parseRule(text, behaviour, 'session', file, cwd);
      if (rule.ok) return [rule.value];
      notes.push(rule.problem.message);
      return [];
    });
  if (allowedTools?.length && !mayGrant)
    notes.push(`allowed-tools of ${file} does not skip questions: the file is not trusted`);
  const allowed = parseScopeRules(allowedTools ?? [], 'allow');
  const tools = allowedTools?.map(readToolName);
  return {
    name,
    ...(tools === undefined ? {} : { tools, only: listNarrowedTools(tools, allowed) }),
    rules: [...parseScopeRules(disallowedTools, 'deny'), ...(mayGrant ? allowed : [])],
    ...pickHooks(skill, mayGrant, notes),
    ...(skill.model === undefined ? {} : { model: skill.model }),
    ...(skill.effort === undefined ? {} : { effort: skill.effort }),
  };
}

/**
 * Tools that are named only with patterns, never as a whole. Tools that are always available are not limited either.
 */
function listNarrowedTools(
  tools: readonly string[],
  rules: readonly Rule[],
): NonNullable<SkillScope['only']> {
  const whole = [...rules.filter(isWholeTool).map(({ tool }) => tool), ...alwaysLeft];
  return {
    tools: [...new Set(tools)].filter((name) => !whole.includes(name)),
    rules: rules.filter((rule) => !isWholeTool(rule)),
  };
}

function pickHooks(
  { name, file, source, hooks }: Skill,
  mayGrant: boolean,
  notes: string[],
): Pick<SkillScope, 'hooks'> {
  if (!hooks) return {};
  if (mayGrant) return { hooks: [{ name, file, isManaged: source === 'managed', hooks }] };
  const why = source === 'plugin' ? 'the hooks of a plugin belong in hooks/hooks.json' : 'it is not trusted';
  notes.push(`hooks of ${file} do not run: ${why}`);
  return {};
}

/** The tool that a rule is about. */
function readToolName(rule: string): string {
  return canonicalToolName(rule.replace(/\(.*$/s, '').trim());
}
