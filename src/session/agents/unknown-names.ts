import { typeAliases } from '../../agents/definitions/built-in.ts';
import { nearNames } from '../../lib/text/near-names.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { matchesName } from '../../places/name-pattern.ts';
import { isWholeTool } from '../../places/names.ts';
import { nameRule } from '../../places/reasons.ts';
import type { Rule } from '../../protocol/permission.ts';

/**
 * Restrictions of agents or skills by a name that none here has: they may come later, so it is said and not refused. The user's
 * own rules speak of all projects: of those only a name that resembles a known one is told.
 */
export function noteUnknownNames(
  rules: readonly Rule[],
  tool: 'Agent' | 'Skill',
  known: readonly string[],
): string[] {
  const restricting = rules.filter((rule) => rule.behaviour !== 'allow' && rule.tool === tool);
  const notes = restricting.flatMap((rule) =>
    listNames(rule)
      .filter((name) => !known.some((one) => isNamed(tool, name, one)))
      .flatMap((name) => describeUnknown(rule, name, known)),
  );
  return [...new Set(notes)].slice(0, maxNotes);
}

const maxNotes = 20;

/** The names in a rule; none where it is about a parameter, such as `Agent(model:opus)`. */
function listNames(rule: Rule): string[] {
  if (isWholeTool(rule) || rule.specifier === undefined) return [];
  if (rule.tool === 'Skill') {
    const [name = ''] = rule.specifier.trim().replace(/^\//, '').replace(/:\*$/, '').split(/\s/, 1);
    return [name];
  }
  const types = rule.specifier.replace(/^subagent_type:/, '');
  if (/^(?:model|isolation|run_in_background):/.test(types)) return [];
  return types.split(',').map((name) => name.trim());
}

function isNamed(tool: 'Agent' | 'Skill', written: string, name: string): boolean {
  if (tool === 'Skill') return matchesName(written, name);
  const plain = written.toLowerCase();
  return matchesName((typeAliases.get(plain) ?? plain).toLowerCase(), name.toLowerCase());
}

function describeUnknown(rule: Rule, name: string, known: readonly string[]): string[] {
  const near = nearNames(name, known);
  const isEverywhere = rule.layer === 'user' || rule.layer === 'managed';
  if (near.length === 0 && isEverywhere) return [];
  const what = rule.tool === 'Agent' ? 'agent' : 'skill';
  const next =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `It restricts nothing until there is one.`;
  return [`${visibleLine(nameRule(rule), 500)}: no ${what} is named ${visibleLine(name, 100)}. ${next}`];
}
