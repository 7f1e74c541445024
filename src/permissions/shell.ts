import type { Rule } from '../protocol/permission.ts';
import { foldWords, type Match, refuses } from './shell/rules.ts';
import { readScript, type ShellAccess, type ShellPlace } from './shell/script.ts';

export { isBroadGrant } from './shell/broad-grant.ts';

/** What rules with a specifier say of a command line as a whole. */
export interface ShellJudgement {
  deny?: Rule;
  ask?: Rule;
  /** Names this very text. What allows only a part of it is found with the parts. */
  allow?: Rule;
  /** A rule that refuses or asks and cannot be ruled out: a word is computed, or some of it could not be read. */
  unclear?: Rule;
}

export function judgeShell(access: ShellAccess, rules: readonly Rule[], place: ShellPlace): ShellJudgement {
  const text = access.command.trim();
  const isWhole = (rule: Rule) => rule.specifier?.trim() === text;
  const allow = rules.find((rule) => rule.behaviour === 'allow' && isWhole(rule));
  const refusing = rules.filter((rule) => rule.behaviour !== 'allow');
  if (refusing.length === 0) return allow ? { allow } : {};
  const script = readScript(access, place);
  const isUnseen = script.parsed.isUnread || script.parsed.runsUnseen;
  const all = script.all.map(({ command }) => ({ command, words: foldWords(command) }));
  const matchOf = (rule: Rule): Match => {
    if (isWhole(rule)) return 'yes';
    const matches = all.map(({ command, words }) => refuses(rule, command, words));
    return matches.includes('yes') ? 'yes' : isUnseen || matches.includes('maybe') ? 'maybe' : 'no';
  };
  const found = refusing.map((rule) => ({ rule, match: matchOf(rule) }));
  const first = (behaviour: Rule['behaviour']) =>
    found.find(({ rule, match }) => match === 'yes' && rule.behaviour === behaviour)?.rule;
  const [deny, ask, unclear] = [
    first('deny'),
    first('ask'),
    found.find(({ match }) => match === 'maybe')?.rule,
  ];
  return {
    ...(deny ? { deny } : {}),
    ...(ask ? { ask } : {}),
    ...(allow ? { allow } : {}),
    ...(unclear ? { unclear } : {}),
  };
}
