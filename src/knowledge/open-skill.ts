import { dirname } from 'node:path';
import { defined } from '../lib/fields/fields.ts';
import { maxTextSize, parseFrontmatter } from '../lib/frontmatter/frontmatter.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { endSentence } from '../lib/text/text.ts';
import type { Rule } from '../protocol/permission.ts';
import { correctToolCase, findMisspeltTool } from '../settings/known-tools.ts';
import { parseRule } from '../settings/rules.ts';
import { skillPiece } from '../settings/trust/markdown-pieces.ts';
import { pieceFile, type Trust, type TrustStanding } from '../settings/trust.ts';
import type { FileJudge } from '../workspace/file-judge.ts';
import { readSmallText } from '../workspace/find-markdown.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { readSkill } from './read-skill.ts';
import type { Skill } from './skill.ts';
import type { SkillScope } from './skill-scope.ts';
import { fillTextPlaces, nameTextPlaces, type TextPlaces } from './text-places.ts';

export interface SkillWorld {
  /** The repository's root. */
  root: string;
  cwd: string;
  trust: Trust;
  /** Says why a file is not read for a model. */
  judge?: FileJudge | undefined;
  /** Absent where no session runs. */
  sessionId?: string;
}

/** A skill as its file is now, and which parts of it may take effect. */
export interface OpenSkill {
  skill: Skill;
  body: string;
  /** Whether its commands may run, judged as the agent's own. */
  mayRun: boolean;
  /** The values for `${CLAUDE_PLUGIN_ROOT}` and the like in its text, its commands and its lists. */
  places: TextPlaces;
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
  const refusal = await world.judge?.judge({ path: skill.file, real, base: within });
  if (refusal !== undefined) return failure(`${skill.file}: not read for a model: ${refusal}.`);
  const text = readSmallText(real, maxTextSize);
  if (!text.ok) return failure(`${skill.file}: ${text.problem}.`);
  const parsed = await parseFrontmatter(text.value);
  if (!parsed.ok)
    return failure(`${skill.file}:${parsed.problem.line}: ${endSentence(parsed.problem.reason)}`);
  const { data, body } = parsed.value;
  // Its lists are read again too: what is trusted must be what takes effect.
  const now = readSkill(data, body, { ...skill, fallbackName: 'skill', prefix: '' });
  if (!now.ok) return failure(`${skill.file}: ${endSentence(now.problem.reason)}`);
  const fresh: Skill = { ...now.value, name: skill.name };
  const isTrusted = findSkillStanding(skill, data, body, world) === 'trusted';
  const notes: string[] = [];
  const places = nameTextPlaces({
    projectDirectory: world.cwd,
    sessionId: world.sessionId,
    pluginRoot: skill.source === 'plugin' ? within : undefined,
    skillDirectory: dirname(skill.file),
  });
  const scope = buildScope(fresh, places, isTrusted, world.cwd, notes);
  if (!scope.ok) return scope;
  return ok({ skill: fresh, body: body.trim(), mayRun: isTrusted, places, scope: scope.value, notes });
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

/**
 * A file's lists in force: denials always apply, permissions only if the file is trusted. A denial that cannot be read
 * means that the skill is not used; a permission is left out.
 */
function buildScope(
  skill: Skill,
  places: TextPlaces,
  isTrusted: boolean,
  cwd: string,
  notes: string[],
): Result<SkillScope> {
  const { file, allowedTools = [], disallowedTools, model, effort } = skill;
  const read = (text: string, behaviour: 'allow' | 'deny') =>
    readScopeRule(text, behaviour, places, file, cwd);
  if (allowedTools.length > 0 && !isTrusted)
    notes.push(
      `allowed-tools of ${file} grants nothing: the file is not trusted; run cadre trust to review it`,
    );
  const rules: Rule[] = [];
  for (const text of disallowedTools) {
    const rule = read(text, 'deny');
    if (!rule.ok) return rule;
    rules.push(rule.value);
  }
  for (const text of isTrusted ? allowedTools : []) {
    const rule = read(text, 'allow');
    if (rule.ok) rules.push(rule.value);
    else notes.push(rule.problem.message);
    const meant = rule.ok ? findMisspeltTool(rule.value.tool) : undefined;
    if (meant !== undefined)
      notes.push(
        `allowed-tools of ${file} grants nothing by "${text.slice(0, 100)}", which is not a tool: did you mean ${meant}?`,
      );
  }
  return ok({ rules, ...pickHooks(skill, isTrusted, notes), ...defined({ model, effort }) });
}

/** A path that has a meaning as a pattern is not inserted: the rule would match other files too. */
function readScopeRule(
  text: string,
  behaviour: 'allow' | 'deny',
  places: TextPlaces,
  file: string,
  cwd: string,
): Result<Rule> {
  const unfit = Object.keys(places).find(
    (name) => text.includes(`\${${name}}`) && /[*?[\]{}()\\]/.test(places[name] ?? ''),
  );
  if (unfit !== undefined)
    return failure(
      `${file}: rule ${JSON.stringify(text)} (${behaviour}): ${unfit} is ${places[unfit]}, which has characters with a special meaning in rules. Move it to another directory`,
    );
  return parseRule(correctToolCase(fillTextPlaces(text, places)), behaviour, 'session', file, cwd);
}

function pickHooks(
  { name, file, source, hooks }: Skill,
  isTrusted: boolean,
  notes: string[],
): Pick<SkillScope, 'hooks'> {
  if (!hooks) return {};
  if (isTrusted && source !== 'plugin')
    return { hooks: [{ name, file, isManaged: source === 'managed', hooks }] };
  const why = source === 'plugin' ? 'the hooks of a plugin belong in hooks/hooks.json' : 'it is not trusted';
  notes.push(`hooks of ${file} do not run: ${why}`);
  return {};
}
